package accuracy

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"schedtune/internal/rng"
	"schedtune/simcore"
	"schedtune/validation/testdata"
)

// A ceiling taken away from queues is a gain, put on is a loss; under another
// load with the same file nothing is shown, and a dozen jobs tell nothing.
func TestPlanted(t *testing.T) {
	t.Parallel()
	hard, open := queueFile(t, true), queueFile(t, false)
	o := ChangeOptions{Seed: 1, Replications: 4}
	pairs := testdata.Cases(8)
	var gains, losses int
	for i := range uint64(pairs) {
		w := newWorld(judgeSeed, 1000+i)
		b, a, ch := w.pairOf(t, hard, open)
		r, err := compare(t.Context(), b, a, ch, o)
		if err != nil {
			t.Fatal(err)
		}
		switch r.Advice {
		case Keep:
			gains++
		case RollBack:
			t.Errorf("pair %d: a gain is rolled back: %+v", i, r.Gain)
		}
		b, a, ch = w.pairOf(t, open, hard)
		if r, err = compare(t.Context(), b, a, ch, o); err != nil {
			t.Fatal(err)
		}
		switch r.Advice {
		case RollBack:
			losses++
		case Keep:
			t.Errorf("pair %d: a loss is kept: %+v", i, r.Gain)
		}
	}
	t.Logf("seed %d: %d of %d gains kept, %d of %d losses rolled back", judgeSeed, gains, pairs, losses, pairs)
	if gains < pairs/2 || losses < pairs/2 {
		t.Errorf("%d gains and %d losses of %d are seen; want at least half", gains, losses, pairs)
	}
	w := newWorld(judgeSeed, 1)
	few := w.play(t, 0, 12, 0.6, open, open)
	r, err := compare(t.Context(), w.play(t, 1, 60, 0.6, open, open), few, Change{Old: -1, New: -1}, o)
	if err != nil {
		t.Fatal(err)
	}
	if r.Advice != Wait || r.Gain != nil || r.WaitHours == nil || *r.WaitHours <= 0 {
		t.Errorf("with %d jobs: %s, gain %+v, wait %v", r.After.Compared, r.Advice, r.Gain, r.WaitHours)
	}
}

// Equal inputs give equal reports.
func TestCompareIsReproducible(t *testing.T) {
	open := queueFile(t, false)
	var text [2]bytes.Buffer
	for i := range text {
		b, a, ch := newWorld(judgeSeed, 2).pairOf(t, open, open)
		r, err := compare(t.Context(), b, a, ch, ChangeOptions{Seed: 3, Replications: 2})
		if err != nil {
			t.Fatal(err)
		}
		r.Print(&text[i])
	}
	if text[0].String() != text[1].String() {
		t.Errorf("%s\n%s", &text[0], &text[1])
	}
}

// rule is a report with a gain of a logarithm and variances.
func rule(log, before, after float64, promised *Promise) *ChangeReport {
	r := &ChangeReport{Promised: promised, After: Side{Hours: 10}}
	r.Gain = newGain(log, before, after, distuv.StudentsT{Mu: 0, Sigma: 1, Nu: 9}.Quantile(0.95), Level)
	r.decide(&Period{}, &Period{}, leastJobs)
	return r
}

// Student's 95 % quantile for 9 degrees of freedom is 1.833, so a standard error
// of 0.1 gives a half-width of 0.183.
func TestRule(t *testing.T) {
	for _, c := range []struct {
		name               string
		log, before, after float64
		promised           *Promise
		want               Advice
		hours              float64 // 0 = none
	}{
		{"gain", -0.2, 0.005, 0.005, nil, Keep, 0},
		{"gain within the interval", -0.15, 0.005, 0.005, nil, Wait, 0.15*0.15/1.833/1.833 - 0.005},
		{"loss", 0.2, 0.005, 0.005, nil, RollBack, 0},
		{"only more of the period before helps", -0.05, 0.005, 0.005, nil, Wait, 0},
		{"the promise would have been seen", 0, 0.0001, 0.0001, &Promise{Gain: 0.3}, Wait, 0},
		{"half the promise", 0, 0.002, 0.02, &Promise{Gain: 0.3}, Wait, math.Pow(math.Log(0.7)/2/1.833, 2) - 0.002},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := rule(c.log, c.before, c.after, c.promised)
			if r.Advice != c.want {
				t.Errorf("%s: %s (%s), want %s", c.name, r.Advice, r.Reason, c.want)
			}
			switch {
			case c.hours == 0 && r.WaitHours != nil:
				t.Errorf("%s: wait %g hours, want none (%s)", c.name, *r.WaitHours, r.Reason)
			case c.hours != 0:
				want := 10 * (c.after/c.hours - 1)
				if r.WaitHours == nil || *r.WaitHours < want-0.01 || *r.WaitHours > want+1.01 {
					t.Errorf("%s: wait %v hours, want %g (%s)", c.name, r.WaitHours, want, r.Reason)
				}
			}
		})
	}
}

// Fisher's exact test by hand: of 4 lost among 4 before and 4 after, all after the
// change: 1/70.
func TestMoreLost(t *testing.T) {
	if p := moreLost(0, 4, 4, 4); math.Abs(p-1.0/70) > 1e-12 {
		t.Errorf("%g, want 1/70", p)
	}
	if p := moreLost(3, 10, 0, 10); p != 1 && math.Abs(p-1) > 1e-12 {
		t.Errorf("fewer lost: %g, want 1", p)
	}
	lost := make([]Seen, 100)
	for i := range 10 {
		lost[i].Lost = true
	}
	r := &ChangeReport{}
	r.decide(&Period{Seen: make([]Seen, 100)}, &Period{Seen: lost}, leastJobs)
	if r.Advice != RollBack {
		t.Errorf("ten of a hundred jobs lost: %s", r.Advice)
	}
}

// The variance of the block bootstrap is that of a mean of n independent values;
// where values come in runs, it is larger.
func TestDifferenceVariance(t *testing.T) {
	k := rng.NewKey(5, 1)
	n := 400
	s, runs := &sample{}, &sample{}
	for i := range n {
		x := 10 * math.Exp(0.1*k.Norm(uint64(i)))
		s.jobs = append(s.jobs, pair{rec: value{completion: x}, sim: []value{{completion: 10}}})
		y := 10 * math.Exp(0.1*k.Norm(uint64(i/20)))
		runs.jobs = append(runs.jobs, pair{rec: value{completion: y}, sim: []value{{completion: 10}}})
	}
	m := metric{base: "mean-completion", of: completion}
	_, v, blocks := m.difference(s, rng.NewKey(1, 1))
	if want := 0.01 / float64(n); blocks != 20 || v < want/2 || v > want*2 {
		t.Errorf("independent: variance %g in %d blocks, want %g in 20", v, blocks, want)
	}
	if _, w, _ := m.difference(runs, rng.NewKey(1, 1)); w < 5*v {
		t.Errorf("runs of 20: variance %g, want well above %g", w, v)
	}
}

// Percentiles are by nearest rank, as the simulator's.
func TestColumnValue(t *testing.T) {
	s := &sample{}
	for _, x := range []float64{4, 1, 3, 2} {
		s.jobs = append(s.jobs, pair{rec: value{completion: x, wait: x / 2}, sim: []value{{completion: x}}})
	}
	for name, want := range map[string]float64{"mean-completion": 2.5, "p50-completion": 2, "p95-completion": 4,
		"mean-wait": 1.25, "mean-response-ratio": 2} {
		t.Run(name, func(t *testing.T) {
			m, err := parseMetric(name)
			if err != nil {
				t.Fatal(err)
			}
			if got, _ := s.values(m); got != want {
				t.Errorf("%s: %g, want %g", name, got, want)
			}
		})
	}
	m, _ := parseMetric("p50-completion")
	if got := m.table(s).recorded.value([]int{3, 0, 1, 0}, 0.5); got != 4 { // 4 4 4 3
		t.Errorf("median of resampled jobs %g, want 4", got)
	}
}

func TestParseMetric(t *testing.T) {
	m, err := parseMetric("queue.root.etl.mean-wait")
	if err != nil || m.queue != "root.etl" || m.base != "mean-wait" {
		t.Errorf("%+v, %v", m, err)
	}
	if !m.keep(&pair{queue: "root.etl"}) || m.keep(&pair{queue: "root.ml"}) {
		t.Error("the wrong queue's jobs are kept")
	}
	if _, err := parseMetric("utilisation"); err == nil || !strings.Contains(err.Error(), "mean-completion") {
		t.Error(err)
	}
}

// Alike jobs have name without digits, user, queue and size in common.
func TestMatch(t *testing.T) {
	period := func(seconds ...float64) *Period {
		p := newWorld(1, 1).play(t, 0, len(seconds), 0.5, queueFile(t, false), queueFile(t, false))
		w := *p.Case.Work
		w.Jobs, p.Seen = nil, nil
		for i, s := range seconds {
			w.Jobs = append(w.Jobs, simcore.Job{ID: string(rune('a' + i)), Name: "etl-2026-" + string(rune('0'+i)),
				FirstTask: -1, MapDist: -1, ReduceDist: -1})
			p.Seen = append(p.Seen, Seen{Submit: 0, Finish: simcore.Seconds(s)})
		}
		c := *p.Case
		c.Work = &w
		p.Case = &c
		return p
	}
	m := match(period(10, 20, 30), period(5, 15))
	if m.Classes != 1 || m.Before != 3 || m.After != 2 || m.Was != 20 || m.Now != 10 {
		t.Errorf("%+v", m)
	}
}

func TestWithout(t *testing.T) {
	w := newWorld(1, 3)
	doc := queueFile(t, false)
	p, q := w.play(t, 0, 30, 0.5, doc, doc), w.play(t, 1, 30, 0.5, doc, doc)
	all := len(p.Seen)
	if n := p.without(q); n != 0 || len(p.Seen) != all {
		t.Errorf("%d jobs left out of a period that shares none", n)
	}
	if n := p.without(p); n != all || len(p.Seen) != 0 || len(p.Case.Work.Jobs) != 0 {
		t.Errorf("%d of %d jobs left out", n, all)
	}
}
