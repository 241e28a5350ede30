package forecast

import (
	"fmt"
	"io"
	"slices"

	"schedtune/tune"
)

// Decisions made again, on what is kept of a case and without any study: thresholds are chosen on
// the development half by this, and then judged on the other half by the studies' own decisions.

// Rule is a decision rule to try. Zero fields stand for what the studies use.
type Rule struct {
	Risk      tune.Risk
	Error     *tune.ModelError // of the simulator about every metric
	Workloads int              // of those gathered
}

// Redecide returns outcomes with the decisions of a rule in place of the studies'.
func Redecide(outs []Outcome, r Rule) []Outcome {
	out := slices.Clone(outs)
	for i := range out {
		out[i].Decision = out[i].decide(r)
		out[i].Recommended = out[i].Decision.Recommended
	}
	return out
}

func (o *Outcome) decide(r Rule) tune.Decision {
	e := tune.Evidence{Risk: r.Risk, Against: o.against(),
		Predict: &tune.Prediction{Level: Level, Periods: float64(o.Periods), Errors: o.Evidence.Errors}}
	if r.Error != nil {
		e.Predict.Errors = map[string]tune.ModelError{"": *r.Error}
	}
	for i, p := range o.Evidence.Metrics {
		n := len(p.Before)
		if r.Workloads > 0 {
			n = min(n, r.Workloads)
		}
		v := tune.Paired{Objective: tune.Objective{Metric: p.Metric}, Before: p.Before[:n], After: p.After[:n]}
		if i == 0 {
			e.Objectives = append(e.Objectives, v)
		} else {
			e.Protected = append(e.Protected, v)
		}
	}
	return tune.Decide(e)
}

// against is what speaks against the configuration found before its gain is looked at.
func (o *Outcome) against() tune.Reason {
	switch e := &o.Evidence; {
	case len(e.Metrics) == 0:
		return tune.ReasonNothingFound
	case e.Failed > 0:
		return tune.ReasonFails
	case e.Lost > 0:
		return tune.ReasonLosesWork
	case slices.ContainsFunc(e.Limits, func(x float64) bool { return x > 0 }):
		return tune.ReasonBreaksLimit
	}
	return ""
}

// Forms of the simulator's error that are tried: of the logarithm of a ratio, whatever its size, or
// growing with it.
var errorForms = []struct {
	name string
	tune.ModelError
}{
	{"10 %, whatever the change", tune.ModelError{Spread: 0.10}},
	{"3 % and a quarter of the change", tune.ModelError{Spread: 0.10, Floor: 0.03, Share: 0.25}},
	{"1 % and a quarter of the change", tune.ModelError{Spread: 0.10, Floor: 0.01, Share: 0.25}},
	{"none", tune.ModelError{Floor: 1e-6}},
}

// WriteThresholds writes what rules with other thresholds and forms of the simulator's error
// would have decided.
func WriteThresholds(w io.Writer, outs []Outcome) error {
	_, err := io.WriteString(w, "| error of the simulator | worse | queue | recommended | share of gain | of tuned files | "+
		"> 2 % worse | queue > 10 % slower | losing | nothing to gain | Brier, base rate | queues' Brier, base rate | in bins |\n"+
		"|---|---|---|---|---|---|---|---|---|---|---|---|---|\n")
	for _, form := range errorForms {
		for _, worse := range []float64{0.05, 0.1, 0.15, 0.2, 0.3} {
			for _, queue := range []float64{0.05, 0.1, 0.15, 0.2, 0.3, 1} {
				j := Judge(Redecide(outs, Rule{Risk: tune.Risk{Worse: worse, Queue: queue}, Error: &form.ModelError}), nil)
				v := &j.Verdicts
				_, failed := fmt.Fprintf(w, "| %s | %g | %g | %d | %.0f %% | %.0f %% | %.0f %% | %.0f %% | %.0f %% | %d of %d | "+
					"%.3f, %.3f | %.3f, %.3f | %t %t %t |\n", form.name, worse, queue, j.Recommended, 100*v.Share,
					100*v.ShareTuned, 100*j.Worse, 100*j.WorseQueue, 100*j.Losing, v.NothingRecommended, v.Nothing, v.Better.Brier,
					v.Better.Base, v.QueueWorse.Brier, v.QueueWorse.Base, v.Better.reliable(), v.Worse.reliable(),
					v.QueueWorse.reliable())
				if err == nil {
					err = failed
				}
			}
		}
	}
	return err
}

// neededObjective and neededQueue are what taking a change back must cost for it to count as one
// with an effect: of the objective, or of some queue's jobs.
const (
	neededObjective = 0.01
	neededQueue     = 0.05
)

// withoutEffect counts the changes of a recommended file that cost nothing to take back.
func (o *Outcome) withoutEffect() int {
	n := 0
	for _, c := range o.Changes {
		if o.Recommended && !c.Needed && c.Objective <= neededObjective && c.Queue <= neededQueue {
			n++
		}
	}
	return n
}
