package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"schedtune/validation/rmtest"
)

// momentFolder writes a pulled folder: one node of four containers, queue a with
// masters limited to one container, a job that runs and one that waits for its master.
func momentFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"capacity-scheduler.xml": `<configuration><property><name>yarn.scheduler.capacity.root.queues</name>
<value>a</value></property>
<property><name>yarn.scheduler.capacity.root.a.capacity</name><value>100</value></property>
<property><name>yarn.scheduler.capacity.root.a.maximum-am-resource-percent</name><value>0.25</value></property>
</configuration>`,
		"yarn-site.xml": `<configuration><property><name>yarn.scheduler.minimum-allocation-mb</name>
<value>1024</value></property></configuration>`,
		"nodes.json": `{"nodes":{"node":[{"rack":"/r","state":"RUNNING","id":"n:1","nodeHostName":"n",
"totalResource":{"memory":4096,"vCores":4}}]}}`,
		"now/apps.json": `{"apps":{"app":[{"id":"application_7_0001","user":"u","name":"first","queue":"root.a",
"state":"RUNNING","finalStatus":"UNDEFINED","applicationType":"MAPREDUCE","startedTime":1000000,"elapsedTime":60000},
{"id":"application_7_0002","user":"u","name":"second","queue":"root.a","state":"ACCEPTED","finalStatus":"UNDEFINED",
"applicationType":"MAPREDUCE","startedTime":1050000,"elapsedTime":10000,"resourceRequests":[{"priority":0,
"resourceName":"*","numContainers":1,"capability":{"memory":1024,"vCores":1}}]}]}}`,
		"now/containers.json": `{"application_7_0001":[{"containerId":"container_7_0001_01_000001","allocatedMB":1024,
"allocatedVCores":1,"assignedNodeId":"n:1","priority":0,"startedTime":1001000},
{"containerId":"container_7_0001_01_000005","allocatedMB":1024,"allocatedVCores":1,"assignedNodeId":"n:1",
"priority":20,"startedTime":1050000}]}`,
		// Three maps of 30 s are over; the fourth has run 10 s: 20 s are left.
		"now/masters.json": `{"application_7_0001":{"job":{"mapsTotal":4,"reducesTotal":0},"tasks":[{"type":"MAP",
"state":"SUCCEEDED","startTime":1003000,"finishTime":1033000},
{"type":"MAP","state":"SUCCEEDED","startTime":1003000,"finishTime":1033000},{"type":"MAP","state":"SUCCEEDED",
"startTime":1004000,"finishTime":1034000},{"type":"MAP","state":"RUNNING","startTime":1050000}],"conf":{}}}`,
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// The second application starts when the first is over: its map has 20 s left, and a
// master of Hadoop 3 stays about six seconds more. With a higher limit it starts with
// the next heartbeat.
func TestSimulateFromPull(t *testing.T) {
	dir := momentFolder(t)
	then := filepath.Join(dir, "then.xml")
	if err := os.WriteFile(then,
		[]byte(`<configuration><property><name>yarn.scheduler.capacity.root.queues</name><value>a</value></property>
<property><name>yarn.scheduler.capacity.root.a.capacity</name><value>100</value></property>
<property><name>yarn.scheduler.capacity.root.a.maximum-am-resource-percent</name><value>0.5</value></property></configuration>`), 0o644); err != nil {
		t.Fatal(err)
	}
	out, _ := must(t, 0, "simulate", "--from-pull", dir, "--then", then, "--replications", "20", "--json")
	var o fromPullJSON
	if err := json.Unmarshal([]byte(out), &o); err != nil {
		t.Fatal(err)
	}
	if o.Schema != "schedtune/from-pull/v1" || o.Running != 1 || o.Waiting != 1 || len(o.Starts) != 1 ||
		o.Moment != "1970-01-01T00:17:40Z" {
		t.Fatalf("%s", out)
	}
	s := o.Starts[0]
	if s.Median == nil || *s.Median < 20 || *s.Median > 32 || *s.Low > *s.Median || *s.High < *s.Median || s.Waited != 10 {
		t.Errorf("%s", out)
	}
	if s.Then == nil || s.Then.Median == nil || *s.Then.Median > 2 {
		t.Errorf("with the limit raised: %s", out)
	}
	again, _ := must(t, 0, "simulate", "--from-pull", dir, "--then", then, "--replications", "20", "--json")
	if again != out {
		t.Error("the same seed gives another answer")
	}
	must(t, 0, "simulate", "--from-pull", dir, "--perfetto", filepath.Join(dir, "next.json"))
	must(t, 2, "simulate", "--from-pull", dir, "--scheduler", "fifo")
	must(t, 2, "simulate", "--then", then)
	must(t, 1, "simulate", "--from-pull", t.TempDir())
}

// What a pull read of the past can be looked at.
func TestPullTracks(t *testing.T) {
	s := rmtest.New(3).Serve(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "past.json")
	must(t, 0, "pull", "--rm", s.URL, "--rate", "100000", "--history", s.URL, "--since", ever, "--out",
		filepath.Join(dir, "cluster"), "--perfetto", file, "--quiet")
	if info, err := os.Stat(file); err != nil || info.Size() < 200 {
		t.Errorf("%v %v", info, err)
	}
	must(t, 2, "pull", "--rm", s.URL, "--out", filepath.Join(dir, "other"), "--perfetto", "past.txt")
}
