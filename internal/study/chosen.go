package study

import (
	"cmp"
	"fmt"
	"path"
	"strings"

	"schedtune/internal/scenario"
	"schedtune/simcore"
	"schedtune/tune"
	"schedtune/yarnconf"
)

// wanted tells whether a parameter may move: --params allows it, and its queue
// has jobs or is named by a pattern. Shares above a queue without jobs are parts
// of its guarantee.
func (b *spaceBuilder) wanted(name, kind string) bool {
	ok, named := b.chosen(name, kind)
	queue := parentOf(name)
	if ok && !named && b.idle[queue] {
		b.kept[queue] = true
		return false
	}
	stays := kind == yarnconf.MaximumCapacity && b.elsewhere[queue] ||
		kind == yarnconf.Capacity && (b.elsewhere[queue] || b.holds[queue])
	return ok && (named || !stays)
}

// chosen tells whether --params lets a parameter move, and whether a pattern
// names it rather than its kind. Without --params all but guarantees move.
func (b *spaceBuilder) chosen(name, kind string) (ok, named bool) {
	if len(b.only) == 0 { // a guarantee is an agreement between those who share the cluster
		return kind != yarnconf.Capacity, false
	}
	for _, pat := range b.only {
		match, err := path.Match(pat, name)
		if match = match && err == nil; match || pat == kind {
			b.hit[pat] = true
			ok, named = true, named || match
		}
	}
	return ok, named
}

// tight has shares stay that their bounds leave no room: a maximum that stays is a bound.
func (b *spaceBuilder) tight() {
	groups, seen := map[string][]*tune.Param{}, []string{}
	for i := range b.params {
		p := &b.params[i]
		if p.Kind != tune.Share {
			continue
		}
		if groups[p.Group] == nil {
			seen = append(seen, p.Group)
		}
		groups[p.Group] = append(groups[p.Group], p)
		p.Fixed = p.Fixed || p.Min >= p.Max
	}
	for _, name := range seen {
		var members []tune.Param
		free, room := 0, 0.0
		for _, p := range groups[name] {
			if members = append(members, *p); !p.Fixed {
				free, room = free+1, room+p.Max-value(p.Present)
			}
		}
		s, err := tune.NewSpace(members...)
		if free == 0 || err == nil && s.Dim() > 0 && room > 1e-9 {
			continue
		}
		for _, p := range groups[name] {
			p.Fixed = true
		}
		if free > 1 {
			b.notes = append(b.notes, fmt.Sprintf("capacities below %s are not tuned: the maxima, which are fixed, "+
				"leave no room; --params with %s beside %s tunes both", name, yarnconf.MaximumCapacity, yarnconf.Capacity))
		}
	}
}

// unused reports a --params entry that names nothing.
func (b *spaceBuilder) unused() error {
	free := 0
	for i := range b.params {
		if !b.params[i].Fixed {
			free++
		}
	}
	for _, pat := range b.only {
		if !b.hit[pat] {
			return &scenario.FlagError{Flag: "--params", Err: fmt.Errorf("%q names no setting that can be tuned here: must be "+
				"one of %s, or a pattern such as root.prod.*", pat, strings.Join(ParamNames(), ", "))}
		}
	}
	if free == 0 {
		return fmt.Errorf("%s: no setting can be tuned: one queue and no other setting chosen; --params takes %s",
			b.c.Doc.Name(), strings.Join(ParamNames(), ", "))
	}
	return nil
}

// SlowstartOf returns the slowstart of a run: the moved value for every job, or
// -1, each job's own, when it has not moved.
func (s *Space) SlowstartOf(set tune.Settings) float64 {
	text, ok := set.Get(Slowstart)
	if !ok || text == s.slowstart {
		return -1
	}
	return value(text)
}

// defaultSlowstart is Hadoop's own value.
const defaultSlowstart = 0.05

// presentSlowstart is the value most jobs with reduces run with, the smallest
// of equally frequent ones.
func presentSlowstart(w *simcore.Workload) float64 {
	count := map[float64]int{}
	for i := range w.Jobs {
		if j := &w.Jobs[i]; j.Reduces > 0 && j.Slowstart < 0 {
			count[defaultSlowstart]++
		} else if j.Reduces > 0 {
			count[j.Slowstart]++
		}
	}
	return mostFrequent(count, defaultSlowstart)
}

// mostFrequent returns the value with the highest count, the smallest of equally frequent ones;
// without any, otherwise.
func mostFrequent[V cmp.Ordered](count map[V]int, otherwise V) V {
	best, most := otherwise, 0
	for v, n := range count {
		if n > most || n == most && v < best {
			best, most = v, n
		}
	}
	return best
}
