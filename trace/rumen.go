package trace

import (
	"errors"
	"math"
	"regexp"
	"strconv"
	"strings"

	"schedtune/internal/fileio"
	"schedtune/trace/internal/history"
)

// This file reads Rumen job traces: JSON objects of jobs one after another,
// times in milliseconds since the epoch (Hadoop, hadoop-tools/hadoop-rumen,
// classes LoggedJob, LoggedTask, LoggedTaskAttempt).
//
// jobMapMB and jobReduceMB are read from -Xmx by Rumen and are not container
// sizes, so container sizes come from jobProperties or stay unknown.

type rumenJob struct {
	JobID       text        `json:"jobID"`
	User        text        `json:"user"`
	Name        text        `json:"jobName"`
	Queue       text        `json:"queue"`
	Priority    text        `json:"priority"`
	Outcome     text        `json:"outcome"`
	Submit      num         `json:"submitTime"`
	Launch      num         `json:"launchTime"`
	Finish      num         `json:"finishTime"`
	Maps        num         `json:"totalMaps"`
	Reduces     num         `json:"totalReduces"`
	Props       jobConf     `json:"jobProperties"`
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
	hosts fileio.Strings
	notes *notes
}

func readRumen(in *input, t *Trace, n *notes) error {
	r := rumenReader{fileio.Strings{}, n}
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
	j.Submit, j.Launch, j.Finish = millis(rj.Submit), millis(rj.Launch), millis(rj.Finish)
	j.Maps, j.Reduces = len(rj.MapTasks), len(rj.ReduceTasks)
	rj.Props.apply(&j)
	rj.Props.unmodelled(r.notes)
	if rj.Maps.OK && rj.Maps.V > int64(j.Maps) || rj.Reduces.OK && rj.Reduces.V > int64(j.Reduces) {
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
	t.Start, t.Finish = millis(rt.Start), millis(rt.Finish)
	t.InputBytes, t.OutputBytes = rt.Input.Or(Unknown), rt.Output.Or(Unknown)
	for _, p := range rt.Preferred {
		t.Hosts = append(t.Hosts, r.hosts.Get(joinLayers(p.Layers)))
	}
	for ra := range history.Pointers(rt.Attempts) {
		a := NewAttempt(trailingNumber(string(ra.ID)))
		a.Result = parseResult(string(ra.Result))
		a.Host = r.hosts.Get(r.host(ra))
		a.Start, a.Finish = millis(ra.Start), millis(ra.Finish)
		a.UsedMiB, a.CoreTime = max(0, ra.Used.Memory.Or(0))>>20, Millis(max(0, ra.Used.CPU.Or(0)))
		if kind == Reduce {
			a.ShuffleEnd, a.SortEnd = millis(ra.ShuffleEnd), millis(ra.SortEnd)
		}
		if err := checkAttempt(j.ID, string(ra.ID), &a, r.notes); err != nil {
			return err
		}
		in, out := ra.HDFSRead, max(ra.MapOutput.Or(Unknown), ra.HDFSWritten.Or(Unknown))
		if kind == Reduce { // reads what it shuffled, and writes to the file system
			in, out = ra.Shuffled, ra.HDFSWritten.Or(Unknown)
		}
		if t.InputBytes < 0 {
			t.InputBytes = in.Or(Unknown)
		}
		if t.OutputBytes < 0 {
			t.OutputBytes = out
		}
		t.Attempts = append(t.Attempts, a)
	}
	j.Tasks = append(j.Tasks, t)
	return nil
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

// results are the words that the sources use for an outcome.
var results = map[string]Result{"SUCCESS": Succeeded, "SUCCEEDED": Succeeded, "FINISHED": Succeeded,
	"COMPLETE": Succeeded, "FAILED": Failed, "FAILURE": Failed, "ERROR": Failed, "KILLED": Killed, "TERMINATED": Killed}

func parseResult(s string) Result { return results[strings.ToUpper(s)] }

// normalPriority is what YARN makes of NORMAL (TypeConverter.toYarnApplicationPriority).
const normalPriority = 3

// priorities are Hadoop 1's words. NORMAL is what Rumen writes of a job that says nothing.
var priorities = map[string]int{"VERY_HIGH": 5, "HIGH": 4, "LOW": 2, "VERY_LOW": 1, "DEFAULT": 0}

// parsePriority reads one of these words or a number.
func parsePriority(s string) (v int, set bool) {
	if v, set = priorities[strings.ToUpper(s)]; set {
		return v, true
	}
	v, err := strconv.Atoi(s)
	return v, err == nil
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
