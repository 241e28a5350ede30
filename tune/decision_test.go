package tune

import (
	"math"
	"testing"

	"schedtune/internal/rng"
)

// paired draws values before of 100 and after of 100 exp(mean + sd Z).
func paired(metric string, n int, mean, sd float64) Paired {
	p := Paired{Objective: Objective{Metric: metric}}
	for i := range n {
		// Quantiles rather than draws: mean and spread are those asked for.
		z := -upperQuantile((float64(i) + 0.5) / float64(n))
		p.Before, p.After = append(p.Before, 100), append(p.After, 100*math.Exp(mean+sd*z))
	}
	return p
}

// What is recommended, and why not, follows from gain, spread and error alone.
func TestDecide(t *testing.T) {
	known := &Prediction{Periods: 1, Errors: map[string]ModelError{"": {Spread: 0.1, Floor: 0.01, Share: 0.25}}}
	for name, c := range map[string]struct {
		e    Evidence
		want Reason
	}{
		"large gain":            {Evidence{Objectives: []Paired{paired("m", 16, -0.5, 0.1)}}, ""},
		"small gain, no spread": {Evidence{Objectives: []Paired{paired("m", 16, -0.06, 0.01)}}, ""},
		"less than the error":   {Evidence{Objectives: []Paired{paired("m", 16, -0.015, 0.001)}}, ReasonGainUnsure},
		"wide spread":           {Evidence{Objectives: []Paired{paired("m", 64, -0.3, 0.4)}}, ReasonWorseRisk},
		"worse":                 {Evidence{Objectives: []Paired{paired("m", 16, 0.2, 0.1)}}, ReasonGainUnsure},
		"one pair":              {Evidence{Objectives: []Paired{paired("m", 1, -0.5, 0)}}, ReasonUnconfirmed},
		"breaks a limit": {Evidence{Objectives: []Paired{paired("m", 16, -0.5, 0.1)}, Against: ReasonBreaksLimit},
			ReasonBreaksLimit},
		"mends a limit": {Evidence{Objectives: []Paired{paired("m", 16, 0.1, 0.1)}, Mends: true}, ""},
		"mends, slows a queue": {Evidence{Objectives: []Paired{paired("m", 16, 0.1, 0.1)}, Mends: true,
			Protected: []Paired{paired("q", 16, 0.2, 0.1)}}, ReasonQueueRisk},
		"slows a queue": {Evidence{Objectives: []Paired{paired("m", 16, -0.5, 0.1)},
			Protected: []Paired{paired("q", 16, 0.05, 0.1)}}, ReasonQueueRisk},
		"queue is the same": {Evidence{Objectives: []Paired{paired("m", 16, -0.5, 0.1)},
			Protected: []Paired{paired("q", 16, 0, 0.02)}}, ""},
		"queue is hardly known": {Evidence{Objectives: []Paired{paired("m", 16, -0.5, 0.1)},
			Protected: []Paired{paired("q", 4, 0.5, 0.02)}}, ""},
		"front, one lost": {Evidence{Objectives: []Paired{paired("m", 16, -0.5, 0.1), paired("k", 16, 0.5, 0.1)}},
			ReasonGainUnsure},
		"front, second is won":   {Evidence{Objectives: []Paired{paired("m", 16, 0, 0.1), paired("k", 16, -0.5, 0.1)}}, ""},
		"a risk that is allowed": {Evidence{Objectives: []Paired{paired("m", 64, -0.3, 0.4)}, Risk: Risk{Worse: 0.4}}, ""},
	} {
		c.e.Predict = known
		if d := Decide(c.e); d.Reason != c.want || d.Recommended != (c.want == "") {
			t.Errorf("%s: %q, want %q: %+v", name, d.Reason, c.want, d)
		}
	}
	unknown := &Prediction{Errors: map[string]ModelError{"": {Unknown: true}}}
	if d := Decide(Evidence{Objectives: []Paired{paired("m", 16, -0.5, 0)},
		Predict: unknown}); d.Reason != ReasonUnknownError ||
		d.Better != nil || d.Worse != nil {
		t.Errorf("error not known: %+v", d)
	}
}

// Normal logarithms of known mean and spread, without an error of the simulator, give the
// probabilities of that normal distribution, from however many periods; more that is better gives
// the same from the other side.
func TestProbabilities(t *testing.T) {
	for _, periods := range []float64{1, 7} {
		p := &Prediction{Periods: periods, Errors: map[string]ModelError{"": {Spread: 1e-9}}}
		const mean, sd = -0.1, 0.15
		v := paired("m", 4000, mean, sd)
		f, ok := p.outlook(v, WorseBy)
		better, worse := 1-upperTail((0-mean)/sd), upperTail((math.Log(1.02)-mean)/sd)
		if !ok || math.Abs(*f.better-better) > 1e-3 || math.Abs(*f.worse-worse) > 1e-3 {
			t.Errorf("%v periods: better %v, worse %v; want %v, %v", periods, *f.better, *f.worse, better, worse)
		}
		v.Maximize = true
		g, _ := p.outlook(v, WorseBy)
		if worse := 1 - upperTail((math.Log(0.98)-mean)/sd); math.Abs(*g.worse-worse) > 1e-3 || g.mean.High > 0 {
			t.Errorf("to maximise: worse %v, want %v; mean %+v", *g.worse, worse, g.mean)
		}
	}
	// The error of a change grows with the change.
	e := ModelError{Spread: 0.1, Floor: 0.02, Share: 0.1}
	if a := e.about(0.5); math.Abs(a-math.Hypot(0.02, 0.05)) > 1e-12 || e.about(-0.5) != a || e.about(0) != 0.02 {
		t.Errorf("errors %v, %v", a, e.about(0))
	}
}

// Without a gain nothing is recommended more often than the level of the mean's interval allows.
func TestDecideOnNoise(t *testing.T) {
	p, n := &Prediction{Periods: 1, Errors: map[string]ModelError{"": {Spread: 1e-9}}}, 0
	const studies = 400
	for s := range uint64(studies) {
		v := Paired{Objective: Objective{Metric: "m"}}
		for i := range uint64(16) {
			v.Before, v.After = append(v.Before, 100), append(v.After, 100*math.Exp(0.02*rng.NewKey(s, 3).Norm(i)))
		}
		if Decide(Evidence{Objectives: []Paired{v}, Predict: p}).Recommended {
			n++
		}
	}
	if n > studies/20 {
		t.Errorf("%d of %d recommended without a gain", n, studies)
	}
}

// A configuration that breaks a limit which the current one keeps comes after all that keep
// it, however much nearer another limit is with it; it is never recommended.
func TestLimitsByPairs(t *testing.T) {
	limits := []Constraint{{Metric: "cost", Op: "<=", Limit: 1}, {Metric: "other", Op: "<=", Factor: 1.05}}
	d, ts, ins := byHand(t, Problem{Constraints: limits}, []float64{9, 9}, []float64{2, 2}, []float64{8, 8})
	for i, other := range []float64{10, 11, 10} {
		for _, in := range ins {
			ts[i].runs[in].Metrics["other"] = other
		}
	}
	d.judge.broke = nil
	far, near := d.judge.score(ts[2], ins), d.judge.score(ts[1], ins)
	if !far.Less(near) || near.Less(far) || !far.Less(d.judge.score(ts[0], ins)) {
		t.Errorf("breaks the kept limit %+v, keeps it %+v, current %+v", near, far, d.judge.score(ts[0], ins))
	}
	d.found.confirm, d.found.best = ins, ts[1]
	if got := d.risks.decided(ts[1], ins); got.Reason != ReasonBreaksLimit {
		t.Errorf("%+v", got)
	}
}
