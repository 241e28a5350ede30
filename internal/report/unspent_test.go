package report

import (
	"strings"
	"testing"

	"schedtune/internal/study"
	"schedtune/tune"
)

// Of 300 runs 271 were spent: a front with limits says for what 29 were kept. One objective,
// no limit, a point chosen late, no confirmation, or few runs left: nothing is said.
func TestUnspent(t *testing.T) {
	two, limit := []tune.Objective{{Metric: "makespan"}, {Metric: "mean-wait"}}, []tune.Constraint{{Metric: "makespan"}}
	for _, c := range []struct {
		objectives []tune.Objective
		limits     []tune.Constraint
		result     tune.Result
		want       string
	}{
		{two, limit, tune.Result{Runs: 271, Confirmed: 16}, "29 of the 300 runs"},
		{two[:1], limit, tune.Result{Runs: 271, Confirmed: 16}, ""},
		{two, nil, tune.Result{Runs: 271, Confirmed: 16}, ""},
		{two, limit, tune.Result{Runs: 271}, ""},
		{two, limit, tune.Result{Runs: 290, Confirmed: 16}, ""},
	} {
		s := &study.Study{Problem: tune.Problem{Objectives: c.objectives, Constraints: c.limits},
			Request: study.Request{Options: tune.Options{Budget: 300}}}
		if got := unspentNote(s, &c.result); (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%d objectives, %d limits, %d runs: %q, want %q", len(c.objectives), len(c.limits), c.result.Runs, got,
				c.want)
		}
	}
}
