package yarnconf

import (
	"slices"

	"fmt"
	"maps"
	"strings"
)

type userWeight struct{ user, key string }

// weightKeys finds the user weights of each queue:
// <queue>.user-settings.<user>.weight, where the user may contain dots.
func weightKeys(p Props) map[string][]userWeight {
	m := map[string][]userWeight{}
	for _, k := range p.Keys() {
		s, ok := strings.CutPrefix(k, Prefix)
		if !ok || !strings.HasSuffix(s, ".weight") {
			continue
		}
		if path, user, ok := strings.Cut(strings.TrimSuffix(s, ".weight"), ".user-settings."); ok && user != "" {
			m[path] = append(m[path], userWeight{user, k})
		}
	}
	return m
}

func (l *loader) userWeights(q, up *Queue) map[string]float32 {
	m := map[string]float32{}
	if up != nil {
		maps.Copy(m, up.UserWeights)
	}
	for _, w := range l.weights[q.Path] {
		m[w.user] = l.float(w.key, 1)
	}
	return m
}

func (l *loader) checkUserWeights(q *Queue) {
	most := 100 / min(100, q.UserLimit)
	for _, u := range slices.Sorted(maps.Keys(q.UserWeights)) {
		w := q.UserWeights[u]
		if w < 0 || w > most {
			l.Fail(l.weightKey(q, u), fmt.Sprintf("weight %g of user %s is outside the range that minimum-user-limit-percent "+
				"%g of %s leaves: must be between 0 and %g", w, u, q.UserLimit, q.Path, most))
		}
	}
}

// weightKey finds where a possibly inherited weight is written.
func (l *loader) weightKey(q *Queue, user string) string {
	for at := q; at != nil; at = l.up(at) {
		for _, w := range l.weights[at.Path] {
			if w.user == user {
				return w.key
			}
		}
	}
	return Key(q.Path, "user-settings."+user+".weight")
}

// parallelUsers reads user.<name>.max-parallel-apps.
func (l *loader) parallelUsers() {
	l.c.userParallel = map[string]int{}
	for _, k := range l.p.Keys() {
		s, ok := strings.CutPrefix(k, Prefix+"user.")
		if !ok {
			continue
		}
		if u, ok := strings.CutSuffix(s, ".max-parallel-apps"); ok && u != "" {
			l.c.userParallel[u] = l.Integer(k, MaxInt)
		}
	}
}
