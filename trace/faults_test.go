package trace

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"schedtune/validation/testdata"
)

// Broken inputs of every format fail with the place and the reason.
func TestErrorsNamePlace(t *testing.T) {
	for _, c := range []struct{ format, text, want string }{
		{"sls", "{\"job.id\":\"a\",\n\"job.tasks\":[{\"container.start.ms\":9,\"container.end.ms\":3}]}",
			"f:1: a: task ends at 3 ms"},
		{"sls", "{\"job.id\":\"a\",\"job.tasks\":[{}]}", "a task needs container.start.ms"},
		{"sls", "{\"job.id\":\"a\"}\n{\"x\":1}", "f:2: an object that is neither"},
		{"synth", "{\"num_jobs\":0}", "num_jobs 0: must be between 1"},
		{"synth", "{\"num_jobs\":1,\n\"workloads\":7}", "f:2: field workloads"},
		{"swf", "; x\n1 2 3\n", "f:2: 3 columns: must be 18"},
		{"swf", "1 -5 2 10 3 -1 -1 3 60 -1 1 7 1 4 2 -1 -1 -1", "job_1: submission time -5"},
		{"swim", "a\t1\t2\t3\n", "f:1: a: 4 columns: must be 6 to 9"},
		{"swim", "a\t1\t2\t3\t4\tx\n", "f:1: a: column 6: \"x\": must be a number"},
		{"swim", "a\t1\t2\t3\t4\t5 b\n", "f:1: a: column 6: \"5 b\": must be a number"},
		{"swim", "a\t1\t1\t3\t4\t5\nb\t-1\t1\t1\t1\t1\n", "f:2: b: column 2: \"-1\": must be a number"},
		{"native", "{\"schema\":\"other\"}", "schema \"other\": must be schedtune/trace/v1"},
		{"native",
			"{\"schema\":\"schedtune/trace/v1\"}\n{\"id\":\"a\",\"tasks\":[{\"t\":[0,0,0,0,0,0,0],\"a\":[{\"v\":[0,0,0,4]}]}]}",
			"f:2: a: host number 4"},
		{"rm-log", "2026-11-21 06:18:28,622 INFO RMAuditLogger: USER=a\tOPERATION=Submit Application " +
			"Request\tRESULT=SUCCESS\tAPPID=application_1_1\nbad USER=a\tOPERATION=Application Finished - " +
			"Failed\tAPPID=application_1_1", "f:2: application_1_1: the line begins with \"bad \": must be a time"},
		{"rm-log", "x appId=application_1_1,name=a,submitTime=5,finishTime=3", "f:1: application_1_1: application ends " +
			"at 3 ms"},
		{"rm-log", "x appId=application_1_1,name=a,submitTime=q", "submitTime is \"q\""},
		{"rm-log", "nothing here", "no audit or summary lines"},
		{"rest", "{\"apps\":{\"app\":[{\"id\":\"a\",\"startedTime\":9,\"finishedTime\":3}]}}", "f:1: a: application ends"},
		{"rest", "{\"taskAttempts\":{\"taskAttempt\":[{\"id\":\"attempt_1_0001_m_000000_0\"}]}}",
			"job_1_0001: attempt attempt_1_0001_m_000000_0: none of the downloaded tasks"},
		{"jhist", "Avro-Xml\n{}\n", "f:1: encoding \"Avro-Xml\": must be Avro-Json or Avro-Binary"},
		{"jhist", "Avro-Json\n{}\n{\"type\":\"X\"}\n", "f:3: an event without a body"},
		{"jhist", "Avro-Json\n{}\n\n{\"type\":\"TASK_FINISHED\",\"event\":{\"a.b\":{\"taskid\":\"t\"}}}\n",
			"f:4: task \"t\" ends but never started"},
		{"jhist", "Avro-Json\n{}\n", "no JOB_SUBMITTED"},
		{"jhist", "Avro-Json\n", "f:2: reading the schema: the file ends in its header"},
		{"jhist", "Avro-Binary\n{\"type\":\"nonsense\"}\n", "f:2: the Avro schema is not valid"},
		{"nope", "", "unknown trace format \"nope\": must be one of rumen"},
		{"", "just text", "f:1: unknown format: must be one of rumen"},
		{"", "\n \n\tjust text", "f:3: unknown format: must be one of rumen"},
		{"", `{"RemoteException":{"exception":"NotFoundException","message":"app with id: x not found"}}`,
			"f:1: unknown format JSON: this is an error that a web service answered; must be one of rumen"},
		{"", "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?><apps><app/></apps>",
			"f:1: unknown format: this is what a web service answers in XML; ask it for JSON (Accept: application/json); " +
				"must be one of rumen"},
		{"", "<!DOCTYPE html>\n<html><head/></html>", "f:1: unknown format: this is a page of HTML"},
	} {
		_, err := Read(strings.NewReader(c.text), "f", Options{Format: c.format})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %.60q: error %v, want %q in it", c.format, c.text, err, c.want)
		}
		if err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("error of more than one line: %v", err)
		}
	}
}

// Tables of a recorded run that are broken in the ways files break.
func TestRunFolderFaults(t *testing.T) {
	tables := map[string]string{
		"jobs.csv":       "job,name,queue,user,maps,reduces,slowstart,submit_ms,launch_ms,finish_ms,rm_finish_ms,final_status\njob_1_0001,a,q,u,1,0,0.5,10,20,900,900,SUCCEEDED\n",
		"tasks.csv":      "job,type,task,attempt,node,container,start_ms,jvm_up_ms,shuffle_finish_ms,sort_finish_ms,finish_ms,status\njob_1_0001,MAP,task_1_0001_m_000000,attempt_1_0001_m_000000_0,n1,c1,30,40,,,800,SUCCEEDED\n",
		"containers.csv": "container,job,name,kind,attempt,node,mib,vcores\nc1,job_1_0001,a,MAP,attempt_1_0001_m_000000_0,n1,1024,1\n",
	}
	open := func(file, text string) error {
		dir := t.TempDir()
		for name, s := range tables {
			if name == file {
				s = text
			}
			if err := os.WriteFile(filepath.Join(dir, name), []byte(s), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		_, err := Open(dir, Options{})
		return err
	}
	if err := open("", ""); err != nil {
		t.Fatal(err)
	}
	for name, s := range tables {
		head, row, _ := strings.Cut(s, "\n")
		if err := open(name, "\ufeff"+strings.ReplaceAll(s, "\n", "\r\n")); err != nil {
			t.Errorf("%s with a byte order mark and CRLF: %v", name, err)
		}
		first, _, _ := strings.Cut(head, ",")
		for what, c := range map[string]struct{ text, want string }{
			"empty":        {"", name + ": the file is empty"},
			"quote":        {head + "\n\"" + row + row, name + ":2: extraneous or missing"},
			"short":        {head + "\na,b\n", name + ":2: wrong number of fields"},
			"other column": {strings.Replace(s, first, "x", 1), name + ":1: no column \"" + first + "\": the header must have "},
		} {
			if err := open(name, c.text); err == nil || !strings.Contains(err.Error(), c.want) ||
				strings.Contains(err.Error(), "record on line") {
				t.Errorf("%s, %s: %v, want %q", name, what, err, c.want)
			}
		}
	}
	for _, v := range []string{"NaN", "7", "x"} {
		err := open("jobs.csv", strings.Replace(tables["jobs.csv"], ",0.5,", ","+v+",", 1))
		if err == nil || !strings.Contains(err.Error(), "jobs.csv:2: column slowstart: \""+v+"\": must be between 0 and 1") {
			t.Errorf("slowstart %s: %v", v, err)
		}
	}
}

// A file cut anywhere is noticed: packed ones by the packing, JSON by its end,
// histories by their missing final event (a note) or a torn event.
func TestTruncated(t *testing.T) {
	for _, path := range []string{"hadoop/2jobs2min-rumen-jh.json.gz", "hadoop/inputsls.json",
		"minimr/run-00-short-binary-jhist/history/job_1795244541366_0002-1795244568548-alice-b1%2Dsmall-1795244594087-2-1-SUCCEEDED-root.prod-1795244570761.jhist",
		"hadoop/job_1329348432655_0001-1329348443227-user-Sleep+job-1329348468601-10-1-SUCCEEDED-default.jhist"} {
		whole, err := os.ReadFile(testdata.Shared(t, "traces", path))
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range []float64{0.3, 0.6, 0.9, 0.99} {
			cut := whole[:int(float64(len(whole))*part)]
			tr, err := Read(bytes.NewReader(cut), "cut", Options{})
			if err != nil {
				if !strings.HasPrefix(err.Error(), "cut") {
					t.Errorf("%s: error without the file: %v", path, err)
				}
				continue
			}
			if !strings.Contains(fmt.Sprint(tr.Notes), "final event") {
				t.Errorf("%s cut at %.0f %%: no error and no note", filepath.Base(path), part*100)
			}
		}
	}
}

// A folder with two broken histories: all are named, or passed over on request;
// jobs of good files stay.
func TestFolderWithBrokenFiles(t *testing.T) {
	dir := t.TempDir()
	good := "Avro-Json\n{}\n" +
		`{"type":"JOB_SUBMITTED","event":{"a.JobSubmitted":{"jobid":"job_1_0001","userName":"u","submitTime":5}}}` + "\n" +
		`{"type":"JOB_FINISHED","event":{"a.JobFinished":{"jobid":"job_1_0001","finishTime":9}}}` + "\n"
	for name, text := range map[string]string{"a.jhist": good, "b.jhist": good[:60], "c/d.jhist": "Avro-Xml\n{}\n",
		"notes.txt":           "hello",
		"job_1_0001_conf.xml": "<configuration><property><name>mapreduce.map.memory.mb</name><value>512</value></property></configuration>", ".hidden": "x",
		"nodes.json": `{"rack":"r","nodes":[{"node":"n1","memory-mb":4096,"vcores":4},{"node":"n2","memory-mb":4096,"vcores":4}]}`} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	_, err := Open(dir, Options{})
	if err == nil || !strings.Contains(err.Error(), "b.jhist:3") || !strings.Contains(err.Error(), "d.jhist:1") {
		t.Errorf("error %v, want both files with their lines", err)
	}
	tr, err := Open(dir, Options{SkipBroken: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(tr.Jobs) != 1 || tr.Jobs[0].MapSize.MiB != 512 || !strings.Contains(fmt.Sprint(tr.Notes),
		"files that cannot be read") || !strings.Contains(fmt.Sprint(tr.Notes), "no known trace format") {
		t.Errorf("%d jobs, notes %v", len(tr.Jobs), tr.Notes)
	}
	if c, ok := tr.Cluster(); !ok || len(c.Nodes) != 2 {
		t.Errorf("the folder's list of machines is not its cluster: %v", tr.Nodes)
	}
	if _, err := Open(filepath.Join(dir, "nodes.json"), Options{}); !errors.Is(err, ErrEmpty) {
		t.Errorf("machines alone are no trace: %v", err)
	}
}
