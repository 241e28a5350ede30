package tune

import (
	"cmp"
	"slices"
)

// The workloads of a search in rounds (rounds.go), until its halving or confirmation.

// heavyParts are the places of these workloads in the order of their work, heaviest first, as
// parts: standstills and broken limits come under heavy workloads first
// (results/fidelity.md: half of the runs without a result were on the eighth of the
// workloads under which the present configuration was slowest), so that a few of these
// show what many others would not.
var heavyParts = [...]float64{0.5, 0.05, 0.25, 0.02, 0.4, 0.1, 0, 0.7, 0.15, 0.6, 0.07, 0.3, 0.2}

// heaviest are windows in the order of their work, heaviest first; nil if it is not known.
func (d *driver) heaviest(windows []int) []int {
	if d.p.Work == nil {
		return nil
	}
	out := slices.Clone(windows)
	slices.SortStableFunc(out, func(a, b int) int { return cmp.Compare(d.p.Work[b], d.p.Work[a]) })
	return out
}

// common are the first n of the workloads that everything is measured on before the
// confirmation.
func (d *driver) common(n int) []instance {
	for len(d.few.common) < n {
		in := d.instances(1, d.search)[0]
		if ws := d.few.heavy; len(ws) > 0 {
			k := len(d.few.common)
			in.window = ws[int(heavyParts[k%len(heavyParts)]*float64(len(ws)))]
		}
		d.few.common = append(d.few.common, in)
	}
	return d.few.common[:n]
}

// ranOn are those of these workloads that a trial has runs on.
func (d *driver) ranOn(t *trial) []instance {
	var out []instance
	for _, in := range d.few.common {
		if t.ranOn(in) {
			out = append(out, in)
		}
	}
	return out
}
