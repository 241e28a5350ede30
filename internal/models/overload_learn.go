package models

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"schedtune/classify"
	"schedtune/classify/modelfile"
	"schedtune/internal/text"
)

// row takes one heartbeat: first the outcome of the node's last decision, then
// the decision of this one.
func (f *overloadFit) row(r *Row) {
	defer f.snap()
	if r.Err != nil {
		f.in.fault(r, r.Err)
		f.interrupt(r.Node)
		return
	}
	last, known := f.last[r.Node]
	print := uint64(0)
	if !f.states {
		print = r.print()
	}
	if known && r.Time == last.time && print == last.print {
		f.in.Repeats++
		return
	}
	if math.IsNaN(float64(f.in.FirstTime)) {
		f.in.FirstTime = text.Num(r.Time)
	}
	f.in.LastTime = text.Num(r.Time)
	if known && r.Time < last.time {
		f.in.Backwards++
	}
	if known && (r.Time < last.time || f.opt.MaxGap > 0 && r.Time-last.time > f.opt.MaxGap) {
		f.interrupt(r.Node)
	}
	f.last[r.Node] = lastRow{r.Time, print}
	values := f.space.Row(r.Node, r.Values)
	state := -1
	if f.label != nil {
		state = labelOf(f.label.Eval(values))
		if d := f.waiting[r.Node]; d != nil {
			delete(f.waiting, r.Node)
			f.resolve(d, state)
		}
	}
	if !r.Decision {
		return
	}
	d := f.judge(r, values, f.lastKnown(r.Node, state))
	if f.label != nil {
		f.waiting[r.Node] = d
		return
	}
	d.label = r.Outcome
	f.queue = append(f.queue, d)
	if len(f.queue) > f.opt.Delay {
		d = f.queue[0]
		f.queue = append(f.queue[:0], f.queue[1:]...)
		f.resolve(d, d.label)
	}
}

// print is a number for what a row holds beside its time.
func (w *Row) print() uint64 {
	h := math.Float64bits(modelfile.TextValue(w.Job)) ^ math.Float64bits(float64(w.Outcome))
	for _, v := range w.Values {
		h = h*0x100000001b3 ^ math.Float64bits(v)
	}
	return h
}

// interrupt gives up the decision that waits for the node's next row, of all nodes for "": a
// row that could not be read, or a gap, lies between them.
func (f *overloadFit) interrupt(node string) {
	f.space.Forget(node)
	if node == "" {
		f.giveUpAll()
	} else if d := f.waiting[node]; d != nil {
		delete(f.waiting, node)
		f.resolve(d, -1)
	}
}

// giveUpAll gives up the decisions that wait.
func (f *overloadFit) giveUpAll() {
	for _, node := range slices.Sorted(maps.Keys(f.waiting)) {
		f.resolve(f.waiting[node], -1)
	}
	clear(f.waiting)
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

// judge asks every learner about a decision; same is what "same as last" says.
func (f *overloadFit) judge(r *Row, values []float64, same int) *decision {
	d := f.newDecision()
	d.node, d.time, d.line, d.same = r.Node, r.Time, r.Line, same
	for i := range f.features {
		d.x[i] = f.features[i].Value(values)
		if !(math.Abs(d.x[i]) <= classify.Largest) {
			d.x[i] = math.NaN() // an infinite ratio, for one
		}
		if !f.opt.Freeze {
			f.grow(i, d.x[i])
		}
	}
	if !f.opt.Freeze {
		f.modes.Observe(d.x)
	}
	f.modes.Fill(d.x) // job features only, whose own scale is that of the learners
	scale(f.features, d.x, f.scaled)
	for i, p := range f.learners {
		d.odds[i] = modelfile.Odds(p.model, f.scaled, f.scratch)
		d.said[i] = class(modelfile.Overloaded(p.model, d.odds[i], f.cut))
	}
	f.contest.judge(d, f.learners)
	return d
}

// grow counts a value of a feature, and has the learners follow if its range grows. The steps
// of a perceptron are those of the scale: it learns the decisions that are kept anew.
func (f *overloadFit) grow(feature int, v float64) {
	a, b := f.features[feature].Grow(v)
	if a == 1 {
		return
	}
	for _, p := range f.learners {
		if f.opt.Continue != nil || !modelfile.IsMargin(p.model) {
			p.model.Rescale(feature, a, b)
		} else {
			p.model = f.trained(p.name, f.features, f.kept.list, 0)
		}
	}
}

// learn teaches a scaled vector, which no learner refuses.
func learn(m classify.Model, x []float64, class int) {
	if err := m.Learn(x, class); err != nil {
		panic(err)
	}
}

func (f *overloadFit) newDecision() *decision {
	return &decision{x: make([]float64, len(f.features)), odds: make([]float64, len(f.learners)),
		said: make([]int, len(f.learners)), even: make([]int, len(f.contest.names))}
}

// resolve scores the learners on a decision and teaches them its outcome.
func (f *overloadFit) resolve(d *decision, label int) {
	if f.opt.Judged != nil {
		j := modelfile.Judge(f.learners[0].model, d.odds[0], f.cut, f.opt.Continue.Calibration)
		f.opt.Judged(Decision{d.line, d.time, d.node, label, j})
	}
	if label < 0 {
		f.unknown++
		return
	}
	f.decisions++
	f.contest.add(d, label)
	f.kept.add(d, label == classify.Bad, f.opt.Freeze)
	if f.label == nil {
		f.outcome[d.node] = label
	}
	f.same.score(label, d.same, f.decisions, f.opt.Window)
	scale(f.features, d.x, f.scaled)
	for i, p := range f.learners {
		p.score(label, d.said[i], f.decisions, f.opt.Window)
		if !f.opt.Freeze {
			learn(p.model, f.scaled, label)
		}
	}
	if f.opt.Compare != nil && len(f.x) < compareMax {
		f.x, f.y = append(f.x, slices.Clone(f.scaled)), append(f.y, label)
	}
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

// score counts a judgement, and closes a window of the learning curve.
func (p *online) score(label, said, decisions, window int) {
	p.total.Add(label, said)
	p.window.Add(label, said)
	if decisions%window == 0 {
		p.closeWindow(decisions)
	}
}

func (p *online) closeWindow(decisions int) {
	p.curve = append(p.curve, classify.CurvePoint{Decisions: decisions, Accuracy: p.window.Accuracy(),
		BaseRate: p.window.BaseRate()})
	p.window = classify.NewConfusion(classify.Binary())
}

// finish resolves what came with its outcome and puts the result together.
func (f *overloadFit) finish() (*OverloadResult, error) {
	for _, d := range f.queue {
		f.resolve(d, d.label)
	}
	unresolved := len(f.waiting)
	if f.opt.Judged != nil {
		f.giveUpAll()
		f.unknown -= unresolved
	}
	r := &OverloadResult{Schema: text.SchemaFitOverload, Label: f.opt.Label, Learner: f.opt.Learner, Frozen: f.opt.Freeze,
		Intake: *f.in, Decisions: f.decisions, Unlabelled: f.unknown, Unresolved: unresolved}
	if f.same.window.Total() > 0 {
		f.same.closeWindow(f.decisions)
	}
	for _, p := range f.learners {
		if p.window.Total() > 0 {
			p.closeWindow(f.decisions)
		}
		note := ""
		if p.name == logistic {
			note = "baseline"
		}
		r.Learners = append(r.Learners, Score(p.name, p.total, p.curve, note))
	}
	if f.decisions == 0 && !f.opt.Freeze {
		return nil, fmt.Errorf("%s: %s (%d bad%s) and no decision whose outcome is known: must be at least two rows per "+
			"node, with the columns of %q",
			f.src.sources[0].Name, text.Count(int(f.in.Rows), "row"), f.in.BadRows, firstFault(f.in), f.opt.Label)
	}
	save, m := f.holdOut(r)
	r.Model = f.save(save, m)
	r.Saved, r.Features = r.Model.Learner, r.Model.Features
	r.Learners = append(r.Learners, Score(sameAsLast, f.same.total, f.same.curve, "baseline"))
	r.Worth = f.worth()
	if f.opt.Compare != nil {
		r.Compared = len(f.x)
		r.Learners = append(r.Learners, f.opt.Compare(f.schema, f.x, f.y, f.opt.Window, f.opt.Delay)...)
	}
	return r, nil
}

// Batch judges learners of another library on decisions x with outcomes y, in
// windows, with labels that come late by delay decisions.
type Batch func(schema classify.Schema, x [][]float64, y []int, window, delay int) []LearnerScore
