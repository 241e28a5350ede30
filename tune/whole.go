package tune

import (
	"cmp"
	"math"
	"slices"
)

// Whole runs before the confirmation of a search on levels. All contenders meet on the same
// workloads, so that no comparison needs new runs of the present configuration, and some of
// these are heavy ones.

// meritPenalty is what breaking limits costs beside the relative cost.
const meritPenalty = 2.0

// heavyParts are the places of these workloads in the order of their work, heaviest first, as
// parts: standstills and broken limits come under heavy workloads first
// (results/fidelity.md: half of the runs without a result were on the eighth of the
// workloads under which the present configuration was slowest), so that a few of these
// show what many others would not.
var heavyParts = [...]float64{0.5, 0.05, 0.25, 0.02, 0.4, 0.1, 0.7, 0.15, 0.6, 0.07, 0.3, 0.2}

// heaviest are windows in the order of their work, heaviest first; nil if it is not known.
func (d *driver) heaviest(windows []int) []int {
	if d.p.Work == nil {
		return nil
	}
	out := slices.Clone(windows)
	slices.SortStableFunc(out, func(a, b int) int { return cmp.Compare(d.p.Work[b], d.p.Work[a]) })
	return out
}

// common are the first n of the whole workloads that all contenders are measured on
// before the confirmation, so that no comparison needs new runs of the present.
func (d *driver) common(n int) []instance {
	for len(d.levels.common) < n {
		in := d.instances(1, d.levels.whole)[0]
		if ws := d.levels.heavy; len(ws) > 0 {
			k := len(d.levels.common)
			in.window = ws[int(heavyParts[k%len(heavyParts)]*float64(len(ws)))]
		}
		d.levels.common = append(d.levels.common, in)
	}
	return d.levels.common[:n]
}

// merit is a trial's relative cost and a penalty of the limits that it breaks (the exact
// l1 penalty function); infinite if it loses work or has no result.
func (d *driver) merit(t *trial, ins []instance) float64 {
	s := d.score(t, ins)
	if s.Failed || s.Lost > 0 {
		return math.Inf(1)
	}
	change := s.Values[0] - d.score(d.present, ins).Values[0]
	if !d.logs {
		ins = d.usable(ins)
		present := d.cost(d.present, ins)
		change = (d.cost(t, ins) - present) / math.Max(math.Abs(present), 1e-300)
	}
	return change + meritPenalty*s.Violation
}
