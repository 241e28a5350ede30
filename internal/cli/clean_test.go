package cli

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"plain, ± 95 %\n\tµs":   "plain, ± 95 %\n\tµs",
		"\x1b[31mred\x1b[0m":    `\x1b[31mred\x1b[0m`,
		"a\rb\x07\x00":          `a\x0db\x07\x00`,
		"\u009b2J":              `\x9b2J`,
		"file\u202egnp.exe":     `file\u202egnp.exe`,
		"not \xff UTF-8":        `not \xff UTF-8`,
		"\U0001F600 is a smile": "\U0001F600 is a smile",
	} {
		if got := clean(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// Text cut anywhere comes out as it would whole.
func TestCleanerInPieces(t *testing.T) {
	text := "± \x1b[2J µ \U0001F600\n"
	for size := 1; size <= len(text); size++ {
		var b bytes.Buffer
		c := &cleaner{w: &b}
		for p := []byte(text); len(p) > 0; {
			n := min(size, len(p))
			if _, err := c.Write(p[:n]); err != nil {
				t.Fatal(err)
			}
			p = p[n:]
		}
		if b.String() != clean(text) {
			t.Errorf("in pieces of %d: %q", size, b.String())
		}
	}
}

// Errors, warnings and notes with words of others are shown, not obeyed, and a
// panic is one line and a failure.
func TestNothingObeyed(t *testing.T) {
	var out, errs bytes.Buffer
	e := &Env{Name: "x", Stdout: &out, Stderr: &errs}
	e.Warnf("%s", "\x1b]0;title\x07")
	e.Notef("%s", "\x1b[2J")
	c := &cobra.Command{RunE: func(*cobra.Command, []string) error { return errors.New("queue \x1b[31m") }}
	if code := Execute(e, c, nil); code != ExitFailure {
		t.Errorf("exit %d", code)
	}
	if strings.ContainsAny(errs.String(), "\x1b\x07") || strings.Count(errs.String(), `\x1b`) != 3 {
		t.Errorf("%q", errs.String())
	}
	errs.Reset()
	c = &cobra.Command{RunE: func(*cobra.Command, []string) error {
		var list []int
		list[len(errs.String())] = 1
		return nil
	}}
	if code := Execute(e, c, nil); code != ExitFailure || !strings.HasPrefix(errs.String(),
		"x: internal error: runtime error: index out of range") || strings.Count(errs.String(), "\n") > 2 {
		t.Errorf("%q", errs.String())
	}
	errs.Reset()
	c = &cobra.Command{RunE: func(*cobra.Command, []string) error { panic(elsewhere{}) }}
	if code := Execute(e, c, nil); code != ExitFailure || !strings.Contains(errs.String(), "at /x/place.go:7;") {
		t.Errorf("%q", errs.String())
	}
}

// elsewhere is a panic that was caught in another goroutine.
type elsewhere struct{}

func (elsewhere) Stack() []byte {
	return []byte("goroutine 9 [running]:\npanic({0x1})\n\t/go/src/runtime/panic.go:1\nf()\n\t/x/place.go:7 +0x1\n")
}
