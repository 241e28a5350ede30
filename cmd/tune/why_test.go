package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"schedtune/internal/diagnose"
	"schedtune/internal/rm/rmtest"
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
		{[]string{"why", "x", "--embedded", "--pull", "dir"}, "2 sources: must be one of --rm"},
		{append([]string{"why", "x"}, files...), "not in the trace"},
		{append([]string{"why", "second", "--at", "soon"}, files...), "--at"},
		{append([]string{"why", "second", "--at", "0s"}, files...), "is submitted at"},
		{[]string{"why", "x", "--pull", t.TempDir()}, "scheduler.json"},
	} {
		if code, out, errs := command(t, c.args...); code == 0 || !strings.Contains(errs, c.want) {
			t.Errorf("%v: %d %s%s", c.args, code, out, errs)
		}
	}
}

// A running cluster: what the ResourceManager says of an application that it has
// not.
func TestWhyCluster(t *testing.T) {
	s := rmtest.New(1).Serve(t)
	if code, _, errs := command(t, "why", "application_1_0000", "--rm", s.URL); code == 0 ||
		!strings.Contains(errs, "404") {
		t.Error(code, errs)
	}
}

// A pulled folder: the figures are the ResourceManager's, the change is computed from
// them and not tried.
func TestWhyPulled(t *testing.T) {
	dir := t.TempDir()
	leaf := `{"type":"capacitySchedulerLeafQueueInfo","queueName":"a","queuePath":"root.a","state":"RUNNING",
"numActiveApplications":2,"numPendingApplications":1,
"resourcesUsed":{"memory":2048,"vCores":2},"usedAMResource":{"memory":1024,"vCores":2},
"AMResourceLimit":{"memory":1024,"vCores":1},"userAMResourceLimit":{"memory":4096,"vCores":1},
"capacities":{"queueCapacitiesByPartition":[{"partitionName":"","maxAMLimitPercentage":10,
"effectiveMinResource":{"memory":8192,"vCores":8},"effectiveMaxResource":{"memory":8192,"vCores":8}}]}}`
	for name, text := range map[string]string{
		"scheduler.json": `{"scheduler":{"schedulerInfo":{"type":"capacityScheduler","queueName":"root",
"queuePath":"root","queues":{"queue":[` + leaf + `]}}}}`,
		"apps.json": `{"apps":{"app":[{"id":"application_1_0003","user":"u","queue":"a","state":"ACCEPTED",
"diagnostics":"Application is added to the scheduler and is not yet activated. Queue's AM resource limit exceeded.  Details : AM Resource Request = <memory:512, vCores:1>"}]}}`,
		"nodes.json": `{"nodes":{"node":[{"id":"h:1","rack":"/r","state":"RUNNING","usedMemoryMB":2048,
"availMemoryMB":6144,"usedVirtualCores":2,"availableVirtualCores":6}]}}`,
		"capacity-scheduler.xml": `<configuration><property><name>yarn.scheduler.capacity.root.queues</name>
<value>a</value></property>
<property><name>yarn.scheduler.capacity.root.a.capacity</name><value>100</value></property></configuration>`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	code, out, errs := command(t, "why", "application_1_0003", "--pull", dir, "--json")
	if code != 0 {
		t.Fatal(errs)
	}
	var a diagnose.PendingDocument
	if err := json.Unmarshal([]byte(out), &a); err != nil {
		t.Fatal(err)
	}
	c := a.Causes[0]
	if a.Source != "folder" || c.Kind != "am-limit-queue" || c.Limit != 1024 || c.Used != 1024 || c.Asked != 512 ||
		a.Tried || a.Next != nil {
		t.Errorf("%s", out)
	}
	// 1024 MiB are 10 %: 1536 MiB take 15 %.
	if len(a.Changes) != 1 || a.Changes[0].Key != "yarn.scheduler.capacity.root.a.maximum-am-resource-percent" ||
		a.Changes[0].Value != "0.15" {
		t.Errorf("%+v", a.Changes)
	}
	if code, _, errs = command(t, "why", "application_1_0009", "--pull", dir); code == 0 ||
		!strings.Contains(errs, "not in") {
		t.Error(code, errs)
	}
}
