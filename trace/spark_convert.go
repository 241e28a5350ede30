package trace

import (
	"cmp"
	"math"
	"slices"

	"schedtune/simcore"
	"schedtune/trace/internal/history"
	"schedtune/trace/sparklog"
)

// sparkConverter makes a recorded application one of the workload.
type sparkConverter struct {
	*converter
	job  *Job
	app  *sparklog.App
	out  *simcore.SparkApp
	jobs []sparklog.Job // by submission

	attempts map[int32][]*sparklog.Stage // by stage id, in order of attempts
	index    map[int32]int32             // stage id to index into out.Stages
	wrote    map[int32]int32             // data set of a stage that wrote shuffle output, to its index
	sets     map[int32]int32             // RDD id to the number of the cached data set
	blocks   map[int32][]block           // by number of the data set
	pools    map[string]int32
	profiles map[int32]int32
	usual    Millis           // overhead of a task that is not its executor's first, median
	firstEnd map[int32]Millis // by executor: the first end of a task on it
}

// spark fills s with the application of j, and reports whether there is one.
func (c *converter) spark(j *Job, s *simcore.Job) bool {
	app := j.Spark
	switch app.Manager() {
	case sparklog.Local:
		c.notes.add(Dropped, "Spark applications of a local master: they take no containers of a cluster")
		return false
	case sparklog.Standalone, sparklog.Kubernetes, sparklog.Mesos:
		c.notes.add(Assumed, "Spark applications of another cluster manager run on YARN, with the executors they had")
	}
	k := &sparkConverter{converter: c, job: j, app: app, out: &simcore.SparkApp{}, attempts: map[int32][]*sparklog.Stage{},
		index: map[int32]int32{}, wrote: map[int32]int32{}, sets: map[int32]int32{}, blocks: map[int32][]block{},
		pools: map[string]int32{}, firstEnd: map[int32]Millis{}}
	k.settings(s)
	k.overheads()
	k.program()
	if len(k.out.Jobs) == 0 {
		c.notes.add(Dropped, "Spark applications that ran nothing")
		return false
	}
	s.Maps, s.Reduces, s.Spark = 0, 0, k.out
	return true
}

func (k *sparkConverter) settings(s *simcore.Job) {
	set, exec, driver, problem := sparkSettings(k.app)
	if problem != nil {
		k.notes.addFirst(1, Assumed, k.app.ID+": "+problem.Error(), "applications whose settings cannot be read: Spark's "+
			"defaults count")
	}
	if seen := k.app.MostExecutors(); !set.Dynamic && seen > 0 && k.app.Conf["spark.executor.instances"] == "" &&
		(k.app.Conf == nil || k.app.Manager() != sparklog.YARN) {
		set.Instances = int32(seen)
		k.notes.add(Assumed, "Spark applications whose number of executors is not set: as many as were there")
	}
	s.Unmanaged = driver == (simcore.Vec{})
	if d, since := k.app.ReadyDelays(); len(d) > 0 && d[len(d)/4] >= sparklog.SlowReady {
		k.out.Ready = toTime(since[len(d)/4]) // tasks waited for them
	}
	k.out.Executors, k.profiles = sparkExecutors(k.app, exec)
	if set.Dynamic && k.startedWith(&set) {
		k.notes.add(Assumed, "Spark applications with more executors than their tasks could ask for: asked for at the start")
	}
	k.out.Settings = set
	if !set.Dynamic && len(k.out.Executors) > 1 { // task resource profiles: all executors are of the default one
		k.out.Executors = k.out.Executors[:1]
		clear(k.profiles)
		k.notes.add(Assumed, "Spark applications with resource profiles and without dynamic allocation: stages take as "+
			"many cores for a task as the default profile")
	}
	s.AMAsk = driver
	if set.Fair {
		k.out.Pools = []simcore.SparkPool{{Name: "default", Weight: 1}}
		k.pools["default"] = 0
	}
}

// startedWith raises the executors asked for at the start where more of them registered than
// the tasks submitted by then could ask for, as by defaults of a vendor that no log tells, and
// reports whether it did. A job that came before most of them did not wait for them. Logs
// without their first job lack tasks, and speculation asks for more than there are.
func (k *sparkConverter) startedWith(set *simcore.SparkSettings) bool {
	if set.Speculation || len(k.app.Jobs) == 0 || k.app.Jobs[0].ID != 0 {
		return false
	}
	gone, added := Millis(Unknown), []Millis{}
	for e := range history.Pointers(k.app.Executors) {
		if gone = history.Earlier(gone, e.Removed); e.Added.Known() && e.Profile == 0 && e.ID != "driver" {
			added = append(added, e.Added)
		}
	}
	slices.Sort(added)
	slots, most := int64(max(1, k.out.Executors[0].Slots())), 0
	for i, at := range added {
		tasks := int64(0)
		for st := range history.Pointers(k.app.Stages) {
			if st.Submit.Known() && st.Submit <= at {
				tasks += int64(st.Tasks)
			}
		}
		if gone.Known() && gone <= at || tasks >= slots*int64(len(added)) {
			break // others may stand for it, or all were asked for
		}
		if int64(i)*slots >= tasks {
			most = i + 1
		}
	}
	if most <= int(set.Start()) {
		return false
	}
	set.Initial = int32(most)
	if n := int(math.Ceil(float64(most)*set.MinRegistered - 1e-9)); n > 0 && k.app.Jobs[0].Submit < added[n-1] {
		set.MinRegistered = 0
	}
	return true
}

// overheads measures what a task takes beside its run time where it is not the
// first on its executor.
func (k *sparkConverter) overheads() {
	for _, t := range k.app.Tasks() {
		if e, seen := k.firstEnd[t.Executor]; t.Finish.Known() && (!seen || t.Finish < e) {
			k.firstEnd[t.Executor] = t.Finish
		}
	}
	var later, all []Millis
	for _, t := range k.app.Tasks() {
		if o := t.Overhead(); o.Known() && t.Reason == sparklog.Success {
			all = append(all, o)
			if !k.first(t) {
				later = append(later, o)
			}
		}
	}
	if len(later) > 0 {
		slices.Sort(later)
		k.usual = later[len(later)/2]
	} else if len(all) > 0 {
		k.usual = slices.Min(all)
	}
}

// first reports whether a task ran on its executor before any other had ended
// there.
func (k *sparkConverter) first(t *sparklog.Task) bool {
	e, seen := k.firstEnd[t.Executor]
	const handOver = 50 // ms: the driver gives a core away before it notes the end
	return t.Executor >= 0 && seen && t.Launch.Known() && t.Launch < e-handOver
}

// program carries over the jobs and their stages in the order in which they
// were submitted.
func (k *sparkConverter) program() {
	app := k.app
	k.jobs = slices.Clone(app.Jobs)
	perJob := map[int32][]int32{} // job id to its stages' ids
	for st := range history.Pointers(app.Stages) {
		if len(k.attempts[st.ID]) == 0 {
			perJob[st.Job] = append(perJob[st.Job], st.ID)
		}
		k.attempts[st.ID] = append(k.attempts[st.ID], st)
	}
	k.orphans(perJob)
	slices.SortStableFunc(k.jobs, func(a, b sparklog.Job) int {
		return cmp.Or(cmp.Compare(a.Submit, b.Submit), cmp.Compare(a.ID, b.ID))
	})
	set := &k.out.Settings
	start := codeStart(app, set.Start(), set.MinRegistered, Millis(set.MaxRegisteredWait/simcore.Millisecond))
	ord := jobOrder(k.jobs, start)
	for i := range k.jobs {
		j := &k.jobs[i]
		out := simcore.SparkJob{After: ord.after[i], Delay: toTime(ord.gap[i]), FirstStage: int32(len(k.out.Stages)),
			Pool: k.pool(j.Pool)}
		for _, rdd := range j.Unpersisted {
			if n, ok := k.sets[rdd]; ok {
				out.Unpersist = append(out.Unpersist, n)
			}
		}
		ids := perJob[j.ID]
		slices.SortStableFunc(ids, func(a, b int32) int {
			return cmp.Or(cmp.Compare(k.attempts[a][0].Submit, k.attempts[b][0].Submit), cmp.Compare(a, b))
		})
		for _, id := range ids {
			k.stage(id, int32(i))
		}
		out.Stages = int32(len(k.out.Stages)) - out.FirstStage
		k.out.Jobs = append(k.out.Jobs, out)
	}
	k.rest(start)
}

// orphans makes jobs of stages that no job of the log names, as in a log whose
// beginning is not there.
func (k *sparkConverter) orphans(perJob map[int32][]int32) {
	const none = Unknown
	named := map[int32]bool{}
	for i := range k.jobs {
		named[k.jobs[i].ID] = true
	}
	var lost []int32
	for i := range k.app.Stages { // in order, not that of the map
		if st := &k.app.Stages[i]; !named[st.Job] && k.attempts[st.ID][0] == st {
			lost = append(lost, st.ID)
		}
	}
	if len(lost) == 0 {
		return
	}
	k.notes.addCount(len(lost), Assumed, "stages of no recorded job are jobs of their own")
	next := int32(-2)
	for _, id := range lost {
		st := k.attempts[id][0]
		submit := st.Submit
		for x := range st.Attempts {
			if t := st.Attempts[x].Launch; !submit.Known() || t.Known() && t < submit {
				submit = t
			}
		}
		k.jobs = append(k.jobs, sparklog.Job{ID: next, Submit: submit, End: st.End, Execution: none})
		perJob[next] = []int32{id}
		next--
	}
}

// rest keeps the application as long after its last job as it was.
func (k *sparkConverter) rest(start Millis) {
	end := k.app.End
	if !end.Known() {
		return
	}
	last := start
	var after []int32
	for i := range k.jobs {
		last = max(last, k.jobs[i].Submit, k.jobs[i].End)
		after = append(after, int32(i))
	}
	const usual = 20 // ms from the last job to the end, which the runtime adds itself
	if len(k.jobs) == 0 && !last.Known() || end-last < usual {
		return
	}
	// only jobs that no other waits for
	waited := map[int32]bool{}
	for i := range k.out.Jobs {
		for _, a := range k.out.Jobs[i].After {
			waited[a] = true
		}
	}
	after = slices.DeleteFunc(after, func(i int32) bool { return waited[i] })
	k.out.Jobs = append(k.out.Jobs, simcore.SparkJob{After: after, Delay: toTime(end - last),
		FirstStage: int32(len(k.out.Stages))})
}

func (k *sparkConverter) pool(name string) int32 {
	if !k.out.Settings.Fair {
		return 0
	}
	name = cmp.Or(name, "default")
	if _, ok := k.pools[name]; !ok {
		k.pools[name] = int32(len(k.out.Pools))
		k.out.Pools = append(k.out.Pools, simcore.SparkPool{Name: name, Weight: 1})
		k.notes.add(Assumed, "pools of the FAIR scheduler inside applications: FIFO, weight 1, no minimum (an event log "+
			"does not tell)")
	}
	return k.pools[name]
}
