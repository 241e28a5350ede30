package study

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"schedtune/internal/text"
	"schedtune/simcore"
	"schedtune/tune"
	"schedtune/yarnconf"
)

// engineSetting is a default of Spark or Tez that lives in a file of its own. It moves only where
// --params names it: it is not the queue file's, and applications that set their own keep it.
type engineSetting struct {
	name, file string
	of         simcore.DefaultOf
	unit       engineUnit
	param      tune.Param                   // without name and present value
	follows    string                       // it has no param, and keeps its ratio to this setting
	room       float64                      // param reaches up to what the cluster has room for, at most this
	affects    func(a *simcore.TezApp) bool // nil = all applications
}

// engineUnit is how a setting is written.
type engineUnit struct {
	scale      float64 // of the property's unit in that of the simulator
	digits     float64 // 1 of whole numbers, 100 of two decimals
	suffix     string  // behind the value in the file
	none, free string  // the largest value, in settings and in the file; "" = then it does not move
}

var (
	executors = engineUnit{scale: 1, digits: 1, none: "infinity", free: strconv.Itoa(math.MaxInt32)}
	count     = engineUnit{scale: 1, digits: 1}
	spans     = engineUnit{scale: float64(simcore.Second), digits: 1, suffix: "s"}
	millis    = engineUnit{scale: float64(simcore.Millisecond), digits: 1, none: "-1", free: "-1"}
	fractions = engineUnit{scale: 1, digits: 100}
)

// unbounded reports whether a value is the largest of a count or of a time, which stands for none.
func unbounded(v float64) bool { return v == math.MaxInt32 || v == float64(simcore.Never) }

// Names of the settings.
const (
	sparkMax     = "spark.dynamicAllocation.maxExecutors"
	sparkInitial = "spark.dynamicAllocation.initialExecutors"
	sparkIdle    = "spark.dynamicAllocation.executorIdleTimeout"
	sparkBacklog = "spark.dynamicAllocation.schedulerBacklogTimeout"

	tezIdle    = "tez.am.container.idle.release-timeout-min.millis"
	tezIdleMax = "tez.am.container.idle.release-timeout-max.millis"
	tezHeld    = "tez.am.session.min.held-containers"
	tezSlow    = "tez.shuffle-vertex-manager.min-src-fraction"
	tezSlowMax = "tez.shuffle-vertex-manager.max-src-fraction"
)

func ofSpark(of func(*simcore.SparkSettings) any) simcore.DefaultOf {
	return simcore.DefaultOf{Spark: of}
}
func ofTez(of func(*simcore.TezSettings) any) simcore.DefaultOf { return simcore.DefaultOf{Tez: of} }

// engineSettings are all of them. Tez refuses to start with the upper end of a range below the lower
// one, so the upper ends follow.
var engineSettings = []engineSetting{
	{name: sparkMax, of: ofSpark(func(s *simcore.SparkSettings) any { return &s.Max }), unit: executors, file: FileSpark,
		param: tune.Param{Kind: tune.LogInteger, Min: 1, Max: 2, Special: []string{executors.none}}, room: math.Inf(1)},
	{name: sparkInitial, of: ofSpark(func(s *simcore.SparkSettings) any { return &s.Initial }), unit: executors,
		file: FileSpark, param: tune.Param{Kind: tune.Integer, Min: 0, Max: 1}, room: 64},
	{name: sparkIdle, of: ofSpark(func(s *simcore.SparkSettings) any { return &s.Idle }), unit: spans, file: FileSpark,
		param: tune.Param{Kind: tune.LogInteger, Min: 5, Max: 1200}},
	{name: sparkBacklog, of: ofSpark(func(s *simcore.SparkSettings) any { return &s.Backlog }), unit: spans,
		file: FileSpark, param: tune.Param{Kind: tune.LogInteger, Min: 1, Max: 60}},
	{name: tezIdle, of: ofTez(func(s *simcore.TezSettings) any { return &s.IdleMin }), unit: millis, file: FileTez,
		param: tune.Param{Kind: tune.LogInteger, Min: 100, Max: 120_000}},
	{name: tezIdleMax, of: ofTez(func(s *simcore.TezSettings) any { return &s.IdleMax }), unit: millis, file: FileTez,
		follows: tezIdle},
	{name: tezHeld, of: ofTez(func(s *simcore.TezSettings) any { return &s.Held }), unit: count, file: FileTez,
		param:   tune.Param{Kind: tune.Integer, Min: 0, Max: 64},
		affects: func(a *simcore.TezApp) bool { return a.Session }},
	{name: tezSlow, of: ofTez(func(s *simcore.TezSettings) any { return &s.MinSource }), unit: fractions, file: FileTez,
		param: tune.Param{Kind: tune.Linear, Min: 0, Max: 1, Step: 0.05}, affects: shuffles},
	{name: tezSlowMax, of: ofTez(func(s *simcore.TezSettings) any { return &s.MaxSource }), unit: fractions, file: FileTez,
		follows: tezSlow, affects: shuffles},
}

// shuffles reports whether a vertex of an application has a slow start.
func shuffles(a *simcore.TezApp) bool {
	return slices.ContainsFunc(a.Vertices, func(v simcore.TezVertex) bool {
		return slices.ContainsFunc(v.Sources, func(s simcore.TezSource) bool { return s.Edge == simcore.TezShuffle })
	})
}

// engineParams are the names of those that --params takes.
func engineParams() (names []string) {
	for i := range engineSettings {
		if e := &engineSettings[i]; e.follows == "" {
			names = append(names, e.name)
		}
	}
	return names
}

// engines adds the defaults that --params names. The present default is the value
// that most applications which follow it run with.
func (b *spaceBuilder) engines() {
	if len(b.only) == 0 {
		return
	}
	room := executorRoom(b.c.Cluster, b.c.Work)
	apps := map[string]int{}
	for i := range engineSettings {
		e := &engineSettings[i]
		now, n := e.present(b.c.Work)
		p := e.param
		if p.Present = e.text(now, e.unit.none); n == 0 || p.Present == "" {
			continue
		}
		if e.room > 0 {
			p.Max = max(p.Max, min(room, e.room))
		}
		if p.Present == e.unit.none {
			p.Special = []string{p.Present}
		}
		if _, leads := b.engineNow[e.follows]; leads || e.follows == "" && b.add(e.name, e.name, e.name, p) {
			b.engineNow[e.name] = now
			apps[e.file] = max(apps[e.file], n)
		}
	}
	for _, x := range []struct{ file, note string }{{FileSpark, "spark.*: %s with dynamic allocation"},
		{FileTez, "tez.*: %s"}} {
		if n := apps[x.file]; n > 0 {
			b.notes = append(b.notes, fmt.Sprintf(x.note+"; those that set another value than the current default keep it",
				text.Count(n, "application")))
		}
	}
}

// present returns the value that most applications have which the default affects, the smallest of
// equally frequent ones, and their number.
func (e *engineSetting) present(w *simcore.Workload) (now float64, apps int) {
	count := map[float64]int{}
	for i := range w.Jobs {
		j := &w.Jobs[i]
		if v, ok := e.of.Value(j); ok && (e.affects == nil || e.affects(j.Tez)) {
			apps++
			count[v]++
		}
	}
	return mostFrequent(count, 0), apps
}

// executorRoom is how many of the smallest executors of the workload the
// cluster holds by memory.
func executorRoom(c *simcore.Cluster, w *simcore.Workload) (n float64) {
	least := int64(math.MaxInt64)
	for i := range w.Jobs {
		if a := w.Jobs[i].Spark; a != nil {
			for k := range a.Executors {
				least = min(least, max(a.Executors[k].Container[simcore.Memory], 1))
			}
		}
	}
	for i := range c.Nodes {
		n += float64(c.Nodes[i].Capacity[simcore.Memory] / least)
	}
	return n
}

// text writes a value as the property has it, with what stands for no bound.
func (e *engineSetting) text(v float64, none string) string {
	if unbounded(v) {
		return none
	}
	return number(v / e.unit.scale)
}

// move returns the present value of a default and what settings make of it; equal ones where it does
// not move.
func (s *Space) move(e *engineSetting, set tune.Settings) (now, to float64) {
	now = s.engineNow[e.name]
	if e.follows == "" {
		text, _ := set.Get(e.name)
		if v, err := strconv.ParseFloat(text, 64); err == nil && text != e.text(now, e.unit.none) {
			return now, min(v*e.unit.scale, math.MaxInt32*e.unit.scale) // infinity is a number too
		}
		return now, now
	}
	i := slices.IndexFunc(engineSettings, func(x engineSetting) bool { return x.name == e.follows })
	was, is := s.move(&engineSettings[i], set)
	switch {
	case was == is:
		return now, now
	case unbounded(now):
		to = 2 * is // Tez's own ratio
	case was > 0:
		to = now / was * is
	default:
		to = now
	}
	if to = max(is, math.Round(to/e.unit.scale*e.unit.digits)/e.unit.digits*e.unit.scale); e.unit == fractions {
		to = min(to, 1)
	}
	return now, to
}

// DefaultsOf returns the defaults of Spark and Tez that a run moves; nil where none has moved.
func (s *Space) DefaultsOf(set tune.Settings) (moves simcore.DefaultMoves) {
	for i := range engineSettings {
		e := &engineSettings[i]
		if now, to := s.move(e, set); now != to {
			moves = append(moves, simcore.DefaultMove{Of: e.of, From: now, To: to})
		}
	}
	return moves
}

// Companion holds the values that settings change in another file than the queue file, as that file has
// them, and the present ones; nil where they are not told.
type Companion struct {
	Name     string
	To, Back []yarnconf.Change
}

// Companions returns the files beside the queue file that settings change.
func (s *Space) Companions(set tune.Settings) (files []Companion) {
	if _, slowstart := s.Changes(set); slowstart != "" {
		files = []Companion{{Name: FileMapred, To: []yarnconf.Change{{Key: SlowstartKey, Value: slowstart}}}}
	}
	for i := range engineSettings {
		e := &engineSettings[i]
		now, to := s.move(e, set)
		if now == to {
			continue
		}
		if n := len(files); n == 0 || files[n-1].Name != e.file {
			files = append(files, Companion{Name: e.file})
		}
		f := &files[len(files)-1]
		f.To = append(f.To, yarnconf.Change{Key: e.name, Value: e.text(to, e.unit.free) + e.unit.suffix})
		f.Back = append(f.Back, yarnconf.Change{Key: e.name, Value: e.text(now, e.unit.free) + e.unit.suffix})
	}
	return files
}
