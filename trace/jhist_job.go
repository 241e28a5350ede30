package trace

import (
	"errors"
	"fmt"
	"strings"

	"schedtune/internal/fileio"
)

// jhistBuilder turns the events of one history file into a job.
type jhistBuilder struct {
	job      Job
	begun    bool
	ended    bool
	notes    *notes
	hosts    fileio.Strings
	tasks    map[string]int      // task id to index in job.Tasks
	attempts map[string]*Attempt // attempt id; attached to their tasks at the end
	order    []string            // attempt ids in order of their first event
}

// add applies one event. Events it does not know are passed over.
func (b *jhistBuilder) add(ev *event) error {
	if !b.begun {
		b.job, b.begun = NewJob(""), true
		b.job.Type = "MAPREDUCE"
	}
	f := ev.fields
	switch ev.kind {
	case "AM_STARTED":
		b.amStarted(f)
	case "JOB_SUBMITTED":
		b.submitted(f)
	case "JOB_INITED":
		b.job.Launch = f.millis("launchTime")
		b.job.Maps, b.job.Reduces = int(f.num("totalMaps")), int(f.num("totalReduces"))
		if uber, _ := unwrap(f["uberized"]).(bool); uber {
			b.notes.add(Assumed, uberNote)
		}
	case "JOB_QUEUE_CHANGED":
		b.job.Queue, b.job.Asked = f.str("jobQueueName"), false
	case "JOB_PRIORITY_CHANGED":
		b.job.Priority, b.job.PrioritySet = parsePriority(f.str("priority"))
		if strings.EqualFold(f.str("priority"), "NORMAL") {
			b.job.Priority, b.job.PrioritySet = normalPriority, true
		}
	case "TASK_STARTED":
		return b.taskStarted(f)
	case "TASK_FINISHED", "TASK_FAILED":
		return b.taskEnded(f)
	case "JOB_FINISHED", "JOB_FAILED", "JOB_KILLED", "JOB_ERROR":
		return b.jobEnded(ev.kind, f)
	case "MAP_ATTEMPT_STARTED", "REDUCE_ATTEMPT_STARTED", "SETUP_ATTEMPT_STARTED", "CLEANUP_ATTEMPT_STARTED":
		return b.attemptStarted(f)
	default:
		if strings.Contains(ev.kind, "_ATTEMPT_") {
			return b.attemptEnded(ev.kind, f)
		}
	}
	return nil
}

// uberNote is the note on jobs that ran as uber jobs.
const uberNote = "jobs that ran in the container of their master (uber): their tasks are simulated in containers of " +
	"their own"

func (b *jhistBuilder) submitted(f fields) {
	j := &b.job
	j.ID, j.Name, j.User, j.Queue = f.str("jobid"), f.str("jobName"), f.str("userName"), f.str("jobQueueName")
	j.Submit, j.Asked = f.millis("submitTime"), true
	j.planned(f.str("workflowId"), f.str("workflowNodeName"), f.str("workflowAdjacencies"))
}

// amStarted notes an attempt of the application master. Its end is not in the
// history: the container outlives the job by some seconds.
func (b *jhistBuilder) amStarted(f fields) {
	a := NewAttempt(trailingNumber(f.str("applicationAttemptId")))
	a.Host, a.Container = b.hosts.Get(f.str("nodeManagerHost")), f.str("containerId")
	a.Up = f.millis("startTime")
	t := NewTask(AM, 0)
	t.Attempts = append(t.Attempts, a)
	b.job.Tasks = append(b.job.Tasks, t)
}

func (b *jhistBuilder) taskStarted(f fields) error {
	id := f.str("taskid")
	t := NewTask(parseKind(f.str("taskType")), trailingNumber(id))
	t.Start = f.millis("startTime")
	for _, h := range strings.Split(f.str("splitLocations"), ",") {
		if h = strings.TrimSpace(h); h != "" {
			t.Hosts = append(t.Hosts, b.hosts.Get(h))
		}
	}
	b.tasks[id] = len(b.job.Tasks)
	b.job.Tasks = append(b.job.Tasks, t)
	return nil
}

// kinds are Hadoop's words for them.
var kinds = map[string]Kind{"MAP": Map, "REDUCE": Reduce, "JOB_SETUP": Setup, "SETUP": Setup, "JOB_CLEANUP": Cleanup,
	"TASK_CLEANUP": Cleanup, "CLEANUP": Cleanup}

func parseKind(s string) Kind {
	if k, ok := kinds[strings.ToUpper(s)]; ok {
		return k
	}
	return Container
}

// task returns the task of an event that names one.
func (b *jhistBuilder) task(f fields) (*Task, error) {
	i, ok := b.tasks[f.str("taskid")]
	if !ok {
		return nil, fmt.Errorf("task %q ends but never started", clip(f.str("taskid")))
	}
	return &b.job.Tasks[i], nil
}

func (b *jhistBuilder) taskEnded(f fields) error {
	t, err := b.task(f)
	if err != nil {
		return err
	}
	t.Finish = f.millis("finishTime")
	t.Result = parseResult(f.str("status"))
	return checkSpan(b.job.ID, "task "+f.str("taskid"), t.Start, t.Finish)
}

func (b *jhistBuilder) attemptStarted(f fields) error {
	id := f.str("attemptId")
	a := b.attempt(id)
	a.Start, a.Container = f.millis("startTime"), f.str("containerId")
	a.Host = b.hosts.Get(f.str("trackerName"))
	a.Speculative = f.str("avataar") == "SPECULATIVE"
	return nil
}

func (b *jhistBuilder) attempt(id string) *Attempt {
	a, ok := b.attempts[id]
	if !ok {
		n := NewAttempt(trailingNumber(id))
		a = &n
		b.attempts[id] = a
		b.order = append(b.order, id)
	}
	return a
}

// attemptEnded applies *_ATTEMPT_FINISHED, *_FAILED and *_KILLED.
func (b *jhistBuilder) attemptEnded(kind string, f fields) error {
	id := f.str("attemptId")
	a := b.attempt(id)
	if a.Result != Succeeded { // else its output was lost later: the container had ended
		a.Finish = f.millis("finishTime")
	}
	if host := f.str("hostname"); host != "" {
		a.Host = b.hosts.Get(onRack(f.str("rackname"), host))
	}
	switch {
	case strings.HasSuffix(kind, "_FINISHED"):
		a.Result = Succeeded
		b.addCounters(kind, a, f)
	case strings.HasSuffix(kind, "_KILLED"):
		a.Result = Killed
	case strings.HasSuffix(kind, "_FAILED"):
		a.Result = Failed
	}
	if kind == "REDUCE_ATTEMPT_FINISHED" {
		a.ShuffleEnd, a.SortEnd = f.millis("shuffleFinishTime"), f.millis("sortFinishTime")
	}
	return checkAttempt(b.job.ID, id, a, b.notes)
}

// onRack is "/rack/host", or the host alone.
func onRack(rack, host string) string {
	if rack == "" {
		return host
	}
	return strings.TrimSuffix(rack, "/") + "/" + host
}

// addCounters takes the bytes of a finished attempt, and what its process used. Bytes are
// those of HDFS or, where the data lies in another file system (s3a, abfs, gs), those that
// the input and output formats count. Memory is the largest that the process had where
// the history tells it (Hadoop 3.0 and later), else the last.
func (b *jhistBuilder) addCounters(kind string, a *Attempt, f fields) {
	t, err := b.task(f)
	if err != nil {
		return
	}
	c := f.counters("counters")
	pick := func(names ...string) int64 {
		for _, n := range names {
			if v, ok := c[n]; ok && v >= 0 {
				return v
			}
		}
		return Unknown
	}
	used := pick("MAP_PHYSICAL_MEMORY_BYTES_MAX", "PHYSICAL_MEMORY_BYTES")
	if kind == "REDUCE_ATTEMPT_FINISHED" {
		used = pick("REDUCE_PHYSICAL_MEMORY_BYTES_MAX", "PHYSICAL_MEMORY_BYTES")
	}
	a.UsedMiB, a.CoreTime = max(0, used)>>20, Millis(max(0, pick("CPU_MILLISECONDS")))
	if kind == "REDUCE_ATTEMPT_FINISHED" {
		t.InputBytes, t.OutputBytes = pick("REDUCE_SHUFFLE_BYTES"), max(pick("HDFS_BYTES_WRITTEN"), pick("BYTES_WRITTEN"))
		return
	}
	t.InputBytes = max(pick("HDFS_BYTES_READ"), pick("BYTES_READ"))
	t.OutputBytes = max(pick("MAP_OUTPUT_BYTES"), pick("HDFS_BYTES_WRITTEN"), pick("BYTES_WRITTEN"))
}

func (b *jhistBuilder) jobEnded(kind string, f fields) error {
	b.ended = true
	b.job.Finish = f.millis("finishTime")
	b.job.Result = parseResult(strings.TrimPrefix(kind, "JOB_"))
	c := f.counters("totalCounters")
	inferSize(&b.job.MapSize, c, "MAPS")
	inferSize(&b.job.ReduceSize, c, "REDUCES")
	return checkSpan(b.job.ID, "job", b.job.Submit, b.job.Finish)
}

// inferSize divides the charged memory and core time by the time.
func inferSize(s *Size, c map[string]int64, what string) {
	ms := c["MILLIS_"+what]
	if ms <= 0 {
		return
	}
	if mb := c["MB_MILLIS_"+what]; mb > 0 {
		s.MiB = (mb + ms/2) / ms
	}
	if vc := c["VCORES_MILLIS_"+what]; vc > 0 {
		s.VCores = (vc + ms/2) / ms
	}
}

// finish attaches the attempts and checks that the file told of a job.
func (b *jhistBuilder) finish(file string) (*Job, error) {
	if b.job.ID == "" {
		return nil, &Error{File: file, Err: errors.New("no JOB_SUBMITTED event; it is truncated or no history file")}
	}
	if !b.ended {
		b.notes.add(Missing, "final event of the history; the job was still running or the file is truncated")
	}
	for _, id := range b.order {
		i, ok := b.tasks[taskOf(id)]
		if !ok {
			return nil, &Error{File: file, Key: b.job.ID, Err: fmt.Errorf("attempt %q belongs to no task", clip(id))}
		}
		b.job.Tasks[i].Attempts = append(b.job.Tasks[i].Attempts, *b.attempts[id])
	}
	sumBytes(&b.job)
	return &b.job, nil
}

// taskOf turns an attempt's id into its task's.
func taskOf(attempt string) string {
	i := strings.LastIndexByte(attempt, '_')
	if i < 0 || !strings.HasPrefix(attempt, "attempt_") {
		return ""
	}
	return "task_" + attempt[len("attempt_"):i]
}
