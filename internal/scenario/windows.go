package scenario

import "schedtune/simcore"

// Windows cuts a workload into n spans of equal time by submission, each a
// workload of its own that starts at its first submission; empty spans are
// dropped. Task tables are shared.
func Windows(w *simcore.Workload, n int) []*simcore.Workload {
	if n <= 1 {
		return []*simcore.Workload{w}
	}
	first, last := w.Jobs[0].Submit, w.Jobs[len(w.Jobs)-1].Submit
	span := (last-first)/simcore.Time(n) + 1
	var out []*simcore.Workload
	for at := 0; at < len(w.Jobs); {
		k := (w.Jobs[at].Submit - first) / span
		end := at
		for end < len(w.Jobs) && (w.Jobs[end].Submit-first)/span == k {
			end++
		}
		part := *w
		part.Jobs = append([]simcore.Job(nil), w.Jobs[at:end]...)
		for i := range part.Jobs {
			part.Jobs[i].Submit -= w.Jobs[at].Submit
		}
		out = append(out, &part)
		at = end
	}
	return out
}
