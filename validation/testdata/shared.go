// Package testdata finds the reference material that tests may hold the
// program against: recorded decisions of the real scheduler, real traces and
// real runs. It is not part of the project; where it is missing the tests
// that need it skip and say so.
package testdata

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// Env names the environment variable that points at the reference material.
const Env = "SCHEDTUNE_SHARED"

// Dir returns the folder of the reference material, or "" where there is none:
// the value of SCHEDTUNE_SHARED, else a folder "shared" with a DESIGN.md beside
// one of the parents of the working directory.
func Dir() string {
	if d := os.Getenv(Env); d != "" {
		return d
	}
	wd, err := os.Getwd()
	if err != nil {
		return ""
	}
	for d := wd; ; d = filepath.Dir(d) {
		s := filepath.Join(d, "shared")
		if _, err := os.Stat(filepath.Join(s, "DESIGN.md")); err == nil {
			return s
		}
		if d == filepath.Dir(d) {
			return ""
		}
	}
}

// Shared returns the path of a reference file or folder, or skips the test
// with a message that says what is missing.
func Shared(tb testing.TB, elem ...string) string {
	tb.Helper()
	d := Dir()
	if d == "" {
		tb.Skipf("reference material not found: set %s or place the folder shared beside the checkout", Env)
	}
	p := filepath.Join(append([]string{d}, elem...)...)
	if _, err := os.Stat(p); err != nil {
		tb.Skipf("reference material not found: %v", err)
	}
	return p
}

// Run returns the path of a run folder that the repository holds: "mapreduce"
// or "spark" (made by package maderun).
func Run(tb testing.TB, name string) string {
	tb.Helper()
	wd, err := os.Getwd()
	if err != nil {
		tb.Fatal(err)
	}
	for d := wd; d != filepath.Dir(d); d = filepath.Dir(d) {
		if _, err := os.Stat(filepath.Join(d, "go.mod")); err == nil {
			return filepath.Join(d, "internal", "testdata", "runs", name)
		}
	}
	tb.Fatal("no go.mod above the working directory")
	return ""
}

// Runs returns the recorded runs of the reference material that match a pattern
// (as filepath.Glob, below traces/), none where it is missing, and before them
// the run of the repository, so that a test has something to read everywhere.
func Runs(tb testing.TB, pattern string) []string { return withOwn(tb, "mapreduce", pattern) }

// SparkRuns is Runs for runs of Spark applications: the run of the repository and
// all recorded ones.
func SparkRuns(tb testing.TB) []string { return withOwn(tb, "spark", "minispark/run-*") }

func withOwn(tb testing.TB, own, pattern string) []string {
	tb.Helper()
	runs := []string{Run(tb, own)}
	d := Dir()
	if d == "" {
		return runs
	}
	more, err := filepath.Glob(filepath.Join(d, "traces", pattern))
	if err != nil {
		tb.Fatal(err)
	}
	return append(runs, more...)
}

// RunUnder returns a copy of a run of the repository whose queue file gives users
// another part of their queue (user-limit-factor) than the 2 that it ran under.
func RunUnder(tb testing.TB, name, factor string) string {
	tb.Helper()
	dir := tb.TempDir()
	if err := os.CopyFS(dir, os.DirFS(Run(tb, name))); err != nil {
		tb.Fatal(err)
	}
	path := filepath.Join(dir, "capacity-scheduler.xml")
	text, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	other := strings.ReplaceAll(string(text), "user-limit-factor</name><value>2<",
		"user-limit-factor</name><value>"+factor+"<")
	if other == string(text) {
		tb.Fatal("the queue file has no user-limit-factor of 2")
	}
	if err := os.WriteFile(path, []byte(other), 0o600); err != nil {
		tb.Fatal(err)
	}
	return dir
}

// Cases returns how many of n drawn cases a test tries: a quarter of them, at least one, and with
// SCHEDTUNE_LONG=k k times n. In .ci/run each test that calls it runs with SCHEDTUNE_LONG=1 once in four commits.
func Cases(n int) int {
	if k, err := strconv.Atoi(os.Getenv("SCHEDTUNE_LONG")); err == nil && k > 0 {
		return k * n
	}
	return max(1, n/4)
}
