package main

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"schedtune/internal/cli"
	"schedtune/internal/verify"
)

// Scripts go by the exit code.
func TestVerifyExitCodes(t *testing.T) {
	for advice, want := range map[verify.Advice]int{verify.Keep: 0, verify.Wait: 3, verify.RollBack: 4} {
		var out, errs bytes.Buffer
		e := &env{}
		e.Stdout, e.Stderr, e.JSON = &out, &errs, true
		err := sayVerified(e, &verify.Report{Schema: verify.Schema, Advice: advice, Notes: []string{"noted"}})
		code := 0
		var exit *cli.ExitError
		if errors.As(err, &exit) {
			code = exit.Code
		}
		if code != want {
			t.Errorf("%s: exit code %d, want %d", advice, code, want)
		}
		if m := object(t, out.String()); m["advice"] != string(advice) || m["gain"] != nil || !strings.Contains(errs.String(), "noted") {
			t.Errorf("%s: %s%s", advice, &out, &errs)
		}
	}
}

// Nine jobs tell nothing of mean completion times.
func TestVerifyTooLittle(t *testing.T) {
	out, _ := must(t, 3, "verify", "testdata/nested.xml", "--config", "testdata/nested.xml", "--cluster", "testdata/four.yaml", "--queue-map", "u:*:root.ops",
		"--before", "testdata/lone.json", "--after", "testdata/lone.json", "--quiet", "--json")
	if m := object(t, out); m["advice"] != "wait" || m["gain"] != nil {
		t.Errorf("%s", out)
	}
	if _, errs := must(t, 2, "verify", "x", "--replications", "1"); !strings.Contains(errs, "allowed: 2 or more") {
		t.Error(errs)
	}
}
