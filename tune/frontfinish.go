package tune

import "slices"

// finishFront measures the non-dominated trials of the last generations again
// on common unused seeds, so that lucky ones fall back, and recommends the
// knee of what remains. A short study has one unused seed for most of them, and
// counts the runs of the search beside it. With limits, the better half after half of the
// runs goes on: few instances do not tell what keeps them.
func (d *driver) finishFront() error {
	field := d.frontCandidates()
	room, least := d.beforeConfirm(), frontLeast
	d.frontOn = nil
	if d.shortStudy() && d.epochOn != nil { // it can't pay for two runs of each
		field = slices.DeleteFunc(field, func(t *trial) bool { return t != d.present && !t.ranOn(d.epochOn[0]) })
		d.frontOn, least = slices.Clone(d.epochOn), 1
		if !d.present.ranOn(d.epochOn[0]) {
			room--
		}
	}
	field = field[:min(len(field), max(2, room/least))]
	if n := room / 2 / len(field); len(d.p.Constraints) > 0 && n > 0 && len(field) > 3 {
		d.frontOn = append(d.frontOn, d.instances(n, d.search)...)
		if err := d.measure("halving", field, d.frontOn); err != nil {
			return err
		}
		room -= n * len(field)
		field = d.frontHalf(field)
	}
	if n := min(24, room/len(field)); n > 0 || len(d.frontOn) == 0 {
		d.frontOn = append(d.frontOn, d.instances(max(1, n), d.search)...)
	}
	if err := d.measure("halving", field, d.frontOn); err != nil {
		return err
	}
	d.front = d.shownFront(d.nonDominated(field, d.frontOn))
	if len(d.front) == 0 {
		d.front = []*trial{d.present}
	}
	d.best = d.compromise()
	d.full = d.best
	return d.confirmBest()
}

// compromise is the point of the front that is nearest to its ideal point, with every
// objective scaled over the front and the present configuration: over the front alone, a
// difference of a part in a hundred between two points would count as much as one of a half.
func (d *driver) compromise() *trial {
	values := d.frontValues()
	if s := d.score(d.present, d.frontOn); !s.Failed {
		values = append(values, s.Values)
	}
	for _, i := range byIdeal(values) {
		if i < len(d.front) {
			return d.front[i]
		}
	}
	return d.present
}

// frontHalf is the better half of a field on the front's instances, with the present
// configuration.
func (d *driver) frontHalf(field []*trial) []*trial {
	scores := make([]Score, len(field))
	for i, t := range field {
		scores[i] = d.score(t, d.frontOn)
	}
	out := []*trial{d.present}
	for _, i := range placeOrder(crowdedOrder(scores)) {
		if t := field[i]; t != d.present && len(out) < (len(field)+1)/2 {
			out = append(out, t)
		}
	}
	return out
}

// under are the scores of a generation's points where limits are tighter by a part of them.
func (d *driver) under(g generation, tighter float64) []Score {
	out := slices.Clone(g.scores)
	if tighter == 0 || g.on == nil {
		return out
	}
	for i, p := range g.points {
		t := d.byKey[keyOf(d.p.Space.Decode(p))]
		if t == nil || out[i].Failed {
			continue
		}
		excess := d.excess(t, g.on, 0)
		for k := range excess {
			excess[k] += tighter
		}
		out[i].Violation = violation(excess)
	}
	return out
}

// frontTighter are by how much limits are tighter, in parts of them, where points are taken
// that keep them with some room: those of a front lie on a limit as a rule, and what they
// have been measured on in the search is one workload or few.
var frontTighter = []float64{0, 0.05, 0.1}

// maxFront bounds the trials measured again.
const (
	maxFront   = 80
	frontLeast = 2 // runs of each; fewer trials take part where there are not so many
)

// frontCandidates are the present configuration and what no other dominates of the
// generations on the same instance, the last instance first and of each the least
// crowded first.
func (d *driver) frontCandidates() []*trial {
	out := []*trial{d.present}
	seen := map[int]bool{d.present.id: true}
	add := func(t *trial) {
		if t != nil && !seen[t.id] && !t.failed && len(out) < maxFront {
			seen[t.id] = true
			out = append(out, t)
		}
	}
	for end := len(d.history); end > 0 && len(out) < maxFront; {
		first := end - 1
		for first > 0 && d.history[first-1].epoch == d.history[first].epoch {
			first--
		}
		for _, tighter := range frontTighter {
			if tighter > 0 && len(d.p.Constraints) == 0 {
				break
			}
			var points []Point
			var scores []Score
			for _, g := range d.history[first:end] {
				points, scores = append(points, g.points...), append(scores, d.under(g, tighter)...)
			}
			place := crowdedOrder(scores)
			for _, i := range placeOrder(place) {
				if place[i].front == 0 {
					add(d.byKey[keyOf(d.p.Space.Decode(points[i]))])
				}
			}
		}
		end = first
	}
	for _, t := range d.given {
		if d.samplerName != "nsga2" || d.keptLimits(t) { // which has measured them
			add(t)
		}
	}
	return out
}

// keptLimits reports whether there are limits and a candidate of the caller keeps them on
// what the first generation was measured on, and is no worse there than the present
// configuration.
func (d *driver) keptLimits(t *trial) bool {
	if len(d.p.Constraints) == 0 || len(d.history) == 0 {
		return false
	}
	on := d.history[0].on
	s := d.score(t, on)
	return !s.Failed && s.Lost == 0 && s.Violation == 0 && !d.score(d.present, on).Dominates(s)
}

func dominated(s Score, all []Score) bool {
	for _, o := range all {
		if o.Dominates(s) {
			return true
		}
	}
	return false
}

// nonDominated keeps the trials no other dominates, in their order.
func (d *driver) nonDominated(ts []*trial, ins []instance) []*trial {
	scores := make([]Score, len(ts))
	for i, t := range ts {
		scores[i] = d.score(t, ins)
	}
	var out []*trial
	for i, t := range ts {
		if !scores[i].Failed && !dominated(scores[i], scores) {
			out = append(out, t)
		}
	}
	return out
}

// shownFront leaves out what is dominated by its plain means, which are what is shown: those
// of positive objectives are compared on a log scale, and may disagree. By the first objective.
func (d *driver) shownFront(front []*trial) []*trial {
	scores := make([]Score, len(front))
	for i, t := range front {
		for _, ob := range d.p.Objectives {
			mean := MeanInterval(d.raw(t, ob, d.frontOn), d.o.Level).Mean
			if ob.Maximize {
				mean = -mean
			}
			scores[i].Values = append(scores[i].Values, mean)
		}
	}
	var out []*trial
	for _, i := range order(scores) {
		if !dominated(scores[i], scores) {
			out = append(out, front[i])
		}
	}
	return out
}

func (d *driver) frontValues() [][]float64 {
	out := make([][]float64, len(d.front))
	for i, t := range d.front {
		out[i] = d.score(t, d.frontOn).Values
	}
	return out
}

// frontSecond looks for another point of the front where the compromise does not keep the
// limits on the instances of the confirmation or loses work there. Points are tried that
// keep the limits beyond doubt on the front's instances before those that may not, and of
// either the nearest to the ideal point first. A limit that one breaks its neighbours break
// too, as a rule: a next one lies farther from all that were tried, by secondStep of the
// front's extent for each of them. A point is measured on fallBackStep instances more at a
// time and left as soon as its means break a limit; the first that keeps them on all takes
// the place. All within the runs that are left.
func (d *driver) frontSecond(ins []instance) error {
	if d.front == nil || !d.infeasible(d.best, d.usable(ins)) {
		return nil
	}
	values := scaled(d.frontValues())
	tried := [][]float64{values[slices.Index(d.front, d.best)]}
	for _, sure := range []bool{true, false} {
		for _, i := range byIdeal(values) {
			t := d.front[i]
			if t == d.present || d.infeasible(t, d.frontOn) || sure != (d.cautious(t, d.frontOn).Violation == 0) ||
				nearest(values[i], tried) < secondStep*float64(len(tried)) {
				continue
			}
			tried = append(tried, values[i])
			keeps, err := d.holds(t, ins)
			if err != nil {
				return err
			}
			if keeps {
				d.best, d.full, d.late = t, t, true
				return nil
			}
		}
	}
	return nil
}

// secondStep is, for each point tried, how far from them the next is at least, in parts of
// the front's extent in the objective in which it is longer.
const secondStep = 0.1

// holds measures a trial on the instances of the confirmation, some at a time, and
// reports whether it keeps the limits on all and loses no work; not if the runs are spent.
func (d *driver) holds(t *trial, ins []instance) (bool, error) {
	for n := 0; n < len(ins); {
		next := min(n+fallBackStep, len(ins))
		if d.budget > 0 && d.spent+next-n > d.budget {
			return false, nil
		}
		n = next
		if err := d.measure("confirm", []*trial{t}, ins[:n]); err != nil {
			return false, err
		}
		if d.infeasible(t, d.usable(ins[:n])) {
			return false, nil
		}
	}
	return true, nil
}

// secondRuns are the runs to be kept for frontSecond beside those of a whole point: for
// three that are left after the first step.
const secondRuns = 3 * fallBackStep

// fillFront adds the front to the result.
func (d *driver) fillFront(r *Result) {
	if d.front == nil {
		return
	}
	for _, t := range d.front {
		r.Front = append(r.Front, d.summary(t, d.frontOn))
	}
	present := d.summary(d.present, d.frontOn)
	r.FrontPresent = &present
	r.Knee = slices.Index(d.front, d.best)
	if len(d.p.Objectives) == 2 {
		r.Hypervolume = hypervolume(d.frontValues(), d.score(d.present, d.frontOn).Values)
	}
}
