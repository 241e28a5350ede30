package main

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"schedtune/internal/text"
)

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
		if code != 0 || errs != "" || c.Short == "" || !strings.Contains(page, "\nExamples:\n") ||
			!strings.Contains(page, "\nExit codes:\n") {
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

// Commands are listed in the order of their purpose.
func TestCommandOrder(t *testing.T) {
	_, page, _ := command(t, "-h")
	at := -1
	for _, name := range []string{"check", "explain", "simulate", "compare", "pull", "why", "import", "worker", "plan"} {
		next := strings.Index(page, "\n  "+name+" ")
		if next <= at {
			t.Errorf("got %s at %d, want it after %d in\n%s", name, next, at, page)
		}
		at = next
	}
}

// The topics of help list every metric, scheduler with its parameters, and data set.
func TestTopics(t *testing.T) {
	for topic, want := range map[string][]string{
		"objectives": {"  makespan: first submission to last completion\n      s; lower is better\n      depends on the " +
			"last job only", "  utilisation: ", "higher is better, for the whole cluster only"},
		"schedulers": {"  delay (Zaharia et al., EuroSys 2010)", "      node-delay=15 s: time to wait for a node with the " +
			"input (T1); a number from 0 to 3600\n"},
		"datasets": {"  default-1\n      88 jobs on 20 nodes. ", "  coshh-facebook\n"},
	} {
		code, page, errs := command(t, "help", topic)
		for _, w := range want {
			if code != 0 || errs != "" || !strings.Contains(page, w) {
				t.Errorf("%s: exit %d, %s; %q is missing in\n%s", topic, code, errs, w, page)
			}
		}
	}
}

// schemaName is a schema in Go source.
var schemaName = regexp.MustCompile(`"(schedtune/[a-z-]+/v[0-9]+)"`)

// Schemas of tune and fit are named in one file only, and each is in the index of
// docs/json.md, which names no other but those of validation.
func TestSchemas(t *testing.T) {
	const list = "../../internal/text/schema.go"
	index := page(t, "docs/json.md")
	var names []string
	for _, m := range schemaName.FindAllStringSubmatch(page(t, "internal/text/schema.go"), -1) {
		names = append(names, m[1])
		// Other pages describe traces and calibrations; nobody reads the record of a new folder.
		other := []string{text.SchemaTrace, text.SchemaCalibration, text.SchemaFolder}
		if !slices.Contains(other, m[1]) && !strings.Contains(index, strings.TrimPrefix(m[1], "schedtune/")) {
			t.Errorf("got no description of %s, want one in docs/json.md", m[1])
		}
	}
	if len(names) < 30 {
		t.Fatalf("got %d schemas in %s, want 30 or more", len(names), list)
	}
	for _, dir := range []string{"cmd", "internal", "simcore", "trace", "tune", "yarnconf", "validation"} {
		err := filepath.WalkDir("../../"+dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || path == list || !strings.HasSuffix(path, ".go") ||
				strings.HasSuffix(path, "_test.go") {
				return err
			}
			source, err := os.ReadFile(path)
			for _, m := range schemaName.FindAllStringSubmatch(string(source), -1) {
				if dir == "validation" {
					names = append(names, m[1])
				} else {
					t.Errorf("got schema %s in %s, want it in %s", m[1], path, list)
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, m := range regexp.MustCompile(`schedtune/[a-z-]+/v[0-9]+`).FindAllString(index, -1) {
		if !slices.Contains(names, m) {
			t.Errorf("got %s in docs/json.md, want a schema that a command prints", m)
		}
	}
}
