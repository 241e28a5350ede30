package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"schedtune/internal/cli"
	"schedtune/internal/report"
)

// signalled runs the command in a process and signals it once ready says so of its standard error or
// of what else there is. It returns exit code and standard output.
func signalled(t *testing.T, s os.Signal, ready func(stderr string) bool, args ...string) (code int, stdout string) {
	t.Helper()
	var out strings.Builder
	var errs shared
	c := process(context.Background(), args...)
	c.Stdout, c.Stderr = &out, &errs
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	for start := time.Now(); !ready(errs.String()) && time.Since(start) < time.Minute; time.Sleep(5 * time.Millisecond) {
	}
	if err := c.Process.Signal(s); err != nil && !errors.Is(err, os.ErrProcessDone) {
		t.Fatal(err)
	}
	err := c.Wait()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode(), out.String()
	}
	return 0, out.String()
}

// Long commands that are interrupted end with 130 and one JSON object, whatever the signal.
func TestInterruptedCommands(t *testing.T) {
	for name, c := range map[string]struct {
		signal os.Signal
		args   []string
	}{
		"tune":      {syscall.SIGHUP, []string{"--budget", "100000", "--time-limit", "0"}},
		"stability": {syscall.SIGINT, []string{"--budget", "40", "--params", "capacity", "--stability", "1000"}},
		"size":      {syscall.SIGTERM, []string{"size", "--budget", "100000", "--constraint", "makespan <= 1h"}},
		"compare":   {syscall.SIGINT, []string{"compare", "--replications", "100000"}},
		"gate": {syscall.SIGHUP, []string{"compare", "--embedded", "--config", "testdata/lone.xml", "--against",
			"testdata/lone.xml", "--workloads", "1000000"}},
		"timetable": {syscall.SIGTERM, []string{"timetable", "--budget", "1000000"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			begun := func(stderr string) bool {
				return strings.Contains(stderr, `"done":`) || strings.Contains(stderr, " with the current configuration")
			}
			code, stdout := signalled(t, c.signal, begun, append(c.args, "--json", "--progress", "json")...)
			if code != cli.ExitInterrupted {
				t.Errorf("exit %d, want %d: %s", code, cli.ExitInterrupted, stdout)
			}
			fitted(t, stdout)
		})
	}
}

// summary reads the summary of a folder.
func summary(t *testing.T, dir string) *report.Summary {
	t.Helper()
	var sum report.Summary
	data, err := os.ReadFile(filepath.Join(dir, report.FileSummary))
	if err == nil {
		err = json.Unmarshal(data, &sum)
	}
	if err != nil {
		t.Fatal(err)
	}
	return &sum
}

// A night whose study is interrupted keeps yesterday's; the next night's is not held up by what
// it left, and --restart drops that even of the same study.
func TestNights(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "tuned")
	night := func(seed string, more ...string) []string {
		return small(append([]string{"--params", "capacity,maximum-capacity", "--json", "--out", out, "--seed", seed},
			more...)...)
	}
	if code, _, stderr := command(t, night("1", "--budget", "40")...); code != 0 {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	yesterday := folder(t, out)
	log := filepath.Join(out+".partial", report.FileTrials)
	begun := func(string) bool { info, err := os.Stat(log); return err == nil && info.Size() > 4000 }
	long := night("2", "--budget", "1000000", "--time-limit", "0", "--replace")
	if code, stdout := signalled(t, syscall.SIGTERM, begun, long...); code != cli.ExitInterrupted {
		t.Errorf("interrupted: exit %d: %s", code, stdout)
	}
	if diff := cmp.Diff(yesterday, folder(t, out)); diff != "" {
		t.Errorf("the interrupted study has changed the finished one: %s", diff)
	}
	if !begun("") {
		t.Errorf("%s: want the interrupted study, to be resumed", log)
	}
	if code, stdout, stderr := command(t, night("1", "--budget", "40")...); code != 0 ||
		stdout != yesterday[report.FileSummary] || !begun("") {
		t.Errorf("the finished study again: exit %d: %s, want its result, and the other as it was", code, stderr)
	}
	if code, _, stderr := command(t, night("3", "--budget", "40")...); code != 1 || !strings.Contains(stderr,
		"--seed was 1 and is 3") {
		t.Errorf("another seed without --replace: exit %d: %s", code, stderr)
	}
	if code, _, stderr := command(t, night("3", "--budget", "40", "--replace")...); code != 0 {
		t.Errorf("another study with --replace: exit %d: %s", code, stderr)
	}
	if got := summary(t, out).Study.Seed; got != 3 {
		t.Errorf("seed %d, want 3", got)
	}
	if entries, err := os.ReadDir(filepath.Dir(out)); err != nil || len(entries) != 1 {
		t.Errorf("%d entries (%v), want the folder alone", len(entries), err)
	}
	if code, _ := signalled(t, syscall.SIGKILL, begun, long...); code == 0 {
		t.Skip("the study ended before it could be killed")
	}
	if code, _, stderr := command(t, night("4", "--budget", "40", "--replace", "--restart")...); code != 0 {
		t.Errorf("--restart: exit %d: %s", code, stderr)
	}
}

// A finished study whose result could not be printed is printed by the same command again.
func TestResultLostWithStandardOutput(t *testing.T) {
	out := filepath.Join(t.TempDir(), "tuned")
	args := small("--params", "capacity", "--budget", "30", "--json", "--out", out)
	var errs strings.Builder
	if code := execute(args, strings.NewReader(""), fullDisk{}, &errs); code != 1 || strings.Contains(errs.String(),
		"resumes") {
		t.Errorf("exit %d, want 1 without the advice to resume a finished study: %s", code, &errs)
	}
	before := folder(t, out)
	code, stdout, stderr := command(t, args...)
	if code != 0 || stdout != before[report.FileSummary] {
		t.Errorf("again: exit %d: %s%s", code, stderr, stdout)
	}
	if diff := cmp.Diff(before, folder(t, out)); diff != "" {
		t.Errorf("again: %s", diff)
	}
}

// --progress json writes one object per line.
func TestProgressLines(t *testing.T) {
	_, _, stderr := command(t, small("--params", "capacity", "--budget", "30", "--progress", "json")...)
	lines := strings.Split(strings.TrimSpace(stderr), "\n")
	if doc := fitted(t, lines[0]); doc["unit"] != "runs" || doc["done"].(float64) < 1 {
		t.Errorf("%v", doc)
	}
}
