package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"schedtune/internal/cli"
	"schedtune/internal/text"
)

// Drawn calls with a flag that is unknown, empty, out of its range or of another kind, or that names
// a file that is absent or damaged, end with the exit code that their one JSON object names.
func TestDrawnFailures(t *testing.T) {
	const calls, seed = 250, 43
	dir := t.TempDir()
	files := []string{filepath.Join(dir, "absent"), dir}
	for name, content := range map[string]string{"empty": "", "cut.json": `{"schema": "schedtune/fit-`, "list": "[1, 2]",
		"cut.csv": "time,node\n1", "bytes": "\x00\xff\x1f\x8b", "words": "no such thing\n"} {
		files = append(files, filepath.Join(dir, name))
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r := rand.New(rand.NewPCG(seed, 0))
	draw := func(list ...string) string { return list[r.IntN(len(list))] }
	failed := 0
	for n := range calls {
		commands := newRootCmd(&env{Name: "fit", Stdout: io.Discard, Stderr: io.Discard}).Commands()
		c := commands[r.IntN(len(commands))]
		var flags []*pflag.Flag
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Value.Type() != "bool" {
				flags = append(flags, f)
			}
		})
		args := []string{c.Name(), "--" + draw("x", "jsn", "out-")}
		if r.IntN(8) > 0 {
			f := flags[r.IntN(len(flags))]
			value := draw("", " ", "--quiet")
			switch what, _ := pflag.UnquoteUsage(f); {
			case r.IntN(4) == 0:
			case what == "FILE" || what == "DIR":
				value = files[r.IntN(len(files))]
			case f.Value.Type() != "string" && !strings.HasPrefix(f.Value.Type(), "string"):
				value = draw("x", "NaN", "1e999", "-1 ", "5mm")
			case fmt.Sprintf("%T", f.Value) == "*cli.choiceValue":
				value = draw("x", "-", "TEXT")
			}
			args = []string{c.Name(), "--" + f.Name + "=" + value}
		}
		t.Run(fmt.Sprintf("%d %s", n, strings.Join(args, " ")), func(t *testing.T) {
			code, stdout, stderr := fitCmd(t, "", append(args, "--json", "--quiet")...)
			if code == cli.ExitOK {
				return // a value that is none for most flags is one for this
			}
			failed++
			var doc cli.ErrorDocument
			d := json.NewDecoder(strings.NewReader(stdout))
			if err := d.Decode(&doc); err != nil || d.More() || doc.Schema != text.SchemaError || doc.Exit != code ||
				code > cli.ExitUsage || doc.Error == "" || !strings.Contains(stderr, "fit: ") {
				t.Errorf("exit %d, stdout %q, stderr %q (%v), want one object with the code", code, stdout, stderr, err)
			}
		})
	}
	if failed < calls*8/10 {
		t.Errorf("got %d calls of %d that fail, want eight of ten", failed, calls)
	}
}
