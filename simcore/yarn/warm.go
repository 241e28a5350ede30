package yarn

import (
	"cmp"
	"fmt"

	"schedtune/simcore"
)

// Runs that begin in the middle.

// Warm is a state of the cluster with which a run begins, instead of an empty one:
// applications that run, with their containers, and applications that wait. The
// workload's jobs submitted up to At are these; of a job that runs, the tasks that
// are done come first, those in containers next.
type Warm struct {
	At   simcore.Time // the run's clock begins here; jobs with an earlier Submit are there already
	Jobs []WarmJob    // those whose master has a container
	// Active are jobs without a master that the limits on masters have let pass.
	Active []simcore.JobID
	// Numbers are by job the application's in its id, Stamp the time in it; see
	// AppSpec. nil: in the order of the workload.
	Numbers []int64
	Stamp   int64
}

// WarmJob is an application that has its master's container.
type WarmJob struct {
	Job   simcore.JobID
	Node  simcore.NodeID // of the master
	Size  Resource       // of its container; zero: as the job asks
	Since simcore.Time   // its container was allocated
	// Registered masters ask and hand out; one that is not registers after Left.
	Registered bool
	// Closing: its job is over and its container is free after Left.
	Closing bool
	// Ends is the time from the end of its last task until its master's container is
	// free; 0: as the calibration says.
	Ends                  simcore.Time
	Left                  simcore.Time
	MapsDone, ReducesDone int32
	ReducesAsked          int32      // asked for and not granted
	Tasks                 []WarmTask // in containers, maps before reduces
}

// WarmTask is a task in a container.
type WarmTask struct {
	Kind  simcore.Kind
	Node  simcore.NodeID
	Size  Resource     // zero: as the job asks
	Since simcore.Time // allocated
	// Left is the time until the task ends; that of a reduce counts only where all
	// maps are done, else its shuffle begins with the last map's end.
	Left simcore.Time
}

// Adopter is a Scheduler that can begin with containers that run.
type Adopter interface {
	// Adopt books a running container; the application's first is its master.
	Adopt(app AppID, n NodeID, priority int32, size Resource) (ordinal int32, err error)
	// Activate lets an application pass the limits on masters.
	Activate(app AppID)
}

// begin is when the run's clock begins.
func (c *RunConfig) begin() simcore.Time {
	if c.Warm != nil {
		return c.Warm.At
	}
	return 0
}

// warmUp puts the run into its first state.
func (s *Sim) warmUp() error {
	w := s.cfg.Warm
	if w == nil {
		return nil
	}
	if s.adopter == nil || s.opt.Times != AttemptTimes || s.execOn || s.replay || !s.elastic.still {
		return fmt.Errorf("yarn: running applications: must be of the Capacity Scheduler, with recorded or drawn attempt " +
			"times, without a replay, on nodes that do not change")
	}
	s.now, s.progress, s.useful = w.At, w.At, w.At
	for i := range w.Jobs {
		if err := s.resumeJob(&w.Jobs[i], s.key(drawWarm).Float64(uint64(i))); err != nil {
			return err
		}
	}
	for int(s.next) < len(s.arrivals) && s.arrive[s.arrivals[s.next]] <= w.At {
		j := s.arrivals[s.next]
		s.next++
		if s.jobs[j].app < 0 {
			s.submit(j)
			s.times[j].Submit = s.arrive[j]
		}
	}
	for _, j := range w.Active {
		if s.jobs[j].app >= 0 {
			s.adopter.Activate(s.jobs[j].app)
		}
	}
	s.armArrival()
	s.wakeNodes()
	return s.err
}

// check refuses what no running job can be.
func (w *WarmJob) check(s *Sim) error {
	if w.Job < 0 || int(w.Job) >= len(s.work.Jobs) {
		return fmt.Errorf("yarn: running job %d: the workload has %d", w.Job, len(s.work.Jobs))
	}
	job := &s.work.Jobs[w.Job]
	maps, reds := w.MapsDone, w.ReducesDone+w.ReducesAsked
	for i := range w.Tasks {
		if w.Tasks[i].Kind == simcore.Map {
			maps++
		} else {
			reds++
		}
	}
	switch {
	case !s.kindOf(int32(w.Job)).mapsAndReduces():
		return fmt.Errorf("yarn: job %q: a Spark or Tez application can't be taken up running; use a job of tasks", job.ID)
	case s.cfg.Warm != nil && job.Submit > s.cfg.Warm.At || maps > job.Maps || reds > job.Reduces || w.Left < 0:
		return fmt.Errorf("yarn: job %q: %d maps and %d reduces done, asked for or in containers, %d and %d in all, "+
			"submitted at %v, time left %v", job.ID, maps, reds, job.Maps, job.Reduces, job.Submit.Std(), w.Left.Std())
	}
	return nil
}

// resumeJob makes a job run. phase is where its master is between two heartbeats, of 0 to 1.
func (s *Sim) resumeJob(w *WarmJob, phase float64) error {
	if err := w.check(s); err != nil {
		return err
	}
	j := int32(w.Job)
	s.tasksDone(j, w)
	s.submit(j)
	if s.jobs[j].app < 0 {
		return fmt.Errorf("yarn: job %q runs, but the queue file refuses it", s.work.Jobs[j].ID)
	}
	s.times[j].Submit = s.work.Jobs[j].Submit
	sl, err := s.adopt(j, w.Node, 0, masterContainer, cmp.Or(w.Size, s.plan.amAsk[j]), w.Since)
	if err != nil {
		return err
	}
	m, c := &s.jobs[j], &s.slots.all[sl]
	m.slot, m.ends, s.times[j].AMAllocated = sl, w.Ends, w.Since
	switch {
	case w.Closing:
		m.registered, m.closed, c.state = true, true, masterStops
		s.times[j].Status, s.times[j].Finish = Succeeded, s.now
		s.rec.JobEnded(w.Job, s.now, false)
		s.report(sl, c, s.now+w.Left)
		return nil
	case !w.Registered:
		c.state = masterWork // no work left: registers when the wait is over
		s.tree.Set(s.slotLeaf(sl), s.now+w.Left)
		return nil
	}
	c.state, m.registered, s.times[j].Registered = masterRuns, true, w.Since
	return s.resumeTasks(j, m, w, phase)
}

// tasksDone notes the tasks that are done.
func (s *Sim) tasksDone(j int32, w *WarmJob) {
	m, job := &s.jobs[j], &s.work.Jobs[j]
	m.doneMaps, m.doneReds = w.MapsDone, w.ReducesDone
	if w.Closing {
		m.doneMaps, m.doneReds = job.Maps, job.Reduces
	}
	for t := range m.doneMaps {
		g := s.plan.mapBase[j] + t
		s.mapDone[g] = true
		if s.loses {
			s.mapNode[g] = int32(w.Node)
		}
	}
	s.rowLeft[s.plan.rowBase[j]] -= m.doneMaps
	if s.loses {
		for t := range m.doneReds {
			s.redDone[s.plan.redBase[j]+t] = true
		}
	}
}

// resumeTasks takes up what a registered master has running and asks for.
func (s *Sim) resumeTasks(j int32, m *master, w *WarmJob, phase float64) error {
	job := &s.work.Jobs[j]
	maps, reds := m.doneMaps, m.doneReds
	if m.doneMaps == job.Maps {
		s.times[j].LastMap = s.now
		s.rec.MapsDone(simcore.JobID(j), s.now)
	}
	for i := range w.Tasks {
		t := &w.Tasks[i]
		next := &maps
		if t.Kind == simcore.Reduce {
			next = &reds
		}
		if err := s.resumeTask(j, m, t, *next); err != nil {
			return err
		}
		*next++
	}
	pend, asked := s.ringAt(j, 0), s.ringAt(j, 1)
	for t := reds; t < job.Reduces; t++ {
		if t < reds+w.ReducesAsked {
			m.asked.push(asked, t)
		} else {
			m.pend.push(pend, t)
		}
	}
	m.started = reds > 0 || w.ReducesAsked > 0
	m.redDirty, m.recalc, m.hanging = m.asked.n > 0, true, s.now
	m.waitMaps, m.nextMap = job.Maps-maps, m.doneMaps
	if job.Maps > 0 {
		s.touchRow(m, s.plan.rowBase[j])
	}
	if s.ask(j, m); m.closed {
		return nil
	}
	if m.doneMaps == job.Maps && m.doneReds == job.Reduces {
		s.finishJob(j, false)
		return nil
	}
	m.beat = s.now + 1 + simcore.Time(phase*float64(s.amPeriod))
	s.tree.Set(s.slotLeaf(m.slot), m.beat)
	return nil
}

// resumeTask puts a task into its container.
func (s *Sim) resumeTask(j int32, m *master, t *WarmTask, index int32) error {
	ask, priority := s.plan.mapAsk[j], int32(priorityMap)
	if t.Kind == simcore.Reduce {
		ask, priority = s.plan.redAsk[j], priorityReduce
	}
	sl, err := s.adopt(j, t.Node, priority, uint8(t.Kind), cmp.Or(t.Size, ask), t.Since)
	if err != nil {
		return err
	}
	c := &s.slots.all[sl]
	c.task, c.launched, c.at = index, true, t.Since
	if s.loses {
		c.try = s.nextTry(c)
	}
	s.launchedAt(c, t.Since)
	switch {
	case t.Kind == simcore.Map:
		g := s.plan.mapBase[j] + index
		s.mapDone[g] = true
		s.rowLeft[s.plan.rowBase[j]]--
		m.runMaps++
		c.state = running
	default:
		m.runReds++
		m.heldReds++
		if m.doneMaps < s.work.Jobs[j].Maps {
			s.waitForMaps(sl, c)
			return nil
		}
		c.state = reducing
	}
	s.tree.Set(s.slotLeaf(sl), s.now+max(t.Left, 0))
	return nil
}

// adopt books a container that runs.
func (s *Sim) adopt(j int32, node simcore.NodeID, priority int32, kind uint8, size Resource, since simcore.Time) (
	int32, error) {
	job := &s.work.Jobs[j]
	if node < 0 || int(node) >= len(s.nodes) || since > s.now {
		return 0, fmt.Errorf("yarn: job %q: a container on node %d since %v; the cluster has %d nodes, and it is %v", job.ID,
			node, since.Std(), len(s.nodes), s.now.Std())
	}
	m := &s.jobs[j]
	ord, err := s.adopter.Adopt(m.app, s.nodes[node].id, priority, size)
	if err != nil {
		return 0, fmt.Errorf("yarn: node %q: %w", s.cluster.Nodes[node].Name, err)
	}
	sl := s.open(slot{job: j, node: int32(node), ord: ord, kind: kind, granted: since, size: size})
	if sl < 0 {
		return 0, s.err
	}
	return sl, nil
}
