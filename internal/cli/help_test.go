package cli

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// valued is a command with a flag of every kind of value, and what it was called with.
type valued struct {
	n, workers int
	share      float64
	wait       time.Duration
	by         string
}

func (v *valued) command() *cobra.Command {
	root := &cobra.Command{Use: "prog", Short: "Do things", Args: NoArgs, RunE: func(*cobra.Command, []string) error {
		return nil
	}}
	(&Env{}).Flags(root)
	do := &cobra.Command{Use: "do FILE", Args: Args(cobra.ExactArgs(1)), RunE: func(*cobra.Command, []string) error {
		return nil
	}}
	do.Flags().StringArray("trace", nil, "`FILE` to read")
	Group(do.Flags(), "Search", func(fs *pflag.FlagSet) {
		Number(fs, &v.n, "runs", 10, AtLeast(1).Or(-1, "none"), "`N` runs")
		Number(fs, &v.workers, "workers", 4, AtLeast(1), "`N` at a time (default all cores)")
		Number(fs, &v.share, "share", -1, Within(0.0, 1), "`SHARE` of them (default each its own)")
		Number(fs, &v.wait, "wait", 90*time.Minute, Above[time.Duration](0), "`DURATION` between them")
		Choice(fs, &v.by, "by", "a", []string{"a", "b"}, "`WHAT` parts them")
	})
	root.AddCommand(do)
	Describe(root, fstest.MapFS{"help/do.txt": {Data: []byte("Do one thing\n\ndo does one thing with\na file.\n\n  as " +
		"it stands\n\nExamples:\n  prog do x --runs 3\n\nExit codes:\n  3  no result\n")}})
	return root
}

func (v *valued) run(args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = Execute(&Env{Name: "prog", Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs}, v.command(), args)
	return code, out.String(), errs.String()
}

// Values inside the range of their flag are taken, all others are usage errors that name
// flag, value and range; without the flag the default holds, in the range or not.
func TestValues(t *testing.T) {
	var v valued
	if code, _, errs := v.run("do", "x"); code != 0 || v != (valued{10, 4, -1, 90 * time.Minute, "a"}) {
		t.Errorf("exit %d, %+v, %s", code, v, errs)
	}
	if code, _, errs := v.run("do", "x", "--runs=-1", "--workers", "1", "--share", "0.5", "--wait", "2s", "--by",
		"b"); code != 0 || v != (valued{-1, 1, 0.5, 2 * time.Second, "b"}) {
		t.Errorf("exit %d, %+v, %s", code, v, errs)
	}
	for flag, want := range map[string]string{
		"--runs=0":      `--runs "0": must be a whole number, 1 or more, or -1: none`,
		"--runs=x":      `--runs "x": must be a whole number, 1 or more, or -1: none`,
		"--workers=0":   `--workers "0": must be a whole number, 1 or more`,
		"--share=-1":    `--share "-1": must be a number, 0 to 1`, // what stands for no flag is no value
		"--share=NaN":   `--share "NaN": must be a number, 0 to 1`,
		"--share=1.001": `--share "1.001": must be a number, 0 to 1`,
		"--wait=0s":     `--wait "0s": must be a duration such as 30s, 5m or 1h30m, above 0`,
		"--wait=5":      `--wait "5": must be a duration`,
		"--by=c":        `--by "c": must be one of a, b`,
		"--worker=1":    `--worker: unknown flag; did you mean --workers?`,
		"--wokrers=1":   `--wokrers: unknown flag; did you mean --workers?`,
		"--nosuch":      "--nosuch: unknown flag\n",
	} {
		if code, out, errs := v.run("do", "x", flag); code != ExitUsage || out != "" ||
			!strings.HasPrefix(errs, "prog: "+want) {
			t.Errorf("%s: exit %d, %q, want %q", flag, code, errs, want)
		}
	}
}

// The page of a command, whole: title, synopsis, description as wide as the page, what
// begins with blanks as it is, example, flags in the order of their declaration under
// the titles of their groups with range and default, those of all commands last, exit
// codes.
func TestHelp(t *testing.T) {
	want := `Do one thing

Usage:
  prog do FILE [flags]

do does one thing with a file.

  as it stands

Examples:
  prog do x --runs 3

Flags:
  --trace FILE  FILE to read (repeatable)

Search flags:
  --runs N         N runs (1 or more, or -1: none; default 10)
  --workers N      N at a time (1 or more; default all cores)
  --share SHARE    SHARE of them (0 to 1; default each its own)
  --wait DURATION  DURATION between them (above 0; default 1h30m)
  --by WHAT        WHAT parts them (a, b; default a)

Common flags:
  -h, --help       help for do
  --json           print one JSON object on standard output
  --progress FORM  FORM of the progress on standard error (text, json; default text)
  -q, --quiet      print no progress and no notes on standard error

Exit codes:
  0    done
  1    failure
  2    invalid command line
  3    no result
  130  interrupted
`
	var v valued
	if code, out, errs := v.run("do", "-h"); code != 0 || out != want || errs != "" {
		t.Errorf("exit %d, %s\n%s", code, errs, out)
	}
	if _, out, _ := v.run("-h"); !strings.Contains(out, "Commands:\n  do  ") ||
		!strings.Contains(out, "prog COMMAND -h describes a command") {
		t.Errorf("the command below is missing:\n%s", out)
	}
}

// On a narrow terminal the texts of flags stand below them, and no line of words is wider.
func TestHelpOnNarrowTerminal(t *testing.T) {
	var v valued
	root := v.command()
	c, _, err := root.Find([]string{"do"})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	writeHelp(&b, c, 30)
	if !strings.Contains(b.String(), "  --share SHARE\n      SHARE of them (0 to 1;\n      default each its own)\n") {
		t.Errorf("not below its flag:\n%s", b.String())
	}
	for _, line := range strings.Split(b.String(), "\n") {
		if len(line) > 30 {
			t.Errorf("%d columns: %s", len(line), line)
		}
	}
}

// Durations read as a person writes them.
func TestNumberText(t *testing.T) {
	for d, want := range map[time.Duration]string{0: "0", time.Millisecond: "1ms", time.Second: "1s",
		15 * time.Minute: "15m", 10 * time.Second: "10s", 168 * time.Hour: "168h", 100 * time.Minute: "1h40m"} {
		if got := numberText(d); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
	if got := fmt.Sprint(numberText(0.5), numberText(20)); got != "0.520" {
		t.Error(got)
	}
}
