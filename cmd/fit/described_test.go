package main

import (
	"io"
	"os"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// Every subcommand is on docs/fit.md; every flag has a text in the help.
func TestCommandsAreDescribed(t *testing.T) {
	page, err := os.ReadFile("../../docs/fit.md")
	if err != nil {
		t.Fatal(err)
	}
	commands := newRootCmd(&env{Name: "fit", Stdout: io.Discard, Stderr: io.Discard}).Commands()
	if want := len(subcommands) + 1; len(commands) != want { // predict has no embedded data
		t.Errorf("got %d commands, want the %d of the tests", len(commands), want)
	}
	for _, c := range commands {
		if !strings.Contains(string(page), "`"+c.CommandPath()+"`") {
			t.Errorf("got no mention of %s, want one in docs/fit.md", c.CommandPath())
		}
		help, _ := ok(t, c.Name(), "-h")
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if _, text := pflag.UnquoteUsage(f); text == "" || !strings.Contains(help, "--"+f.Name) {
				t.Errorf("%s: got flag --%s with text %q, want it in the help", c.CommandPath(), f.Name, text)
			}
		})
	}
}
