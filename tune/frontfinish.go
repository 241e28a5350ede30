package tune

import (
	"slices"

	"schedtune/internal/stats"
)

// frontFinisher is the finisher of several objectives.
type frontFinisher struct{ *parts }

// finish implements finisher.
func (g *frontFinisher) finish() {
	g.measureFront()
	(&confirmation{parts: g.parts}).confirmBest()
}

// measureFront measures the non-dominated trials of the last generations again
// on common unused seeds, so that lucky ones fall back, and recommends the
// knee of what remains. A short study has one unused seed for most of them, and
// counts the runs of the search beside it. With limits, the better half after half of the
// runs goes on: few instances do not show what keeps them.
func (g *frontFinisher) measureFront() {
	field := g.frontCandidates()
	room, least := g.left()-g.plan.confirmRuns(), frontLeast
	if g.plan.budget < shortRuns { // it can't pay for two runs of each
		last := g.found.history[len(g.found.history)-1].on
		field = slices.DeleteFunc(field, func(t *trial) bool { return t.misses(last) })
		g.found.frontOn, least = []instance{last}, 1
	}
	field = field[:min(len(field), max(2, room/least))]
	more := func(n int) {
		g.found.frontOn = append(g.found.frontOn, g.led.instances(n, g.led.search)...)
		g.led.measure("halving", field, g.found.frontOn)
	}
	if n := room / 2 / len(field); len(g.p.Constraints) > 0 && n > 0 && len(field) > 3 {
		more(n)
		room -= n * len(field)
		field = g.frontHalf(field)
	}
	n := max(0, min(24, room/len(field)))
	if n == 0 && len(g.found.frontOn) == 0 {
		n = 1
	}
	more(n)
	g.found.front = g.shownFront(g.nonDominated(field, g.found.frontOn))
	if len(g.found.front) == 0 {
		g.found.front = []*trial{g.led.present}
	}
	g.found.best = g.compromise()
}

// compromise returns the point of the front that is nearest to its ideal point, with every
// objective scaled over the front and the current configuration: over the front alone, a
// difference of a part in a hundred between two points would count as much as one of a half.
func (g *frontFinisher) compromise() *trial {
	values := g.frontValues()
	if s := g.judge.score(g.led.present, g.found.frontOn); !s.Failed {
		values = append(values, s.Values)
	}
	for _, i := range byIdeal(values) {
		if i < len(g.found.front) {
			return g.found.front[i]
		}
	}
	return g.led.present
}

// frontHalf returns the better half of a field on the front's instances, with the current
// configuration.
func (g *frontFinisher) frontHalf(field []*trial) []*trial {
	out := []*trial{g.led.present}
	for _, i := range placeOrder(crowdedOrder(g.judge.scores(field, g.found.frontOn))) {
		if t := field[i]; t != g.led.present && len(out) < (len(field)+1)/2 {
			out = append(out, t)
		}
	}
	return out
}

// tightened returns the scores of a generation's points where limits are tighter by a part of them.
func (g *frontFinisher) tightened(b generation, tighter float64) []Score {
	out := slices.Clone(b.scores)
	if tighter == 0 {
		return out
	}
	for i, p := range b.points {
		t := g.led.trialAt(p)
		if t == nil || out[i].Failed {
			continue
		}
		excess := g.judge.excess(t, []instance{b.on}, 0)
		for k := range excess {
			excess[k] += tighter
		}
		out[i].Violation = violation(excess, g.judge.brokenNow())
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

// frontCandidates returns the current configuration and what no other dominates of the
// generations on the same instance, the last instance first and of each the least
// crowded first.
func (g *frontFinisher) frontCandidates() []*trial {
	out := []*trial{g.led.present}
	add := func(t *trial) {
		if t != nil && !t.failed && len(out) < maxFront && !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	tighter := frontTighter
	if len(g.p.Constraints) == 0 {
		tighter = tighter[:1]
	}
	for end := len(g.found.history); end > 0 && len(out) < maxFront; {
		first := end - 1
		for first > 0 && g.found.history[first-1].block == g.found.history[first].block {
			first--
		}
		for _, part := range tighter {
			var points []Point
			var scores []Score
			for _, b := range g.found.history[first:end] {
				points, scores = append(points, b.points...), append(scores, g.tightened(b, part)...)
			}
			place := crowdedOrder(scores)
			for _, i := range placeOrder(place) {
				if place[i].front == 0 {
					add(g.led.trialAt(points[i]))
				}
			}
		}
		end = first
	}
	for _, t := range g.found.given {
		if g.keptLimits(t) {
			add(t)
		}
	}
	return out
}

// keptLimits reports whether there are limits and a candidate of the caller keeps them on
// what the first generation was measured on, and is no worse there than the current
// configuration.
func (g *frontFinisher) keptLimits(t *trial) bool {
	if len(g.p.Constraints) == 0 || len(g.found.history) == 0 {
		return false
	}
	on := g.work.first(1)
	s := g.judge.score(t, on)
	return s.feasible() && !g.judge.score(g.led.present, on).Dominates(s)
}

// nonDominated keeps the trials no other dominates, in their order.
func (g *frontFinisher) nonDominated(ts []*trial, ins []instance) []*trial {
	scores := g.judge.scores(ts, ins)
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
func (g *frontFinisher) shownFront(front []*trial) []*trial {
	scores := make([]Score, len(front))
	for i, t := range front {
		for _, ob := range g.p.Objectives {
			mean, _ := stats.Moments(g.judge.raw(t, ob, g.found.frontOn))
			scores[i].Values = append(scores[i].Values, ob.minimised(mean))
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
