package snapshot

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"schedtune/internal/fileio"
	"schedtune/internal/rng"
	"schedtune/simcore"
	"schedtune/simcore/yarn"
	"schedtune/trace/sparklog"
)

// Spark applications: they keep their executors until their end, which the stages
// that their driver reports and, beyond the job under way, an earlier application of
// the name say.

// withDrivers takes what Spark's drivers tell, where a pull has written it.
func (s *State) withDrivers(path string) error {
	data, err := fileio.ReadFile(path, fileio.Table)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return s.takeDrivers(path, data)
}

func (s *State) takeDrivers(path string, data []byte) error {
	var drivers map[string]*sparklog.Progress
	if err := json.Unmarshal(data, &drivers); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for i := range s.Apps {
		p := drivers[s.Apps[i].ID]
		if p == nil {
			continue
		}
		all := int64(0)
		for k := range p.Stages {
			all += int64(max(p.Stages[k].Tasks, 0))
			if n := p.Stages[k].Tasks; n < 0 || n > maxAsked {
				return fmt.Errorf("%s: %s: stage %d has %d tasks: must be 0 to %d", path, s.Apps[i].ID, p.Stages[k].ID, n, maxAsked)
			}
		}
		if all > mostTasks {
			return fmt.Errorf("%s: %s: its stages have %d tasks: must be at most %d", path, s.Apps[i].ID, all, mostTasks)
		}
		s.Apps[i].Driver = p
	}
	return nil
}

// driverTells reports whether enough tasks of a Spark application are over to tell how
// long the others last.
func driverTells(p *sparklog.Progress) bool {
	n := 0
	for i := 0; p != nil && i < len(p.Stages); i++ {
		n += len(p.Stages[i].Took)
	}
	return n >= enough
}

// executorStart is how long an executor that was granted takes to run tasks, where
// nothing tells.
const executorStart = 3 * simcore.Second

// sparkEnd is what passes from a Spark application's last task until its driver's
// container is free.
func sparkEnd() simcore.Time {
	c := yarn.DefaultSpark()
	return simcore.Time((c.StageGap.At(0.5) + c.Stop.At(0.5) + c.Exit.At(0.5)) * float64(simcore.Millisecond))
}

// driver takes up a Spark application.
func (d *drawing) driver(w *yarn.WarmJob, job *simcore.Job, a *App, twin *past, key rng.Key) {
	w.Ends = sparkEnd()
	if a.Driver == nil || a.Driver.Jobs == 0 {
		d.held(w, job, a, key, d.spans())
		return
	}
	d.keep(w, job, a, d.stagesLeft(a, twin, key)+d.tail(a, twin, key))
}

// longest bounds what a task took, in milliseconds, and mostLeft what is left of an
// application.
const (
	longest  = 1 << 32
	mostLeft = simcore.Time(1) << 52
)

// mostDrawn bounds the tasks of a stage that are drawn one by one.
const mostDrawn = 1 << 14

// mostSlots bounds the places for tasks that are distinguished.
const mostSlots = 1 << 14

// places are the instants at which places for tasks are free: the executors' of an application, from
// now on or once they are up.
func (d *drawing) places(a *App) (out []simcore.Time) {
	per := int32(1)
	for _, n := range a.Driver.Slots {
		per = min(max(n, 1), mostSlots)
		out = append(out, make([]simcore.Time, min(int(per), mostSlots-len(out)))...)
	}
	coming := max(0, len(a.Containers)-1-len(a.Driver.Slots)) * int(per)
	if len(out) == 0 {
		coming = max(1, coming)
	}
	return append(out, slices.Repeat([]simcore.Time{executorStart}, min(coming, mostSlots-len(out)))...)
}

// stagesLeft draws how long the jobs under way still take: tasks that run end after
// what is left of them, the others follow in the places that come free, those of a
// stage that has not begun after all before it.
func (d *drawing) stagesLeft(a *App, twin *past, key rng.Key) simcore.Time {
	stages := slices.Clone(a.Driver.Stages)
	slices.SortStableFunc(stages, func(x, y sparklog.StageProgress) int { return cmp.Compare(x.ID, y.ID) })
	free := d.places(a)
	last, n := simcore.Time(0), 0
	for i := range stages {
		times := d.stageTimes(a, twin, &stages[i])
		for _, since := range stages[i].Running {
			end := left(times, d.age(int64(since)), key.At(uint64(n)))
			free[n%len(free)] = max(free[n%len(free)], end)
			last = max(last, end)
			n++
		}
	}
	slices.Sort(free)
	for _, begun := range []bool{true, false} {
		for i := range stages {
			s := &stages[i]
			rest := int(s.Tasks) - len(s.Took) - len(s.Running)
			if s.Begun != begun || s.Over || rest <= 0 {
				continue
			}
			from := simcore.Time(0)
			if !begun {
				from = last
			}
			times := d.stageTimes(a, twin, s)
			together := max(1, (rest+mostDrawn-1)/mostDrawn) // of many tasks some are drawn, and stand for the others
			for i := 0; i < rest; i += together {
				n++
				end := max(free[0], from) + simcore.Time(min(together, rest-i))*times[key.At(uint64(n)).IntN(0, len(times))]
				end = min(end, mostLeft)
				at, _ := slices.BinarySearch(free[1:], end) // the earliest first
				copy(free, free[1:at+1])
				free[at] = end
				last = max(last, end)
			}
		}
	}
	return last
}

// stageTimes are what a stage's tasks may last, ascending: as those of it that are
// over, of the same stage of the earlier application, of the application's other
// stages, of all others.
func (d *drawing) stageTimes(a *App, twin *past, s *sparklog.StageProgress) []simcore.Time {
	var out []simcore.Time
	add := func(took []sparklog.Millis) {
		for _, t := range took {
			out = append(out, simcore.Time(min(max(t, 1), longest))*simcore.Millisecond)
		}
	}
	add(s.Took)
	if twin != nil && twin.spark != nil && d.named[d.i] && len(s.Took) < enough {
		add(tookIn(twin.spark, s.ID))
	}
	for i := 0; len(out) == 0 && i < len(a.Driver.Stages); i++ {
		add(a.Driver.Stages[i].Took)
	}
	if len(out) == 0 {
		out = append(out, d.past.spark...)
	}
	if len(out) == 0 {
		out = append(out, unknown)
	}
	slices.Sort(out)
	return out
}

// tookIn is what the tasks of a stage took, or of all (-1).
func tookIn(app *sparklog.App, stage int32) (out []sparklog.Millis) {
	for st, t := range app.Tasks() {
		if (stage < 0 || st.ID == stage) && t.Reason == sparklog.Success && t.Span().Known() {
			out = append(out, t.Span())
		}
	}
	return out
}

// tail is what the earlier application of the name took after the jobs that this one
// has begun. Where there is none, a driver between two jobs is taken to wait as long
// again as it has.
func (d *drawing) tail(a *App, twin *past, key rng.Key) simcore.Time {
	p := a.Driver
	idle := simcore.Time(0)
	if p.JobsOver >= p.Jobs && p.LastEnd.Known() {
		idle = d.age(int64(p.LastEnd))
	}
	if twin == nil || twin.spark == nil || !d.named[d.i] || !twin.spark.End.Known() || p.Jobs > len(twin.spark.Jobs) {
		return simcore.Time(float64(idle) * key.Exp(9))
	}
	end := sparklog.Millis(0)
	for _, j := range twin.spark.Jobs[:p.Jobs] {
		end = max(end, j.End)
	}
	return max(simcore.Time(twin.spark.End-end)*simcore.Millisecond-idle, 0)
}
