package models

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"schedtune/classify"
	"schedtune/internal/text"
)

// The baselines that the paper's learners have to beat: what the node was at
// its last row it stays, and a logistic regression on the same features. A
// node's load lasts longer than a heartbeat, so that the first alone is often
// right.

// Names of the baselines.
const (
	sameAsLast = "same as last"
	logistic   = "logistic"
)

// Worth says whether the best of the paper's learners is better than the best
// baseline.
type Worth struct {
	Best             string   `json:"best"`     // of the paper's learners
	Baseline         string   `json:"baseline"` // the best of the baselines
	Accuracy         text.Num `json:"accuracy"`
	BaselineAccuracy text.Num `json:"baseline_accuracy"`
	// P is the probability of so many decisions in the learner's favour if both
	// were equally good: McNemar's exact test, one-sided, times the number of
	// learners from which the best was taken. It takes decisions as independent,
	// which makes it too small where outcomes last.
	P       text.Num `json:"p"`
	WorthIt bool     `json:"worth_it"` // P below 0.05
}

// discord counts the decisions on which one of a pair of predictions is right
// and the other is wrong.
type discord struct{ first, second int }

func (d *discord) add(first, second bool) {
	if first && !second {
		d.first++
	} else if second && !first {
		d.second++
	}
}

// p is the probability that at least so many of the discordant decisions are
// the first's if each is either's with probability one half.
func (d discord) p() float64 {
	n := d.first + d.second
	if n == 0 || d.first == 0 {
		return 1
	}
	return 1 - distuv.Binomial{N: float64(n), P: 0.5}.CDF(float64(d.first-1))
}

// lastKnown is what "same as last" predicts: the newest outcome known of the
// node when the decision is made. A node of which nothing is known is good.
func (f *overloadFit) lastKnown(node string, now int) int {
	if f.label == nil {
		if l, ok := f.outcome[node]; ok {
			return l
		}
		return classify.Good
	}
	if now < 0 {
		return classify.Good
	}
	return now
}

// contest counts a decision for every learner against the two baselines.
func (f *overloadFit) contest(d *decision, label int) {
	byLogistic := false
	for i, p := range f.pupils {
		if p.name == logistic {
			byLogistic = d.guesses[i] == label
		}
	}
	for i, p := range f.pupils {
		right := d.guesses[i] == label
		p.against[0].add(right, d.same == label)
		p.against[1].add(right, byLogistic)
	}
}

// worth compares the best learner with the best baseline, nil where only a
// continued model was judged.
func (f *overloadFit) worth() *Worth {
	w := &Worth{Baseline: sameAsLast, Accuracy: -1, BaselineAccuracy: text.Num(f.same.total.Accuracy())}
	base, learners := 0, 0
	var best *pupil
	for _, p := range f.pupils {
		acc := text.Num(p.total.Accuracy())
		switch {
		case p.name == logistic && acc > w.BaselineAccuracy:
			base, w.Baseline, w.BaselineAccuracy = 1, logistic, acc
		case p.name != logistic:
			learners++
			if acc > w.Accuracy {
				best, w.Best, w.Accuracy = p, p.name, acc
			}
		}
	}
	if best == nil || f.opt.Continue != nil {
		return nil
	}
	w.P = text.Num(math.Min(1, best.against[base].p()*float64(learners)))
	w.WorthIt = w.P < 0.05
	return w
}

// String says it in two short lines.
func (w *Worth) String() string {
	if w.WorthIt {
		return fmt.Sprintf("%s is right in %s of the decisions, the baseline %q in %s:\nthe learner is worth it (p = %.2g)",
			w.Best, text.Percent(w.Accuracy), w.Baseline, text.Percent(w.BaselineAccuracy), float64(w.P))
	}
	return fmt.Sprintf("the baseline %q is right in %s of the decisions,\nthe best learner (%s) in %s: no learner is "+
		"worth it on this log", w.Baseline, text.Percent(w.BaselineAccuracy), w.Best, text.Percent(w.Accuracy))
}
