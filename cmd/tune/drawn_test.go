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
		"no such choice": with(func(f *pflag.Flag) bool { return fmt.Sprintf("%T", f.Value) == "*cli.choiceValue" }, "x", "-",
			"text,json", "TEXT"),
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

// broken are files that a command cannot read, or not as what they are given for.
var broken = map[string]string{"empty": "", "blank": " \n", "cut.json": `{"id": "job_1", "sub`,
	"list.json": "[1, 2, 3]",
	"cut.xml":   "<configuration><property><name>yarn.sch", "other.xml": "<a><b/></a>", "bytes": "\x00\xff\x1f\x8b\x08\x01",
	"words": "no such thing\n", "deep.json": strings.Repeat("[", 5000), "nodes.csv": "name,memory\n,,,\n",
	"none.yaml": "nodes: []\n", "far.json": `{"jobID": "j", "submitTime": 1e300}`}

// failing are calls that fail with any of these in the place of F.
var failing = strings.Split(`check F|check F --against F|check F --site F|check --embedded --cluster F|explain F --user u|
explain testdata/small.xml --user u --cluster F|explain testdata/small.xml --user u --trace F|explain F --against F|
simulate --config F --embedded|simulate --cluster F --embedded|simulate --trace F --embedded|
simulate --embedded --calibration F|simulate --embedded --groups F|simulate --embedded --site F|
simulate --from-pull F|simulate --embedded --at 08:00=F --at 20:00=F --zone UTC|compare --trace F --embedded|
compare --config testdata/small.xml --against F --embedded|size --trace F --embedded|timetable --config F --zone UTC|
why job_1 --trace F --embedded|why job_1 --pull F|doctor F|apply F --rm http://127.0.0.1:1|rollback F --rm x://y|
verify F --before F --after F|trace info F|trace info --from rumen F|trace usage F|import F OUT.csv|worker --study F|
plan --trace F --embedded --out OUT|collect F --out OUT|--trace F --embedded|--config F --embedded --out OUT`, "|")

// Drawn calls that fail end with the code that their one JSON object names, or with that of a
// finding; standard error has the same lines as the object.
func TestDrawnFailures(t *testing.T) {
	const calls, seed = 250, 42
	dir := t.TempDir()
	var names []string
	for name, content := range broken {
		names = append(names, filepath.Join(dir, name))
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(names)
	names = append(names, filepath.Join(dir, "absent"), dir)
	r := rand.New(rand.NewPCG(seed, 0))
	failed := 0
	for n := range calls {
		args := strings.Fields(failing[r.IntN(len(failing))])
		for i := range args {
			args[i] = strings.Replace(args[i], "OUT", filepath.Join(t.TempDir(), "out"), 1)
			if args[i] == "F" || strings.HasSuffix(args[i], "=F") {
				args[i] = strings.TrimSuffix(args[i], "F") + names[r.IntN(len(names))]
			}
		}
		t.Run(fmt.Sprintf("%d %s", n, args[0]), func(t *testing.T) {
			code, stdout, stderr := command(t, append(args, "--json", "--quiet")...)
			if code != cli.ExitOK {
				failed++
			}
			if fault := failure(code, stdout, stderr); fault != "" {
				t.Errorf("tune %q: %s; exit %d, stdout %q, stderr %q", args, fault, code, stdout, stderr)
			}
		})
	}
	if failed < calls*9/10 {
		t.Errorf("got %d calls of %d that fail, want nine of ten", failed, calls)
	}
}

// failure tells what is wrong with the end of a call that fails, "" if nothing is.
func failure(code int, stdout, stderr string) string {
	var doc struct {
		Schema, Error string
		Exit          *int
	}
	d := json.NewDecoder(strings.NewReader(stdout))
	if err := d.Decode(&doc); err != nil || d.More() {
		return fmt.Sprintf("want one object (%v)", err)
	}
	own := doc.Schema != text.SchemaError
	switch {
	case own && code != cli.ExitOK && code < cli.ExitNotRecommended:
		return "want an object of " + text.SchemaError
	case own:
		return ""
	case doc.Exit == nil || *doc.Exit != code || code != cli.ExitFailure && code != cli.ExitUsage:
		return "want the exit code in the object"
	case doc.Error == "" || !strings.Contains(stderr, "tune: "+strings.Split(doc.Error, "\n")[0]):
		return "want the error on standard error too"
	}
	return ""
}
