package simcore

import (
	"cmp"
	"slices"

	"schedtune/internal/rng"
)

// Jittered returns a copy of the workload whose submissions are each delayed by
// a uniform draw from 0 to spread, in arrival order again. One recorded trace
// is one sample of what might have come; runs over jittered copies with
// different seeds show how much a result hangs on it. Tasks and distributions
// are shared with the original.
func (w *Workload) Jittered(seed uint64, spread Time) *Workload {
	out := *w
	out.Jobs = slices.Clone(w.Jobs)
	if spread <= 0 {
		return &out
	}
	key := rng.NewKey(seed, purposeArrival)
	for j := range out.Jobs {
		out.Jobs[j].Submit += Time(key.IntN(uint64(j), int(spread)+1))
	}
	slices.SortStableFunc(out.Jobs, func(a, b Job) int { return cmp.Compare(a.Submit, b.Submit) })
	return &out
}
