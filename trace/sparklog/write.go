package sparklog

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"sort"
	"strconv"
)

// Write writes the application as an event log: one line per event, in the
// order of their times, with the members that Read uses and those that Spark's
// own history server needs to show jobs, stages, tasks and executors. What App
// does not hold (SQL plans, metrics, call sites) is not there. Reading the
// result gives the same application, its notes and counts aside. One whose parts do not
// fit together is an error (see Check).
func (a *App) Write(w io.Writer) error {
	if err := a.Check(); err != nil {
		return fmt.Errorf("application %s: %w", a.ID, err)
	}
	out := logWriter{w: bufio.NewWriterSize(w, 1<<16)}
	out.head(a)
	for _, e := range a.timeline() {
		out.line(e.body)
	}
	if out.err != nil {
		return fmt.Errorf("application %s: %w", a.ID, out.err)
	}
	return out.w.Flush()
}

type object = map[string]any // keys come out in order of name

// logWriter writes lines and keeps the first error.
type logWriter struct {
	w   *bufio.Writer
	err error
}

// line writes one event with its name first, as Spark does.
func (o *logWriter) line(body object) {
	if o.err != nil {
		return
	}
	name := body["Event"]
	delete(body, "Event")
	text, err := json.Marshal(body)
	if err != nil {
		o.err = err
		return
	}
	body["Event"] = name
	_, o.err = fmt.Fprintf(o.w, "{\"Event\":\"%s\"", name)
	if o.err == nil && len(text) > 2 {
		_, o.err = fmt.Fprintf(o.w, ",%s", text[1:])
	} else if o.err == nil {
		_, o.err = o.w.WriteString("}")
	}
	if o.err == nil {
		o.err = o.w.WriteByte('\n')
	}
}

// head writes what stands before the first job.
func (o *logWriter) head(a *App) {
	o.line(object{"Event": "SparkListenerLogStart", "Spark Version": a.Version})
	for i := range a.Profiles {
		o.line(profileEvent(&a.Profiles[i]))
	}
	if a.Ready.Known() {
		o.line(object{"Event": "SparkListenerBlockManagerAdded", "Timestamp": a.Ready, "Maximum Memory": 0,
			"Block Manager ID": object{"Executor ID": "driver", "Host": a.DriverHost, "Port": 0}})
	}
	if a.Conf != nil {
		o.line(object{"Event": "SparkListenerEnvironmentUpdate", "JVM Information": object{}, "Spark Properties": a.Conf,
			"Hadoop Properties": object{}, "System Properties": object{}, "Classpath Entries": object{}})
	}
	start := object{"Event": "SparkListenerApplicationStart", "App Name": a.Name, "App ID": a.ID, "Timestamp": a.Start, "User": a.User}
	if a.Attempt != "" {
		start["App Attempt ID"] = a.Attempt
	}
	if a.DriverContainer != "" {
		start["Driver Attributes"] = object{"NM_HOST": a.DriverHost, "CONTAINER_ID": a.DriverContainer}
	}
	o.line(start)
}

func profileEvent(p *Profile) object {
	amount := func(name string, v any) object {
		return object{"Resource Name": name, "Amount": v, "Discovery Script": "", "Vendor": ""}
	}
	exec := object{"cores": amount("cores", p.Cores), "memory": amount("memory", p.Memory), "offHeap": amount("offHeap", p.OffHeap)}
	if p.Overhead >= 0 {
		exec["memoryOverhead"] = amount("memoryOverhead", p.Overhead)
	}
	if p.PySpark > 0 {
		exec["pyspark.memory"] = amount("pyspark.memory", p.PySpark)
	}
	task := object{"cpus": object{"Resource Name": "cpus", "Amount": p.TaskCPUs}}
	if p.TasksByOther > 0 {
		exec["gpu"] = amount("gpu", p.TasksByOther)
		task["gpu"] = object{"Resource Name": "gpu", "Amount": 1.0}
	}
	return object{"Event": "SparkListenerResourceProfileAdded", "Resource Profile Id": p.ID,
		"Executor Resource Requests": exec, "Task Resource Requests": task}
}

// timed is one event with its time; at one time, what ends comes before what
// begins, and the events of one thing keep their order.
type timed struct {
	at   Millis
	rank int
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

// timeline lists the events behind the head. An event without a time takes
// that of what it belongs to.
func (a *App) timeline() []timed {
	var all []timed
	add := func(at Millis, rank int, body object) { all = append(all, timed{at, rank, body}) }
	for i := range a.Executors {
		a.executorEvents(&a.Executors[i], add)
	}
	submitted := map[int32]Millis{}
	for i := range a.Jobs {
		j := &a.Jobs[i]
		for _, rdd := range j.Unpersisted {
			add(j.Submit, rankJob, object{"Event": "SparkListenerUnpersistRDD", "RDD ID": rdd})
		}
		add(j.Submit, rankJob, a.jobEvent(j))
		if j.Result != Unfinished {
			result := "JobSucceeded"
			if j.Result == Failed {
				result = "JobFailed"
			}
			add(j.End, rankJobEnd, object{"Event": "SparkListenerJobEnd", "Job ID": j.ID, "Completion Time": j.End,
				"Job Result": object{"Result": result}})
		}
		submitted[j.ID] = j.Submit
	}
	for i := range a.Stages {
		a.stageEvents(&a.Stages[i], submitted, add)
	}
	if a.End.Known() {
		end := object{"Event": "SparkListenerApplicationEnd", "Timestamp": a.End}
		if a.ExitCode != 0 {
			end["ExitCode"] = a.ExitCode
		}
		add(a.End, rankEnd, end)
	}
	sort.SliceStable(all, func(i, k int) bool {
		if all[i].at != all[k].at {
			return all[i].at < all[k].at
		}
		return all[i].rank < all[k].rank
	})
	return all
}

func (a *App) executorEvents(e *Executor, add func(Millis, int, object)) {
	if e.Added.Known() {
		info := object{"Host": e.Host, "Total Cores": e.Cores, "Log Urls": object{}, "Attributes": object{}, "Resources": object{},
			"Resource Profile Id": e.Profile, "Registration Time": e.Added}
		if e.Container != "" {
			info["Attributes"] = object{"NM_HOST": e.Host, "CONTAINER_ID": e.Container}
		}
		if e.Requested.Known() {
			info["Request Time"] = e.Requested
		}
		add(e.Added, rankExecutor, object{"Event": "SparkListenerExecutorAdded", "Timestamp": e.Added, "Executor ID": e.ID, "Executor Info": info})
	}
	if e.Storage.Known() {
		add(max(e.Storage, e.Added), rankExecutor, object{"Event": "SparkListenerBlockManagerAdded", "Timestamp": e.Storage, "Maximum Memory": 0,
			"Block Manager ID": object{"Executor ID": e.ID, "Host": e.Host, "Port": 0}})
	}
	if e.Removed.Known() {
		add(e.Removed, rankExecutor, object{"Event": "SparkListenerExecutorRemoved", "Timestamp": e.Removed, "Executor ID": e.ID, "Removed Reason": e.Why})
	}
}

// jobEvent is the start of a job with all its stages.
func (a *App) jobEvent(j *Job) object {
	infos := []object{}
	for _, id := range j.Stages {
		if st := a.firstAttempt(id); st != nil {
			infos = append(infos, a.info(st, false))
		} else if p := a.skipped(id); p != nil {
			infos = append(infos, a.info(&Stage{ID: p.ID, Tasks: p.Tasks, Parents: p.Parents, RDD: p.RDD, Submit: Unknown}, false))
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
	return object{"Event": "SparkListenerJobStart", "Job ID": j.ID, "Submission Time": j.Submit, "Stage Infos": infos,
		"Stage IDs": j.Stages, "Properties": props}
}

func (a *App) firstAttempt(id int32) *Stage {
	for i := range a.Stages {
		if a.Stages[i].ID == id {
			return &a.Stages[i]
		}
	}
	return nil
}

func (a *App) skipped(id int32) *SkippedStage {
	for i := range a.Skipped {
		if a.Skipped[i].ID == id {
			return &a.Skipped[i]
		}
	}
	return nil
}

// info is a StageInfo; ended says with its times.
func (a *App) info(st *Stage, ended bool) object {
	rdds := []object{}
	if st.RDD >= 0 {
		rdds = append(rdds, a.rddInfo(st.RDD, st.Tasks))
	}
	for _, id := range st.Cached {
		if id != st.RDD {
			rdds = append(rdds, a.rddInfo(id, st.Tasks))
		}
	}
	parents := st.Parents
	if parents == nil {
		parents = []int32{}
	}
	o := object{"Stage ID": st.ID, "Stage Attempt ID": st.Attempt, "Stage Name": st.Name, "Number of Tasks": st.Tasks,
		"RDD Info": rdds, "Parent IDs": parents, "Details": "", "Accumulables": []object{}, "Resource Profile Id": st.Profile}
	if ended && st.Submit.Known() {
		o["Submission Time"] = st.Submit
	}
	return o
}

func (a *App) rddInfo(id, tasks int32) object {
	level := object{"Use Disk": false, "Use Memory": false, "Use Off Heap": false, "Deserialized": false, "Replication": 1}
	name, parts := "", tasks
	for i := range a.Caches {
		if c := &a.Caches[i]; c.RDD == id {
			name, parts = c.Name, c.Partitions
			level["Use Disk"], level["Use Memory"], level["Replication"] = c.Disk, c.Memory, c.Replicas
		}
	}
	return object{"RDD ID": id, "Name": name, "Callsite": "", "Parent IDs": []int32{}, "Storage Level": level,
		"Number of Partitions": parts, "Number of Cached Partitions": 0, "Memory Size": 0, "Disk Size": 0}
}

func (a *App) stageEvents(st *Stage, jobs map[int32]Millis, add func(Millis, int, object)) {
	at := st.Submit
	if !at.Known() {
		at = jobs[st.Job]
	}
	add(at, rankStage, object{"Event": "SparkListenerStageSubmitted", "Stage Info": a.info(st, true), "Properties": object{}})
	for i := range st.Attempts {
		a.taskEvents(st, &st.Attempts[i], at, add)
	}
	if st.Result == Unfinished {
		return
	}
	done := a.info(st, true)
	done["Completion Time"] = st.End
	if st.Result == Failed {
		done["Failure Reason"] = "failed"
	}
	add(st.End, rankStageEnd, object{"Event": "SparkListenerStageCompleted", "Stage Info": done})
}

func (a *App) taskEvents(st *Stage, t *Task, submit Millis, add func(Millis, int, object)) {
	kind := "ResultTask"
	if st.Writes {
		kind = "ShuffleMapTask"
	}
	info := func() object {
		exec, host := "", ""
		if t.Executor >= 0 {
			exec, host = a.Executors[t.Executor].ID, a.Executors[t.Executor].Host
		}
		return object{"Task ID": t.ID, "Index": t.Index, "Attempt": t.Attempt, "Partition ID": t.Index, "Launch Time": max(t.Launch, 0),
			"Executor ID": exec, "Host": host, "Locality": t.Locality.String(), "Speculative": t.Spec, "Getting Result Time": 0,
			"Finish Time": 0, "Failed": false, "Killed": false, "Accumulables": []object{}}
	}
	begin, end := max(t.Launch, submit), max(t.Launch, submit, t.Finish)
	if t.Reason != Resubmitted {
		add(begin, rankTask, object{"Event": "SparkListenerTaskStart", "Stage ID": st.ID, "Stage Attempt ID": st.Attempt, "Task Info": info()})
	}
	done := info()
	done["Finish Time"], done["Getting Result Time"] = max(t.Finish, 0), max(t.Getting, 0)
	done["Failed"], done["Killed"] = t.Reason != Success && t.Reason != TaskKilled, t.Reason == TaskKilled
	body := object{"Event": "SparkListenerTaskEnd", "Stage ID": st.ID, "Stage Attempt ID": st.Attempt, "Task Type": kind,
		"Task End Reason": object{"Reason": t.Reason.String()}, "Task Info": done}
	if t.Run.Known() {
		body["Task Metrics"] = metrics(t)
	}
	add(end, rankTaskEnd, body)
}

func metrics(t *Task) object {
	return object{"Executor Run Time": t.Run, "Executor Deserialize Time": t.Deserialize, "JVM GC Time": t.GC,
		"Shuffle Read Metrics":  object{"Remote Bytes Read": max(t.ShuffleRemote, 0), "Local Bytes Read": max(t.ShuffleRead-t.ShuffleRemote, 0)},
		"Shuffle Write Metrics": object{"Shuffle Bytes Written": max(t.ShuffleWrite, 0)},
		"Input Metrics":         object{"Bytes Read": max(t.Input, 0)}, "Output Metrics": object{"Bytes Written": max(t.Output, 0)}}
}
