package snapshot

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"schedtune/internal/rng"
	"schedtune/internal/scenario"
	"schedtune/simcore"
	"schedtune/simcore/yarn"
)

// Model is a state with the history that tells how it goes on.
type Model struct {
	State *State
	// At is the moment on the clock of the simulation, whose 0 is the first submission
	// of the applications that run or wait.
	At simcore.Time
	// Notes says what was assumed.
	Notes []string

	c       *scenario.Case
	past    *history
	base    int64
	nodes   map[string]simcore.NodeID
	queues  []string // of the case's workload and of the state
	users   []string
	place   []int32   // by application: its queue
	user    []int32   // likewise
	twins   [][]*past // likewise
	guess   []bool    // likewise: neither its name nor its tasks tell how long it lasts
	named   []bool    // likewise: its twins have its name
	order   []int     // the applications as the workload has them, by submission
	lag     simcore.Time
	begin   simcore.Time // what a master takes to register
	masters []*Master    // of applications that run
	common  simcore.Vec  // size of most task containers; zero where none runs
}

// Draw is one way on from the state.
type Draw struct {
	Work *simcore.Workload
	Warm *yarn.Warm
}

// purpose is the draw of how a state goes on.
const purpose = 0x6d6f6d65

// newModel reads the history of a case for a state. place finds the leaf queue of a name;
// cores says whether the scheduler looks at cores. Errors: a container on a node that the cluster does not
// have, an application in a
// queue that the file neither has nor makes on first use.
func newModel(s *State, c *scenario.Case, place func(queue string) (string, error), cores bool) (*Model, error) {
	m := &Model{State: s, c: c, nodes: map[string]simcore.NodeID{}, base: s.Now}
	now := map[string]bool{}
	for i := range s.Apps {
		now[s.Apps[i].ID] = true
		m.base = min(m.base, s.Apps[i].Started)
	}
	m.At = simcore.Time(s.Now-m.base) * simcore.Millisecond
	m.past = newHistory(c, now)
	for i := range c.Cluster.Nodes {
		m.nodes[c.Cluster.Nodes[i].Name] = simcore.NodeID(i)
	}
	m.queues, m.users = slices.Clone(c.Work.Queues), slices.Clone(c.Work.Users)
	if err := m.leaveOut(cores); err != nil {
		return nil, err
	}
	for i := range s.Apps {
		a := &s.Apps[i]
		q, err := place(a.Queue)
		if err != nil {
			return nil, fmt.Errorf("application %s: %w", a.ID, err)
		}
		m.place = append(m.place, number(&m.queues, q))
		m.user = append(m.user, number(&m.users, a.User))
		twins, named := m.past.like(a, q)
		m.twins = append(m.twins, twins)
		m.named = append(m.named, named)
		m.guess = append(m.guess, !named && !a.Ending && !a.Master.tells() && !driverTells(a.Driver))
		m.order = append(m.order, i)
	}
	slices.SortStableFunc(m.order, func(x, y int) int { return cmp.Compare(s.Apps[x].Started, s.Apps[y].Started) })
	m.present()
	cal := c.Calibration
	m.lag = simcore.Time((cal.AMBeat/2 + cal.StartRequest.At(0.5)) * float64(simcore.Millisecond))
	m.begin = simcore.Time((cal.AMStart.At(0.5) + cal.AMWork) * float64(simcore.Millisecond))
	if s.Gone > 0 {
		m.Notes = append(m.Notes, fmt.Sprintf("%d applications run of which no container is known: they are left out",
			s.Gone))
	}
	if len(m.past.list) == 0 && len(s.Apps) > 0 {
		m.Notes = append(m.Notes, "no finished application in the history: each task is assumed to take one minute")
	}
	return m, nil
}

// present takes what running applications tell of others: their tasks that are over,
// their sizes.
func (m *Model) present() {
	count := map[simcore.Vec]int{}
	for i := range m.State.Apps {
		a := &m.State.Apps[i]
		if a.Waits() {
			continue
		}
		for _, c := range a.Containers[1:] {
			v := vec(c.Size)
			if count[v]++; count[v] > count[m.common] || count[v] == count[m.common] && v[0] < m.common[0] {
				m.common = v
			}
		}
		if a.Master == nil {
			continue
		}
		m.masters = append(m.masters, a.Master)
		last := a.Master.lastMap()
		for k := range a.Master.Tasks {
			m.past.all[k] = append(m.past.all[k], a.Master.over(simcore.Kind(k), last)...)
		}
	}
	for k := range m.past.all {
		slices.Sort(m.past.all[k])
	}
}

// guessed reports whether what application i waits for is guessed: an application that
// runs, or that waits and came before it, is not known by its name, and too few of
// its tasks are over to tell how long the others last.
func (m *Model) guessed(i int) bool {
	for k := range m.State.Apps {
		if m.guess[k] && (k < i || !m.State.Apps[k].Waits()) {
			return true
		}
	}
	return false
}

func number(list *[]string, name string) int32 {
	i := slices.Index(*list, name)
	if i < 0 {
		i = len(*list)
		*list = append(*list, name)
	}
	return int32(i)
}

// node finds a node by its address or its host.
func (m *Model) node(id string) (simcore.NodeID, error) {
	if n, ok := m.nodes[id]; ok {
		return n, nil
	}
	host, _, _ := strings.Cut(id, ":")
	if n, ok := m.nodes[host]; ok {
		return n, nil
	}
	return 0, fmt.Errorf("a container runs on node %q, which the cluster file does not have", id)
}

// drawing is one draw under construction.
type drawing struct {
	*Model
	w    *simcore.Workload
	warm *yarn.Warm
	i    int // application at hand
}

// draw draws one way on. It is a pure function of the seed.
func (m *Model) draw(seed uint64) *Draw {
	key := rng.NewKey(seed, purpose)
	old := &m.c.Work.Tasks
	d := &drawing{Model: m, warm: &yarn.Warm{At: m.At}}
	d.w = &simcore.Workload{Name: m.c.Work.Name, Queues: m.queues, Users: m.users, Classes: m.c.Work.Classes,
		Dists: m.c.Work.Dists,
		Tasks: simcore.Tasks{Duration: slices.Clone(old.Duration), Shuffle: slices.Clone(old.Shuffle),
			Input:  slices.Clone(old.Input),
			Output: slices.Clone(old.Output), HostAt: slices.Clone(old.HostAt), Hosts: old.Hosts}}
	for len(d.w.Tasks.Shuffle) < len(d.w.Tasks.Duration) {
		d.w.Tasks.Shuffle = append(d.w.Tasks.Shuffle, 0)
	}
	for _, i := range m.order {
		d.app(i, key.At(uint64(i)))
	}
	return &Draw{Work: d.w, Warm: d.warm}
}

// task appends a task that lasts so long; of a reduce the time after its shuffle.
func (d *drawing) task(took simcore.Time) {
	t := &d.w.Tasks
	t.Duration, t.Shuffle = append(t.Duration, max(took, 1)), append(t.Shuffle, 0)
	if t.Input != nil {
		t.Input = append(t.Input, 0)
	}
	if t.Output != nil {
		t.Output = append(t.Output, 0)
	}
	if len(t.HostAt) > 0 {
		t.HostAt = append(t.HostAt, int32(len(t.Hosts)))
	}
}

// vec is a size as a job asks it.
func vec(r yarn.Resource) simcore.Vec { return simcore.Vec{r.Memory, r.VCores} }

// app appends an application.
func (d *drawing) app(i int, key rng.Key) {
	d.i = i
	a := &d.State.Apps[i]
	job := simcore.Job{ID: a.ID, Name: a.Name, Class: -1, FirstTask: -1, MapDist: -1, ReduceDist: -1, Slowstart: -1}
	oldest := simcore.Time(0)
	if len(a.Containers) > 1 {
		oldest = d.age(a.Containers[1].Since)
	}
	twin := pick(d.twins[i], simcore.Map, oldest, key)
	if !a.Registered || a.Waits() {
		d.contents(&job, twin, key.At(2))
	}
	job.ID, job.Name, job.Queue, job.User = a.ID, a.Name, d.place[i], d.user[i]
	job.Priority, job.PrioritySet = a.Priority, true // as the ResourceManager has decided it
	job.Submit = simcore.Time(a.Started-d.base) * simcore.Millisecond
	switch {
	case !a.Waits():
		job.AMAsk = vec(a.Containers[0].Size)
	case len(a.Asks) > 0:
		job.AMAsk = vec(a.Asks[0].Size)
	case twin != nil:
		job.AMAsk = d.c.Work.Jobs[twin.job].AMAsk
	}
	if a.Label != "" || a.TaskLabel != "" {
		job.Labels = &simcore.JobLabels{App: a.TaskLabel, Master: cmp.Or(a.Label, yarn.DefaultPartition)}
	}
	id := simcore.JobID(len(d.w.Jobs))
	if a.Waits() {
		if a.Activated {
			d.warm.Active = append(d.warm.Active, id)
		}
	} else {
		w := yarn.WarmJob{Job: id, Size: a.Containers[0].Size, Since: d.instant(a.Containers[0].Since),
			Registered: a.Registered}
		w.Node, _ = d.node(a.Containers[0].Node)
		d.running(&w, &job, a, twin, key)
		d.warm.Jobs = append(d.warm.Jobs, w)
	}
	d.w.Jobs = append(d.w.Jobs, job)
	d.warm.Numbers, d.warm.Stamp = append(d.warm.Numbers, a.Number), a.Stamp
}

// instant puts a time on the simulation's clock, not after the moment.
func (d *drawing) instant(ms int64) simcore.Time {
	return min(max(simcore.Time(ms-d.base)*simcore.Millisecond, 0), d.At)
}

func (d *drawing) age(ms int64) simcore.Time { return d.At - d.instant(ms) }

// contents gives an application that has not asked for anything yet what an earlier
// one like it had; where there is none, what one has that runs.
func (d *drawing) contents(job *simcore.Job, twin *past, key rng.Key) {
	if twin != nil {
		*job = d.c.Work.Jobs[twin.job]
		return
	}
	job.Maps, job.FirstTask = 1, int32(len(d.w.Tasks.Duration))
	job.MapAsk, job.ReduceAsk = d.common, d.common
	if len(d.masters) > 0 {
		m := d.masters[key.IntN(7, len(d.masters))]
		job.Maps, job.Reduces, job.Slowstart = m.Total[simcore.Map], m.Total[simcore.Reduce], m.Slowstart
	}
	for k, n := range [2]int32{job.Maps, job.Reduces} {
		for i := range n {
			took := unknown
			if all := d.past.all[k]; len(all) > 0 {
				took = all[key.At(uint64(k)).IntN(uint64(i), len(all))]
			}
			d.task(took)
		}
	}
}

// unknown is how long a task lasts where nothing tells.
const unknown = simcore.Minute

// running takes up an application that has its master.
func (d *drawing) running(w *yarn.WarmJob, job *simcore.Job, a *App, twin *past, key rng.Key) {
	switch {
	case a.Ending:
		w.Closing = true
		cal := d.c.Calibration
		whole := simcore.Time((cal.Linger.At(0.5) + cal.NodeDone.At(0.5)) * float64(simcore.Millisecond))
		if a.Type == spark {
			whole = sparkEnd()
		}
		w.Left = simcore.Time(key.Float64(3) * float64(whole))
	case !a.Registered && job.Spark != nil: // not taken up as one
		job.Spark, w.Ends = nil, sparkEnd()
		d.held(w, job, a, key.At(1), d.spans())
	case !a.Registered && len(a.Containers) == 1:
		w.Left = max(d.begin-d.age(a.Containers[0].Since), simcore.Second/5)
	case a.Master != nil:
		d.told(w, job, a, twin, key)
	case a.Type == mapReduce:
		d.guessed(w, job, a, twin, key)
	case a.Type == spark:
		d.driver(w, job, a, twin, key.At(1))
	default:
		d.held(w, job, a, key.At(1), d.spans())
	}
}
