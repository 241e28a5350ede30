package trace

import (
	"errors"
	"math"
	"regexp"
	"strconv"
	"strings"

	"schedtune/simcore"
)

// This file reads Rumen job traces: JSON objects of jobs one after another,
// times in milliseconds since the epoch (Hadoop, hadoop-tools/hadoop-rumen,
// classes LoggedJob, LoggedTask, LoggedTaskAttempt).
//
// jobMapMB and jobReduceMB are read from -Xmx by Rumen and are not container
// sizes, so container sizes come from jobProperties or stay unknown.

// confProps are the configuration keys that matter, with the names of
// Hadoop 2 and later first and those of Hadoop 1 after them. Those of resource types
// (Hadoop 3) go before both, with memory under either of its two names
// (TaskAttemptImpl, YARNRunner).
type confProps struct {
	MapMem     text `json:"mapreduce.map.resource.memory-mb"`
	MapMem2    text `json:"mapreduce.map.resource.memory"`
	MapCores3  text `json:"mapreduce.map.resource.vcores"`
	RedMem     text `json:"mapreduce.reduce.resource.memory-mb"`
	RedMem2    text `json:"mapreduce.reduce.resource.memory"`
	RedCores3  text `json:"mapreduce.reduce.resource.vcores"`
	AMMem2     text `json:"yarn.app.mapreduce.am.resource.memory"`
	MapLimit   text `json:"mapreduce.job.running.map.limit"`
	RedLimit   text `json:"mapreduce.job.running.reduce.limit"`
	MapMB      text `json:"mapreduce.map.memory.mb"`
	MapMB1     text `json:"mapred.job.map.memory.mb"`
	ReduceMB   text `json:"mapreduce.reduce.memory.mb"`
	ReduceMB1  text `json:"mapred.job.reduce.memory.mb"`
	AMMB       text `json:"yarn.app.mapreduce.am.resource.mb"`
	AMMem      text `json:"yarn.app.mapreduce.am.resource.memory-mb"`
	MapCores   text `json:"mapreduce.map.cpu.vcores"`
	RedCores   text `json:"mapreduce.reduce.cpu.vcores"`
	AMCores    text `json:"yarn.app.mapreduce.am.resource.cpu-vcores"`
	AMCores3   text `json:"yarn.app.mapreduce.am.resource.vcores"`
	Slowstart  text `json:"mapreduce.job.reduce.slowstart.completedmaps"`
	Slowstart1 text `json:"mapred.reduce.slowstart.completed.maps"`
	Queue      text `json:"mapreduce.job.queuename"`
	Queue1     text `json:"mapred.job.queue.name"`
	Priority   text `json:"mapreduce.job.priority"`
	Label      text `json:"mapreduce.job.node-label-expression"`
	AMLabel    text `json:"mapreduce.job.am.node-label-expression"`
	MapLabel   text `json:"mapreduce.map.node-label-expression"`
	RedLabel   text `json:"mapreduce.reduce.node-label-expression"`
	Workflow   text `json:"mapreduce.workflow.id"`
	Query      text `json:"hive.query.id"`
	Script     text `json:"pig.script.id"`
	Tags       text `json:"mapreduce.job.tags"`
}

// apply puts the properties into a job, leaving alone what they do not say.
func (p *confProps) apply(j *Job) {
	setSize(&j.MapSize, first(p.MapMem, p.MapMem2, p.MapMB, p.MapMB1), first(p.MapCores3, p.MapCores))
	setSize(&j.ReduceSize, first(p.RedMem, p.RedMem2, p.ReduceMB, p.ReduceMB1), first(p.RedCores3, p.RedCores))
	setSize(&j.AMSize, first(p.AMMem, p.AMMem2, p.AMMB), first(p.AMCores3, p.AMCores))
	if v, err := strconv.ParseFloat(string(first(p.Slowstart, p.Slowstart1)), 64); err == nil && v >= 0 && v <= 1 {
		j.Slowstart = v
	}
	j.setLabels(simcore.JobLabels{App: string(p.Label), Master: string(p.AMLabel), Map: string(p.MapLabel),
		Reduce: string(p.RedLabel)})
	if v, set := parsePriority(string(p.Priority)); set && !j.PrioritySet { // else the history records a change
		j.Priority, j.PrioritySet = v, true
	} else if strings.EqualFold(string(p.Priority), "NORMAL") && !j.PrioritySet {
		j.Priority, j.PrioritySet = normalPriority, true
	}
	if q := first(p.Queue, p.Queue1); j.Queue == "" && q != "" {
		j.Queue, j.Asked = string(q), true
	}
	j.Workflow = string(first(p.Workflow, p.Query, p.Script, p.Tags))
}

// first returns the first that says something.
func first(list ...text) text {
	for _, t := range list {
		if t != "" {
			return t
		}
	}
	return ""
}

// unmodelled notes what a job asks for that no simulation does.
func (p *confProps) unmodelled(n *notes) {
	for _, l := range []text{p.MapLimit, p.RedLimit} {
		if v, err := strconv.Atoi(string(l)); err == nil && v > 0 {
			n.add(Dropped, "limits on the tasks of a job that run at a time (mapreduce.job.running.*.limit)")
		}
	}
}

func setSize(s *Size, memory, cores text) {
	if v, ok := resource(memory, 1<<20); ok && v >= 1<<20 {
		s.MiB = int64(v / (1 << 20))
	}
	if v, ok := resource(cores, 1); ok && v >= 1 {
		s.VCores = int64(v)
	}
}

// resourceUnits are those of a quantity of a resource (UnitsConversionUtil).
var resourceUnits = map[string]float64{"m": 1e-3, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15,
	"Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30, "Ti": 1 << 40, "Pi": 1 << 50}

// resource reads AMOUNT or AMOUNT UNIT; usual is the unit of an amount without one.
func resource(t text, usual float64) (float64, bool) {
	s := strings.TrimSpace(string(t))
	amount := strings.TrimRight(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ ")
	v, err := strconv.ParseInt(amount, 10, 64)
	if unit := strings.TrimSpace(s[len(amount):]); unit != "" {
		known := false
		if usual, known = resourceUnits[unit]; !known {
			return 0, false
		}
	}
	return float64(v) * usual, err == nil
}

type rumenJob struct {
	JobID       text        `json:"jobID"`
	User        text        `json:"user"`
	Name        text        `json:"jobName"`
	Queue       text        `json:"queue"`
	Priority    text        `json:"priority"`
	JobType     text        `json:"jobtype"`
	Outcome     text        `json:"outcome"`
	Submit      num         `json:"submitTime"`
	Launch      num         `json:"launchTime"`
	Finish      num         `json:"finishTime"`
	Maps        num         `json:"totalMaps"`
	Reduces     num         `json:"totalReduces"`
	Props       confProps   `json:"jobProperties"`
	MapTasks    []rumenTask `json:"mapTasks"`
	ReduceTasks []rumenTask `json:"reduceTasks"`
	OtherTasks  []rumenTask `json:"otherTasks"`
}

type rumenTask struct {
	TaskID    text           `json:"taskID"`
	Type      text           `json:"taskType"`
	Status    text           `json:"taskStatus"`
	Start     num            `json:"startTime"`
	Finish    num            `json:"finishTime"`
	Input     num            `json:"inputBytes"`
	Output    num            `json:"outputBytes"`
	Preferred []rumenPlace   `json:"preferredLocations"`
	Attempts  []rumenAttempt `json:"attempts"`
}

type rumenPlace struct {
	Layers []string `json:"layers"`
}

type rumenAttempt struct {
	ID          text        `json:"attemptID"`
	Result      text        `json:"result"`
	Host        text        `json:"hostName"`
	Location    *rumenPlace `json:"location"`
	Start       num         `json:"startTime"`
	Finish      num         `json:"finishTime"`
	ShuffleEnd  num         `json:"shuffleFinished"`
	SortEnd     num         `json:"sortFinished"`
	HDFSRead    num         `json:"hdfsBytesRead"`
	HDFSWritten num         `json:"hdfsBytesWritten"`
	MapOutput   num         `json:"mapOutputBytes"`
	Shuffled    num         `json:"reduceShuffleBytes"`
	Used        struct {
		Memory num `json:"physicalMemoryUsage"` // bytes
		CPU    num `json:"cumulativeCpuUsage"`  // ms
	} `json:"resourceUsageMetrics"`
}

// rumenReader carries what all jobs of one source share.
type rumenReader struct {
	hosts interner
	notes *notes
}

func readRumen(in *input, t *Trace, n *notes) error {
	r := rumenReader{interner{}, n}
	return eachObject(in, func(rj *rumenJob, _ int64) error {
		if rj.JobID == "" {
			return errors.New("an object without jobID in a Rumen trace")
		}
		j, err := r.job(rj)
		if err != nil {
			return err
		}
		t.Jobs = append(t.Jobs, j)
		return nil
	})
}

func (r *rumenReader) job(rj *rumenJob) (Job, error) {
	j := NewJob(string(rj.JobID))
	j.User, j.Queue, j.Name, j.Type = string(rj.User), string(rj.Queue), string(rj.Name), "MAPREDUCE"
	j.Result = parseResult(string(rj.Outcome))
	j.Priority, j.PrioritySet = parsePriority(string(rj.Priority))
	j.Submit, j.Launch, j.Finish = rj.Submit.millis(), rj.Launch.millis(), rj.Finish.millis()
	j.Maps, j.Reduces = len(rj.MapTasks), len(rj.ReduceTasks)
	rj.Props.apply(&j)
	rj.Props.unmodelled(r.notes)
	if rj.Maps.ok && rj.Maps.v > int64(j.Maps) || rj.Reduces.ok && rj.Reduces.v > int64(j.Reduces) {
		r.notes.add(Missing, "tasks that the job announced but the trace does not list")
	}
	j.Tasks = make([]Task, 0, j.Maps+j.Reduces+len(rj.OtherTasks))
	for _, group := range []struct {
		kind  Kind
		tasks []rumenTask
	}{{Map, rj.MapTasks}, {Reduce, rj.ReduceTasks}, {Setup, rj.OtherTasks}} {
		for i := range group.tasks {
			if err := r.task(&j, group.kind, &group.tasks[i]); err != nil {
				return j, err
			}
		}
	}
	if err := checkSpan(j.ID, "job", j.Submit, j.Finish); err != nil {
		return j, err
	}
	sumBytes(&j)
	return j, nil
}

func (r *rumenReader) task(j *Job, kind Kind, rt *rumenTask) error {
	if kind == Setup && strings.EqualFold(string(rt.Type), "CLEANUP") {
		kind = Cleanup
	}
	t := NewTask(kind, trailingNumber(string(rt.TaskID)))
	t.Result = parseResult(string(rt.Status))
	t.Start, t.Finish = rt.Start.millis(), rt.Finish.millis()
	t.InputBytes, t.OutputBytes = rt.Input.or(Unknown), rt.Output.or(Unknown)
	for _, p := range rt.Preferred {
		t.Hosts = append(t.Hosts, r.hosts.get(joinLayers(p.Layers)))
	}
	for ra := range pointers(rt.Attempts) {
		a := NewAttempt(trailingNumber(string(ra.ID)))
		a.Result = parseResult(string(ra.Result))
		a.Host = r.hosts.get(r.host(ra))
		a.Start, a.Finish = ra.Start.millis(), ra.Finish.millis()
		a.UsedMiB, a.CoreTime = max(0, ra.Used.Memory.or(0))>>20, Millis(max(0, ra.Used.CPU.or(0)))
		if kind == Reduce {
			a.ShuffleEnd, a.SortEnd = ra.ShuffleEnd.millis(), ra.SortEnd.millis()
		}
		if err := checkAttempt(j.ID, string(ra.ID), &a, r.notes); err != nil {
			return err
		}
		if t.InputBytes < 0 {
			t.InputBytes = attemptInput(kind, ra)
		}
		if t.OutputBytes < 0 {
			t.OutputBytes = attemptOutput(kind, ra)
		}
		t.Attempts = append(t.Attempts, a)
	}
	j.Tasks = append(j.Tasks, t)
	return nil
}

// attemptInput and attemptOutput read the byte counters of an attempt: a
// map reads from the file system and writes map output, a reduce reads what it
// shuffled and writes to the file system.
func attemptInput(k Kind, a *rumenAttempt) int64 {
	if k == Reduce {
		return a.Shuffled.or(Unknown)
	}
	return a.HDFSRead.or(Unknown)
}

func attemptOutput(k Kind, a *rumenAttempt) int64 {
	if k == Reduce {
		return a.HDFSWritten.or(Unknown)
	}
	return max(a.MapOutput.or(Unknown), a.HDFSWritten.or(Unknown))
}

func (r *rumenReader) host(a *rumenAttempt) string {
	if a.Location != nil && len(a.Location.Layers) > 0 {
		return joinLayers(a.Location.Layers)
	}
	return unescapeHost(string(a.Host))
}

// joinLayers makes "/rack/host" of a location's layers.
func joinLayers(layers []string) string {
	return unescapeHost("/" + strings.TrimPrefix(strings.Join(layers, "/"), "/"))
}

// unescapeHost undoes the backslash that old traces put before dots.
func unescapeHost(s string) string { return strings.ReplaceAll(s, `\.`, ".") }

// trailingNumber returns the number after the last underscore of an id, or 0.
func trailingNumber(id string) int {
	v, err := strconv.Atoi(id[strings.LastIndexByte(id, '_')+1:])
	if err != nil || v < 0 || v > math.MaxInt32 {
		return 0
	}
	return v
}

// parseResult reads the words all sources use for an outcome.
func parseResult(s string) Result {
	switch strings.ToUpper(s) {
	case "SUCCESS", "SUCCEEDED", "FINISHED", "COMPLETE":
		return Succeeded
	case "FAILED", "FAILURE", "ERROR":
		return Failed
	case "KILLED", "TERMINATED":
		return Killed
	}
	return Unfinished
}

// normalPriority is what YARN makes of NORMAL (TypeConverter.toYarnApplicationPriority).
const normalPriority = 3

// parsePriority reads Hadoop 1's five words or a number. NORMAL is what Rumen
// writes of a job that says nothing.
func parsePriority(s string) (v int, set bool) {
	switch strings.ToUpper(s) {
	case "VERY_HIGH":
		return 5, true
	case "HIGH":
		return 4, true
	case "LOW":
		return 2, true
	case "VERY_LOW":
		return 1, true
	case "DEFAULT":
		return 0, true
	}
	v, err := strconv.Atoi(s)
	if err != nil {
		return 0, false
	}
	return v, true
}

// jobIDPattern finds the cluster time stamp and number in any Hadoop id.
var jobIDPattern = regexp.MustCompile(`^(?:job|application|task|attempt|container|appattempt)_(?:e\d+_)?(\d+)_(\d+)`)

// jobOf returns the job id inside any Hadoop id, "" if there is none.
func jobOf(id string) string {
	m := jobIDPattern.FindStringSubmatch(id)
	if m == nil {
		return ""
	}
	return "job_" + m[1] + "_" + m[2]
}
