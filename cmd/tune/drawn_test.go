package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"schedtune/internal/cli"
	"schedtune/internal/text"
)

// A mistake draws arguments that make a command line wrong; nil if a command cannot have it.
type mistake func(r *rand.Rand, c *cobra.Command, flags []*pflag.Flag) []string

// mistakes are the kinds of wrong command lines.
func mistakes(dir string) map[string]mistake {
	word := func(r *rand.Rand) string {
		b := make([]byte, 3+r.IntN(8))
		for i := range b {
			b[i] = byte('a' + r.IntN(26))
		}
		return "x" + string(b)
	}
	one := func(r *rand.Rand, flags []*pflag.Flag, of func(*pflag.Flag) bool) *pflag.Flag {
		list := slices.DeleteFunc(slices.Clone(flags), func(f *pflag.Flag) bool { return !of(f) })
		if len(list) == 0 {
			return nil
		}
		return list[r.IntN(len(list))]
	}
	// with draws a flag of a kind and gives it one of some values.
	with := func(of func(*pflag.Flag) bool, values ...string) mistake {
		return func(r *rand.Rand, _ *cobra.Command, flags []*pflag.Flag) []string {
			if f := one(r, flags, of); f != nil {
				return []string{"--" + f.Name + "=" + values[r.IntN(len(values))]}
			}
			return nil
		}
	}
	is := func(types ...string) func(*pflag.Flag) bool {
		return func(f *pflag.Flag) bool { return slices.Contains(types, f.Value.Type()) }
	}
	takes := func(f *pflag.Flag) bool { return f.Value.Type() != "bool" }
	return map[string]mistake{
		"unknown flag": func(r *rand.Rand, _ *cobra.Command, _ []*pflag.Flag) []string {
			return []string{"--" + word(r)}
		},
		"unknown letter": func(*rand.Rand, *cobra.Command, []*pflag.Flag) []string { return []string{"-Z"} },
		"no number":      with(is("int", "uint64", "float64", "duration"), "x", "NaN", "1 2", "5mm", "0x", "1e999"),
		"no truth value": with(is("bool"), "maybe", "2", "x"),
		"empty value":    with(takes, "", " ", ",", "\t"),
		"folder for a file": with(func(f *pflag.Flag) bool {
			what, usage := pflag.UnquoteUsage(f)
			return what == "FILE" && !strings.Contains(usage, "folder")
		}, dir),
		"file for a folder": with(func(f *pflag.Flag) bool {
			what, _ := pflag.UnquoteUsage(f)
			return what == "DIR"
		}, filepath.Join(dir, "file")),
		"given twice": func(r *rand.Rand, _ *cobra.Command, flags []*pflag.Flag) []string {
			f := one(r, flags, func(f *pflag.Flag) bool { return takes(f) && !is("stringArray", "stringSlice")(f) })
			if f == nil {
				return nil
			}
			a, b := valuesOf(f)
			return []string{"--" + f.Name, a, "--" + f.Name, b}
		},
		"no value": func(r *rand.Rand, _ *cobra.Command, flags []*pflag.Flag) []string {
			if f := one(r, flags, takes); f != nil {
				return []string{"--" + f.Name}
			}
			return nil
		},
		"too many arguments": func(r *rand.Rand, c *cobra.Command, _ []*pflag.Flag) []string {
			list := []string{word(r), word(r), word(r)}
			if c.Args == nil || c.Args(c, list) == nil {
				return nil
			}
			return list
		},
		"empty argument": func(r *rand.Rand, c *cobra.Command, _ []*pflag.Flag) []string {
			if c.Args == nil || c.Args(c, []string{" "}) == nil {
				return nil
			}
			return []string{" "}
		},
	}
}

// Drawn command lines with one or two mistakes end with exit code 2, one line that says why, and
// at most two hints; standard output has nothing, or with --json one object; nothing is written.
func TestDrawnMistakes(t *testing.T) {
	const lines, seed = 400, 41
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "file"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	kinds := mistakes(dir)
	var names []string
	for name := range kinds {
		names = append(names, name)
	}
	slices.Sort(names)
	commands := every(newRootCmd(&env{Name: "tune", Stdout: io.Discard, Stderr: io.Discard}))
	here := t.TempDir()
	t.Chdir(here)
	r := rand.New(rand.NewPCG(seed, 0))
	drawn := map[string]int{}
	for n := 0; n < lines; {
		c := commands[r.IntN(len(commands))]
		args := append(strings.Fields(c.CommandPath())[1:], "--quiet") // a note is no fault
		asJSON := r.IntN(2) == 0
		if asJSON {
			args = append(args, "--json")
		}
		var flags []*pflag.Flag
		for _, fs := range []*pflag.FlagSet{c.LocalFlags(), c.InheritedFlags()} {
			fs.VisitAll(func(f *pflag.Flag) { flags = append(flags, f) })
		}
		flags = slices.DeleteFunc(flags, func(f *pflag.Flag) bool {
			return f.Name == "help" || f.Name == "version" || f.Name == "json" || f.Name == "progress" || f.Name == "quiet"
		})
		var made []string
		for range 1 + r.IntN(2) {
			kind := names[r.IntN(len(names))]
			if wrong := kinds[kind](r, c, flags); wrong != nil {
				args, made = append(args, wrong...), append(made, kind)
				drawn[kind]++
			}
		}
		if len(made) == 0 {
			continue
		}
		n++
		t.Run(fmt.Sprintf("%d %s", n, strings.Join(made, ", ")), func(t *testing.T) {
			code, stdout, stderr := command(t, args...)
			if fault := refused(code, stdout, stderr, asJSON); fault != "" {
				t.Errorf("tune %q: %s; exit %d, stdout %q, stderr %q", args, fault, code, stdout, stderr)
			}
		})
	}
	for _, kind := range names {
		if drawn[kind] < 10 {
			t.Errorf("%s: drawn %d times, want 10 or more", kind, drawn[kind])
		}
	}
	if left, err := os.ReadDir(here); err != nil || len(left) > 0 {
		t.Errorf("written by wrong command lines: %v (%v), want nothing", left, err)
	}
}

// refused tells what is wrong with the end of a wrong command line, "" if nothing is.
func refused(code int, stdout, stderr string, asJSON bool) string {
	if code != cli.ExitUsage {
		return fmt.Sprintf("want exit %d", cli.ExitUsage)
	}
	faults, hints := 0, 0
	for line := range strings.Lines(stderr) {
		switch {
		case strings.HasPrefix(line, "tune: "):
			faults++
		case strings.HasPrefix(line, "hint: "):
			hints++
		default:
			return fmt.Sprintf("a line that is neither fault nor hint: %q", line)
		}
	}
	if faults != 1 || hints < 1 || hints > 2 {
		return fmt.Sprintf("%d lines of faults and %d of hints, want 1 and 1 or 2", faults, hints)
	}
	if !asJSON {
		if stdout != "" {
			return "want nothing on standard output"
		}
		return ""
	}
	var doc cli.ErrorDocument
	d := json.NewDecoder(strings.NewReader(stdout))
	if err := d.Decode(&doc); err != nil || d.More() || doc.Schema != text.SchemaError || doc.Exit != cli.ExitUsage ||
		doc.Error == "" || doc.Hint == nil {
		return fmt.Sprintf("want one object of %s: %v", text.SchemaError, err)
	}
	return ""
}
