package replay

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// firstUse watches which queues come and go.
type firstUse struct {
	paths map[string]bool
	shape string // as last told
}

func (r *run) watchQueues(sc *Scenario) {
	if slices.Contains(sc.Needs, "autoqueue") {
		r.firstUse = &firstUse{paths: r.paths(), shape: text(r.shape())}
	}
}

func (r *run) paths() map[string]bool {
	m := map[string]bool{}
	for _, q := range r.s.Config().Queues {
		m[q.Path] = true
	}
	return m
}

// report tells the queues made and removed in a step, and the shape where it has
// changed.
func (w *firstUse) report(r *run, got *Out) {
	if w == nil {
		return
	}
	now := r.paths()
	for _, p := range sortedKeys(now, w.paths) {
		switch {
		case !w.paths[p]:
			got.Created = append(got.Created, p)
		case !now[p]:
			got.Removed = append(got.Removed, p)
			delete(r.last, p)
		}
	}
	w.paths = now
	shape := r.shape()
	if t := text(shape); t != w.shape {
		w.shape, got.Shape = t, shape
	}
}

// groupsOf are the groups of user uN in the recordings: gN mod 3, then sN mod 2.
func groupsOf(user string) []string {
	n, err := strconv.Atoi(strings.TrimPrefix(user, "u"))
	if err != nil {
		return nil
	}
	return []string{fmt.Sprintf("g%d", n%3), fmt.Sprintf("s%d", n%2)}
}
