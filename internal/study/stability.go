package study

import (
	"context"
	"errors"
	"slices"

	"schedtune/internal/stats"
	"schedtune/tune"
)

// Stability says what studies with other seeds, and so with other drawn workloads,
// recommend.
type Stability struct {
	Studies     int               `json:"studies"`     // this one included
	Wanted      int               `json:"wanted"`      // by --stability; more than Studies if it was interrupted
	Recommended int               `json:"recommended"` // of these, with a recommendation
	Gains       []float64         `json:"gains"`       // expected by each for the first objective, this one first
	Changes     []StabilityChange `json:"changes"`     // most frequent first, then in the order of the settings
}

// StabilityChange is one setting that some of the studies change.
type StabilityChange struct {
	Setting string   `json:"setting"`
	Kept    int      `json:"kept"`   // studies that recommend to change it
	Values  []string `json:"values"` // what they recommend, in the order of the studies
	Here    bool     `json:"here"`   // this study does
	// Lost are the parts of the gain that go if this change alone (with its siblings'
	// shares) is left out, by study that keeps it and has measured it.
	Lost []float64 `json:"lost_without"`
	// Mean of these with Student's 90 % interval over the studies; null for fewer
	// than two.
	Mean *float64 `json:"lost_without_mean"`
	Low  *float64 `json:"lost_without_low"`
	High *float64 `json:"lost_without_high"`
}

// stabilityLevel is the level of the intervals over studies.
const stabilityLevel = 0.90

// Stability repeats the study n-1 times with the seeds that follow. A cancelled
// context ends it with what is done. open, if not nil, opens the log of each study.
func (s *Study) Stability(ctx context.Context, first *tune.Result, n int,
	open func(study int) (*tune.Log, error), progress func(study int, p tune.Progress)) (*Stability, error) {
	t := tally{of: map[string]*StabilityChange{}, unit: s.Space.unitNames()}
	t.add(first, true)
	for k := 1; k < n && ctx.Err() == nil; k++ {
		req := s.Request
		req.Options.Seed += uint64(k)
		other, err := PrepareCase(ctx, s.Case, req)
		if ctx.Err() != nil {
			break
		}
		if err != nil {
			return nil, err
		}
		var log *tune.Log
		if open != nil {
			if log, err = open(k + 1); err != nil {
				return nil, err
			}
		}
		r, err := other.Run(ctx, log, func(p tune.Progress) {
			if progress != nil {
				progress(k+1, p)
			}
		})
		if log != nil {
			err = errors.Join(err, log.Close())
		}
		if err != nil {
			return nil, err
		}
		if r.Status == tune.Cancelled {
			break
		}
		t.add(r, false)
	}
	var names []string
	for _, p := range s.Space.Params() {
		names = append(names, p.Name)
	}
	st := t.finish(names)
	st.Wanted = n
	return st, nil
}

// unitNames maps parameters to the names that steps of an ablation have: siblings'
// shares move as one.
func (s *Space) unitNames() map[string]string {
	out := map[string]string{}
	for _, p := range s.Params() {
		out[p.Name] = p.Name
		if p.Kind == tune.Share {
			out[p.Name] = "shares of " + p.Group
		}
	}
	return out
}

// tally adds studies up.
type tally struct {
	out  Stability
	of   map[string]*StabilityChange
	unit map[string]string // by parameter
}

// add counts the outcome of one study.
func (t *tally) add(r *tune.Result, here bool) {
	t.out.Studies++
	gain := 0.0
	if len(r.Gain) > 0 {
		gain = r.Gain[0].Mean
	}
	t.out.Gains = append(t.out.Gains, gain)
	if !r.Decision.Recommended {
		return
	}
	t.out.Recommended++
	lost := map[string]*float64{}
	for _, a := range r.Ablation {
		lost[a.Change] = a.Alone
	}
	for _, c := range r.Changes {
		ch := t.of[c.Name]
		if ch == nil {
			ch = &StabilityChange{Setting: c.Name, Lost: []float64{}}
			t.of[c.Name] = ch
		}
		ch.Kept++
		ch.Values = append(ch.Values, c.To)
		ch.Here = ch.Here || here
		if v := lost[t.unit[c.Name]]; v != nil {
			ch.Lost = append(ch.Lost, *v)
		}
	}
}

// finish sets the intervals and the order: by how often a change is kept, then
// that of the names.
func (t *tally) finish(names []string) *Stability {
	out := &t.out
	for _, name := range names {
		ch := t.of[name]
		if ch == nil {
			continue
		}
		if len(ch.Lost) > 1 {
			mean, low, high := stats.MeanInterval(ch.Lost, stabilityLevel)
			ch.Mean, ch.Low, ch.High = &mean, &low, &high
		}
		out.Changes = append(out.Changes, *ch)
	}
	slices.SortStableFunc(out.Changes, func(a, b StabilityChange) int { return b.Kept - a.Kept })
	return out
}
