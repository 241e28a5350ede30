package main

import (
	"context"
	"flag"
	"math"
	"strconv"
	"testing"

	"schedtune/internal/rng"
	"schedtune/internal/study"
	"schedtune/simcore"
	"schedtune/tune"
)

var hinted = flag.Int("hints", 0, "judge the hints on so many random trees of each half")

const (
	firstHinted  = 920100 // trees that nothing else uses; even numbers for development, odd ones held out
	hintPairs    = 16     // seeds on which a move is compared with the current configuration
	hintRandoms  = 4      // random moves per tree
	purposeHints = 0x68696e74
)

// TestHints judges what hints are worth. Set-up, fixed before the first result: trees from
// number 920100 on (hints were built on those from 900100 and 910100 on), each with its own
// objective on its recorded trace. The hints are those of one run of the current configuration
// with seed 1. The move judged is the first hint that changes a setting once it is brought into
// the parameter's range and rounded. It and the current configuration run with the seeds 2 to
// 17; a move improves (worsens) the objective where the paired differences have that sign and
// |t| > 2. The null model are four moves per tree of a random coordinate of the space to a
// random place. Trees without a hint count apart.
func TestHints(t *testing.T) {
	if *hinted == 0 {
		t.Skip("with -hints 20")
	}
	for half, name := range []string{"development", "held out"} {
		t.Run(name, func(t *testing.T) {
			var ours, random tally
			none := 0
			for i := range *hinted {
				spec := drawTree(firstHinted + 2*i + half)
				if j := judgeHint(t, spec); j == nil {
					none++
				} else {
					ours.add(j.hint)
					t.Logf("%v: %v by %.3g, weight %.2f, gain %+.1f %%, t %.1f", spec, j.of.Param, j.of.Move, j.of.Weight,
						100*j.hint.gain, j.hint.t)
					for _, r := range j.random {
						random.add(r)
					}
				}
			}
			t.Logf("%d trees without a hint; hint: %v; random: %v", none, ours, random)
		})
	}
}

// effect is the mean gain of a move, as a share of the current objective, and its t.
type effect struct{ gain, t float64 }

// tally counts moves that improve, worsen or leave an objective.
type tally struct {
	better, worse, all int
	gain               float64 // sum
}

func (c *tally) add(e effect) {
	c.all++
	c.gain += e.gain
	if e.t > 2 {
		c.better++
	} else if e.t < -2 {
		c.worse++
	}
}

// hintJudged is what came of a tree.
type hintJudged struct {
	of     tune.Hint
	hint   effect
	random []effect
}

// judgeHint returns nil for a tree that cannot run or has no hint.
func judgeHint(t *testing.T, spec treeSpec) *hintJudged {
	t.Helper()
	c, err := treeCase(spec)
	if err != nil {
		t.Fatal(err)
	}
	space, _, err := study.NewSpace(c, nil)
	if err != nil {
		return nil
	}
	r, err := study.NewRunner(c, space, []*simcore.Workload{c.Work}, []string{spec.objective})
	if err != nil {
		return nil
	}
	r.Hints = true
	now := space.PresentSettings()
	first := r.Outcome(context.Background(), tune.Item{Settings: now, Seed: 1})
	r.Hints = false
	high := spec.objective == "utilisation" || spec.objective == "throughput"
	var base [hintPairs]float64
	run := func(set tune.Settings, seed int) float64 {
		o := r.Outcome(context.Background(), tune.Item{Settings: set, Seed: uint64(seed)})
		if v, ok := o.Metrics[spec.objective]; ok {
			if high {
				v = -v
			}
			return v
		}
		return math.Inf(1)
	}
	for i := range base {
		base[i] = run(now, 2+i)
	}
	if math.IsInf(base[0], 0) {
		return nil
	}
	measure := func(set tune.Settings) effect {
		var sum, squares, was float64
		for i, b := range base {
			v := run(set, 2+i)
			if math.IsInf(v, 0) { // the move makes a run stall
				return effect{-1, -99}
			}
			sum, squares, was = sum+b-v, squares+(b-v)*(b-v), was+math.Abs(b)
		}
		mean := sum / hintPairs
		deviation := math.Sqrt(max(squares/hintPairs-mean*mean, 0) * hintPairs / (hintPairs - 1))
		return effect{sum / was, mean / max(deviation/math.Sqrt(hintPairs), 1e-12)}
	}
	for _, h := range first.Hints {
		set, ok := moved(space, now, h)
		if !ok {
			continue
		}
		j := &hintJudged{of: h, hint: measure(set)}
		d := newDraws(rng.NewKey(uint64(spec.number), purposeHints))
		for range hintRandoms {
			p := space.Present()
			p[d.n(len(p))] = d.u()
			j.random = append(j.random, measure(space.Decode(p)))
		}
		return j
	}
	return nil
}

// moved applies a hint within the parameter's range and reports whether that changes anything.
func moved(space *study.Space, now tune.Settings, h tune.Hint) (tune.Settings, bool) {
	text, ok := now.Get(h.Param)
	if !ok {
		return nil, false
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil, false
	}
	p, err := space.Encode(tune.Settings{{Name: h.Param, Value: strconv.FormatFloat(v+h.Move, 'f', 4, 64)}})
	if err != nil {
		return nil, false
	}
	set := space.Decode(p)
	after, _ := set.Get(h.Param)
	return set, after != text
}
