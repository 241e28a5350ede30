package sparkreplay

import (
	"cmp"
	"fmt"
	"slices"

	"schedtune/simcore"
	"schedtune/simcore/yarn/spark"
)

// One step at a time: the allocation manager receives what the driver's listener
// bus sent the real one, and its targets and kills are held against the
// recorded ones.

// Change is a change of the target by the manager.
type Change struct {
	At     simcore.Time
	Target int32
}

// Kill is an executor given up since it was idle.
type Kill struct {
	At       simcore.Time
	Executor int32
}

// Loop is when the manager's loop turns: at From + Phase + k * Period.
type Loop struct{ From, Phase, Period simcore.Time }

func (l Loop) turn(k int) simcore.Time { return l.From + l.Phase + simcore.Time(k)*l.Period }

// listenerDelay is how long an event is on the listener bus.
const listenerDelay = 2 * simcore.Millisecond

// eventKind orders events of one millisecond.
type eventKind uint8

const (
	executorRemoved eventKind = iota
	taskEnd
	stageDone
	jobEnd
	unpersist
	jobStart
	stageSubmitted
	executorAdded
	taskStart
)

type event struct {
	at   simcore.Time
	kind eventKind
	i    int // job, stage, task or executor
	how  spark.End
	set  int32
}

// steps is an application's recorded life as the listener bus tells it.
type steps struct {
	app      *App
	events   []event
	nSets    int32            // data sets
	written  map[string]int64 // by place in the scenario: KiB each task writes
	shuffles [][]int32        // by job: stages whose output it uses
	maxStage int32
	held     map[*Task]simcore.Time // how long it held its core
}

func newSteps(r *Run, a *App) *steps {
	s := &steps{app: a, written: map[string]int64{}}
	for i, st := range a.Stages {
		s.maxStage = max(s.maxStage, st.ID)
		s.add(event{at: st.Submit, kind: stageSubmitted, i: i})
		s.add(event{at: st.Complete, kind: stageDone, i: i})
	}
	for i, t := range a.Tasks {
		s.add(event{at: t.Launch, kind: taskStart, i: i})
		s.add(event{at: t.Finish, kind: taskEnd, i: i, how: endOf(t.Status)})
	}
	for i, e := range a.Executors {
		s.add(event{at: e.Added, kind: executorAdded, i: i})
		s.add(event{at: e.Removed, kind: executorRemoved, i: i})
	}
	for i := range a.Jobs {
		s.add(event{at: a.Jobs[i].Submit, kind: jobStart, i: i})
		s.add(event{at: a.Jobs[i].End, kind: jobEnd, i: i})
	}
	s.resubmissions()
	s.dataSets(r)
	s.uses()
	s.holds()
	slices.SortStableFunc(s.events, func(a, b event) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.kind, b.kind))
	})
	return s
}

func (s *steps) add(e event) {
	if e.at != simcore.Never {
		s.events = append(s.events, e)
	}
}

func endOf(status string) spark.End {
	switch status {
	case "SUCCEEDED":
		return spark.Success
	case "TaskKilled", "KILLED":
		return spark.Stopped
	}
	return spark.Lost
}

// resubmissions adds the ends with reason Resubmitted: finished tasks whose
// output went with their executor while the stage was still running. The event
// log has no times for them; the driver posts them when it hears of the loss.
func (s *steps) resubmissions() {
	for i, t := range s.app.Tasks {
		if !t.OutputLost {
			continue
		}
		st := s.app.stageOf(t)
		if e := s.app.executor(t.Executor); e != nil && e.Removed <= st.Complete {
			s.add(event{at: e.Removed, kind: taskEnd, i: i, how: spark.Resubmitted})
		}
	}
}

// dataSets takes what is cached, read and dropped from the scenario.
func (s *steps) dataSets(r *Run) {
	p := r.planned(s.app.Name)
	number := p.sets()
	s.nSets = int32(len(number)) - 1
	for _, st := range s.app.Stages {
		st.caches, st.reads = -1, -1
	}
	last := simcore.Time(0)
	for k := range p.Steps {
		step := &p.Steps[k]
		if step.Unpersist != "" {
			s.add(event{at: last + 10*simcore.Millisecond, kind: unpersist, set: number[step.Unpersist]})
		}
		for _, st := range s.app.Stages {
			var sk, sj, ss int
			if n, _ := fmt.Sscanf(st.Plan, "step%d-job%d-stage%d", &sk, &sj, &ss); n != 3 || sk != k || sj >= len(step.Jobs) ||
				ss >= len(step.Jobs[sj].Stages) {
				continue
			}
			st.caches = number[step.Jobs[sj].Stages[ss].Cache]
			s.written[st.Plan] = step.Jobs[sj].Stages[ss].KB
			if ss == 0 {
				st.reads = number[step.Jobs[sj].From]
			}
			for j := range s.app.Jobs {
				if s.app.Jobs[j].ID == st.Job && s.app.Jobs[j].End != simcore.Never {
					last = max(last, s.app.Jobs[j].End)
				}
			}
		}
	}
}

// uses works out which shuffles each job uses: those of its stages and of all
// their ancestors. A shuffle has the number of the stage that writes it.
func (s *steps) uses() {
	parents := map[int32][]int32{}
	for i := range s.app.Stages {
		parents[s.app.Stages[i].ID] = s.app.Stages[i].Parents
	}
	s.shuffles = make([][]int32, len(s.app.Jobs))
	for j := range s.app.Jobs {
		seen := map[int32]bool{}
		var visit func(int32)
		visit = func(id int32) {
			for _, p := range parents[id] {
				if !seen[p] {
					seen[p] = true
					s.shuffles[j] = append(s.shuffles[j], p)
					visit(p)
				}
			}
		}
		for _, id := range s.app.Jobs[j].Stages {
			visit(id)
		}
	}
}

// player feeds an application's steps to the components.
type player struct {
	*steps
	manager spark.Manager
	monitor spark.Monitor
	number  map[*Stage]int32 // the manager's
	parent  []bool           // by stage id: another stage reads it
	next    int
}

func newPlayer(s *steps) *player {
	p := &player{steps: s, number: map[*Stage]int32{}, parent: make([]bool, s.maxStage+1)}
	for _, st := range s.app.Stages {
		p.number[st] = -1
		for _, id := range st.Parents {
			p.parent[id] = true
		}
	}
	p.manager.Reset(&s.app.Settings, []int32{s.app.Executor.Slots()})
	p.monitor.Reset(&s.app.Settings, s.nSets, s.maxStage+1, 1)
	return p
}

// tell plays the events that the listeners have by now.
func (p *player) tell(now simcore.Time) {
	for ; p.next < len(p.events) && p.events[p.next].at+listenerDelay <= now; p.next++ {
		p.play(&p.events[p.next])
	}
}

func (p *player) play(e *event) {
	at := e.at + listenerDelay
	switch e.kind {
	case stageSubmitted:
		st := p.app.Stages[e.i]
		p.number[st] = p.manager.Submit(at, 0, st.Tasks, st.Tasks)
	case stageDone:
		p.manager.Complete(p.number[p.app.Stages[e.i]])
	case taskStart:
		t := p.app.Tasks[e.i]
		p.manager.Start(p.number[p.app.stageOf(t)], t.Index, t.Speculative)
		p.monitor.Start(t.Executor)
	case taskEnd:
		p.taskEnd(at, e)
	case executorAdded:
		p.monitor.Add(at, p.app.Executors[e.i].ID, 0)
	case executorRemoved:
		p.monitor.Remove(p.app.Executors[e.i].ID)
	case jobStart:
		p.monitor.UseShuffles(p.shuffles[e.i], 1)
	case jobEnd:
		p.monitor.UseShuffles(p.shuffles[e.i], -1)
	case unpersist:
		p.monitor.Unpersist(e.set)
	}
}

func (p *player) taskEnd(at simcore.Time, e *event) {
	t := p.app.Tasks[e.i]
	st := p.app.stageOf(t)
	p.manager.Finish(at, p.number[st], t.Index, t.Speculative, e.how)
	shuffle := int32(-1)
	if e.how == spark.Success && p.parent[t.Stage] {
		shuffle = t.Stage
	}
	if e.how == spark.Success && st.caches >= 0 {
		p.monitor.Cache(t.Executor, st.caches, false)
	}
	if set := st.reads; e.how == spark.Success && set >= 0 {
		if nodes := p.blocks(set, t.Launch); int(t.Index) < len(nodes) && nodes[t.Index] < 0 { // it made the block again
			p.monitor.Cache(t.Executor, set, false)
		}
	}
	p.monitor.Finish(at, t.Executor, shuffle)
}

// isBusy tells whether an executor runs a task: the driver does not kill it.
func (p *player) isBusy(executor int32, now simcore.Time) bool {
	return slices.ContainsFunc(p.app.Tasks, func(t *Task) bool {
		return t.Executor == executor && t.Launch <= now && now < t.Finish
	})
}

// Manage runs the manager over an application's recorded life.
func (s *steps) manage(l Loop) (changes []Change, kills []Kill) {
	p := newPlayer(s)
	end := s.app.Finish
	for k := 0; l.turn(k) < end; k++ {
		now := l.turn(k)
		p.tell(now)
		out := p.monitor.TimedOut(now)
		if p.manager.Turn(now, p.monitor.Registered(), out) {
			changes = append(changes, Change{now, p.manager.Target(0)})
		}
		if !out {
			continue
		}
		for _, e := range p.monitor.Expire(now, p.manager.Targets()) {
			if !p.isBusy(e, now) {
				p.monitor.Kill(e)
				kills = append(kills, Kill{now, e})
			}
		}
	}
	return changes, kills
}

// lastMoments before an application's end are left out: its driver is stopping.
const lastMoments = 130 * simcore.Millisecond

// recorded returns what the real manager did.
func (s *steps) recorded() (changes []Change, kills []Kill) {
	for _, t := range s.app.Targets {
		if t.Source == "manager" && t.At < s.app.Finish-lastMoments {
			changes = append(changes, Change{t.At, t.Target})
		}
	}
	for _, e := range s.app.Executors {
		if e.KillAsked != simcore.Never {
			kills = append(kills, Kill{e.KillAsked, e.ID})
		}
	}
	slices.SortStableFunc(kills, func(a, b Kill) int { return cmp.Compare(a.At, b.At) })
	return changes, kills
}
