package sparklog

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
)

// writeEvents writes the application as Spark would: one line per event, in the order of
// their times. Reading the result gives the same application, its notes and counts aside.
func (a *App) writeEvents(w io.Writer) error {
	out := logWriter{app: a, w: bufio.NewWriterSize(w, 1<<16)}
	out.head()
	out.timeline()
	return cmp.Or(out.err, out.w.Flush())
}

type object = map[string]any // keys come out in order of name

// logWriter writes the events of an application and keeps the first error.
type logWriter struct {
	app    *App
	w      *bufio.Writer
	events []timed
	err    error
}

// line writes one event with its name first, as Spark does.
func (o *logWriter) line(name string, body object) {
	text, err := json.Marshal(body)
	if err == nil && o.err == nil {
		_, err = fmt.Fprintf(o.w, "{\"Event\":\"%s%s\",%s\n", corePrefix, name, text[1:])
	}
	o.err = cmp.Or(o.err, err)
}

// head writes what stands before the first job.
func (o *logWriter) head() {
	a := o.app
	o.line("LogStart", object{"Spark Version": a.Version})
	for i := range a.Profiles {
		o.profile(&a.Profiles[i])
	}
	if a.Ready.Known() {
		o.line("BlockManagerAdded", manager(a.Ready, "driver", a.DriverHost))
	}
	if a.Conf != nil {
		o.line("EnvironmentUpdate", object{"JVM Information": object{}, "Spark Properties": a.Conf,
			"Hadoop Properties": object{}, "System Properties": object{}, "Classpath Entries": object{}})
	}
	start := object{"App Name": a.Name, "App ID": a.ID, "Timestamp": a.Start, "User": a.User}
	if a.Attempt != "" {
		start["App Attempt ID"] = a.Attempt
	}
	if a.DriverContainer != "" {
		start["Driver Attributes"] = object{"NM_HOST": a.DriverHost, "CONTAINER_ID": a.DriverContainer}
	}
	o.line("ApplicationStart", start)
}

func manager(at Millis, executor, host string) object {
	return object{"Timestamp": at, "Maximum Memory": 0, "Block Manager ID": object{"Executor ID": executor, "Host": host,
		"Port": 0}}
}

func (o *logWriter) profile(p *Profile) {
	executor, task := object{}, object{"cpus": object{"Resource Name": "cpus", "Amount": p.TaskCPUs}}
	add := func(name string, amount int64) {
		executor[name] = object{"Resource Name": name, "Amount": amount, "Discovery Script": "", "Vendor": ""}
	}
	add("cores", p.Cores)
	add("memory", p.Memory)
	add("offHeap", p.OffHeap)
	if p.Overhead >= 0 {
		add("memoryOverhead", p.Overhead)
	}
	if p.PySpark > 0 {
		add("pyspark.memory", p.PySpark)
	}
	if p.TasksByOther > 0 {
		add("gpu", p.TasksByOther)
		task["gpu"] = object{"Resource Name": "gpu", "Amount": 1.0}
	}
	o.line("ResourceProfileAdded", object{"Resource Profile Id": p.ID, "Executor Resource Requests": executor,
		"Task Resource Requests": task})
}

// timed is one event with its time; at one time, what ends comes before what
// begins, and the events of one thing keep their order.
type timed struct {
	at   Millis
	rank int
	name string
	body object
}

const (
	rankTaskEnd = iota
	rankStageEnd
	rankJobEnd
	rankExecutor
	rankJob
	rankStage
	rankTask
	rankEnd
)

func (o *logWriter) add(at Millis, rank int, name string, body object) {
	o.events = append(o.events, timed{at, rank, name, body})
}

// timeline writes the events behind the head. An event without a time takes
// that of what it belongs to.
func (o *logWriter) timeline() {
	a := o.app
	for i := range a.Executors {
		o.executor(&a.Executors[i])
	}
	stages := map[int32]*Stage{} // by id: the first attempt, or what never ran
	for _, p := range a.Skipped {
		stages[p.ID] = &Stage{ID: p.ID, Tasks: p.Tasks, Parents: p.Parents, RDD: p.RDD}
	}
	for i := range slices.Backward(a.Stages) {
		stages[a.Stages[i].ID] = &a.Stages[i]
	}
	submitted := map[int32]Millis{}
	for i := range a.Jobs {
		o.job(&a.Jobs[i], stages)
		submitted[a.Jobs[i].ID] = a.Jobs[i].Submit
	}
	for i := range a.Stages {
		o.stage(&a.Stages[i], submitted)
	}
	if a.End.Known() {
		end := object{"Timestamp": a.End}
		if a.ExitCode != 0 {
			end["ExitCode"] = a.ExitCode
		}
		o.add(a.End, rankEnd, "ApplicationEnd", end)
	}
	slices.SortStableFunc(o.events, func(x, y timed) int {
		return cmp.Or(cmp.Compare(x.at, y.at), cmp.Compare(x.rank, y.rank))
	})
	for _, e := range o.events {
		o.line(e.name, e.body)
	}
}

func (o *logWriter) executor(e *Executor) {
	if e.Added.Known() {
		info := object{"Host": e.Host, "Total Cores": e.Cores, "Log Urls": object{}, "Attributes": object{},
			"Resources":           object{},
			"Resource Profile Id": e.Profile, "Registration Time": e.Added}
		if e.Container != "" {
			info["Attributes"] = object{"NM_HOST": e.Host, "CONTAINER_ID": e.Container}
		}
		if e.Requested.Known() {
			info["Request Time"] = e.Requested
		}
		o.add(e.Added, rankExecutor, "ExecutorAdded", object{"Timestamp": e.Added, "Executor ID": e.ID,
			"Executor Info": info})
	}
	if e.Storage.Known() {
		o.add(max(e.Storage, e.Added), rankExecutor, "BlockManagerAdded", manager(e.Storage, e.ID, e.Host))
	}
	if e.Removed.Known() {
		o.add(e.Removed, rankExecutor, "ExecutorRemoved", object{"Timestamp": e.Removed, "Executor ID": e.ID,
			"Removed Reason": e.Why})
	}
}

// job adds the start of a job with all its stages, and its end.
func (o *logWriter) job(j *Job, stages map[int32]*Stage) {
	for _, rdd := range j.Unpersisted {
		o.add(j.Submit, rankJob, "UnpersistRDD", object{"RDD ID": rdd})
	}
	infos := []object{}
	for _, id := range j.Stages {
		if st := stages[id]; st != nil {
			infos = append(infos, o.info(st))
		}
	}
	props := object{}
	if j.Pool != "" {
		props["spark.scheduler.pool"] = j.Pool
	}
	if j.Group != "" {
		props["spark.jobGroup.id"] = j.Group
	}
	if j.Execution >= 0 {
		props["spark.sql.execution.id"] = strconv.FormatInt(j.Execution, 10)
	}
	o.add(j.Submit, rankJob, "JobStart", object{"Job ID": j.ID, "Submission Time": j.Submit, "Stage Infos": infos,
		"Stage IDs": j.Stages, "Properties": props})
	if j.Result != Unfinished {
		result := "JobSucceeded"
		if j.Result == Failed {
			result = "JobFailed"
		}
		o.add(j.End, rankJobEnd, "JobEnd", object{"Job ID": j.ID, "Completion Time": j.End,
			"Job Result": object{"Result": result}})
	}
}

// info is a StageInfo without its times.
func (o *logWriter) info(st *Stage) object {
	rdds := []object{}
	if st.RDD >= 0 {
		rdds = append(rdds, o.rddInfo(st.RDD, st.Tasks))
	}
	for _, id := range st.Cached {
		if id != st.RDD {
			rdds = append(rdds, o.rddInfo(id, st.Tasks))
		}
	}
	parents := append([]int32{}, st.Parents...) // not null
	return object{"Stage ID": st.ID, "Stage Attempt ID": st.Attempt, "Stage Name": st.Name, "Number of Tasks": st.Tasks,
		"RDD Info": rdds, "Parent IDs": parents, "Details": "", "Accumulables": []object{}, "Resource Profile Id": st.Profile}
}

func (o *logWriter) rddInfo(id, tasks int32) object {
	c := Cache{Partitions: tasks, Replicas: 1}
	for _, x := range o.app.Caches {
		if x.RDD == id {
			c = x
		}
	}
	return object{"RDD ID": id, "Name": c.Name, "Callsite": "", "Parent IDs": []int32{},
		"Storage Level": object{"Use Disk": c.Disk,
			"Use Memory": c.Memory, "Use Off Heap": false, "Deserialized": false, "Replication": c.Replicas},
		"Number of Partitions": c.Partitions, "Number of Cached Partitions": 0, "Memory Size": 0, "Disk Size": 0}
}

func (o *logWriter) stage(st *Stage, jobs map[int32]Millis) {
	at := st.Submit
	begun, done := o.info(st), o.info(st)
	if at.Known() {
		begun["Submission Time"], done["Submission Time"] = at, at
	} else {
		at = jobs[st.Job]
	}
	o.add(at, rankStage, "StageSubmitted", object{"Stage Info": begun, "Properties": object{}})
	for i := range st.Attempts {
		o.task(st, &st.Attempts[i], at)
	}
	if st.Result == Unfinished {
		return
	}
	done["Completion Time"] = st.End
	if st.Result == Failed {
		done["Failure Reason"] = "failed"
	}
	o.add(st.End, rankStageEnd, "StageCompleted", object{"Stage Info": done})
}

func (o *logWriter) task(st *Stage, t *Task, submit Millis) {
	kind, executor := "ResultTask", Executor{}
	if st.Writes {
		kind = "ShuffleMapTask"
	}
	if t.Executor >= 0 {
		executor = o.app.Executors[t.Executor]
	}
	info := func(finish, getting Millis, failed, killed bool) object {
		return object{"Task ID": t.ID, "Index": t.Index, "Attempt": t.Attempt, "Partition ID": t.Index,
			"Launch Time": max(t.Launch, 0),
			"Executor ID": executor.ID, "Host": executor.Host, "Locality": t.Locality.String(), "Speculative": t.Spec,
			"Getting Result Time": getting, "Finish Time": finish, "Failed": failed, "Killed": killed,
			"Accumulables": []object{}}
	}
	if t.Reason != Resubmitted {
		o.add(max(t.Launch, submit), rankTask, "TaskStart",
			object{"Stage ID": st.ID, "Stage Attempt ID": st.Attempt, "Task Info": info(0, 0, false, false)})
	}
	body := object{"Stage ID": st.ID, "Stage Attempt ID": st.Attempt, "Task Type": kind,
		"Task End Reason": object{"Reason": t.Reason.String()},
		"Task Info": info(max(t.Finish, 0), max(t.Getting, 0), t.Reason != Success && t.Reason != TaskKilled,
			t.Reason == TaskKilled)}
	if t.Run.Known() {
		body["Task Metrics"] = object{"Executor Run Time": t.Run, "Executor Deserialize Time": t.Deserialize,
			"JVM GC Time": t.GC,
			"Shuffle Read Metrics": object{"Remote Bytes Read": max(t.ShuffleRemote, 0),
				"Local Bytes Read": max(t.ShuffleRead-t.ShuffleRemote, 0)},
			"Shuffle Write Metrics": object{"Shuffle Bytes Written": max(t.ShuffleWrite, 0)},
			"Input Metrics":         object{"Bytes Read": max(t.Input, 0)},
			"Output Metrics":        object{"Bytes Written": max(t.Output, 0)}}
	}
	o.add(max(t.Launch, submit, t.Finish), rankTaskEnd, "TaskEnd", body)
}
