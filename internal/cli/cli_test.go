package cli

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/spf13/cobra"
)

// hinted is an error with advice.
type hinted struct{ error }

func (hinted) Hint() string { return "try this" }

// failing refuses every write.
type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("no space left") }

// tree is a command "prog" with a subcommand "do" that runs f.
func tree(f func(*cobra.Command) error) *cobra.Command {
	root := &cobra.Command{Use: "prog", Args: NoArgs, RunE: func(*cobra.Command, []string) error { return nil }}
	(&Env{}).Flags(root)
	do := &cobra.Command{Use: "do FILE", Args: Args(cobra.ExactArgs(1)), RunE: func(c *cobra.Command, _ []string) error {
		return f(c)
	}}
	do.Flags().Int("runs", 1, "number of `RUNS`")
	do.Flags().Duration("wait", 0, "how long")
	root.AddCommand(do, &cobra.Command{Use: "topic", Short: "a page of help"})
	return root
}

// Every outcome has its exit code, and every error is one line with the
// program's name, then advice.
func TestExitCodesAndMessages(t *testing.T) {
	for _, x := range []struct {
		args   string
		err    error
		code   int
		stderr []string // in this order; nil = nothing
	}{
		{"do x", nil, ExitOK, nil},
		{"do x", errors.New("first\nsecond"), ExitFailure, []string{"prog: first\n", "prog: second\n"}},
		{"do x", errors.Join(errors.New("once"), errors.New("once"), errors.New("more")), ExitFailure,
			[]string{"prog: once\nprog: more\n"}},
		{"do x", fmt.Errorf("wrapped: %w", hinted{errors.New("no")}), ExitFailure,
			[]string{"prog: wrapped: no\n", "hint: try this\n"}},
		{"do x", Usagef("--runs %d: must be 1 or more", 0), ExitUsage, []string{"prog: --runs 0: must be 1 or more\n",
			"hint: prog do -h shows"}},
		{"do x", ErrInterrupted, ExitInterrupted, nil},
		{"do x", fmt.Errorf("stopped: %w", ErrInterrupted), ExitInterrupted, nil},
		{"do", nil, ExitUsage, []string{"0 arguments given; usage: prog do FILE"}},
		{"do x y z", nil, ExitUsage, []string{"3 arguments given"}},
		{"nosuch", nil, ExitUsage, []string{`unknown command "nosuch": must be one of `, "do"}},
		{"help nosuch", nil, ExitUsage, []string{`unknown command "nosuch": must be one of `, "do"}},
		{"help nosuch", nil, ExitUsage, []string{"do, completion, topic\n"}},
		{"help do x", nil, ExitUsage, []string{`unexpected argument "x"`}},
		{"do x --runs many", nil, ExitUsage, []string{`--runs "many": must be a whole number`}},
		{"do x --wait 5", nil, ExitUsage, []string{`--wait "5": must be a duration such as 30s`}},
		{"do x --runs", nil, ExitUsage, []string{"--runs: needs a value, a whole number"}},
		{"do x --nosuch", nil, ExitUsage, []string{"nosuch"}},
	} {
		var stdout, stderr bytes.Buffer
		e := &Env{Name: "prog", Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr}
		code := Execute(e, tree(func(*cobra.Command) error { return x.err }), strings.Fields(x.args))
		if code != x.code {
			t.Errorf("prog %s: exit %d, want %d", x.args, code, x.code)
		}
		rest := stderr.String()
		for _, want := range x.stderr {
			_, after, ok := strings.Cut(rest, want)
			if !ok {
				t.Errorf("prog %s: %q, want %q in it", x.args, stderr.String(), want)
			}
			rest = after
		}
		if x.stderr == nil && rest != "" || stdout.Len() > 0 {
			t.Errorf("prog %s: standard error %q, standard output %q", x.args, rest, stdout.String())
		}
	}
}

// A result that could not be written is a failure, also where the command does
// not look.
func TestLostResultFails(t *testing.T) {
	var stderr bytes.Buffer
	e := &Env{Name: "prog", Stdout: failing{}, Stderr: &stderr}
	code := Execute(e, tree(func(c *cobra.Command) error {
		fmt.Fprintln(c.OutOrStdout(), "result")
		return nil
	}), []string{"do", "x"})
	if code != ExitFailure || !strings.Contains(stderr.String(), "no space left") {
		t.Errorf("exit %d, %q", code, stderr.String())
	}
}

// --quiet drops notes and keeps warnings; JSON is indented, ends with a newline
// and does not escape what only HTML needs escaped.
func TestNotesWarningsAndJSON(t *testing.T) {
	var stdout, stderr bytes.Buffer
	e := &Env{Name: "prog", Stdout: &stdout, Stderr: &stderr}
	e.Notef("a %s", "note")
	e.Quiet = true
	e.Notef("dropped")
	e.Warnf("%d left", 3)
	if got, want := stderr.String(), "prog: a note\nprog: warning: 3 left\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if err := e.WriteJSON(map[string]string{"limit": "x <= 5 & y"}); err != nil {
		t.Fatal(err)
	}
	if got, want := stdout.String(), "{\n  \"limit\": \"x <= 5 & y\"\n}\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if err := e.WriteJSON(func() {}); err == nil {
		t.Error("a function was written as JSON")
	}
}

func TestStdinOnce(t *testing.T) {
	for _, x := range []struct {
		names []string
		ok    bool
	}{{nil, true}, {[]string{"-"}, true}, {[]string{"-", "a"}, true}, {[]string{"-", "a", "-"}, false}} {
		if err := StdinOnce("-", x.names...); (err == nil) != x.ok {
			t.Errorf("%q: %v", x.names, err)
		}
	}
}

// Progress is drawn on terminals only: into anything else nothing is written.
func TestProgressOffTerminal(t *testing.T) {
	var stderr bytes.Buffer
	e := &Env{Name: "prog", Stderr: &stderr}
	p := e.NewProgress(10, "runs")
	p.Set(5, "half")
	p.SetTotal(20)
	p.Finish()
	if terminal(&stderr) || strings.Contains(stderr.String(), "\r") {
		t.Errorf("%q", stderr.String())
	}
}

// A line says how many steps of all are done, and parts of a whole as percent.
func TestProgressLine(t *testing.T) {
	for what, want := range map[string]string{"runs": "prog: 42 of 100 runs, best\n", "% of the work": "prog: 42 % of " +
		"the work, best\n"} {
		var stderr bytes.Buffer
		p := (&Env{Name: "prog", Stderr: &stderr}).NewProgress(100, what)
		p.every = 0
		p.Set(42, "best")
		if stderr.String() != want {
			t.Errorf("%q, want %q", stderr.String(), want)
		}
		stderr.Reset()
		p.Set(101, "")
		if want := "prog: 101 " + what + "\n"; stderr.String() != want {
			t.Errorf("%q, want %q", stderr.String(), want)
		}
	}
}

// A step that takes long is reported once, one that is over is not.
func TestSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, x := range []struct {
			takes time.Duration
			want  string
		}{{slowAfter - time.Second, ""}, {slowAfter + time.Second, "prog: reading 2 files\n"}} {
			var stderr bytes.Buffer
			over := (&Env{Name: "prog", Stderr: &stderr}).Slow("reading %d files", 2)
			time.Sleep(x.takes)
			over()
			time.Sleep(slowAfter)
			synctest.Wait()
			if stderr.String() != x.want {
				t.Errorf("after %v: %q, want %q", x.takes, stderr.String(), x.want)
			}
		}
	})
}

// The command line of a run is quoted for a shell, with every value of a list.
func TestRunLine(t *testing.T) {
	r := Run{Command: "tune", Options: map[string][]string{"trace": {"a", "it's"}, "config": {"my file.xml"},
		"embedded": {"true"}, "seed": {"7"}}}
	const want = `tune --config='my file.xml' --embedded=true --seed=7 --trace=a --trace='it'\''s'`
	if got := r.Line(); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
