package testruns

import (
	"fmt"
	"slices"

	"schedtune/internal/rng"
	"schedtune/simcore/sched/capacity"
	"schedtune/simcore/yarn"
	"schedtune/yarnconf"
)

// job is a planned job and what became of it; times in milliseconds from the
// run's time zero, -1 = not yet.
type job struct {
	name, queue, user string
	planned           int64
	maps, reduces     int32
	mapMS, reduceMS   int64
	slowstart         float64

	app                                     yarn.AppID
	submit, registered, finish, done, freed int64
	lastMap                                 int64
	containers                              []*container
	beats                                   []masterBeat

	outstanding [2]int32 // maps and reduces asked for and not assigned
	dirty       [2]bool  // the count goes out with the next heartbeat
	assigned    [2]int32 // tasks that have a container
	finished    [2]int32
	reducesOut  bool // reduces have been asked for
	giveBack    []int32

	again       []*redo // tasks of a lost node
	failed      []int32 // maps that are asked for like failed ones
	failedDirty bool
	tries       map[int32]int // by map: attempts so far
}

// container is a container and the attempt in it.
type container struct {
	job                                                       *job
	kind                                                      string // AM, MAP, REDUCE, UNUSED
	ordinal, task, priority                                   int32
	node                                                      int
	allocated, acquired, request, localised, exec, up, exited int64
	shuffled, sorted, finished, released                      int64
	try                                                       int
	waits                                                     bool  // a reduce that lacks output of a lost node
	killed                                                    int64 // as its master notes it, 0 = not
}

// masterBeat is a heartbeat of an application master, as its log has it.
type masterBeat struct {
	at             int64
	maps, reduces  int32 // outstanding before it
	asks, releases int
	refused        []int32  // ordinals for which nothing was left to do
	added          []string // attempts that are asked for like failed ones from this heartbeat on
	failedRuns     int      // of these, those that got a container
}

type beat struct {
	at   int64
	node int
}

const (
	nodes     = 3
	nodeMiB   = 1024
	taskMiB   = 256
	nodeBeat  = 1000
	amBeat    = 1004
	mapRow    = 20 // priorities of the requests
	reduceRow = 10
)

// made is the run in the making: a clock of milliseconds.
type made struct {
	sched *capacity.Scheduler
	jobs  []*job
	now   int64
	next  []int64   // next heartbeat of each node
	el    *changing // nil: the nodes stay
	beats []beat
	resp  yarn.AskResponse
	seed  uint64
}

// scenario is what is submitted: two queues, three users, jobs that overlap.
func scenario() []*job {
	j := func(name, queue, user string, at int64, maps, reduces int32, mapMS, reduceMS int64, slowstart float64) *job {
		return &job{name: name, queue: queue, user: user, planned: at, maps: maps, reduces: reduces, mapMS: mapMS,
			reduceMS: reduceMS, slowstart: slowstart,
			app: -1, submit: -1, registered: -1, finish: -1, done: -1, freed: -1, lastMap: -1, tries: map[int32]int{}}
	}
	return []*job{
		j("m1-large", "prod", "ann", 0, 12, 2, 12000, 8000, 1),
		j("m2-small", "adhoc", "ben", 3000, 2, 1, 9000, 4000, 1),
		j("m3-medium", "adhoc", "cid", 9000, 6, 2, 10000, 6000, 1),
		j("m4-small", "prod", "ann", 21000, 3, 0, 7000, 0, 1),
		j("m5-medium", "prod", "ben", 30000, 5, 1, 11000, 5000, 1),
		j("m6-small", "adhoc", "ann", 42000, 2, 1, 6000, 4000, 1),
	}
}

// draw is a value from least to most, both included, from the seed and what it
// is for.
func (m *made) draw(least, most int64, purpose uint64, of ...uint64) int64 {
	k := rng.NewKey(m.seed, purpose)
	for _, i := range of {
		k = k.At(i)
	}
	return least + int64(k.IntN(0, int(most-least+1)))
}

// simulate runs the scenario to its end under a queue file, on nodes that stay or not.
func simulate(conf *yarnconf.Config, seed uint64, elastic bool) (*made, error) {
	s, err := capacity.New(conf)
	if err != nil {
		return nil, err
	}
	m := &made{sched: s, jobs: scenario(), seed: seed, next: make([]int64, nodes)}
	if elastic {
		m.el = &changing{there: []bool{true, true, true}, lost: -1, left: -1, drained: -1}
	}
	for n := range nodes {
		if err := m.addNode(n); err != nil {
			return nil, err
		}
		m.next[n] = 137 + 311*int64(n)
	}
	for ; !m.over(); m.now++ {
		if m.now > 3_600_000 {
			return nil, fmt.Errorf("maderun: not finished after an hour")
		}
		if err := m.tick(); err != nil {
			return nil, err
		}
	}
	return m, nil
}

func (m *made) addNode(n int) error {
	_, err := m.sched.AddNode(yarn.NodeSpec{Name: nodeName(n), Rack: "/default-rack", Host: nodeName(n), Port: 40001 + n,
		Resource: yarn.Resource{Memory: nodeMiB, VCores: 4}})
	return err
}

func nodeName(n int) string { return fmt.Sprintf("n%d", n+1) }

func (m *made) over() bool {
	return !slices.ContainsFunc(m.jobs, func(j *job) bool { return j.freed < 0 })
}

// tick is one millisecond: submissions, application masters, nodes.
func (m *made) tick() error {
	if m.el != nil {
		if err := m.turn(); err != nil {
			return err
		}
	}
	for i, j := range m.jobs {
		if j.app < 0 && m.now == j.planned+m.draw(90, 160, 1, uint64(i)) {
			j.submit = m.now
		}
		if j.app < 0 && j.submit >= 0 && m.now == j.submit+4 {
			app, err := m.sched.Submit(yarn.AppSpec{Name: j.name, User: j.user, Queue: "root." + j.queue,
				AM: yarn.Resource{Memory: taskMiB, VCores: 1}})
			if err != nil {
				return err
			}
			j.app = app
		}
		m.master(i, j)
	}
	for n := range m.next {
		if m.now == m.next[n] && (m.el == nil || m.el.there[n] && !m.drained(n)) {
			m.node(n)
		}
	}
	return nil
}

// node is a node's heartbeat: what ended is free, the scheduler places.
func (m *made) node(n int) {
	m.next[n] = m.now + nodeBeat
	m.beats = append(m.beats, beat{m.now, n})
	var done []yarn.Container
	for _, j := range m.jobs {
		for _, c := range j.containers {
			if c.node == n && c.exited >= 0 && c.exited < m.now && c.released < 0 {
				c.released = m.now
				done = append(done, yarn.Container{App: j.app, Ordinal: c.ordinal})
			}
		}
	}
	for _, e := range m.sched.Beat(yarn.NodeID(n), done, nil) {
		if e.Kind != yarn.Allocate || e.Refused {
			continue
		}
		j := m.jobs[slices.IndexFunc(m.jobs, func(j *job) bool { return j.app == e.App })]
		c := &container{job: j, ordinal: e.Ordinal, priority: e.Priority, task: -1, node: int(e.Node), kind: "UNUSED",
			allocated: m.now,
			acquired:  -1, request: -1, localised: -1, exec: -1, up: -1, exited: -1, shuffled: -1, sorted: -1, finished: -1,
			released: -1}
		j.containers = append(j.containers, c)
		if e.Ordinal == 0 {
			c.kind, c.acquired = "AM", m.now+1
			m.launch(c, m.now+8)
			j.registered = c.up + m.draw(700, 1100, 2, uint64(j.app))
		}
	}
}

// launch sets when a container's process starts and is up.
func (m *made) launch(c *container, at int64) {
	app, ord := uint64(c.job.app), uint64(c.ordinal)
	c.request = at
	c.localised = at + m.draw(60, 240, 3, app, ord)
	c.exec = c.localised + m.draw(40, 90, 4, app, ord)
	c.up = c.exec + m.draw(330, 700, 5, app, ord)
}
