package main

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"schedtune/internal/cli"
)

// answering are calls that print a result within a moment, one of each command that can.
const answering = `version
man
help rules
completion bash
check ../../datasets/spark/capacity-scheduler.xml
check testdata/sum97.xml --json
explain ../../datasets/spark/capacity-scheduler.xml --user u --queue etl
simulate --config testdata/small.xml --cluster testdata/four.yaml --trace testdata/small.json
compare --config testdata/small.xml --cluster testdata/four.yaml --trace testdata/small.json --schedulers capacity
why job_1700000000000_0001 --config testdata/lone.xml --cluster testdata/four.yaml --trace testdata/lone.json
trace info testdata/small.json
trace usage testdata/small.json --csv
import testdata/small.json - --to csv
plan --out OUT --params capacity --budget 30`

// Whatever a command prints, a standard output that is closed, or a pipe without a reader, makes it
// fail with exit code 1; one that discards the result does not.
func TestClosedStandardOutput(t *testing.T) {
	calls := strings.Split(answering, "\n")
	for _, c := range every(newRootCmd(&env{Name: "tune", Stdout: io.Discard, Stderr: io.Discard})) {
		calls = append(calls, strings.Join(append(strings.Fields(c.CommandPath())[1:], "-h"), " "))
	}
	for i, call := range calls {
		t.Run(call, func(t *testing.T) {
			t.Parallel()
			args := strings.Fields(call)
			if k := slices.Index(args, "OUT"); k >= 0 {
				args[k] = filepath.Join(t.TempDir(), "out")
			}
			if code, stderr := withOutput(t, ">&-", nil, args...); code != cli.ExitFailure ||
				!strings.Contains(stderr, "standard output is closed") {
				t.Errorf("closed: exit %d, want %d: %s", code, cli.ExitFailure, stderr)
			}
			if i%3 != 0 && strings.HasSuffix(call, "-h") { // the rest prints by the same way
				return
			}
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			r.Close()
			if code, stderr := withOutput(t, "", w, args...); code != cli.ExitFailure ||
				!strings.Contains(stderr, "broken pipe") {
				t.Errorf("a pipe without a reader: exit %d, want %d: %s", code, cli.ExitFailure, stderr)
			}
			w.Close()
		})
	}
	log := filepath.Join(t.TempDir(), "log")
	for redirect, want := range map[string]int{">/dev/null": cli.ExitOK, "</dev/null 1<>/dev/null 2>&1": cli.ExitOK,
		"</dev/null >&-": cli.ExitFailure, ">&- 2>&-": cli.ExitFailure, "<&- >&- 2>&-": cli.ExitFailure,
		">&- 2>>" + log: cli.ExitFailure, "<&-": cli.ExitOK, "2>&-": cli.ExitOK} {
		if code, stderr := withOutput(t, redirect, nil, "version"); code != want {
			t.Errorf("%s: exit %d, want %d: %s", redirect, code, want, stderr)
		}
	}
}

// withOutput runs the command in a process whose standard output is as a shell redirects it, or a file.
func withOutput(t *testing.T, redirect string, to *os.File, args ...string) (code int, stderr string) {
	t.Helper()
	c := process(context.Background(), args...)
	var errs strings.Builder
	shell := exec.Command("sh", append([]string{"-c", `exec "$0" "$@" ` + redirect, c.Path}, args...)...)
	shell.Env, shell.Stderr, shell.Stdin = c.Env, &errs, strings.NewReader("")
	if to != nil {
		shell.Stdout = to
	}
	err := shell.Run()
	if shell.ProcessState == nil {
		t.Fatal(err)
	}
	return shell.ProcessState.ExitCode(), errs.String()
}
