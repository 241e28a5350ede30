package tune

import (
	"cmp"
	"slices"
	"strconv"
)

// Moves of bottlenecks: the runs of a configuration tell which parameters held work back (Outcome.Hints), by
// how much they would have to move, and how much of what waited that would free. The proposals are the
// heaviest hint alone, and the heaviest together with those that follow it.

const (
	designMoves = 4 // configurations of the design that are moves of the current one
	roundMoves  = 2 // of a round, of the best so far
)

// moves returns at most n moves of a trial, the heaviest hint first.
func (c *modelProposer) moves(t *trial, n int) []*trial {
	var out field
	set := slices.Clone(t.settings)
	for _, h := range hintsOf(t) {
		if len(out) == n {
			break
		}
		i, known := c.p.Space.index[h.Param]
		if !known {
			continue
		}
		p := &c.p.Space.params[i]
		v, err := strconv.ParseFloat(set[i].Value, 64)
		if err != nil || p.Fixed || p.Tied != "" || p.special(set[i].Value) {
			continue
		}
		to := v + h.Move
		if p.Kind != Ceiling {
			to = min(max(to, p.Min), p.Max)
		}
		set[i].Value = formatNumber(to)
		if at, err := c.p.Space.Encode(set); err == nil { // within its ranges
			if u := c.led.pointTrial(at, "bottleneck"); u != t {
				out.add(u)
			}
		}
	}
	return out
}

// hintsOf returns what the runs of a trial hint at, each parameter once: the mean move by weight, those of the
// largest weight first.
func hintsOf(t *trial) []Hint {
	sum := map[string]Hint{}
	for _, in := range shared(t, t) {
		for _, h := range t.runs[in].Hints {
			s := sum[h.Param]
			sum[h.Param] = Hint{h.Param, s.Move + h.Weight*h.Move, s.Weight + h.Weight}
		}
	}
	var out []Hint
	for _, h := range sum {
		out = append(out, Hint{h.Param, h.Move / h.Weight, h.Weight / float64(len(t.runs))})
	}
	slices.SortFunc(out, func(a, b Hint) int {
		return cmp.Or(cmp.Compare(b.Weight, a.Weight), cmp.Compare(a.Param, b.Param))
	})
	return out
}
