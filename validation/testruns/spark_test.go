package testruns

import (
	"fmt"
	"slices"

	"schedtune/internal/rng"
	"schedtune/simcore/sched/capacity"
	"schedtune/simcore/yarn"
	"schedtune/yarnconf"
)

// A run of Spark applications. Driver, allocation manager, application master and
// nodes are written down here once more, in milliseconds and as plainly as
// possible: what is due is done when the clock comes to it. Nothing of
// simcore/yarn is used but the Capacity Scheduler.

const (
	sparkNodes   = 3
	sparkNodeMiB = 3072
	sparkMiB     = 896 // of a driver and of an executor: 512 MiB and the least overhead
	busDelay     = 2   // of the driver's listener bus
	slowBeat     = 3000
	fastBeat     = 200
	backlog      = 1000
)

// sparkStep is a step of an application's program: a pause, then a job of a chain
// of stages, of which the tasks' sleeps are given.
type sparkStep struct {
	wait   int64
	stages [][]int64
}

// sparkApp is a planned application and what became of it; -1 = not yet.
type sparkApp struct {
	name, queue, user string
	planned           int64
	dynamic           bool
	instances, most   int   // static executors; dynamic ones at most
	idle              int64 // timeout
	steps             []sparkStep

	m     *madeSpark
	index uint64
	app   yarn.AppID
	later []agenda

	submit, allocated, registered, context, finish, unregister, freed int64

	containers []*sparkContainer
	execs      []*sparkExec
	jobs       []*sparkJob
	stages     []*sparkStage
	tasks      []*sparkTask
	manager    sparkManager
	master     sparkAM
}

// agenda is something an application does at an instant.
type agenda struct {
	at int64
	do func()
}

// sparkContainer is a container of an application.
type sparkContainer struct {
	ordinal                                            int32
	node                                               int
	allocated, acquired, toldEnd, releaseAsked, exited int64
	freed                                              int64 // the ResourceManager has its space back
	exec                                               *sparkExec
	haunts                                             bool // given back, and its process not reported gone
}

// sparkExec is an executor.
type sparkExec struct {
	id                                         int
	c                                          *sparkContainer
	launch, started, registered, blocks, ready int64
	firstTask, lastTask                        int64
	killAsked, toldStop, removed               int64
	task                                       *sparkTask
	tasks                                      int
	idleAt                                     int64 // as the manager knows, -1 = busy or not there
	known, removing                            bool
}

type sparkJob struct {
	group       string
	submit, end int64
	stages      []int
}

type sparkStage struct {
	job, next, done  int // next task to launch, tasks done
	plan             string
	ms               []int64
	parent           int
	submit, complete int64
	offered          bool
}

type sparkTask struct {
	stage, index   int
	exec           *sparkExec
	launch, finish int64
}

// madeSpark is the run in the making.
type madeSpark struct {
	sched *capacity.Scheduler
	apps  []*sparkApp
	now   int64
	next  [sparkNodes]int64
	beats []beat
	resp  yarn.AskResponse
	seed  uint64
}

// sparkScenario is what is submitted: raises and falls of the target, a gap longer
// than the idle timeout, and static executors.
func sparkScenario() []*sparkApp {
	same := func(n int, ms int64) (list []int64) {
		for i := range n {
			list = append(list, ms+97*int64(i%5))
		}
		return list
	}
	return []*sparkApp{
		{name: "s1-chain", queue: "prod", user: "ann", planned: 0, dynamic: true, most: 5, idle: 5000,
			steps: []sparkStep{{stages: [][]int64{same(14, 3000), same(4, 2500), same(2, 1500)}}}},
		{name: "s2-gap", queue: "adhoc", user: "ben", planned: 4000, dynamic: true, most: 3, idle: 5000,
			steps: []sparkStep{{stages: [][]int64{same(5, 2200)}},
				{wait: 12000, stages: [][]int64{same(6, 1800), same(2, 900)}}}},
		{name: "s3-static", queue: "adhoc", user: "cid", planned: 15000, instances: 2,
			steps: []sparkStep{{stages: [][]int64{same(7, 2600)}}}},
		{name: "s4-small", queue: "prod", user: "ben", planned: 26000, dynamic: true, most: 4, idle: 5000,
			steps: []sparkStep{{stages: [][]int64{same(3, 4000), same(3, 1200)}},
				{wait: 2000, stages: [][]int64{same(8, 1000)}}}},
	}
}

// simulateSpark runs the scenario to its end under a queue file.
func simulateSpark(conf *yarnconf.Config, seed uint64) (*madeSpark, error) {
	s, err := capacity.New(conf)
	if err != nil {
		return nil, err
	}
	m := &madeSpark{sched: s, apps: sparkScenario(), seed: seed, now: -1000}
	for n := range sparkNodes {
		_, err := s.AddNode(yarn.NodeSpec{Name: nodeName(n), Rack: "/default-rack", Host: nodeName(n), Port: 40001 + n,
			Resource: yarn.Resource{Memory: sparkNodeMiB, VCores: 8}})
		if err != nil {
			return nil, err
		}
		m.next[n] = -863 + 311*int64(n)
	}
	for i, a := range m.apps {
		a.m, a.index, a.app = m, uint64(i), -1
		a.submit, a.allocated, a.registered, a.context, a.finish, a.unregister, a.freed = -1, -1, -1, -1, -1, -1, -1
		a.in(a.planned-m.now+a.draw(90, 160, 1), a.arrive)
	}
	for ; slices.ContainsFunc(m.apps, func(a *sparkApp) bool { return a.freed < 0 }); m.now++ {
		if m.now > 600_000 {
			return nil, fmt.Errorf("maderun: not finished after ten minutes")
		}
		m.tick()
	}
	return m, nil
}

// tick is one millisecond: what the applications have to do, the turns of their
// managers, the calls of their masters, the nodes.
func (m *madeSpark) tick() {
	for _, a := range m.apps {
		a.work()
	}
	for _, a := range m.apps {
		if a.registered >= 0 && a.finish < 0 {
			a.turn()
			a.call()
		}
	}
	for n := range sparkNodes {
		if m.now >= m.next[n] {
			m.node(n)
		}
	}
}

// in puts something on the agenda, so many milliseconds from now.
func (a *sparkApp) in(ms int64, do func()) {
	a.later = append(a.later, agenda{a.m.now + ms, do})
}

// work does what is due, in the order in which it was put down.
func (a *sparkApp) work() {
	for {
		i := slices.IndexFunc(a.later, func(e agenda) bool { return e.at <= a.m.now })
		if i < 0 {
			return
		}
		e := a.later[i]
		a.later = slices.Delete(a.later, i, i+1)
		e.do()
	}
}

// draw is a value from least to most, both included.
func (a *sparkApp) draw(least, most int64, purpose uint64, of ...uint64) int64 {
	k := rng.NewKey(a.m.seed, purpose).At(a.index)
	for _, i := range of {
		k = k.At(i)
	}
	return least + int64(k.IntN(0, int(most-least+1)))
}

func (a *sparkApp) arrive() {
	a.submit = a.m.now
	app, err := a.m.sched.Submit(yarn.AppSpec{Name: a.name, User: a.user, Queue: "root." + a.queue,
		AM: yarn.Resource{Memory: sparkMiB, VCores: 1}})
	if err != nil {
		panic("maderun: " + err.Error()) // the scenario fits its queue file
	}
	a.app = app
}

// node is a node's heartbeat: processes that are gone are reported, those whose
// containers were given back are told to end, the scheduler places.
func (m *madeSpark) node(n int) {
	m.next[n] = m.now + nodeBeat
	m.beats = append(m.beats, beat{m.now, n})
	var done []yarn.Container
	for _, a := range m.apps {
		for _, c := range a.containers {
			if c.node != n {
				continue
			}
			switch {
			case c.haunts && c.exited < 0:
				c.exited = m.now + a.draw(110, 400, 20, uint64(c.ordinal))
				a.in(c.exited-m.now, func() { m.gone(a, c) })
			case c.haunts && c.exited <= m.now:
				c.haunts = false
				m.sched.Unhold(yarn.NodeID(n), yarn.Resource{Memory: sparkMiB, VCores: 1})
			case c.exited >= 0 && c.exited <= m.now && c.freed < 0:
				c.freed = m.now
				done = append(done, yarn.Container{App: a.app, Ordinal: c.ordinal})
			}
		}
	}
	for _, e := range m.sched.Beat(yarn.NodeID(n), done, nil) {
		if e.Kind == yarn.Allocate && !e.Refused {
			m.allocated(&e)
		}
	}
	for _, a := range m.apps {
		if len(a.containers) > 0 && a.containers[0].freed == m.now {
			m.sched.End(a.app)
			a.freed = m.now
		}
	}
}

func (m *madeSpark) allocated(e *yarn.Event) {
	a := m.apps[slices.IndexFunc(m.apps, func(a *sparkApp) bool { return a.app == e.App })]
	c := &sparkContainer{ordinal: e.Ordinal, node: int(e.Node), allocated: m.now, acquired: -1, toldEnd: -1,
		releaseAsked: -1, exited: -1, freed: -1}
	a.containers = append(a.containers, c)
	if e.Ordinal == 0 {
		c.acquired, a.allocated = m.now+1, m.now
		a.in(a.draw(1100, 1700, 2), a.register)
	}
}

// gone is the end of a process: its node says so at once.
func (m *madeSpark) gone(a *sparkApp, c *sparkContainer) {
	m.next[c.node] = min(m.next[c.node], m.now)
	if e := c.exec; e != nil && a.finish < 0 {
		a.in(a.draw(20, 60, 21, uint64(e.id)), func() { a.removed(e) })
	}
}
