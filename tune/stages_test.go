package tune

import (
	"context"
	"math"
	"testing"

	"schedtune/internal/rng"
)

// twoWays is a problem with a cheap parameter x and two costly shares: x = 1
// brings 50 of 100, and moving shares from a to b brings up to extra on top of
// it, or 50 without it.
func twoWays(t *testing.T, extra float64) Problem {
	t.Helper()
	return Problem{Space: mustSpace(t, Param{Name: "x", Max: 1, Step: 0.01, Present: "0"},
		Param{Name: "y", Max: 1, Step: 0.01, Present: "0.5"},
		Param{Name: "a", Kind: Share, Group: "g", Present: "50", Costly: true}, Param{Name: "b", Kind: Share, Group: "g",
			Present: "50", Costly: true}),
		Objectives: []Objective{{Metric: "m"}},
		Evaluator: Pool(1, func(_ context.Context, it Item) Outcome {
			x, moved := value(it, "x"), math.Max(0, math.Min(1, (value(it, "b")-50)/20))
			m := 100 - math.Max(50*x, 50*moved) - extra*x*moved + 0.2*rng.NewKey(it.Seed, 1).Norm(0)
			return Outcome{Metrics: map[string]float64{"m": m}}
		})}
}

// Where the cheap parameter brings as much, the shares stay; where shares bring
// a fifth more, they move.
func TestCostlyOnlyWhereNeeded(t *testing.T) {
	for seed := range uint64(8) {
		for _, c := range []struct {
			extra float64
			moves bool
		}{{0, false}, {1, false}, {12, true}} {
			r := search(t, twoWays(t, c.extra), Options{Seed: seed, Budget: 500})
			moved := false
			for _, ch := range r.Changes {
				moved = moved || ch.Name == "a" || ch.Name == "b"
			}
			if !r.Decision.Recommended || moved != c.moves {
				t.Errorf("seed %d, shares bring %v more: %+v", seed, c.extra, r.Changes)
			}
		}
	}
}

// In the first stage no trial but those of the candidates' races touches a
// costly parameter.
func TestFirstStageHoldsCostly(t *testing.T) {
	p := twoWays(t, 12)
	early, late := 0, 0
	d, err := newDriver(p, Options{Seed: 3, Budget: 400}.withDefaults())
	if err != nil {
		t.Fatal(err)
	}
	g := d.generations
	if g.restricted == nil {
		t.Fatal("no first stage")
	}
	for range 5 {
		points := g.ask()
		scores := make([]Score, len(points))
		for i, pt := range points {
			if len(pt) != p.Space.Dim() {
				t.Fatalf("point of %d coordinates, want %d", len(pt), p.Space.Dim())
			}
			if p.Space.touches(p.Space.Decode(pt)) {
				early++
			}
			scores[i] = Score{Values: []float64{float64(i)}}
		}
		g.tell(points, scores, ownBlock)
	}
	g.restricted = nil
	if err := g.newSampler(nil); err != nil {
		t.Fatal(err)
	}
	for _, pt := range g.ask() {
		if p.Space.touches(p.Space.Decode(pt)) {
			late++
		}
	}
	if early != 0 || late == 0 {
		t.Errorf("%d points of the first stage and %d of the second touch shares", early, late)
	}
}
