package tune

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"schedtune/internal/rng"
	"schedtune/internal/stats"
)

// partedSpace has a few coordinates for each of some parts; part k's are "k.0", "k.1" ….
func partedSpace(t *testing.T, parts, each int) *Space {
	t.Helper()
	var ps []Param
	for k := range parts {
		for i := range each {
			ps = append(ps, Param{Name: fmt.Sprintf("%d.%d", k, i), Max: 1, Present: "0.5"})
		}
	}
	s, err := NewSpace(ps...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// costModelOf fits a model of an objective.
func costModelOf(known *knowledge, s *sample, cost []float64, parts [][]float64, key rng.Key) *costModel {
	m, fits := newCostModel(known, s.points(), s, cost, parts, key)
	for _, fit := range fits {
		fit()
	}
	return m
}

// parted is the sum of the parts' exponentials; a part falls with a step of its first
// coordinate and with the slope of its second.
func parted(parts int) *Composite {
	made := Composition{Metric: func(v []float64) float64 {
		sum := 0.0
		for _, x := range v {
			sum += math.Exp(x)
		}
		return sum
	}}
	for k := range parts {
		made.Components = append(made.Components, Component{Values: 1, Near: func(name string) bool {
			return strings.HasPrefix(name, fmt.Sprint(k, "."))
		}})
	}
	return &Composite{Objectives: []Composition{made}}
}

// composed is the first objective of a composite, on a log scale.
func composed(c *Composite, space *Space) *knowledge { return knowledgeOf(c, space, 0) }

func knowledgeOf(c *Composite, space *Space, objective int) *knowledge {
	return newKnowledge(Problem{Composite: c, Space: space}, objective, math.Log)
}

func partsAt(p Point, parts, each int) []float64 {
	out := make([]float64, parts)
	for k := range out {
		own := p[k*each : (k+1)*each]
		out[k] = -0.8 * own[1]
		if own[0] > 0.5 {
			out[k] -= 0.5
		}
	}
	return out
}

// 48 points in blocks of 8 of a sum of six parts with 18 coordinates and a noise of 0.1
// in each part: the model of the parts orders points that it has not seen clearly better than that of
// the sum alone, in each of four draws. A part has two coordinates that matter and a spread of 0.34; all
// of the sum has twelve for the same points.
func TestPartsTellMoreThanTheirSum(t *testing.T) {
	const parts, each = 6, 3
	space, c := partedSpace(t, parts, each), parted(parts)
	for seed := range uint64(4) {
		k := rng.NewKey(seed, 8)
		all, known := &sample{blocks: 6}, composed(c, space)
		var cost []float64
		var numbers [][]float64
		for b := range 6 {
			for i := range 8 {
				key := k.At(uint64(8*b + i))
				p := uniformPoint(key, parts*each)
				v := partsAt(p, parts, each)
				for q := range v {
					v[q] += 0.1*key.At(1).Norm(uint64(q)) + 0.3*k.At(1e6+uint64(b)).Norm(uint64(q))
				}
				all.runs = append(all.runs, sampledRun{point: p, block: b})
				cost, numbers = append(cost, math.Log(c.Objectives[0].Metric(v))), append(numbers, v)
			}
		}
		one, both := costModelOf(nil, all, cost, nil, k), costModelOf(known, all, cost, numbers, k)
		var is, said, composed []float64
		for i := range uint64(200) {
			p := uniformPoint(k.At(1000+i), parts*each)
			is = append(is, c.Objectives[0].Metric(partsAt(p, parts, each)))
			said, composed = append(said, one.at(p)), append(composed, both.at(p))
		}
		a, b := stats.Spearman(said, is), stats.Spearman(composed, is)
		t.Logf("seed %d: %.2f without parts, %.2f with them", seed, a, b)
		if !(b > a+0.05) {
			t.Errorf("seed %d: rank correlation %.2f without parts, %.2f with them", seed, a, b)
		}
	}
}

// partedProblem runs the parts with noise by seed and by run.
func partedProblem(t *testing.T, workers int) Problem {
	const parts, each = 4, 2
	space := partedSpace(t, parts, each)
	c := parted(parts)
	c.FeatureNames = []string{"0.sum"}
	c.Features = func(s Settings) []float64 {
		p, err := space.Encode(s)
		if err != nil {
			t.Error(err)
		}
		return []float64{p[0] + p[1]}
	}
	return Problem{Space: space, Objectives: []Objective{{Metric: "cost"}}, Composite: c,
		Evaluator: Pool(workers, func(_ context.Context, it Item) Outcome {
			p, err := space.Encode(it.Settings)
			if err != nil {
				return Outcome{Err: err.Error()}
			}
			v := partsAt(p, parts, each)
			for q := range v {
				v[q] += 0.2 * rng.NewKey(it.Seed, 3).Norm(uint64(q))
			}
			return Outcome{Metrics: map[string]float64{"cost": c.Objectives[0].Metric(v)}, Parts: v}
		})}
}

// A study that learns from parts is the same with any number of workers, and when it goes
// on from any part of its log, which holds them. What it does differs from a study without
// parts, and so it is with few runs.
func TestStudiesWithParts(t *testing.T) {
	o := Options{Seed: 4, Budget: 120}
	dir := t.TempDir()
	log, res := logged(t, partedProblem(t, 1), o, filepath.Join(dir, "one"))
	if again, same := logged(t, partedProblem(t, 4), o, filepath.Join(dir, "four")); !bytes.Equal(log, again) ||
		!bytes.Equal(res, same) {
		t.Error("four workers make another study")
	}
	if n := bytes.Count(log, []byte(`"parts":[`)); n < 100 {
		t.Errorf("%d runs of the log have parts", n)
	}
	for _, part := range []int{3, 2} {
		path := filepath.Join(dir, "cut")
		if err := os.WriteFile(path, log[:len(log)*(part-1)/part], 0o644); err != nil {
			t.Fatal(err)
		}
		if again, same := logged(t, partedProblem(t, 1), o, path); !bytes.Equal(log, again) || !bytes.Equal(res, same) {
			t.Error("a study that goes on is another")
		}
	}
	without := partedProblem(t, 1)
	without.Composite = nil
	if other, _ := logged(t, without, o, filepath.Join(dir, "without")); bytes.Equal(other, log) ||
		bytes.Contains(other, []byte(`"parts"`)) {
		t.Error("a study without Composite has parts, or is the same")
	}
	o.Budget, o.Patience = 500, 500 // to its end
	if long, _ := logged(t, partedProblem(t, 1), o, filepath.Join(dir, "long")); bytes.Count(long,
		[]byte(`"parts":[`)) < 300 {
		t.Error("the log of a long study has few parts")
	}
	few := partedProblem(t, 1)
	few.Windows, o.Budget = 3, 100
	on, _ := logged(t, few, o, filepath.Join(dir, "few"))
	if n := bytes.Count(on, []byte(`"parts":[`)); n < 80 {
		t.Errorf("the log of a study of few runs has %d runs with parts", n)
	}
	few.Composite = nil
	if other, _ := logged(t, few, o, filepath.Join(dir, "bare")); bytes.Equal(withoutParts(on), other) {
		t.Error("a study of few runs without Composite is the same")
	}
}

// withoutParts takes the parts of runs out of a log.
func withoutParts(log []byte) []byte {
	return regexp.MustCompile(`,"parts":\[[^\]]*\]`).ReplaceAll(log, nil)
}

// twoParted is partedProblem with a second objective that is made of parts of its own, which
// rise with what the first fall with.
func twoParted(t *testing.T, workers int) Problem {
	const parts, each = 4, 2
	p := partedProblem(t, workers)
	c := *p.Composite
	c.Objectives = append(c.Objectives[:1:1], c.Objectives[0])
	p.Composite, p.Objectives = &c, []Objective{{Metric: "cost"}, {Metric: "price"}}
	space, made := p.Space, c.Objectives[0]
	p.Evaluator = Pool(workers, func(_ context.Context, it Item) Outcome {
		at, err := space.Encode(it.Settings)
		if err != nil {
			return Outcome{Err: err.Error()}
		}
		cost := partsAt(at, parts, each)
		price := make([]float64, parts)
		for q := range cost {
			price[q] = -cost[q] + at[each*q+1]*at[each*q+1]
			cost[q] += 0.2 * rng.NewKey(it.Seed, 3).Norm(uint64(q))
			price[q] += 0.2 * rng.NewKey(it.Seed, 4).Norm(uint64(q))
		}
		return Outcome{Metrics: map[string]float64{"cost": made.Metric(cost), "price": made.Metric(price)},
			Parts: append(cost, price...)}
	})
	return p
}

// The same with two objectives.
func TestFrontsWithParts(t *testing.T) {
	o := Options{Seed: 4, Budget: 140}
	dir := t.TempDir()
	log, res := logged(t, twoParted(t, 1), o, filepath.Join(dir, "one"))
	if again, same := logged(t, twoParted(t, 4), o, filepath.Join(dir, "four")); !bytes.Equal(log, again) ||
		!bytes.Equal(res, same) {
		t.Error("four workers make another study")
	}
	path := filepath.Join(dir, "cut")
	if err := os.WriteFile(path, log[:len(log)/2], 0o644); err != nil {
		t.Fatal(err)
	}
	if again, same := logged(t, twoParted(t, 1), o, path); !bytes.Equal(log, again) || !bytes.Equal(res, same) {
		t.Error("a study that goes on is another")
	}
	if n := bytes.Count(log, []byte(`"parts":[`)); n < 100 {
		t.Errorf("%d runs of the log have parts", n)
	}
	without := twoParted(t, 1)
	without.Composite = nil
	if other, _ := logged(t, without, o, filepath.Join(dir, "without")); bytes.Equal(other, log) ||
		bytes.Contains(other, []byte(`"parts"`)) {
		t.Error("a study without Composite has parts, or is the same")
	}
}

// Of one objective of a front nothing may be known, while runs have the parts of the other: the
// search goes to its end, whichever comes first.
func TestFrontsWithPartsOfOneObjective(t *testing.T) {
	for known := range 2 {
		p := twoParted(t, 1)
		c := *p.Composite
		c.Objectives = slices.Clone(c.Objectives)
		c.Objectives[1-known] = Composition{}
		p.Composite = &c
		run := p.Evaluator.(*pool).run
		p.Evaluator = Pool(1, func(ctx context.Context, it Item) Outcome {
			o := run(ctx, it)
			half := len(o.Parts) / 2
			o.Parts = o.Parts[known*half : (known+1)*half]
			return o
		})
		if r := search(t, p, Options{Seed: 4, Budget: 140}); r.Runs < 100 || len(r.Front) == 0 {
			t.Errorf("with parts of objective %d: %d runs, a front of %d", known, r.Runs, len(r.Front))
		}
	}
}

// Each objective's model learns from the numbers of its own parts: where those of the second
// fall with a coordinate that the first does not care for, so do its predictions alone.
func TestEveryObjectiveHasItsParts(t *testing.T) {
	const parts, each = 3, 2
	space, c := partedSpace(t, parts, each), parted(parts)
	c.Objectives = append(c.Objectives, c.Objectives[0])
	if k := knowledgeOf(c, space, 1); k.first != parts || k.Composition.values() != parts || c.values() != 2*parts {
		t.Fatalf("the second objective has %d numbers from %d on, both %d; want %d, %d and %d", k.Composition.values(),
			k.first, c.values(), parts, parts, 2*parts)
	}
	if k := knowledgeOf(c, space, 2); len(k.Components) != 0 {
		t.Errorf("an objective of which nothing is known has %d components, want none", len(k.Components))
	}
	k := rng.NewKey(2, 6)
	all := &sample{blocks: 1}
	var cost, numbers [2][]float64
	var shown [][]float64
	for i := range uint64(60) {
		p := uniformPoint(k.At(i), parts*each)
		v := append(partsAt(p, parts, each), -2*p[0], -2*p[0], -2*p[0])
		all.runs, shown = append(all.runs, sampledRun{point: p}), append(shown, v)
		for o := range cost {
			cost[o] = append(cost[o], math.Log(c.Objectives[o].Metric(v[o*parts:(o+1)*parts])))
		}
	}
	var rank []float64
	models := [2]*costModel{}
	for o := range models {
		models[o] = costModelOf(knowledgeOf(c, space, o), all, cost[o], shown, k)
	}
	for i := range uint64(100) {
		p := uniformPoint(k.At(1000+i), parts*each)
		rank = append(rank, -p[0])
		for o := range models {
			numbers[o] = append(numbers[o], models[o].at(p))
		}
	}
	first, second := numbers[0], numbers[1]
	a, b := stats.Spearman(first, rank), stats.Spearman(second, rank)
	t.Logf("rank correlation with the coordinate: %.2f and %.2f", a, b)
	if b < 0.9 || a > b-0.3 {
		t.Errorf("rank correlation with the coordinate %.2f of the first and %.2f of the second objective", a, b)
	}
}

// Parts that no model can learn from are dropped; the outcome counts.
func TestPartsThatAreNone(t *testing.T) {
	for _, parts := range [][]float64{{1, math.NaN()}, {math.Inf(1)}, make([]float64, MaxParts+1)} {
		o := Outcome{Metrics: map[string]float64{"cost": 1}, Parts: parts}.checked([]Objective{{Metric: "cost"}})
		if o.Parts != nil || o.Err != "" || o.Metrics["cost"] != 1 {
			t.Errorf("%v became %+v", parts, o)
		}
	}
	if o := (Outcome{Metrics: map[string]float64{"cost": 1}, Parts: []float64{2, 3}}).checked(
		[]Objective{{Metric: "cost"}}); len(o.Parts) != 2 {
		t.Errorf("parts became %v", o.Parts)
	}
}
