package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"schedtune/internal/diagnose"
)

// slsJob is a job of four maps of a minute each in Hadoop's load simulator's form.
func slsJob(id string, at int) string {
	task := fmt.Sprintf(
		`{"container.host":"/r/n1","container.start.ms":%d,"container.end.ms":%d,"container.priority":20,"container.type":"map"}`, at+3000, at+63000)
	return fmt.Sprintf(
		`{"am.type":"mapreduce","job.start.ms":%d,"job.end.ms":%d,"job.queue.name":"a","job.id":"%s","job.user":"u","job.tasks":[%s]}`+"\n",
		at, at+66000, id, strings.Repeat(task+",", 3)+task)
}

// whyFiles writes a case in which the AMs of queue a are limited to one: the
// second job waits for the first.
func whyFiles(t *testing.T) []string {
	t.Helper()
	dir := t.TempDir()
	files := map[string]string{
		"cs.xml": `<configuration><property><name>yarn.scheduler.capacity.root.queues</name><value>a,b</value></property>
<property><name>yarn.scheduler.capacity.root.a.capacity</name><value>50</value></property>
<property><name>yarn.scheduler.capacity.root.b.capacity</name><value>50</value></property>
<property><name>yarn.scheduler.capacity.root.a.user-limit-factor</name><value>2</value></property>
<property><name>yarn.scheduler.capacity.root.a.max-parallel-apps</name><value>1</value></property></configuration>`,
		"nodes.yaml": "nodes:\n  - {count: 4, memory: 8192, vcores: 8}\n",
		"jobs.json":  slsJob("first", 0) + slsJob("second", 1000),
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return []string{"--config", filepath.Join(dir, "cs.xml"), "--cluster", filepath.Join(dir, "nodes.yaml"), "--trace",
		filepath.Join(dir, "jobs.json")}
}

func TestWhySimulated(t *testing.T) {
	code, out, errs := command(t, append([]string{"why", "second", "--at", "20s", "--replications", "3", "--json"},
		whyFiles(t)...)...)
	if code != 0 {
		t.Fatal(errs)
	}
	var a diagnose.PendingDocument
	if err := json.Unmarshal([]byte(out), &a); err != nil {
		t.Fatal(err)
	}
	c := a.Causes[0]
	if a.Schema != "schedtune/why/v1" || c.Kind != "parallel-applications-queue" || !c.Binding || c.Count == nil ||
		*c.Count != 1 || *c.Most != 1 {
		t.Errorf("%s", out)
	}
	if len(a.Changes) != 1 || a.Changes[0].Key != "yarn.scheduler.capacity.root.a.max-parallel-apps" ||
		a.Changes[0].Value != "2" || !a.Tried {
		t.Errorf("%+v", a.Changes)
	}
	// The first job runs a minute; with the change the second starts at once.
	n := a.Next
	if n == nil || n.Median == nil || *n.Median < 60 || n.With == nil || *n.With < 20 || *n.With > 25 {
		t.Errorf("%s", out)
	}
	code, out, errs = command(t, append([]string{"why", "second", "--at", "20s", "--replications", "1"},
		whyFiles(t)...)...)
	if code != 0 || !strings.Contains(out, "queue root.a runs 1 application of at most 1") ||
		!strings.Contains(out, "root.a.max-parallel-apps: 2 instead of 1") {
		t.Errorf("%s%s", out, errs)
	}
}

func TestWhyErrors(t *testing.T) {
	files := whyFiles(t)
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"why", "x"}, "not in the trace"},
		{[]string{"why", "x", "--embedded", "--pull", "dir"}, "--pull: cannot be combined with --embedded"},
		{append([]string{"why", "x"}, files...), "not in the trace"},
		{append([]string{"why", "second", "--at", "soon"}, files...), "--at"},
		{append([]string{"why", "second", "--at", "0s"}, files...), "is submitted at"},
		{[]string{"why", "x", "--pull", t.TempDir()}, "now/apps.json"},
	} {
		if code, out, errs := command(t, c.args...); code == 0 || !strings.Contains(errs, c.want) {
			t.Errorf("%v: %d %s%s", c.args, code, out, errs)
		}
	}
}

// TestWhyOversized: requests above the maximum allocation and above the largest node are an answer for their
// application and a note for another one.
func TestWhyOversized(t *testing.T) {
	files := whyFiles(t)
	trace := files[len(files)-1]
	large := strings.ReplaceAll(slsJob("large", 500), `"container.priority"`,
		`"container.memory-mb":9000,"container.priority"`)
	if err := os.WriteFile(trace, []byte(slsJob("first", 0)+large), 0o600); err != nil {
		t.Fatal(err)
	}
	for app, want := range map[string]string{
		"first": "1 other application cannot run, first large: a container of 9000 MiB",
		"large": "no node could hold the 9000 MiB it requests"} {
		out, _ := must(t, 0, append([]string{"why", app, "--at", "20s", "--replications", "1", "--quiet"}, files...)...)
		if !strings.Contains(out, want) {
			t.Errorf("%s: want %q in\n%s", app, want, out)
		}
	}
}
