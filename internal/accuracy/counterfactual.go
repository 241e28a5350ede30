package accuracy

import (
	"context"
	"math"

	"schedtune/internal/simulate"
	"schedtune/simcore"
)

// What a history lacks (jobs of other frameworks, work of the nodes themselves,
// launches slower than the calibration has) makes the simulation of a period too
// short, and the more so the fuller the cluster is. So it is not the completion
// times that are corrected by what the period before shows but the task times, by
// one factor, with which both periods are simulated again.

const (
	// widest bounds the logarithm of the factor.
	widest = 0.4
	// nudge is the change of the factor that tells the elasticity.
	nudge = 0.04
	// close is how near the simulated mean must come to the recorded one.
	near = 0.004
	// unknown is the standard deviation of the logarithm of what differs from
	// period to period, and unknownPart its part that grows with the factor.
	unknown     = 0.02
	unknownPart = 0.25
)

// scaled is the period with task times longer by a factor of exp(x).
func (p *Period) scaled(x float64) *Period {
	if x == 0 {
		return p
	}
	c, w := *p.Case, *p.Case.Work
	times := func(from []simcore.Time) []simcore.Time {
		var to []simcore.Time // nil of nil: no task has the figure
		for _, v := range from {
			to = append(to, simcore.Time(float64(v)*math.Exp(x)))
		}
		return to
	}
	w.Tasks.Duration, w.Tasks.Shuffle = times(w.Tasks.Duration), times(w.Tasks.Shuffle)
	c.Work = &w
	return &Period{&c, p.Seen, p.options}
}

// model is the simulated counterpart of two periods under the old file.
type model struct {
	factor        float64 // logarithm of the factor of task times
	before, after *sample
	// slower are the same with task times longer by nudge.
	slowerBefore, slowerAfter *sample
	raw, rawAfter             *sample // with task times as recorded
}

// meet finds the factor by the mean completion time of the period before (secant
// method) and simulates both periods with it.
func meet(ctx context.Context, before, after *Period, old float64, o ChangeOptions) (*model, error) {
	m := &model{}
	sim := func(p *Period, x float64) (*sample, error) {
		q := p.scaled(x)
		return q.simulate(ctx, simulate.Item{Slowstart: old}, o.Seed, o.Replications, nil)
	}
	var err error
	if m.raw, err = sim(before, 0); err != nil {
		return nil, err
	}
	if m.rawAfter, err = sim(after, 0); err != nil {
		return nil, err
	}
	if err = m.level(func(x float64) (*sample, error) { return sim(before, x) }); err != nil {
		return nil, err
	}
	if m.after = m.rawAfter; m.factor != 0 {
		if m.after, err = sim(after, m.factor); err != nil {
			return nil, err
		}
	}
	if m.slowerBefore, err = sim(before, m.factor+nudge); err != nil {
		return nil, err
	}
	m.slowerAfter, err = sim(after, m.factor+nudge)
	return m, err
}

// level looks by secants for the factor at which the period before lags as it did in
// truth, and keeps the nearest that it found.
func (m *model) level(sim func(x float64) (*sample, error)) error {
	x0, f0 := 0.0, m.raw.lag()
	m.before, m.factor = m.raw, 0
	best := math.Abs(f0)
	x1 := math.Max(-widest, math.Min(widest, f0))
	for i := 0; i < 4 && best > near && x1 != x0; i++ {
		s, err := sim(x1)
		if err != nil {
			return err
		}
		f1 := s.lag()
		if math.Abs(f1) < best {
			best, m.before, m.factor = math.Abs(f1), s, x1
		}
		if f1 == f0 || math.IsNaN(f1) {
			break
		}
		x2 := math.Max(-widest, math.Min(widest, x1-f1*(x1-x0)/(f1-f0)))
		x0, f0, x1 = x1, f1, x2
	}
	return nil
}

// lag is the logarithm of recorded over simulated mean completion, 0 without
// jobs.
func (s *sample) lag() float64 {
	rec, sim := s.values(metric{of: completion})
	if rec <= 0 || sim <= 0 {
		return 0
	}
	return math.Log(rec / sim)
}

// error is the variance of the logarithm of a simulated metric that comes from
// what is unknown of a period.
func (m *model) error(at, slower *sample, of metric) float64 {
	_, a := at.only(of.keep).values(of)
	_, b := slower.only(of.keep).values(of)
	elasticity := math.Log(b/a) / nudge
	u := math.Hypot(unknown, unknownPart*m.factor)
	return elasticity * elasticity * u * u
}
