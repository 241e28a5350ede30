package snapshot

import (
	"cmp"
	"slices"

	"schedtune/internal/rng"
	"schedtune/simcore"
	"schedtune/simcore/yarn"
)

// What runs inside an application that has its master.

// reduces is the priority of MapReduce's requests for reduces; those for maps have
// others (RMContainerAllocator).
const reduces = 10

// known is what is known of the tasks of a MapReduce application, by kind. Instants
// are in milliseconds.
type known struct {
	done    [2]int32          // tasks that are over
	held    [2][]Container    // containers of tasks, the oldest first
	starts  [2][]int64        // when tasks in containers began, ascending; none where nobody tells
	times   [2][]simcore.Time // what tasks may last, ascending
	lastMap int64             // when the last map was over; 0: not all are
}

// byKind splits an application's task containers into maps and reduces, the oldest
// first.
func byKind(a *App) (out [2][]Container) {
	for _, c := range a.Containers[1:] {
		k := simcore.Map
		if c.Priority == reduces {
			k = simcore.Reduce
		}
		out[k] = append(out[k], c)
	}
	for k := range out {
		slices.SortStableFunc(out[k], func(x, y Container) int { return cmp.Compare(x.Since, y.Since) })
	}
	return out
}

// asked sums the pending requests of reduces, and of maps.
func asked(a *App) (out [2]int32) {
	for _, x := range a.Asks {
		if x.Priority == reduces {
			out[simcore.Reduce] += x.Count
		} else {
			out[simcore.Map] += x.Count
		}
	}
	return out
}

// told takes up a MapReduce application whose master tells its tasks.
func (d *drawing) told(w *yarn.WarmJob, job *simcore.Job, a *App, twin *past, key rng.Key) {
	m := a.Master
	n := known{held: byKind(a), lastMap: m.lastMap()}
	for k := range m.Tasks {
		for _, t := range m.Tasks[k] {
			if t.Finish == 0 {
				n.starts[k] = append(n.starts[k], t.Start)
				continue
			}
			n.done[k]++
		}
		slices.Sort(n.starts[k])
		n.held[k] = n.held[k][max(0, len(n.held[k])-int(max(m.Total[k], 0))):]
		n.done[k] = min(n.done[k], m.Total[k]-int32(len(n.held[k])))
	}
	job.MapAsk, job.ReduceAsk = vec(m.Size[simcore.Map]), vec(m.Size[simcore.Reduce])
	job.Maps, job.Reduces, job.Slowstart = m.Total[0], m.Total[1], m.Slowstart
	d.tasks(w, job, a, twin, &n, key)
}

// guessed takes up a MapReduce application of which only the ResourceManager tells:
// its containers, its requests, and, from earlier ones like it, the reduces that it
// has not asked for yet.
func (d *drawing) guessed(w *yarn.WarmJob, job *simcore.Job, a *App, twin *past, key rng.Key) {
	n, want := known{held: byKind(a)}, asked(a)
	job.Maps = want[0] + int32(len(n.held[0]))
	job.Reduces = want[1] + int32(len(n.held[1]))
	if twin != nil {
		t := &d.c.Work.Jobs[twin.job]
		job.Slowstart = t.Slowstart
		if t.Maps > job.Maps {
			n.done[0], job.Maps = t.Maps-job.Maps, t.Maps
		}
		if job.Maps > 0 && n.done[0] < job.Maps && t.Reduces > job.Reduces {
			job.Reduces = t.Reduces
		}
	}
	d.tasks(w, job, a, twin, &n, key)
}

// lastMap is when the last of a job's maps was over; 0: not all are.
func (m *Master) lastMap() (last int64) {
	n := int32(0)
	for _, t := range m.Tasks[simcore.Map] {
		if t.Finish > 0 {
			n++
			last = max(last, t.Finish)
		}
	}
	if n < m.Total[simcore.Map] {
		return 0
	}
	return last
}

// over are the times of a job's tasks that are over.
func (m *Master) over(k simcore.Kind, lastMap int64) (out []simcore.Time) {
	for _, t := range m.Tasks[k] {
		if t.Finish > 0 {
			from := t.Start
			if k == simcore.Reduce {
				from = max(from, lastMap)
			}
			out = append(out, simcore.Time(max(t.Finish-from, 0))*simcore.Millisecond)
		}
	}
	return out
}

// tells reports whether enough of a job's tasks are over.
func (m *Master) tells() bool {
	return m != nil && len(m.over(simcore.Map, 0)) >= enough
}

// times are what an application's tasks of a kind may last, ascending: as those of
// its own that are over, with few of these also as those of the earlier one.
func (d *drawing) times(a *App, k simcore.Kind, twin *past, lastMap int64) []simcore.Time {
	var own []simcore.Time
	if a.Master != nil {
		own = a.Master.over(k, lastMap)
	}
	if len(own) < enough {
		more := d.past.all[k]
		if twin != nil && len(twin.times[k]) > 0 {
			more = twin.times[k]
		}
		own = append(own, more...)
	}
	slices.Sort(own)
	return own
}

// enough finished tasks tell by themselves how long the others last.
const enough = 3

// tasks appends the tasks of a job: those done, in containers, to come.
func (d *drawing) tasks(w *yarn.WarmJob, job *simcore.Job, a *App, twin *past, n *known, key rng.Key) {
	job.FirstTask = int32(len(d.w.Tasks.Duration))
	w.MapsDone, w.ReducesDone = n.done[0], n.done[1]
	for k := range n.times {
		n.times[k] = d.times(a, simcore.Kind(k), twin, n.lastMap)
	}
	d.supposed(n, key)
	number := uint64(0)
	for k, total := range [2]int32{job.Maps, job.Reduces} {
		for i := range total {
			number++
			key := key.At(number)
			took := n.times[k][key.IntN(0, len(n.times[k]))]
			d.task(took)
			if c := int(i - n.done[k]); c >= 0 && c < len(n.held[k]) {
				w.Tasks = append(w.Tasks, d.inContainer(n, simcore.Kind(k), c, took, key))
			}
		}
	}
	if len(n.held[0]) > 0 {
		job.MapAsk = vec(n.held[0][0].Size)
	}
	if len(n.held[1]) > 0 {
		job.ReduceAsk = vec(n.held[1][0].Size)
	}
	for _, x := range a.Asks {
		if x.Priority == reduces {
			job.ReduceAsk = vec(x.Size)
		} else {
			job.MapAsk = vec(x.Size)
		}
	}
	d.sizes(job)
	w.ReducesAsked = min(asked(a)[simcore.Reduce], job.Reduces-n.done[1]-int32(len(n.held[1])))
}

// inContainer is the task in the c-th container of a kind, which would last took
// from its start: what is left of it is drawn by its age.
func (d *drawing) inContainer(n *known, k simcore.Kind, c int, took simcore.Time, key rng.Key) yarn.WarmTask {
	held := &n.held[k][c]
	t := yarn.WarmTask{Kind: k, Size: held.Size, Since: d.instant(held.Since)}
	t.Node, _ = d.node(held.Node)
	from := t.Since + d.lag
	if c < len(n.starts[k]) {
		from = d.instant(n.starts[k][c])
	}
	if k == simcore.Reduce && n.lastMap > 0 {
		from = max(from, d.instant(n.lastMap))
	}
	age := max(d.At-from, 0)
	t.Left = took - age
	if t.Left <= 0 || age > 0 {
		t.Left = left(n.times[k], age, key)
	} else {
		t.Left += from - d.At // not at work yet
	}
	return t
}

// supposed draws what a job's tasks last where none is over anywhere: as long again
// as the oldest has run by an even chance, twice as long again by one in three, and
// so on (the chance to last longer than a time falls with its reciprocal), and all
// tasks of the job alike. A reduce is at work from the end of the last map; reduces that
// nothing describes are like maps.
func (d *drawing) supposed(n *known, key rng.Key) {
	times := &n.times
	for k := range times {
		if len(times[k]) > 0 {
			continue
		}
		switch {
		case len(n.held[k]) > 0 && (k == 0 || n.lastMap > 0):
			oldest := max(d.age(max(n.held[k][0].Since, n.lastMap)), simcore.Second)
			times[k] = []simcore.Time{simcore.Time(float64(oldest) / (leastChance + (1-leastChance)*key.Float64(uint64(5+k))))}
		case k > 0 && len(times[0]) > 0:
			times[k] = times[0]
		default:
			times[k] = []simcore.Time{unknown}
		}
	}
}

// leastChance bounds what tasks are supposed to last at 20 times the age.
const leastChance = 0.05

// sizes fills in what the requests do not tell: reduces are of the size of those of
// an earlier application like it, else of maps.
func (d *drawing) sizes(job *simcore.Job) {
	if list := d.twins[d.i]; len(list) > 0 {
		t := &d.c.Work.Jobs[list[len(list)-1].job]
		if job.MapAsk == (simcore.Vec{}) {
			job.MapAsk = t.MapAsk
		}
		if job.ReduceAsk == (simcore.Vec{}) {
			job.ReduceAsk = t.ReduceAsk
		}
	}
	if job.ReduceAsk == (simcore.Vec{}) {
		job.ReduceAsk = job.MapAsk
	}
	if job.MapAsk == (simcore.Vec{}) {
		job.MapAsk = job.ReduceAsk
	}
}

// spans are what earlier applications like the one at hand lasted, ascending.
func (d *drawing) spans() (out []simcore.Time) {
	for _, p := range d.twins[d.i] {
		if p.span > 0 {
			out = append(out, p.span)
		}
	}
	slices.Sort(out)
	return out
}

// held takes up an application of any other kind: it keeps what it holds until its
// end, which earlier ones like it tell.
func (d *drawing) held(w *yarn.WarmJob, job *simcore.Job, a *App, key rng.Key, spans []simcore.Time) {
	rest := unknown
	if len(spans) > 0 {
		rest = left(spans, d.age(a.Containers[0].Since), key)
	}
	d.keep(w, job, a, rest)
}

// keep has an application keep what it holds for a time.
func (d *drawing) keep(w *yarn.WarmJob, job *simcore.Job, a *App, rest simcore.Time) {
	want := asked(a)
	job.Maps, job.FirstTask = int32(len(a.Containers))-1+want[0]+want[1], int32(len(d.w.Tasks.Duration))
	if job.Maps == 0 { // a master alone: it is over when it would register
		w.Registered, w.Left = false, rest
		return
	}
	for _, c := range a.Containers[1:] {
		n, _ := d.node(c.Node)
		d.task(rest)
		w.Tasks = append(w.Tasks, yarn.WarmTask{Node: n, Size: c.Size, Since: d.instant(c.Since), Left: rest})
		job.MapAsk = vec(c.Size)
	}
	for _, x := range a.Asks {
		job.MapAsk = vec(x.Size)
		for range x.Count {
			d.task(rest / 2) // it comes later and goes with the others
		}
	}
}
