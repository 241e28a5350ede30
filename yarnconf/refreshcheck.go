package yarnconf

// AddRefresh adds what prevents a refresh from one file to
// another, and reduces Restart to settings that differ between the two.
func (r *CheckReport) AddRefresh(old, now *Document) {
	a, errs := evaluate(old, versionOf(old), Resource{})
	b, errs2 := evaluate(now, versionOf(now), Resource{})
	if len(errs) == 0 && len(errs2) == 0 {
		r.Problems = append(r.Problems, now.located(CheckRefresh(a, b, nil, now))...)
		sortProblems(r.Problems)
	}
	changed := map[string]bool{}
	for _, c := range Changes(old, now) {
		changed[c.Key] = true
	}
	kept := r.Restart[:0]
	for _, s := range r.Restart {
		if changed[s.Key] {
			kept = append(kept, s)
		}
	}
	r.Restart = kept
}
