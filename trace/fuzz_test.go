package trace

import (
	"bytes"
	"testing"
)

func FuzzJhist(f *testing.F) {
	f.Add("Avro-Json\n{}\n" + `{"type":"JOB_SUBMITTED","event":{"a.JobSubmitted":{"jobid":"job_1_1","submitTime":5}}}` +
		"\n")
	f.Add("Avro-Binary\n{\"type\":\"record\",\"name\":\"Event\",\"fields\":[{\"name\":\"type\",\"type\":\"string\"}]}\n\x06abc")
	fuzzFormat(f, "jhist")
}

func FuzzSLS(f *testing.F) {
	f.Add(`{"num.nodes":3,"job.id":"a","job.count":2,"job.tasks":[{"count":2,"container.duration.ms":5,"container.type":"reduce"}]}`)
	fuzzFormat(f, "sls")
}

func FuzzSynth(f *testing.F) {
	f.Add(`{"num_jobs":2,"rand_seed":1,"workloads":[{"job_classes":[{"mtasks_avg":2,"mtime_avg":3}],"time_distribution":[{"time":1,"weight":1}]}]}`)
	fuzzFormat(f, "synth")
}

func FuzzSWIM(f *testing.F) {
	f.Add("job0\t49\t49\t740773\t2339561\t627471\n")
	fuzzFormat(f, "swim")
}

func FuzzSWF(f *testing.F) {
	f.Add("; UnixStartTime: 5\n1 5 2 10 3 -1 -1 3 60 -1 1 7 1 4 2 -1 -1 -1\n")
	fuzzFormat(f, "swf")
}

func FuzzNative(f *testing.F) {
	var b bytes.Buffer
	if err := made(1).WriteNative(&b); err != nil {
		f.Fatal(err)
	}
	f.Add(b.String())
	fuzzFormat(f, "native")
}

func FuzzRMLog(f *testing.F) {
	f.Add("2026-11-21 06:18:28,622 INFO RMAuditLogger: USER=a\tOPERATION=Submit Application " +
		"Request\tRESULT=SUCCESS\tAPPID=application_1_0001\tQUEUENAME=q\n" +
		"2026-11-21 06:18:29,622 X: USER=a\tOPERATION=AM Allocated " +
		"Container\tAPPID=application_1_0001\tCONTAINERID=container_1_0001_01_000001\tRESOURCE=<memory:256, vCores:1>\n" +
		"y appId=application_1_0001,name=a\\,b,submitTime=5,finishTime=9,memorySeconds=7,vcoreSeconds=3\n")
	fuzzFormat(f, "rm-log")
}

func FuzzREST(f *testing.F) {
	f.Add(`{"t_ms":1,"body":{"apps":{"app":[{"id":"application_1_1","startedTime":1,"finishedTime":"9","memorySeconds":8,"vcoreSeconds":2}]}}}`)
	f.Add(`{"jobs":{"job":[{"id":"job_1_1","mapsTotal":3,"avgMapTime":5}]}}{"tasks":{"task":[{"id":"task_1_1_m_000000","type":"MAP","startTime":1,"finishTime":2}]}}`)
	fuzzFormat(f, "rest")
}

func FuzzDetect(f *testing.F) {
	f.Add([]byte("{\"jobID\":\"a\",\"mapTasks\":[]}"))
	f.Add([]byte{0x1f, 0x8b, 8, 0})
	f.Add([]byte{0x28, 0xb5, 0x2f, 0xfd})
	f.Fuzz(func(t *testing.T, b []byte) {
		if tr, err := Read(bytes.NewReader(b), "fuzz", Options{}); err == nil && len(tr.Jobs) == 0 {
			t.Fatal("no error and no jobs")
		}
	})
}

func FuzzNodes(f *testing.F) {
	f.Add([]byte(answer(1000, "a", "RUNNING", "b", "RUNNING") + answer(2000, "a", "DECOMMISSIONING", "c", "NEW") +
		answer(3000, "a", "LOST")))
	f.Add([]byte(`{"rack":"r","nodes":[{"node":"n"}]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		if nodes, err := readNodes(bytes.NewReader(b), "fuzz"); err == nil && len(nodes) == 0 {
			t.Fatal("no error and no nodes")
		}
	})
}

func FuzzJhistName(f *testing.F) {
	f.Add("job_1_0001-5-alice-j1%2Dlarge-9-20-4-SUCCEEDED-root.prod-6.jhist")
	f.Fuzz(func(t *testing.T, name string) {
		if j, err := parseJhistName(name); err == nil && j.Submit.Known() && j.Finish.Known() && j.Finish < j.Submit {
			t.Fatal("runs backwards")
		}
	})
}
