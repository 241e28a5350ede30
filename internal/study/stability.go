package study

import (
	"context"
	"slices"

	"schedtune/tune"
)

// Stability says what studies with other seeds, and so with other drawn workloads,
// recommend.
type Stability struct {
	Studies int               `json:"studies"` // this one included
	Proven  int               `json:"proven"`  // of these, with a recommendation
	Gains   []float64         `json:"gains"`   // expected by each for the first objective, this one first
	Changes []StabilityChange `json:"changes"` // most frequent first, then in the order of the settings
}

// StabilityChange is one setting that some of the studies change.
type StabilityChange struct {
	Setting string   `json:"setting"`
	Kept    int      `json:"kept"`   // studies that recommend to change it
	Values  []string `json:"values"` // what they recommend, in the order of the studies
	Here    bool     `json:"here"`   // this study does
}

// Stability repeats the study n-1 times with the seeds that follow. A cancelled
// context ends it with what is done.
func (s *Study) Stability(ctx context.Context, first *tune.Result, n int, progress func(study int, p tune.Progress)) (*Stability, error) {
	out := &Stability{}
	of := map[string]*StabilityChange{}
	add := func(r *tune.Result, here bool) {
		out.Studies++
		if len(r.Gain) > 0 {
			out.Gains = append(out.Gains, r.Gain[0].Mean)
		} else {
			out.Gains = append(out.Gains, 0)
		}
		if !r.Proven {
			return
		}
		out.Proven++
		for _, c := range r.Changes {
			ch := of[c.Name]
			if ch == nil {
				ch = &StabilityChange{Setting: c.Name}
				of[c.Name] = ch
			}
			ch.Kept++
			ch.Values = append(ch.Values, c.To)
			ch.Here = ch.Here || here
		}
	}
	add(first, true)
	for k := 1; k < n && ctx.Err() == nil; k++ {
		req := s.Request
		req.Options.Seed += uint64(k)
		other, err := PrepareCase(s.Case, req)
		if err != nil {
			return nil, err
		}
		r, err := other.Run(ctx, nil, func(p tune.Progress) {
			if progress != nil {
				progress(k+1, p)
			}
		})
		if err != nil {
			return nil, err
		}
		if r.Status == tune.Cancelled {
			break
		}
		add(r, false)
	}
	for _, p := range s.Space.Params() {
		if ch := of[p.Name]; ch != nil {
			out.Changes = append(out.Changes, *ch)
		}
	}
	slices.SortStableFunc(out.Changes, func(a, b StabilityChange) int { return b.Kept - a.Kept })
	return out, nil
}
