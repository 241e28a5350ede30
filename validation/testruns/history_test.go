package testruns

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// events of a job history, in the JSON form of the format (one event a line).
type events struct{ b bytes.Buffer }

func (e *events) add(typ, record string, fields object) {
	line, err := json.Marshal(object{"type": typ, "event": object{"org.apache.hadoop.mapreduce.jobhistory." +
		record: fields}})
	if err != nil {
		panic("maderun: " + err.Error())
	}
	e.b.Write(append(line, '\n', '\n'))
}

// history is the job's history file: its name and text.
func (j *job) history() (name string, text []byte) {
	e := &events{}
	e.b.WriteString("Avro-Json\n{}\n")
	at := func(t int64) int64 { return Epoch + t }
	am := j.containers[0]
	e.add("AM_STARTED", "AMStarted", object{"applicationAttemptId": "appattempt_" + j.number() + "_000001",
		"startTime": at(am.up), "containerId": am.id(), "nodeManagerHost": nodeName(am.node), "nodeManagerPort": 40001 +
			am.node, "nodeManagerHttpPort": 0})
	e.add("JOB_SUBMITTED", "JobSubmitted", object{"jobid": j.id(), "jobName": j.name, "userName": j.user,
		"submitTime": at(j.submit), "jobQueueName": j.queue})
	e.add("JOB_QUEUE_CHANGED", "JobQueueChange", object{"jobid": j.id(), "jobQueueName": "root." + j.queue})
	e.add("JOB_INITED", "JobInited", object{"jobid": j.id(), "launchTime": at(j.registered + 5), "totalMaps": j.maps,
		"totalReduces": j.reduces, "jobStatus": "INITED", "uberized": false})
	for _, c := range j.containers {
		if c.task >= 0 {
			e.attempt(c)
		}
	}
	e.add("JOB_FINISHED", "JobFinished", object{"jobid": j.id(), "finishTime": at(j.finish), "finishedMaps": j.maps,
		"finishedReduces": j.reduces, "failedMaps": 0, "failedReduces": 0})
	name = fmt.Sprintf("%s-%d-%s-%s-%d-%d-%d-SUCCEEDED-root.%s-%d.jhist", j.id(), at(j.submit), j.user,
		strings.ReplaceAll(j.name, "-", "%2D"), at(j.finish), j.maps, j.reduces, j.queue, at(j.registered+5))
	return name, e.b.Bytes()
}

func (e *events) attempt(c *container) {
	at := func(t int64) int64 { return Epoch + t }
	e.add("TASK_STARTED", "TaskStarted", object{"taskid": c.taskID(), "taskType": c.kind,
		"startTime": at(c.job.registered + 6), "splitLocations": ""})
	e.add(c.kind+"_ATTEMPT_STARTED", "TaskAttemptStarted", object{"taskid": c.taskID(), "taskType": c.kind,
		"attemptId": c.attempt(), "startTime": at(c.request + 10), "trackerName": nodeName(c.node), "httpPort": 0,
		"shufflePort": 0, "containerId": c.id()})
	end := object{"taskid": c.taskID(), "taskType": c.kind, "attemptId": c.attempt(), "taskStatus": "SUCCEEDED",
		"finishTime": at(c.finished), "hostname": nodeName(c.node), "port": 40001 + c.node, "rackname": "/default-rack",
		"state": ""}
	record := "MapAttemptFinished"
	if c.kind == "MAP" {
		end["mapFinishTime"] = at(c.finished)
	} else {
		record = "ReduceAttemptFinished"
		end["shuffleFinishTime"], end["sortFinishTime"] = at(c.shuffled), at(c.sorted)
	}
	e.add(c.kind+"_ATTEMPT_FINISHED", record, end)
	e.add("TASK_FINISHED", "TaskFinished", object{"taskid": c.taskID(), "taskType": c.kind, "finishTime": at(c.finished),
		"status": "SUCCEEDED"})
}

// conf is the job's configuration as the application master saved it.
func (j *job) conf() []byte {
	var b bytes.Buffer
	b.WriteString("<?xml version=\"1.0\"?>\n<configuration>\n")
	for _, p := range [][2]string{
		{"mapreduce.job.reduce.slowstart.completedmaps", fmt.Sprint(j.slowstart)},
		{"mapreduce.map.memory.mb", fmt.Sprint(taskMiB)}, {"mapreduce.map.cpu.vcores", "1"},
		{"mapreduce.reduce.memory.mb", fmt.Sprint(taskMiB)}, {"mapreduce.reduce.cpu.vcores", "1"},
		{"yarn.app.mapreduce.am.resource.mb", fmt.Sprint(taskMiB)}, {"yarn.app.mapreduce.am.resource.cpu-vcores", "1"},
	} {
		fmt.Fprintf(&b, "<property><name>%s</name><value>%s</value></property>\n", p[0], p[1])
	}
	b.WriteString("</configuration>\n")
	return b.Bytes()
}
