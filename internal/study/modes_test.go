package study

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"schedtune/internal/rng"
	"schedtune/internal/scenario"
	"schedtune/tune"
	"schedtune/yarnconf"
)

// modeCase is the embedded case with a queue file of its own: the four queues of
// the embedded one with these capacities and these maxima ("" for none).
func modeCase(t *testing.T, capacity, maximum []string) *scenario.Case {
	t.Helper()
	c, err := (&scenario.Files{Dataset: "default-1"}).Load()
	if err != nil {
		t.Fatal(err)
	}
	var x strings.Builder
	property := func(name, value string) {
		fmt.Fprintf(&x, "  <property>\n    <name>%s%s</name>\n    <value>%s</value>\n  </property>\n", yarnconf.Prefix, name,
			value)
	}
	x.WriteString("<configuration>\n")
	queues := []string{"prod", "batch", "adhoc", "reports"}
	property("root.queues", strings.Join(queues, ","))
	for i, q := range queues {
		property("root."+q+".capacity", capacity[i])
		if maximum[i] != "" {
			property("root."+q+".maximum-capacity", maximum[i])
		}
	}
	x.WriteString("</configuration>\n")
	if c.Doc, err = yarnconf.Parse("capacity-scheduler.xml", []byte(x.String())); err != nil {
		t.Fatal(err)
	}
	return c
}

// points are random points of a space.
func points(s *Space, n int) []tune.Point {
	var out []tune.Point
	for k := range n {
		p := make(tune.Point, s.Dim())
		for i := range p {
			p[i] = rng.NewKey(7, uint64(k)).Float64(uint64(i))
		}
		out = append(out, p)
	}
	return out
}

// Weights of 2, 1, 3 and 4: every point decodes to weights in steps of 0.1 (a
// hundredth of their sum) that sum to 10; batch, which may have 40 % at most,
// never gets more than 4; the file stays valid; the present point changes
// nothing, and a run works.
func TestWeightsMove(t *testing.T) {
	c := modeCase(t, []string{"2w", "1.0w", "3w", "4w"}, []string{"", "40", "", ""})
	s, _, err := NewSpace(c, []string{"capacity"})
	if err != nil {
		t.Fatal(err)
	}
	if s.Dim() != 3 {
		t.Fatalf("%d coordinates for four weights of one sum", s.Dim())
	}
	if ch, _ := s.Changes(s.Decode(s.Present())); len(ch) != 0 {
		t.Errorf("the present point changes %v", ch)
	}
	most := 0.0
	for _, p := range points(s, 200) {
		set := s.Decode(p)
		sum := 0.0
		for _, e := range set {
			v, err := strconv.ParseFloat(strings.TrimSuffix(e.Value, "w"), 64)
			if err != nil || !strings.HasSuffix(e.Value, "w") {
				t.Fatalf("%s = %q is no weight", e.Name, e.Value)
			}
			sum += v
			if e.Name == "root.batch.capacity" {
				most = math.Max(most, v)
			}
		}
		if math.Abs(sum-10) > 1e-9 {
			t.Errorf("%v sum to %v", set, sum)
		}
		changes, _ := s.Changes(set)
		if _, err := c.Doc.EditValid(changes); err != nil {
			t.Errorf("%v: %v", set, err)
		}
	}
	if most > 4 || most < 3 {
		t.Errorf("the most that batch got is %v; 200 random points should come near 4 and not pass it", most)
	}
	r, err := NewRunner(c, s, scenario.Windows(c.Work, 1), []string{"makespan"})
	if err != nil {
		t.Fatal(err)
	}
	out := r.Outcome(context.Background(), tune.Item{Settings: s.Decode(points(s, 1)[0]), Seed: 1})
	if out.Err != "" || out.Metrics["makespan"] <= 0 {
		t.Errorf("run: %+v", out)
	}
}

// Absolute resources: memory and vcores keep their sums, stay positive and below
// the maxima, and the file stays valid. Of 163840 MiB a step is 1024: the
// largest power of two that divides it and is at most a hundredth.
func TestAbsoluteResourcesMove(t *testing.T) {
	c := modeCase(t, []string{"[memory=81920,vcores=40]", "[memory=40960,vcores=40]", "[memory=20480,vcores=10]",
		"[memory=20480,vcores=10]"},
		[]string{"", "", "[memory=40960,vcores=100]", ""})
	s, notes, err := NewSpace(c, []string{"capacity"})
	if err != nil {
		t.Fatal(err)
	}
	if s.Dim() != 3 {
		t.Fatalf("%d coordinates; notes %q", s.Dim(), notes)
	}
	if ch, _ := s.Changes(s.Decode(s.Present())); len(ch) != 0 {
		t.Errorf("the present point changes %v", ch)
	}
	for _, p := range points(s, 200) {
		changes, _ := s.Changes(s.Decode(p))
		doc, err := c.Doc.EditValid(changes)
		if err != nil {
			t.Fatalf("%v: %v", changes, err)
		}
		conf, err := yarnconf.Evaluate(doc)
		if err != nil {
			t.Fatal(err)
		}
		memory, cores := int64(0), int64(0)
		for _, q := range conf.Queues {
			if q.Parent < 0 {
				continue
			}
			min := q.ConfiguredMin
			memory, cores = memory+min.Memory, cores+min.VCores
			if min.Memory <= 0 || min.VCores <= 0 || min.Memory%1024 != 0 || q.Path == "root.adhoc" && min.Memory > 40960 {
				t.Errorf("%s has %+v", q.Path, min)
			}
		}
		if memory != 163840 || cores != 100 {
			t.Errorf("%v: %d MiB and %d vcores", changes, memory, cores)
		}
	}
	r, err := NewRunner(c, s, scenario.Windows(c.Work, 1), []string{"makespan"})
	if err != nil {
		t.Fatal(err)
	}
	out := r.Outcome(context.Background(), tune.Item{Settings: s.Decode(points(s, 1)[0]), Seed: 1})
	if out.Err != "" || out.Metrics["makespan"] <= 0 {
		t.Errorf("run: %+v", out)
	}
}

// Steps are round numbers: of the order of a hundredth of the sum.
func TestSteps(t *testing.T) {
	for v, want := range map[float64]float64{0.06: 0.05, 0.1: 0.1, 0.0001: 0.001, 3: 2, 99999: 5000} {
		if got := niceStep(v); got != want {
			t.Errorf("step for %v: %v, want %v", v, got, want)
		}
	}
	// 163840 = 2^15 · 5: 2^10 is below 1638.4 and 2^11 is not; 1000 = 2^3 · 125.
	for total, want := range map[int64]int64{163840: 1024, 1000: 8, 7: 1} {
		if got := powerStep(total); got != want {
			t.Errorf("step of %d: %d, want %d", total, got, want)
		}
	}
}
