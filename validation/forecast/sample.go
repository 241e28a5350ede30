package forecast

import (
	"fmt"

	"schedtune/internal/rng"
)

// Sample says which cases an experiment draws and how it goes through them.
type Sample struct {
	Traces  []string // recorded workloads to draw from beside the generated ones
	Cases   int      // how many
	Seed    uint64   // of the first case
	HeldOut bool     // the half of the cases kept for the end
	Budget  int      // runs of each search
	Workers int      // cases at a time; outcomes are the same for any number
}

// Draw draws the cases, with one recorded period and a drawn file. Errors: a trace that can't be
// read, or too little in the traces for so many cases.
func (s *Sample) Draw() ([]Case, error) { return s.drawOf(nil) }

// drawOf is Draw for kinds that take turns.
func (s *Sample) drawOf(kinds []Kind) ([]Case, error) {
	all, err := sources(s.Traces)
	if err != nil {
		return nil, err
	}
	out := s.cases(all, kinds)
	if len(out) < s.Cases {
		return nil, fmt.Errorf("%d of %d cases could be drawn", len(out), s.Cases)
	}
	return out, nil
}

// cases draws until there are enough; odd numbers are the half held out.
func (s *Sample) cases(all []source, kinds []Kind) []Case {
	var out []Case
	half := uint64(0)
	if s.HeldOut {
		half = 1
	}
	base := rng.NewKey(s.Seed, purposeCase)
	for n := uint64(0); len(out) < s.Cases && n < uint64(100*s.Cases); n++ {
		k, periods, kind := base.At(2*n+half), shape{now: 1}, KindDrawn
		if len(kinds) > 0 {
			kind = kinds[len(out)%len(kinds)]
			periods = shapeOf(kind, k)
		}
		if c, ok := draw(all, k, periods); ok {
			c.Name, c.Kind = fmt.Sprintf("%d: %s", 2*n+half, c.Name), kind
			out = append(out, c)
		}
	}
	return out
}

// Key is a stream of draws of a case, for what its sources leave open.
func Key(seed uint64, number int) rng.Key { return rng.NewKey(seed, purposeBeyond).At(uint64(number)) }
