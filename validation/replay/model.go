package replay

import (
	"schedtune/simcore"
	"schedtune/simcore/yarn"
)

// modelMaster replaces an application master whose log is missing. What
// it was granted and what its tasks did is recorded; when it asked for reduces,
// and how many, follows from the rules of the AM and the headroom the scheduler
// tells it.
type modelMaster struct {
	started, touched bool
	lastDone         int32
	sentMaps         int32
	asked, pending   int32
	headroom         yarn.Resource
	give             []*Container
	previous         simcore.Time
}

// modelSteps are the heartbeats of an AM without a log; j is the job as it knows it.
func (r *Run) modelSteps(job int32, j *Job) []step {
	var steps []step
	last := j.LastTask
	if j.Released != simcore.Never {
		last = min(last, j.Released)
	}
	for _, at := range r.masterBeats(j) {
		if at <= last {
			steps = append(steps, step{at: at, kind: stepModel, job: job})
		}
	}
	return steps
}

// model is one heartbeat of a modelled master.
func (d *decider) model(s *step) {
	v := d.run.Jobs[s.job].views()[s.try]
	j, m := &v, &d.models[s.job]
	if m.previous == 0 {
		m.pending, m.previous = j.Reduces, j.Registered
	}
	c := j.countAt(m.previous, s.at)
	call := step{job: s.job, try: s.try, release: m.give}
	if waiting := j.Maps - c.assignedBefore; waiting != m.sentMaps {
		call.asks = append(call.asks, d.run.mapRows(waiting, j.MapMiB, d.run.readsFiles(j))...)
		m.sentMaps = waiting
	}
	if m.touched {
		call.asks = append(call.asks, yarn.Ask{Priority: 10, Size: yarn.Resource{Memory: j.ReduceMiB, VCores: 1},
			Count: m.asked})
	}
	before := m.headroom
	d.ask(&call)
	m.headroom, m.touched, m.give = d.resp.Headroom, false, c.unused
	m.asked -= c.reducesNow
	m.pending += c.reducesLost
	m.touched = c.reducesNow > 0
	m.previous = s.at
	d.plan(j, m, c, m.headroom != before || c.news)
}

// plan decides on reduces as the AM does after it has heard.
func (d *decider) plan(j *Job, m *modelMaster, c counts, news bool) {
	done, waiting := c.doneMaps+c.doneReds, j.Maps-c.assigned
	if !news && done == m.lastDone && waiting == 0 {
		return
	}
	m.lastDone = done
	ramp := yarn.Ramp{Headroom: m.headroom, Map: yarn.Resource{Memory: j.MapMiB, VCores: 1},
		Reduce:    yarn.Resource{Memory: j.ReduceMiB, VCores: 1},
		TotalMaps: j.Maps, DoneMaps: c.doneMaps, WaitMaps: waiting, RunMaps: c.runMaps,
		AskedReduces: m.asked, RunReduces: c.runReds, PendingReduces: m.pending, CPU: d.cpu}
	if j.Reduces > 0 && ramp.Starved() {
		m.touched = m.touched || m.asked > 0
		m.pending, m.asked = m.pending+m.asked, 0
		return
	}
	if m.pending == 0 {
		return
	}
	if !m.started {
		if c.doneMaps < simcore.SlowstartMaps(max(j.Slowstart, 0), j.Maps) {
			return
		}
		m.started = true
	}
	n := ramp.Change()
	m.asked, m.pending, m.touched = m.asked+n, m.pending-n, m.touched || n != 0
}

// counts is what an AM knows at a heartbeat.
type counts struct {
	assignedBefore, assigned int32 // maps in containers, before and after this heartbeat
	runMaps, runReds         int32
	doneMaps, doneReds       int32
	reducesNow               int32
	reducesLost              int32        // killed or failed, and told since the last heartbeat
	unused                   []*Container // to give back
	news                     bool
}

func (j *Job) countAt(previous, at simcore.Time) counts {
	var c counts
	for _, k := range j.Containers {
		if k.Kind == "AM" || k.Acquired == simcore.Never || k.Acquired > at {
			continue
		}
		now := k.Acquired > previous
		over := k.Released != simcore.Never && k.Released <= at
		c.news = c.news || now || over && k.Released > previous
		switch k.Kind {
		case "UNUSED":
			if now {
				c.unused = append(c.unused, k)
			}
		case "MAP":
			c.count(&c.assigned, &c.runMaps, &c.doneMaps, k, at, over)
			if !now {
				c.assignedBefore++
			}
		case "REDUCE":
			var assigned int32
			c.count(&assigned, &c.runReds, &c.doneReds, k, at, over)
			if now {
				c.reducesNow++
			}
			if over && k.Status != succeeded && k.Released > previous {
				c.reducesLost++
			}
		}
	}
	return c
}

func (c *counts) count(assigned, run, done *int32, k *Container, at simcore.Time, over bool) {
	*assigned++
	if !over {
		*run++
	}
	if k.Finished <= at && k.Status == succeeded {
		*done++
	}
}
