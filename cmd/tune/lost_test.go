package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"schedtune/internal/fileio"
	"schedtune/internal/report"
)

// killed starts a study and kills it in the middle of its runs. It returns the
// command's arguments.
func killed(t *testing.T, out string) []string {
	t.Helper()
	args := small("--params", "capacity,maximum-capacity,slowstart", "--budget", "150", "--out", out)
	for range 5 { // on a loaded machine a study may end before it is looked at
		if killedInTime(t, args, filepath.Join(out+".partial", report.FileTrials)) {
			return args
		}
		if err := os.RemoveAll(out); err != nil {
			t.Fatal(err)
		}
	}
	t.Skip("a study ends before it can be killed on this machine")
	return nil
}

// killedInTime kills a study when its log has some lines; it reports whether the
// study had not ended before.
func killedInTime(t *testing.T, args []string, log string) bool {
	t.Helper()
	cmd := process(context.Background(), args...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var ended atomic.Bool
	waited := make(chan struct{})
	go func() { _ = cmd.Wait(); ended.Store(true); close(waited) }()
	for start := time.Now(); !ended.Load(); time.Sleep(5 * time.Millisecond) {
		if info, err := os.Stat(log); err == nil && info.Size() > 4_000 {
			break
		}
		if time.Since(start) > 5*time.Minute {
			t.Fatal("no log after five minutes")
		}
	}
	_ = cmd.Process.Kill() // may have ended
	<-waited
	_, err := os.Stat(log)
	return err == nil
}

// TestMistakesAfterAKill: whatever is wrong with the command that follows a
// killed study, the log stays; the right command then ends with the folder of a
// study that was never killed.
func TestMistakesAfterAKill(t *testing.T) {
	t.Parallel()
	whole := filepath.Join(t.TempDir(), "tuned")
	out := filepath.Join(t.TempDir(), "tuned")
	args := killed(t, out)
	log := filepath.Join(out+".partial", report.FileTrials)
	before, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	with := func(more ...string) []string { return append(append([]string{}, args...), more...) }
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"objective":      {with("--objective", "makspan"), "makspan"},
		"group":          {with("--objective", "queue.nosuch.p95-wait"), "nosuch"},
		"trace":          {with("--trace", "none.json"), "none.json"},
		"port":           {with("--listen", "256.0.0.1:4222"), "256.0.0.1"},
		"collect":        {[]string{"collect", "--out", out}, "unfinished run of tune;"},
		"plan":           {[]string{"plan", "--out", out}, "unfinished run of tune;"},
		"seed":           {with("--seed", "2"), "another study"},
		"budget":         {with("--budget", "160"), "also given as 150"},
		"no such option": {with("--nosuch"), "--nosuch"},
	} {
		code, _, stderr := command(t, c.args...)
		if code != 1 && code != 2 || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: exit %d, %s", name, code, stderr)
		}
		after, err := os.ReadFile(log)
		if err != nil || string(after) != string(before) {
			t.Fatalf("%s: the log was touched (%v)", name, err)
		}
	}
	if code, _, stderr := command(t, args...); code != 0 {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	if code, _, stderr := command(t, append(args[:len(args)-1:len(args)-1], whole)...); code != 0 {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	if diff := cmp.Diff(folder(t, whole), folder(t, out)); diff != "" {
		t.Errorf("differs from the study that was not killed:\n%s", diff)
	}
}

// TestWriteFails: a file of the folder can't be written at the end of a study.
// The runs are kept, the command says so and fails; run again where it can be
// written, it ends with the same folder without a run.
func TestWriteFails(t *testing.T) {
	out := filepath.Join(t.TempDir(), "tuned")
	args := small("--params", "capacity", "--budget", "30", "--out", out)
	block := filepath.Join(out+".partial", report.FileReport)
	dir, err := fileio.OpenOutput(out, "tune")
	if err != nil {
		t.Fatal(err)
	}
	if err := dir.WriteFile(report.FileReport+"/blocks", nil); err != nil {
		t.Fatal(err)
	}
	dir.Close()
	code, stdout, stderr := command(t, args...)
	if code != 1 || stdout != "" || !strings.Contains(stderr, report.FileReport) ||
		!strings.Contains(stderr, "the results so far are in "+out+".partial") {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	if err := os.RemoveAll(block); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(filepath.Join(out+".partial", report.FileTrials))
	if err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := command(t, args...); code != 0 {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	if after := folder(t, out)[report.FileTrials]; after != string(before) {
		t.Error("another log")
	}
}

// TestSameFolderTwice: of two studies that begin with one folder at a time, one
// ends with it and the other is refused.
func TestSameFolderTwice(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "tuned")
	args := small("--params", "capacity,maximum-capacity", "--budget", "60", "--out", out)
	first := process(context.Background(), args...)
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	for start := time.Now(); time.Since(start) < 5*time.Minute; time.Sleep(2 * time.Millisecond) {
		if _, err := os.Stat(filepath.Join(out+".partial", report.FileTrials)); err == nil {
			break
		}
	}
	// Stopped, it can't end before the second has been refused.
	if err := first.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	code, _, stderr := command(t, args...)
	if err := first.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	if code != 1 || !strings.Contains(stderr, "in use by process") {
		t.Errorf("exit %d: %s", code, stderr)
	}
	if err := first.Wait(); err != nil {
		t.Fatal(err)
	}
	before := folder(t, out)
	if code, stdout, stderr := command(t, append(args, "--json")...); code != 0 ||
		stdout != before[report.FileSummary] {
		t.Errorf("after its end: exit %d, want the result that is there: %s%s", code, stdout, stderr)
	}
	if diff := cmp.Diff(before, folder(t, out)); diff != "" {
		t.Errorf("the same command again has changed the folder: %s", diff)
	}
	if code, _, stderr := command(t, append(args, "--patience", "9")...); code != 1 || !strings.Contains(stderr,
		"--patience was not given and is 9") || !strings.Contains(stderr, "--replace") {
		t.Errorf("another command: exit %d: %s", code, stderr)
	}
	if code, _, stderr := command(t, append(args, "--replace")...); code != 0 {
		t.Errorf("replaced after its end: exit %d: %s", code, stderr)
	}
}
