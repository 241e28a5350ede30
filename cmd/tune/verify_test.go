package main

import (
	"bytes"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"schedtune/internal/accuracy"
	"schedtune/internal/cli"
	"schedtune/internal/rm"
	"schedtune/validation/rmtest"
)

// Scripts go by the exit code.
func TestVerifyExitCodes(t *testing.T) {
	for advice, want := range map[accuracy.Advice]int{accuracy.Keep: 0, accuracy.Wait: 3, accuracy.RollBack: 5} {
		var out, errs bytes.Buffer
		e := &env{}
		e.Stdout, e.Stderr, e.JSON = &out, &errs, true
		err := printVerified(e, &accuracy.ChangeReport{Schema: accuracy.Schema, Advice: advice, Notes: []string{"noted"}})
		code := 0
		var exit *cli.ExitError
		if errors.As(err, &exit) {
			code = exit.Code
		}
		if code != want {
			t.Errorf("%s: exit code %d, want %d", advice, code, want)
		}
		if m := object(t, out.String()); m["advice"] != string(advice) || m["gain"] != nil ||
			!strings.Contains(errs.String(), "noted") {
			t.Errorf("%s: %s%s", advice, &out, &errs)
		}
	}
}

// Nine jobs tell nothing of mean completion times.
func TestVerifyTooLittle(t *testing.T) {
	out, _ := must(t, 3, "verify", "testdata/nested.xml", "--config", "testdata/nested.xml", "--cluster",
		"testdata/four.yaml", "--queue-map", "u:*:root.ops",
		"--before", "testdata/lone.json", "--after", "testdata/lone.json", "--quiet", "--json")
	if m := object(t, out); m["advice"] != "wait" || m["gain"] != nil {
		t.Errorf("%s", out)
	}
	if _, errs := must(t, 2, "verify", "x", "--replications", "1"); !strings.Contains(errs,
		"must be a whole number, 2 to 100000") {
		t.Error(errs)
	}
}

// A change of the configuration between two rounds is followed until it is clear
// what it brought; the made-up cluster's jobs are the same in both.
func TestWatchFollowsChange(t *testing.T) {
	f := rmtest.New(12)
	s := f.Serve(t)
	dir := t.TempDir()
	pull := func(round string) string {
		must(t, 0, "pull", "--rm", s.URL, "--history", s.URL, "--out", filepath.Join(dir, round, "pull"), "--since", ever,
			"--rate", "100000", "--quiet")
		return filepath.Join(dir, round)
	}
	first := pull("round-0001")
	f.Conf["yarn.scheduler.capacity.root.a.user-limit-factor"] = "3"
	second := pull("round-0002")
	var w changeWatch
	if r, err := w.compare(t.Context(), first, nil, 1); r != nil || err != nil {
		t.Errorf("first round: %+v, %v", r, err)
	}
	for _, drift := range [][]rm.Drift{{{What: "configuration"}}, nil} {
		r, err := w.compare(t.Context(), second, drift, 1)
		if err != nil || r == nil || r.Advice != accuracy.Wait || r.Before.Jobs != 12 || r.After.Jobs != 0 {
			t.Fatalf("second round: %+v, %v", r, err)
		}
	}
	if w.before != first {
		t.Errorf("followed: %q, want %q", w.before, first)
	}
}
