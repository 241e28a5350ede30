package main

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// every is a command and all below it that do something.
func every(c *cobra.Command) []*cobra.Command {
	var list []*cobra.Command
	if c.Runnable() && !c.Hidden {
		list = append(list, c)
	}
	for _, s := range c.Commands() {
		if s.Name() != "completion" && s.Name() != "help" {
			list = append(list, every(s)...)
		}
	}
	return list
}

// Every command's help says what it is for, has an example and exit codes, and no line of
// words is wider than 100 columns; every flag that takes a value shows what in capitals.
func TestHelp(t *testing.T) {
	placeholder := regexp.MustCompile(`^[A-Z0-9:,[\]=…kv-]+$`)
	seen := 0
	for _, c := range every(newRootCmd(&env{Name: "tune", Stdout: io.Discard, Stderr: io.Discard})) {
		if c.HasSubCommands() && c.Name() == "trace" {
			continue // shows its own help
		}
		seen++
		args := append(strings.Fields(c.CommandPath())[1:], "-h")
		code, page, errs := command(t, args...)
		if code != 0 || errs != "" || c.Short == "" || !strings.Contains(page, "\nExamples:\n") || !strings.Contains(page, "\nExit codes:\n") {
			t.Errorf("%v: exit %d, %s\n%s", args, code, errs, page)
		}
		words, flags, _ := strings.Cut(page, "\nExamples:\n")
		_, flags, _ = strings.Cut(flags, "\n\n")
		for _, line := range strings.Split(words+flags, "\n") {
			if n := len([]rune(line)); n > 100 {
				t.Errorf("%v: %d columns: %s", args, n, line)
			}
		}
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if name, _ := pflag.UnquoteUsage(f); f.Value.Type() != "bool" && !placeholder.MatchString(name) {
				t.Errorf("%v: --%s takes %q, not shown in capitals", args, f.Name, name)
			}
		})
	}
	if seen < 20 {
		t.Errorf("got %d commands, want 20 or more", seen)
	}
}

// The topics of help list every metric, scheduler with its parameters, and data set.
func TestTopics(t *testing.T) {
	for topic, want := range map[string][]string{
		"objectives": {"  makespan: first submission to last completion\n      s; lower is better\n      depends on the last job only", "  utilisation: ", "higher is better, of the whole cluster only"},
		"schedulers": {"  delay (Zaharia et al., EuroSys 2010)", "      node-delay=15 s: T1: wait for a node with the input; numbers from 0 to 3600\n"},
		"datasets":   {"  default\n      88 jobs on 20 nodes. ", "  coshh-facebook\n"},
	} {
		code, page, errs := command(t, "help", topic)
		for _, w := range want {
			if code != 0 || errs != "" || !strings.Contains(page, w) {
				t.Errorf("%s: exit %d, %s; %q is missing in\n%s", topic, code, errs, w, page)
			}
		}
	}
}

// Every schema of a document that a command prints or writes is in the index of docs/json.md,
// which names no other.
func TestSchemasAreDocumented(t *testing.T) {
	index, err := os.ReadFile("../../docs/json.md")
	if err != nil {
		t.Fatal(err)
	}
	name := regexp.MustCompile(`"schedtune/([a-z-]+/v[0-9]+)"`)
	used := map[string]bool{"apply/v1": true, "rollback/v1": true} // made of a command's name
	for _, dir := range []string{"../../cmd", "../../internal", "../../tune", "../../validation"} {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			for _, m := range name.FindAllStringSubmatch(string(text), -1) {
				used[m[1]] = true
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	delete(used, "folder/v1") // of the record of a folder under way, which nobody reads
	delete(used, "tune/v1")   // of older folders, which tune verify reads
	for s := range used {
		if !strings.Contains(string(index), s) {
			t.Errorf("schedtune/%s is not in docs/json.md", s)
		}
	}
	for _, m := range regexp.MustCompile(`schedtune/([a-z-]+/v[0-9]+)`).FindAllStringSubmatch(string(index), -1) {
		if !used[m[1]] {
			t.Errorf("docs/json.md names schedtune/%s, which nothing prints", m[1])
		}
	}
}
