package testruns

import (
	"math"

	"schedtune/simcore/yarn"
)

// master is what an application master does in this millisecond: its processes
// end, it heartbeats once a second, it ends.
func (m *made) master(i int, j *job) {
	for _, c := range j.containers {
		if c.exited == m.now && c.kind != "AM" {
			m.next[c.node] = m.now + 2 // the heartbeat follows at once
		}
		if c.finished == m.now {
			m.taskEnded(j, c)
		}
	}
	switch {
	case j.registered < 0 || j.freed >= 0:
	case j.done >= 0:
		m.linger(j)
	case m.now > j.registered && (m.now-j.registered)%amBeat == 0 && j.finish < 0:
		m.heartbeat(j)
	}
	if j.finish == m.now {
		j.done = m.now + m.draw(60, 110, 6, uint64(i))
	}
}

// linger: the process stays for six seconds after it unregistered; with its end
// the application is over.
func (m *made) linger(j *job) {
	am := j.containers[0]
	if am.exited < 0 && m.now >= j.done {
		am.exited = j.done + 6040
	}
	if am.exited == m.now {
		m.next[am.node] = m.now + 2
	}
	if am.exited >= 0 && m.now == am.exited+2 {
		m.sched.End(j.app)
		am.released, j.freed = m.now, m.now
	}
}

func (m *made) taskEnded(j *job, c *container) {
	k := 0
	if c.kind == "REDUCE" {
		k = 1
	}
	j.finished[k]++
	if k == 0 {
		j.lastMap = m.now
		m.goOn(j)
	}
	if j.finished[0] == j.maps && j.finished[1] == j.reduces {
		j.finish = m.now + m.draw(18, 40, 7, uint64(j.app))
	}
}

// heartbeat: the asks that changed go out, granted containers come in and get
// tasks; what exceeds them goes back with the next heartbeat.
func (m *made) heartbeat(j *job) {
	if len(j.beats) == 0 {
		j.outstanding[0], j.dirty[0] = j.maps, true
	}
	b := masterBeat{at: m.now}
	m.runAgain(j, &b)
	b = masterBeat{added: b.added, at: m.now, maps: j.outstanding[0] + int32(len(j.failed)), reduces: j.outstanding[1],
		releases: len(j.giveBack)}
	var asks []yarn.Ask
	if j.failedDirty {
		asks = append(asks, yarn.Ask{Priority: failedRow, Size: yarn.Resource{Memory: taskMiB, VCores: 1},
			Count: int32(len(j.failed))})
		j.failedDirty = false
	}
	for k, priority := range []int32{mapRow, reduceRow} {
		if j.dirty[k] {
			asks = append(asks, yarn.Ask{Priority: priority, Size: yarn.Resource{Memory: taskMiB, VCores: 1},
				Count: j.outstanding[k]})
		}
		j.dirty[k] = false
	}
	b.asks = len(asks)
	for _, ord := range j.giveBack {
		j.byOrdinal(ord).released = m.now
	}
	m.sched.Ask(j.app, asks, j.giveBack, &m.resp)
	m.hearOf(j)
	j.giveBack = j.giveBack[:0]
	for _, ord := range m.resp.Granted {
		c := j.byOrdinal(ord)
		c.acquired = m.now
		if c.priority == failedRow && len(j.failed) > 0 {
			b.failedRuns++
		}
		if !m.assign(j, c) {
			b.refused = append(b.refused, ord)
			j.giveBack = append(j.giveBack, ord)
		}
	}
	if j.reduces > 0 && !j.reducesOut && float64(j.finished[0]) >= math.Ceil(j.slowstart*float64(j.maps)) {
		j.reducesOut, j.outstanding[1], j.dirty[1] = true, j.reduces, true
	}
	j.beats = append(j.beats, b)
}

func (j *job) byOrdinal(ord int32) *container {
	for _, c := range j.containers {
		if c.ordinal == ord {
			return c
		}
	}
	return nil
}

// assign gives a container a task of the kind that it was asked for.
func (m *made) assign(j *job, c *container) bool {
	k := 0
	if c.priority == reduceRow {
		k = 1
	}
	switch {
	case c.priority == failedRow && len(j.failed) > 0:
		c.task, j.failed, j.failedDirty = j.failed[0], j.failed[1:], true
	case c.priority == failedRow || j.outstanding[k] == 0:
		return false
	default:
		j.outstanding[k]--
		j.dirty[k] = true
		c.task = j.assigned[k]
		j.assigned[k]++
	}
	if k == 0 {
		c.try = j.tries[c.task]
		j.tries[c.task]++
	}
	m.launch(c, m.now+m.draw(20, 60, 8, uint64(j.app), uint64(c.ordinal)))
	from, user := c.up, j.mapMS
	c.kind = "MAP"
	if k == 1 {
		c.kind, user = "REDUCE", j.reduceMS
		if m.lacks(j) {
			c.waits = true
			return true
		}
		from = m.copied(c, c.up)
	}
	m.works(c, from, user)
	return true
}

// copied sets when a reduce has copied its input and sorted it, from an instant on.
func (m *made) copied(c *container, at int64) int64 {
	c.shuffled = at + m.draw(180, 420, 9, uint64(c.job.app), uint64(c.ordinal))
	c.sorted = c.shuffled + 12
	return c.sorted
}

// works sets when a task ends that begins at an instant.
func (m *made) works(c *container, from, user int64) {
	c.finished = from + user + m.draw(200, 900, 10, uint64(c.job.app), uint64(c.ordinal))
	c.exited = c.finished + m.draw(22, 45, 11, uint64(c.job.app), uint64(c.ordinal))
}
