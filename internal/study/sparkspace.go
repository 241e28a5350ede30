package study

import (
	"fmt"
	"math"
	"strconv"

	"schedtune/internal/text"
	"schedtune/simcore"
	"schedtune/tune"
	"schedtune/yarnconf"
)

// Defaults of Spark's dynamic allocation that live in spark-defaults.conf. They
// move only where --params names them: they are not the queue file's, and
// applications that set their own keep it.
const (
	sparkPrefix  = "spark.dynamicAllocation."
	sparkMax     = sparkPrefix + "maxExecutors"
	sparkInitial = sparkPrefix + "initialExecutors"
	sparkIdle    = sparkPrefix + "executorIdleTimeout"
	sparkBacklog = sparkPrefix + "schedulerBacklogTimeout"
)

// sparkParams are their names.
func sparkParams() []string { return []string{sparkMax, sparkInitial, sparkIdle, sparkBacklog} }

const unlimited = "infinity" // of maxExecutors, as Spark's documentation writes it

// spark adds the defaults that --params names. The present default is the value
// that most applications with dynamic allocation run with.
func (b *spaceBuilder) spark() {
	if len(b.only) == 0 {
		return
	}
	present, apps := presentSpark(b.c.Work)
	if apps == 0 {
		return
	}
	room := float64(executorRoom(b.c.Cluster, b.c.Work))
	add := func(name string, now int64, p tune.Param) {
		p.Present = sparkText(name, now)
		if b.add(name, name, name, p) {
			b.sparkNow[name] = now
		}
	}
	add(sparkMax, present[sparkMax], tune.Param{Kind: tune.LogInteger, Min: 1, Max: math.Max(2, room),
		Special: []string{unlimited}})
	add(sparkInitial, present[sparkInitial], tune.Param{Kind: tune.Integer, Min: 0, Max: math.Max(1, math.Min(room, 64))})
	if present[sparkIdle] != int64(simcore.Never) {
		add(sparkIdle, present[sparkIdle], tune.Param{Kind: tune.LogInteger, Min: 5, Max: 1200})
	}
	add(sparkBacklog, present[sparkBacklog], tune.Param{Kind: tune.LogInteger, Min: 1, Max: 60})
	if len(b.sparkNow) > 0 {
		b.notes = append(b.notes, fmt.Sprintf("spark.*: %s with dynamic allocation; those that set another value "+
			"than the current default keep it", text.Count(apps, "application")))
	}
}

// presentSpark is, by property, the value most applications with dynamic
// allocation have, the smallest of equally frequent ones, and their number.
func presentSpark(w *simcore.Workload) (present map[string]int64, apps int) {
	count := map[string]map[int64]int{}
	for _, p := range sparkParams() {
		count[p] = map[int64]int{}
	}
	for i := range w.Jobs {
		if a := w.Jobs[i].Spark; a != nil && a.Settings.Dynamic {
			apps++
			s := &a.Settings
			count[sparkMax][int64(s.Max)]++
			count[sparkInitial][int64(s.Initial)]++
			count[sparkIdle][int64(s.Idle)]++
			count[sparkBacklog][int64(s.Backlog)]++
		}
	}
	present = map[string]int64{}
	for p, values := range count {
		present[p] = mostFrequent(values, 0)
	}
	return present, apps
}

// executorRoom is how many of the smallest executors of the workload the
// cluster holds by memory.
func executorRoom(c *simcore.Cluster, w *simcore.Workload) int64 {
	least := int64(math.MaxInt64)
	for i := range w.Jobs {
		if a := w.Jobs[i].Spark; a != nil {
			for k := range a.Executors {
				least = min(least, max(a.Executors[k].Container[simcore.Memory], 1))
			}
		}
	}
	n := int64(0)
	for i := range c.Nodes {
		n += c.Nodes[i].Capacity[simcore.Memory] / least
	}
	return n
}

// sparkText writes a value as spark-defaults.conf has it: executors, or
// seconds.
func sparkText(name string, v int64) string {
	switch name {
	case sparkMax:
		if v == math.MaxInt32 {
			return unlimited
		}
		return strconv.FormatInt(v, 10)
	case sparkInitial:
		return strconv.FormatInt(v, 10)
	}
	return number(simcore.Time(v).Seconds())
}

// sparkValue reads what sparkText or the search wrote.
func sparkValue(name, text string) (int64, bool) {
	if name == sparkMax && text == unlimited {
		return math.MaxInt32, true
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0, false
	}
	if name == sparkIdle || name == sparkBacklog {
		return int64(simcore.Seconds(f)), true
	}
	return int64(f), true
}

// SparkOf returns the defaults that a run moves; nil where none has moved.
func (s *Space) SparkOf(set tune.Settings) *simcore.SparkDefaults {
	var d simcore.SparkDefaults
	moved := false
	for _, p := range []struct {
		name string
		to   *simcore.SparkMove
	}{{sparkMax, &d.Max}, {sparkInitial, &d.Initial}, {sparkIdle, &d.Idle}, {sparkBacklog, &d.Backlog}} {
		p.to.From, p.to.To = -1, -1 // no application has it
		now, free := s.sparkNow[p.name]
		text, ok := set.Get(p.name)
		if !free || !ok {
			continue
		}
		if v, ok := sparkValue(p.name, text); ok && v != now {
			p.to.From, p.to.To = now, v
			moved = true
		}
	}
	if !moved {
		return nil
	}
	return &d
}

// SparkChanges are the defaults that settings change, with the present values.
func (s *Space) SparkChanges(set tune.Settings) (to, back []yarnconf.Change) {
	for _, name := range sparkParams() {
		now, free := s.sparkNow[name]
		text, ok := set.Get(name)
		if !free || !ok || text == sparkText(name, now) {
			continue
		}
		to = append(to, yarnconf.Change{Key: name, Value: text})
		back = append(back, yarnconf.Change{Key: name, Value: sparkText(name, now)})
	}
	return to, back
}

// SparkFileValue is a value of SparkChanges as spark-defaults.conf has it: seconds
// with their unit, whole numbers else.
func SparkFileValue(c yarnconf.Change) string {
	switch {
	case c.Key == sparkIdle || c.Key == sparkBacklog:
		return c.Value + "s"
	case c.Value == unlimited:
		return strconv.Itoa(math.MaxInt32) // what Spark's default is; it reads whole numbers only
	}
	return c.Value
}

// sparkWork returns an application's critical path, from its submission, and
// the memory-time of its tasks in MiB-seconds: each takes its part of its
// executor for its time.
func sparkWork(w *simcore.Workload, a *simcore.SparkApp) (path simcore.Time, area float64) {
	longest := make([]simcore.Time, len(a.Stages)) // task of each stage
	for i := range a.Stages {
		st := &a.Stages[i]
		if st.FirstTask < 0 {
			continue
		}
		e := &a.Executors[st.Profile]
		part := float64(e.Container[simcore.Memory]) / float64(e.Slots())
		for _, d := range w.Tasks.Duration[st.FirstTask : st.FirstTask+st.Tasks] {
			longest[i] = max(longest[i], d)
			area += d.Seconds() * part
		}
	}
	done := make([]simcore.Time, len(a.Stages))
	ends := make([]simcore.Time, len(a.Jobs))
	for i := range a.Jobs {
		j := &a.Jobs[i]
		from := simcore.Time(0)
		for _, k := range j.After {
			from = max(from, ends[k])
		}
		from += j.Delay
		ends[i] = from
		for n := j.FirstStage; n < j.FirstStage+j.Stages; n++ {
			begin := from
			for _, p := range a.Stages[n].Parents {
				if a.Stages[p].Job == int32(i) {
					begin = max(begin, done[p])
				}
			}
			done[n] = begin + longest[n]
			ends[i] = max(ends[i], done[n])
		}
		path = max(path, ends[i])
	}
	return path, area
}
