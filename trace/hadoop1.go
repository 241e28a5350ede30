package trace

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"

	"schedtune/internal/fileio"
)

// This file reads the job histories of the JobTracker, Hadoop 0.18 to 1.x: lines of a type
// and KEY="VALUE" pairs (org.apache.hadoop.mapred.JobHistory). From version 1 on a record
// ends with " ." and may take several lines. They become the events of the later format.

var (
	hadoop1Head    = regexp.MustCompile(`\A(Meta VERSION="|Job JOBID="job_)`)
	hadoop1Pair    = regexp.MustCompile(`([A-Z_]+)="((?:\\.|[^"\\])*)"`)
	hadoop1Counter = regexp.MustCompile(`\(([^()]*)\)\([^()]*\)\((\d+)\)|([A-Za-z ]+):(\d+)`)
)

func readHadoop1(in *input, t *Trace, n *notes) error {
	b := jhistBuilder{notes: n, hosts: fileio.Strings{}, tasks: map[string]int{}, attempts: map[string]*Attempt{}}
	var record []byte
	versioned := false
	err := in.eachLine(func(line []byte, number int64) error {
		versioned = versioned || number == 1 && bytes.HasPrefix(line, []byte("Meta "))
		record = append(record, line...)
		if versioned && !bytes.HasSuffix(bytes.TrimRight(line, " \r"), []byte(" .")) && len(record) < maxLine {
			record = append(record, '\n')
			return nil
		}
		kind, _, _ := bytes.Cut(record, []byte(" "))
		v := map[string]string{}
		for _, m := range hadoop1Pair.FindAllStringSubmatch(string(record), -1) {
			v[m[1]] = strings.ReplaceAll(backslash.ReplaceAllString(m[2], "$1"), "\n", " ")
		}
		record = record[:0]
		return b.hadoop1(string(kind), v)
	})
	if err != nil {
		return err
	}
	if b.job.ID == "" {
		return &Error{File: in.name, Err: fmt.Errorf("no job is submitted in it; it is truncated")}
	}
	j, err := b.finish(in.name)
	if err == nil {
		t.Jobs = append(t.Jobs, *j)
	}
	return err
}

// hadoop1 applies a record as the events that Hadoop 2 writes for the same.
func (b *jhistBuilder) hadoop1(kind string, v map[string]string) error {
	f := fields{"jobid": v["JOBID"], "taskid": v["TASKID"], "taskType": v["TASK_TYPE"], "attemptId": v["TASK_ATTEMPT_ID"],
		"status": v["TASK_STATUS"], "jobName": v["JOBNAME"], "userName": v["USER"], "jobQueueName": v["JOB_QUEUE"],
		"splitLocations": v["SPLITS"], "priority": v["JOB_PRIORITY"], "counters": hadoop1Counters(v["COUNTERS"]),
		"totalCounters": hadoop1Counters(v["COUNTERS"]), "trackerName": trackerHost(v["TRACKER_NAME"])}
	f["hostname"] = trackerHost(v["HOSTNAME"]) // with its rack
	for name, key := range map[string]string{"submitTime": "SUBMIT_TIME", "launchTime": "LAUNCH_TIME",
		"startTime": "START_TIME", "finishTime": "FINISH_TIME", "totalMaps": "TOTAL_MAPS", "totalReduces": "TOTAL_REDUCES",
		"shuffleFinishTime": "SHUFFLE_FINISHED", "sortFinishTime": "SORT_FINISHED"} {
		var x num
		if err := x.UnmarshalJSON([]byte(v[key])); err != nil {
			return jobErr(b.job.ID, "%s: %w", key, err)
		}
		if x.OK {
			f[name] = x.V
		}
	}
	has := func(key string) bool { return v[key] != "" }
	what := strings.ToUpper(strings.TrimSuffix(kind, "Attempt")) // MAP, REDUCE, TASK or JOB
	status := strings.Replace(v["JOB_STATUS"]+v["TASK_STATUS"], "SUCCESS", "FINISHED", 1)
	name := ""
	switch {
	case kind == "Job" && has("SUBMIT_TIME"):
		name = "JOB_SUBMITTED"
	case kind == "Job" && has("LAUNCH_TIME"):
		name = "JOB_INITED"
	case kind == "Job" && has("JOB_PRIORITY") && v["JOB_PRIORITY"] != "NORMAL": // which is no choice
		name = "JOB_PRIORITY_CHANGED"
	case kind == "Task" && has("START_TIME"):
		name = "TASK_STARTED"
	case kind == "Task" && has("FINISH_TIME"):
		if _, ok := b.tasks[v["TASKID"]]; ok { // else it was killed before
			name = "TASK_FINISHED"
		}
	case strings.HasSuffix(kind, "Attempt") && has("START_TIME"):
		name = what + "_ATTEMPT_STARTED"
	case strings.HasSuffix(kind, "Attempt") && has("FINISH_TIME"):
		name = what + "_ATTEMPT_" + status
	case kind == "Job" && has("FINISH_TIME"):
		name = "JOB_" + status
	}
	return b.add(&event{name, f})
}

// trackerHost is the host in the name of a TaskTracker, tracker_HOST:…, or the name itself.
func trackerHost(name string) string {
	host, ok := strings.CutPrefix(name, "tracker_")
	if ok {
		host, _, _ = strings.Cut(host, ":")
	}
	return host
}

// hadoop1Counters brings counters into the form of the later format: [(NAME)(Words)(1)] of
// 0.20 on, or Group.Words of the name:1 before.
func hadoop1Counters(s string) map[string]any {
	var list []any
	for _, m := range hadoop1Counter.FindAllStringSubmatch(s, -1) {
		name, value := m[1]+strings.ToUpper(strings.ReplaceAll(strings.TrimSpace(m[3]), " ", "_")), m[2]+m[4]
		var x num
		if x.UnmarshalJSON([]byte(value)) == nil {
			list = append(list, map[string]any{"name": name, "value": x.V})
		}
	}
	return map[string]any{"groups": []any{map[string]any{"counts": list}}}
}
