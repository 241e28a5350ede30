package sparkreplay

import (
	"slices"
	"strings"

	"schedtune/internal/calibrate"
	"schedtune/simcore"
	"schedtune/validation/replay"
)

// measures are latencies by name.
type measures struct{ replay.Waits[string] }

func newMeasures() measures { return measures{replay.Waits[string]{}} }

// latencies measures the Spark applications of a recorded run.
func (m measures) latencies(r *Run) {
	for _, a := range r.Apps {
		if a.Kind != "spark" {
			continue
		}
		m.Take(calibrate.DriverStart, a.AMAllocated, a.Registered)
		if a.Settings.Start() == 0 {
			m.Take(calibrate.ContextUp, a.Registered, a.Context)
		}
		m.Take(calibrate.Stop, a.Finish, a.Unregistered)
		m.Take(calibrate.Exit, a.Unregistered, a.Released)
		m.stages(a)
		m.executors(a)
		m.tasks(a)
	}
}

func (m measures) stages(a *App) {
	job, end := map[int32]simcore.Time{}, map[int32]simcore.Time{}
	for i := range a.Jobs {
		job[a.Jobs[i].ID] = a.Jobs[i].Submit
	}
	for _, st := range a.Stages {
		if st.Attempt == 0 {
			end[st.ID] = st.Complete
		}
	}
	for _, st := range a.Stages {
		if st.Attempt > 0 {
			continue
		}
		from, ok := job[st.Job]
		for _, p := range st.Parents {
			from = max(from, end[p])
		}
		if ok {
			m.Take(calibrate.StageGap, from, st.Submit)
		}
		m.Take(calibrate.StageOffer, st.Submit, a.offered(st))
	}
}

// offered is the first launch of a stage's tasks, Never where it came so late
// that no executor can have been free at its submission.
func (a *App) offered(st *Stage) simcore.Time {
	at := simcore.Never
	for _, t := range a.Tasks {
		if t.Stage == st.ID && t.StageAttempt == st.Attempt {
			at = min(at, t.Launch)
		}
	}
	if at != simcore.Never && at-st.Submit > offeredWithin {
		return simcore.Never
	}
	return at
}

const offeredWithin = 300 * simcore.Millisecond

func (m measures) executors(a *App) {
	for _, e := range a.Executors {
		waiting := slices.ContainsFunc(a.Stages, func(st *Stage) bool {
			return st.Submit < e.Registered && st.Complete > e.Registered
		})
		m.Take(calibrate.LaunchWait, e.Acquired, e.Started)
		m.Take(calibrate.ExecutorStart, e.Started, e.Registered)
		// behind the last task that waited there is none for it to take
		if t := a.firstTask(e.ID); t != nil && waiting && t.Launch-e.Registered < simcore.Second {
			m.Take(calibrate.ExecutorReady, e.Registered, t.Launch)
		}
		if e.KillAsked != simcore.Never {
			m.Take(calibrate.KillGone, e.ReleaseAsked, e.Exited)
		} else if e.ToldStop != simcore.Never {
			m.Take(calibrate.ExecutorStop, a.Finish, e.Released)
		}
	}
}

// firstTask returns the task that an executor was given first, nil if it had none.
func (a *App) firstTask(executor int32) (first *Task) {
	for _, t := range a.Tasks {
		if t.Executor == executor && (first == nil || t.Launch < first.Launch) {
			first = t
		}
	}
	return first
}

func (m measures) tasks(a *App) {
	ended := map[int32]simcore.Time{}
	for _, t := range a.Tasks {
		if x, seen := ended[t.Executor]; !seen || t.Finish < x {
			ended[t.Executor] = t.Finish
		}
	}
	for _, t := range a.Tasks {
		// computed a block again
		if t.Kind != "SPARK" || !strings.EqualFold(t.Status, "SUCCEEDED") || t.Asked <= 0 || t.Ran > t.Asked+t.Asked/2 {
			continue
		}
		name := calibrate.TaskSpan
		if t.Launch < ended[t.Executor]-calibrate.HandOver {
			name = calibrate.FirstTask
		}
		m.Take(name, t.Launch+t.Asked, t.Finish)
	}
}
