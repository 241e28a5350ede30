package testruns

import (
	"fmt"
	"slices"
	"strings"

	"schedtune/simcore/yarn"
)

// Nodes that come and go: a fourth one joins, the machine of one without a master is
// gone and missed 15 s later, and one is decommissioned and leaves when its
// applications are over.

const (
	joinAt      = 15_000
	loseFrom    = 20_000
	expiry      = 15_000
	drainAt     = 70_000
	unreachable = 180_000 // for so long a master tries to stop a container of a lost node
	failedRow   = 5
)

// changing is what becomes of the nodes; instants of -1 have not come.
type changing struct {
	there      []bool
	lost, left int // nodes, -1 = none
	died       int64
	missed     int64
	drained    int64
	apps       []*job // that were on the node when it began to empty
}

// redo is a task to run again.
type redo struct {
	of   *container
	wait int64
	due  int64 // -1 = its master has not heard
}

// ElasticFiles makes a run whose nodes come and go, and returns the contents of its
// folder by name.
func ElasticFiles(seed uint64) (map[string][]byte, error) {
	conf, err := evaluate(queueFile, settingsFile)
	if err != nil {
		return nil, err
	}
	m, err := simulate(conf, seed, true)
	if err != nil {
		return nil, err
	}
	files := m.files()
	files["settings.xml"] = []byte(strings.Replace(settingsFile, "</configuration>",
		fmt.Sprintf(
			"  <property><name>yarn.nm.liveness-monitor.expiry-interval-ms</name><value>%d</value></property>\n</configuration>", expiry), 1))
	files["node-events.csv"] = m.nodeEvents()
	files["cluster-events.log"] = append(files["cluster-events.log"], m.nodeLog()...)
	return files, nil
}

// turn is what happens to nodes in this millisecond.
func (m *made) turn() error {
	c := m.el
	switch {
	case m.now == joinAt:
		m.next = append(m.next, m.now+40)
		c.there = append(c.there, true)
		return m.addNode(nodes)
	case c.lost < 0 && m.now >= loseFrom:
		m.lose()
	case c.lost >= 0 && m.now == c.missed:
		m.miss()
	case m.now == drainAt:
		c.left = slices.IndexFunc(c.there, func(there bool) bool { return there })
		m.sched.Decommission(yarn.NodeID(c.left))
		for _, j := range m.jobs {
			if slices.ContainsFunc(j.containers, func(x *container) bool { return x.node == c.left && x.released < 0 }) {
				c.apps = append(c.apps, j)
			}
		}
	}
	return nil
}

// lose takes the first machine away that holds no master, but a running and a finished
// map, all of jobs without reduces so far, and no container that has just begun.
func (m *made) lose() {
	for n := range m.el.there {
		running, finished, fits := 0, 0, true
		for _, j := range m.jobs {
			for _, x := range j.containers {
				if x.node != n {
					continue
				}
				live := x.released < 0
				fits = fits && (!live || x.kind == "MAP" && x.up >= 0 && x.up < m.now && j.reduces > 0 && !j.reducesOut &&
					x.exited > m.now)
				if live && x.finished > m.now {
					running++
				} else if x.kind == "MAP" && x.released >= 0 && j.finish < 0 && !j.reducesOut && j.reduces > 0 {
					finished++
				}
				fits = fits && (j.finish >= 0 || x.kind != "MAP" || !j.reducesOut)
			}
		}
		if !fits || running == 0 || finished == 0 {
			continue
		}
		m.el.lost, m.el.died, m.el.missed = n, m.now, m.now+expiry+2345
		m.el.there[n] = false
		for _, j := range m.jobs {
			for _, x := range j.containers {
				if x.node == n && x.released < 0 {
					x.finished, x.exited = -1, -1
				}
			}
		}
		return
	}
}

// miss is the ResourceManager's taking the node off.
func (m *made) miss() {
	m.sched.LoseNode(yarn.NodeID(m.el.lost), nil)
	for _, j := range m.jobs {
		for _, x := range j.containers {
			if x.node != m.el.lost {
				continue
			}
			if x.released < 0 {
				x.released = m.now
				j.again = append(j.again, &redo{of: x, wait: unreachable, due: -1})
			} else if x.kind == "MAP" && x.finished >= 0 && j.reduces > 0 && j.finish < 0 {
				j.again = append(j.again, &redo{of: x, due: -1})
			}
		}
	}
}

// drained lets a node go at a heartbeat when nobody needs it any more.
func (m *made) drained(n int) bool {
	c := m.el
	if c == nil || c.left != n {
		return false
	}
	for _, j := range m.jobs {
		if slices.ContainsFunc(j.containers, func(x *container) bool { return x.node == n && x.released < 0 }) {
			return false
		}
	}
	if slices.ContainsFunc(c.apps, func(j *job) bool { return j.freed < 0 }) {
		return false
	}
	m.sched.LoseNode(yarn.NodeID(n), nil)
	c.there[n], c.drained = false, m.now
	return true
}

// runAgain asks for tasks again whose containers are known to be over.
func (m *made) runAgain(j *job, b *masterBeat) {
	j.again = slices.DeleteFunc(j.again, func(r *redo) bool {
		if r.due < 0 || r.due > m.now {
			return false
		}
		r.of.killed = max(r.due, r.of.killed)
		j.failed, j.failedDirty = append(j.failed, r.of.task), true
		b.added = append(b.added, fmt.Sprintf("attempt%s_%d", strings.TrimPrefix(r.of.taskID(), "task"), j.tries[r.of.task]))
		return true
	})
}

// hearOf takes note of what the ResourceManager tells of lost nodes.
func (m *made) hearOf(j *job) {
	for _, r := range j.again {
		if r.due >= 0 {
			continue
		}
		r.due = m.now + r.wait
		r.of.killed = r.due
		if r.of.finished >= 0 {
			j.finished[0]--
		}
	}
}

func (m *made) nodeEvents() []byte {
	return table("t_ms,op,node,detail", [][]string{{ms(joinAt), "join", nodeName(nodes), ""},
		{ms(m.el.died), "lose", nodeName(m.el.lost), ""}, {ms(drainAt), "decommission", nodeName(m.el.left), "3600"}})
}

func (m *made) nodePlan() []object {
	return []object{{"t_ms": joinAt, "op": "join", "node": nodeName(nodes)},
		{"t_ms": m.el.died, "op": "lose", "node": nodeName(m.el.lost)},
		{"t_ms": drainAt, "op": "decommission", "node": nodeName(m.el.left), "timeout_s": 3600}}
}

// nodeLog are the lines of the ResourceManager on its nodes.
func (m *made) nodeLog() []byte {
	var b strings.Builder
	line := func(at int64, n int, from, to string) {
		fmt.Fprintf(&b, "%s INFO RMNodeImpl: %s:%d Node Transitioned from %s to %s\n", stamp(at), nodeName(n), 40001+n, from,
			to)
	}
	for n := range nodes {
		line(-30_000, n, "NEW", "RUNNING")
	}
	line(joinAt, nodes, "NEW", "RUNNING")
	line(m.el.missed, m.el.lost, "RUNNING", "LOST")
	line(drainAt, m.el.left, "RUNNING", "DECOMMISSIONING")
	if m.el.drained >= 0 {
		line(m.el.drained, m.el.left, "DECOMMISSIONING", "DECOMMISSIONED")
	}
	return []byte(b.String())
}

// lacks reports whether a reduce that begins now cannot copy the output of some map
// that has finished: its machine is gone.
func (m *made) lacks(j *job) bool {
	if m.el == nil || m.el.lost < 0 {
		return false
	}
	for t := range j.maps {
		there := func(x *container) bool {
			return x.kind == "MAP" && x.task == t && x.finished >= 0 && x.finished <= m.now && x.node != m.el.lost
		}
		if !slices.ContainsFunc(j.containers, there) {
			return true
		}
	}
	return false
}

// goOn lets reduces go on that waited for maps to run again.
func (m *made) goOn(j *job) {
	if m.lacks(j) {
		return
	}
	for _, c := range j.containers {
		if c.waits {
			c.waits = false
			m.works(c, m.copied(c, max(c.up, m.now)), j.reduceMS)
		}
	}
}
