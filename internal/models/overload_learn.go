package models

import (
	"fmt"
	"math"
	"slices"

	"schedtune/classify"
	"schedtune/internal/text"
)

// row takes one heartbeat: first the outcome of the node's last decision, then
// the decision of this one.
func (f *overloadFit) row(r *Row) error {
	if math.IsNaN(float64(f.in.FirstTime)) {
		f.in.FirstTime = text.Num(r.Time)
	}
	f.in.LastTime = text.Num(r.Time)
	if last, ok := f.last[r.Node]; ok && r.Time < last {
		f.in.Backwards++
	}
	f.last[r.Node] = r.Time
	if f.label != nil {
		if d := f.waiting[r.Node]; d != nil {
			delete(f.waiting, r.Node)
			if err := f.resolve(d, labelOf(f.label.Eval(r.Values))); err != nil {
				return err
			}
		}
	}
	if !r.Decision {
		return nil
	}
	d := f.judge(r)
	d.node = r.Node
	if f.label != nil {
		d.same = f.lastKnown(r.Node, labelOf(f.label.Eval(r.Values)))
		f.waiting[r.Node] = d
		return nil
	}
	d.label, d.same = r.Outcome, f.lastKnown(r.Node, -1)
	f.queue = append(f.queue, d)
	if len(f.queue) > f.opt.Delay {
		d = f.queue[0]
		f.queue = append(f.queue[:0], f.queue[1:]...)
		return f.resolve(d, d.label)
	}
	return nil
}

// labelOf turns the rule's value into a class: overloaded is Bad, unknown -1.
func labelOf(v float64) int {
	switch {
	case math.IsNaN(v):
		return -1
	case v != 0:
		return classify.Bad
	}
	return classify.Good
}

// judge asks every learner about a decision.
func (f *overloadFit) judge(r *Row) *decision {
	d := f.newDecision()
	for i := range f.features {
		d.x[i] = f.features[i].scale(f.features[i].expr.Eval(r.Values))
	}
	finite(d.x)
	f.modes.Observe(d.x)
	f.modes.Fill(d.x)
	for i, p := range f.pupils {
		d.guesses[i] = classify.Predict(p.model, d.x, f.scratch)
	}
	return d
}

func (f *overloadFit) newDecision() *decision {
	if n := len(f.free); n > 0 {
		d := f.free[n-1]
		f.free = f.free[:n-1]
		return d
	}
	return &decision{x: make([]float64, len(f.features)), guesses: make([]int, len(f.pupils))}
}

// resolve scores the learners on a decision and teaches them its outcome.
func (f *overloadFit) resolve(d *decision, label int) error {
	defer func() { f.free = append(f.free, d) }()
	if label < 0 {
		f.unknown++
		return nil
	}
	f.decisions++
	f.contest(d, label)
	f.same.total.Add(label, d.same)
	f.same.window.Add(label, d.same)
	if f.decisions%f.opt.Window == 0 {
		f.same.closeWindow(f.decisions)
	}
	if f.label == nil {
		f.outcome[d.node] = label
	}
	for i, p := range f.pupils {
		p.total.Add(label, d.guesses[i])
		p.window.Add(label, d.guesses[i])
		if f.decisions%f.opt.Window == 0 {
			p.closeWindow(f.decisions)
		}
		if err := p.model.Learn(d.x, label); err != nil {
			return err
		}
	}
	if f.opt.Compare != nil && len(f.x) < f.opt.CompareMax {
		f.x, f.y = append(f.x, slices.Clone(d.x)), append(f.y, label)
	}
	return nil
}

// finite replaces infinities, which a feature such as a ratio can have, and
// what no learner takes by unknown, before they are judged: a learner never
// sees them later either.
func finite(x []float64) {
	for i, v := range x {
		if !(math.Abs(v) <= classify.Largest) {
			x[i] = math.NaN()
		}
	}
}

func (p *pupil) closeWindow(decisions int) {
	p.curve = append(p.curve, classify.CurvePoint{Decisions: decisions, Accuracy: p.window.Accuracy(),
		BaseRate: p.window.BaseRate()})
	p.window = classify.NewConfusion(classify.Binary())
}

// finish resolves what came with its outcome and puts the result together.
func (f *overloadFit) finish() (*OverloadResult, error) {
	for _, d := range f.queue {
		if err := f.resolve(d, d.label); err != nil {
			return nil, err
		}
	}
	r := &OverloadResult{Schema: overloadSchema, Label: f.opt.Label, Learner: f.opt.Learner,
		Intake: *f.in, Decisions: f.decisions, Unlabelled: f.unknown, Unresolved: len(f.waiting)}
	if f.same.window.Total() > 0 {
		f.same.closeWindow(f.decisions)
	}
	for _, p := range f.pupils {
		if p.window.Total() > 0 {
			p.closeWindow(f.decisions)
		}
		note := ""
		if p.name == logistic {
			note = "baseline"
		}
		r.Learners = append(r.Learners, score(p.name, p.total, p.curve, note))
		if p.name == f.opt.Learner {
			r.Model = f.save(p)
			r.Features = r.Model.Features
		}
	}
	if f.decisions == 0 {
		return nil, fmt.Errorf("%s: %s (%d bad%s) and no decision whose outcome is known: must be at least two rows per "+
			"node, with the columns of %q",
			f.src.sources[0].Name, text.Count(int(f.in.Rows), "row"), f.in.BadRows, firstFault(f.in), f.opt.Label)
	}
	r.Learners = append(r.Learners, score(sameAsLast, f.same.total, f.same.curve, "baseline"))
	r.Worth = f.worth()
	if f.opt.Compare != nil {
		f.compare(r)
	}
	return r, nil
}

// Batch judges learners of another library on decisions x with outcomes y, in
// windows, with labels that come late by delay decisions.
type Batch func(schema classify.Schema, x [][]float64, y []int, window, delay int) []BatchScore

// BatchScore is one such learner; Failed counts windows it had no answer in.
type BatchScore struct {
	Name      string
	Confusion *classify.Confusion
	Curve     []classify.CurvePoint
	Failed    int
}

// compare adds them on the decisions kept for them.
func (f *overloadFit) compare(r *OverloadResult) {
	for _, b := range f.opt.Compare(f.schema, f.x, f.y, f.opt.Window, f.opt.Delay) {
		note := fmt.Sprintf("fitted anew per window, first %d decisions", len(f.x))
		if b.Failed > 0 {
			note += fmt.Sprintf("; %d windows failed", b.Failed)
		}
		r.Learners = append(r.Learners, score(b.Name, b.Confusion, b.Curve, note))
	}
}
