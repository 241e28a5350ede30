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
	param      tune.Param // without name and present value
	follows    string     // it has no param, and keeps its ratio to this setting
	room       float64    // most of what the cluster has room for; 0 = param says what the most is
	unit       float64    // of a second; 0 = no time
	share      bool
	suffix     string                       // behind the value in the file
	none, free string                       // without bound, in settings and in the file; "" = then it does not move
	affects    func(a *simcore.TezApp) bool // nil = all applications
}

// Kinds of the settings.
func sparkDefault(of func(*simcore.SparkSettings) any) simcore.DefaultOf {
	return simcore.DefaultOf{Spark: of}
}
func tezDefault(of func(*simcore.TezSettings) any) simcore.DefaultOf {
	return simcore.DefaultOf{Tez: of}
}

// Names of the settings.
const (
	sparkPrefix  = "spark.dynamicAllocation."
	sparkMax     = sparkPrefix + "maxExecutors"
	sparkInitial = sparkPrefix + "initialExecutors"
	sparkIdle    = sparkPrefix + "executorIdleTimeout"
	sparkBacklog = sparkPrefix + "schedulerBacklogTimeout"

	tezIdle    = "tez.am.container.idle.release-timeout-min.millis"
	tezIdleMax = "tez.am.container.idle.release-timeout-max.millis"
	tezHeld    = "tez.am.session.min.held-containers"
	tezSlow    = "tez.shuffle-vertex-manager.min-src-fraction"
	tezSlowMax = "tez.shuffle-vertex-manager.max-src-fraction"
)

// engineSettings are all of them. Tez refuses to start with the upper end of a range below the lower
// one, so the upper ends follow.
var engineSettings = []engineSetting{
	{name: sparkMax, file: FileSpark, param: tune.Param{Kind: tune.LogInteger, Min: 1, Max: 2, Special: []string{"infinity"}},
		of:   sparkDefault(func(s *simcore.SparkSettings) any { return &s.Max }),
		room: math.Inf(1), none: "infinity", free: strconv.Itoa(math.MaxInt32)}, // Spark reads whole numbers only
	{name: sparkInitial, file: FileSpark, param: tune.Param{Kind: tune.Integer, Min: 0, Max: 1},
		of:   sparkDefault(func(s *simcore.SparkSettings) any { return &s.Initial }),
		room: 64},
	{name: sparkIdle, file: FileSpark, param: tune.Param{Kind: tune.LogInteger, Min: 5, Max: 1200},
		of:   sparkDefault(func(s *simcore.SparkSettings) any { return &s.Idle }),
		unit: 1, suffix: "s"},
	{name: sparkBacklog, file: FileSpark, param: tune.Param{Kind: tune.LogInteger, Min: 1, Max: 60},
		of:   sparkDefault(func(s *simcore.SparkSettings) any { return &s.Backlog }),
		unit: 1, suffix: "s"},
	{name: tezIdle, file: FileTez, param: tune.Param{Kind: tune.LogInteger, Min: 100, Max: 120_000},
		of:   tezDefault(func(s *simcore.TezSettings) any { return &s.IdleMin }),
		unit: 1000, none: "-1", free: "-1"},
	{name: tezIdleMax, file: FileTez, follows: tezIdle,
		of:   tezDefault(func(s *simcore.TezSettings) any { return &s.IdleMax }),
		unit: 1000, none: "-1", free: "-1"},
	{name: tezHeld, file: FileTez, param: tune.Param{Kind: tune.Integer, Min: 0, Max: 1},
		of:   tezDefault(func(s *simcore.TezSettings) any { return &s.Held }),
		room: 64, affects: func(a *simcore.TezApp) bool { return a.Session }},
	{name: tezSlow, file: FileTez, param: tune.Param{Kind: tune.Linear, Min: 0, Max: 1, Step: 0.05},
		of:    tezDefault(func(s *simcore.TezSettings) any { return &s.MinSource }),
		share: true, affects: shuffles},
	{name: tezSlowMax, file: FileTez, follows: tezSlow,
		of:    tezDefault(func(s *simcore.TezSettings) any { return &s.MaxSource }),
		share: true, affects: shuffles},
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
	room := containerRoom(b.c.Cluster, b.c.Work)
	apps := map[string]int{}
	for i := range engineSettings {
		e := &engineSettings[i]
		now, n := e.present(b.c.Work)
		p := e.param
		if p.Present = e.text(now); n == 0 || p.Present == "" {
			continue
		}
		if e.room > 0 {
			p.Max = max(p.Max, min(room, e.room))
		}
		if e.none == p.Present {
			p.Special = []string{e.none}
		}
		if _, leads := b.engineNow[e.follows]; leads || e.follows == "" && b.add(e.name, e.name, e.name, p) {
			b.engineNow[e.name] = now
			apps[e.file] = max(apps[e.file], n)
		}
	}
	const keep = "; those that set another value than the current default keep it"
	if n := apps[FileSpark]; n > 0 {
		b.notes = append(b.notes, fmt.Sprintf("spark.*: %s with dynamic allocation", text.Count(n, "application"))+keep)
	}
	if n := apps[FileTez]; n > 0 {
		b.notes = append(b.notes, fmt.Sprintf("tez.*: %s", text.Count(n, "application"))+keep)
	}
}

// present returns the value that most applications have which the default affects, in the
// property's unit, the smallest of equally frequent ones, and their number.
func (e *engineSetting) present(w *simcore.Workload) (now float64, apps int) {
	count := map[float64]int{}
	for i := range w.Jobs {
		j := &w.Jobs[i]
		if v, ok := e.of.Value(j); ok && (e.affects == nil || e.affects(j.Tez)) {
			apps++
			count[v*max(e.unit, 1)]++
		}
	}
	return mostFrequent(count, 0), apps
}

// containerRoom is how many of the smallest executors and Tez containers of the workload the
// cluster holds by memory.
func containerRoom(c *simcore.Cluster, w *simcore.Workload) float64 {
	least, n := int64(math.MaxInt64), int64(0)
	smaller := func(size simcore.Vec) {
		if size[simcore.Memory] > 0 {
			least = min(least, size[simcore.Memory])
		}
	}
	for i := range w.Jobs {
		if a := w.Jobs[i].Spark; a != nil {
			for k := range a.Executors {
				smaller(a.Executors[k].Container)
			}
		}
		if a := w.Jobs[i].Tez; a != nil {
			for k := range a.Vertices {
				smaller(a.Vertices[k].Size)
			}
		}
	}
	for i := range c.Nodes {
		n += c.Nodes[i].Capacity[simcore.Memory] / least
	}
	return float64(n)
}

// text writes a value as settings have it, in the property's unit.
func (e *engineSetting) text(v float64) string {
	if math.IsInf(v, 1) {
		return e.none
	}
	return number(v)
}

// value reads what text or the search wrote.
func (e *engineSetting) value(text string) float64 {
	v, err := strconv.ParseFloat(text, 64)
	if text == e.none || err != nil {
		return math.Inf(1)
	}
	return v
}

// move returns the present value of a default and what settings make of it, in the property's unit;
// equal ones where it does not move.
func (s *Space) move(e *engineSetting, set tune.Settings) (now, to float64) {
	now, free := s.engineNow[e.name]
	if !free {
		return 0, 0
	}
	if e.follows == "" {
		if text, ok := set.Get(e.name); ok {
			return now, e.value(text)
		}
		return now, now
	}
	i := slices.IndexFunc(engineSettings, func(x engineSetting) bool { return x.name == e.follows })
	was, is := s.move(&engineSettings[i], set)
	switch {
	case was == is:
		return now, now
	case math.IsInf(now, 1):
		to = 2 * is // Tez's own ratio
	case was > 0 && !math.IsInf(was, 1):
		to = now / was * is
	default:
		to = now
	}
	if e.share {
		return now, min(1, max(is, math.Round(100*to)/100))
	}
	return now, max(is, math.Round(to))
}

// DefaultsOf returns the defaults of Spark and Tez that a run moves; nil where none has moved.
func (s *Space) DefaultsOf(set tune.Settings) (moves simcore.DefaultMoves) {
	for i := range engineSettings {
		e := &engineSettings[i]
		if now, to := s.move(e, set); now != to {
			moves = append(moves, simcore.DefaultMove{Of: e.of, From: now / max(e.unit, 1), To: to / max(e.unit, 1)})
		}
	}
	return moves
}

// EngineFile holds the values that settings change in a file of Spark or Tez, as the file has them,
// and the present ones.
type EngineFile struct {
	Name     string
	To, Back []yarnconf.Change
}

// EngineFiles returns the files of Spark and Tez that settings change.
func (s *Space) EngineFiles(set tune.Settings) (files []EngineFile) {
	for i := range engineSettings {
		e := &engineSettings[i]
		now, to := s.move(e, set)
		if now == to {
			continue
		}
		if n := len(files); n == 0 || files[n-1].Name != e.file {
			files = append(files, EngineFile{Name: e.file})
		}
		f := &files[len(files)-1]
		f.To = append(f.To, yarnconf.Change{Key: e.name, Value: e.inFile(to)})
		f.Back = append(f.Back, yarnconf.Change{Key: e.name, Value: e.inFile(now)})
	}
	return files
}

// inFile writes a value as its file has it: Spark's seconds with their unit.
func (e *engineSetting) inFile(v float64) string {
	if math.IsInf(v, 1) {
		return e.free
	}
	return number(v) + e.suffix
}
