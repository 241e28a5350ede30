package tune

import (
	"cmp"
	"slices"
)

// workloadParts are the places of the workloads of a search in the order of their
// work, heaviest first, as parts: stalls and broken limits come under heavy workloads first
// (results/fidelity.md: half of the runs without a result were on the eighth of the
// workloads under which the current configuration was slowest), so that a few of these
// show what many others would not.
var workloadParts = [...]float64{0.5, 0.05, 0.25, 0.02, 0.4, 0.1, 0, 0.7, 0.15, 0.6, 0.07, 0.3, 0.2}

// workloads are what everything is measured on before the confirmation.
type workloads struct {
	led   *ledger
	heavy []int      // windows of the search by their work, heaviest first; nil if it is not known
	drawn []instance // so far
}

// order prepares the workloads of a search.
func (w *workloads) order(l *ledger) {
	w.led = l
	if l.p.Work != nil {
		w.heavy = slices.Clone(l.search)
		slices.SortStableFunc(w.heavy, func(a, b int) int { return cmp.Compare(l.p.Work[b], l.p.Work[a]) })
	}
}

// first returns the first n workloads.
func (w *workloads) first(n int) []instance {
	for k := len(w.drawn); k < n; k++ {
		in := w.led.instances(1, w.led.search)[0]
		if len(w.heavy) > 0 {
			in.window = w.heavy[int(workloadParts[k%len(workloadParts)]*float64(len(w.heavy)))]
		}
		w.drawn = append(w.drawn, in)
	}
	return w.drawn[:n]
}

// of returns those that a trial has runs on.
func (w *workloads) of(t *trial) []instance {
	return slices.DeleteFunc(slices.Clone(w.drawn), t.misses)
}
