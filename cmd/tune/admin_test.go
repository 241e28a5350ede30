package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"schedtune/internal/outdir"
	"schedtune/internal/study"
)

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

// A result that could not be written is a failure.
func TestFullDiskIsAFailure(t *testing.T) {
	for _, args := range [][]string{{"check", "testdata/lone.xml"}, {"check", "testdata/lone.xml", "--json"}} {
		var errs bytes.Buffer
		if code := run(args, strings.NewReader(""), fullDisk{}, &errs); code != 1 || !strings.Contains(errs.String(), "no space left") {
			t.Errorf("%v: exit %d, %s", args, code, &errs)
		}
	}
}

// An interrupted study has put its folder in place; the same command takes its
// log up again. A finished one is not gone on with.
func TestTakeUp(t *testing.T) {
	for status, want := range map[string]bool{"cancelled": true, "budget-spent": false} {
		out := filepath.Join(t.TempDir(), "tuned")
		write := func(name, text string) {
			if err := os.MkdirAll(out, 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(out, name), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		write(study.FileSummary, `{"study":{"status":"`+status+`"}}`)
		write(study.FileTrials, "log\n")
		dir, err := outdir.Open(out)
		if err != nil {
			t.Fatal(err)
		}
		if err := takeUp(dir); err != nil {
			t.Fatal(err)
		}
		text, _ := os.ReadFile(dir.Path(study.FileTrials))
		if (string(text) == "log\n") != want {
			t.Errorf("%s: %q", status, text)
		}
	}
}

// Mistakes on the command line are usage errors that name the flag, what is
// expected, and the help of the command they belong to.
func TestUsageOfSubcommands(t *testing.T) {
	for _, x := range []struct {
		args []string
		want []string
	}{
		{[]string{"check"}, []string{"0 arguments given; allowed: tune check FILE", "hint: tune check -h"}},
		{[]string{"explain", "--nosuch"}, []string{"hint: tune explain -h"}},
		{[]string{"--sampler", "x"}, []string{`tune: --sampler: "x" is unknown; allowed: cmaes`}},
		{[]string{"--constraint", "queue.nosuch.p95-wait <= 60s"}, []string{`tune: --constraint: metric "queue.nosuch.p95-wait": no queue "nosuch"`}},
	} {
		code, _, stderr := command(t, x.args...)
		if code != 2 {
			t.Errorf("%v: exit %d", x.args, code)
		}
		for _, want := range x.want {
			if !strings.Contains(stderr, want) {
				t.Errorf("%v: no %q in %s", x.args, want, stderr)
			}
		}
	}
}
