package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"schedtune/internal/diagnose"
	"schedtune/validation/rmtest"
)

// whyPulled asks why an application of a downloaded folder waits.
func whyPulled(t *testing.T, dir, app string) (a diagnose.PendingDocument) {
	t.Helper()
	out, _ := must(t, 0, "why", app, "--pull", dir, "--json")
	if err := json.Unmarshal([]byte(out), &a); err != nil {
		t.Fatal(err)
	}
	return a
}

// rewrite replaces texts in a file of a folder.
func rewrite(t *testing.T, dir, name string, pairs ...string) {
	t.Helper()
	path := filepath.Join(dir, name)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(string(data), pairs[i]) {
			t.Fatalf("%s: got no %q to replace", name, pairs[i])
		}
	}
	if err := os.WriteFile(path, []byte(strings.NewReplacer(pairs...).Replace(string(data))), 0o644); err != nil {
		t.Fatal(err)
	}
}

// A downloaded folder: its state is simulated on, and the change tried there. Masters may have 1,024 of
// 4,096 MiB, which 25 % are, and one of 1,024 MiB runs: two need 26 % at least, rounded up to 2,048 MiB.
func TestWhyPulled(t *testing.T) {
	a := whyPulled(t, momentFolder(t), "application_7_0002")
	c := a.Causes[0]
	if a.Source != "folder" || a.At != nil || c.Kind != "am-limit-queue" || c.Limit != 1024 || c.Used != 1024 ||
		c.Asked != 1024 || !a.Tried {
		t.Errorf("got %+v of %s at %v", c, a.Source, a.At)
	}
	if len(a.Changes) != 1 || a.Changes[0].Key != "yarn.scheduler.capacity.root.a.maximum-am-resource-percent" ||
		a.Changes[0].Value != "0.26" {
		t.Errorf("got changes %+v, want 0.26", a.Changes)
	}
	// The map that runs has 20 s left, and its master then stays some seconds.
	if n := a.Next; n == nil || n.Median == nil || *n.Median < 20 || *n.Median > 32 || n.With == nil || *n.With > 3 {
		t.Errorf("got next container %+v", n)
	}
}

// Who holds the space is named, with what each has, and what the ResourceManager says is told.
func TestWhyPulledHolders(t *testing.T) {
	dir := momentFolder(t)
	rewrite(t, dir, "capacity-scheduler.xml", "0.25", "1.0")
	rewrite(t, dir, "nodes.json", "4096", "2048")
	rewrite(t, dir, "now/apps.json", `"resourceRequests"`, `"diagnostics":"Application is Activated,\n waiting",
"resourceRequests"`)
	a := whyPulled(t, dir, "application_7_0002")
	if len(a.HeldBy) != 1 || a.HeldBy[0].Application != "application_7_0001" || a.HeldBy[0].Used != 2048 ||
		a.Causes[0].Kind != "no-room" {
		t.Errorf("got %s, held by %+v", a.Causes[0].Kind, a.HeldBy)
	}
	if notes := strings.Join(a.Notes, "\n"); !strings.Contains(notes,
		"the ResourceManager: Application is Activated, waiting") {
		t.Errorf("got notes %s", notes)
	}
}

// An application that max-parallel-apps holds back, by the file of the command line.
func TestWhyPulledHeldBack(t *testing.T) {
	dir := momentFolder(t)
	rewrite(t, dir, "capacity-scheduler.xml", "maximum-am-resource-percent</name><value>0.25",
		"max-parallel-apps</name><value>1")
	a := whyPulled(t, dir, "application_7_0002")
	if c := a.Causes[0]; c.Kind != "parallel-applications-queue" || *c.Count != 1 || *c.Most != 1 {
		t.Errorf("got %+v", c)
	}
}

// A master that has its container and has not registered is held by nothing of the scheduler's.
func TestWhyPulledLaunching(t *testing.T) {
	dir := momentFolder(t)
	rewrite(t, dir, "now/apps.json", `"state":"RUNNING"`, `"state":"ACCEPTED"`)
	rewrite(t, dir, "now/containers.json", `,
{"containerId":"container_7_0001_01_000005","allocatedMB":1024,"allocatedVCores":1,"assignedNodeId":"n:1",
"priority":20,"startedTime":1050000}`, "")
	a := whyPulled(t, dir, "application_7_0001")
	if c := a.Causes[0]; c.Kind != "master-launching" || a.State != "ACCEPTED, its application master is being started" {
		t.Errorf("got %+v, %s", c, a.State)
	}
}

// An application that is over, or that is not there.
func TestWhyPulledEnded(t *testing.T) {
	dir := momentFolder(t)
	if err := os.WriteFile(filepath.Join(dir, "apps.json"), []byte(`{"apps":{"app":[{"id":"application_7_0009","user":"carl",
"state":"FAILED","diagnostics":"Application application_7_0009 submitted by user carl to unknown queue: x.y"}]}}`), 0o644); err != nil {
		t.Fatal(err)
	}
	for app, want := range map[string]string{"application_7_0009": "FAILED: Application application_7_0009 submitted by " +
		"user carl to unknown queue: x.y", "application_7_0008": "not in " + dir} {
		if _, errs := must(t, 1, "why", app, "--pull", dir); !strings.Contains(errs, want) {
			t.Errorf("%s: got %s, want %s", app, errs, want)
		}
	}
}

// Nodes that take no containers are told, also where there is no other.
func TestWhyPulledUnhealthy(t *testing.T) {
	dir := momentFolder(t)
	rewrite(t, dir, "nodes.json", `{"node":[`,
		`{"node":[{"rack":"/r","state":"UNHEALTHY","id":"m:1","nodeHostName":"m","totalResource":{"memory":4096,"vCores":4}},`)
	if a := whyPulled(t, dir, "application_7_0002"); !strings.Contains(strings.Join(a.Notes, "\n"),
		"left out 1 node in state UNHEALTHY") {
		t.Errorf("got notes %q", a.Notes)
	}
	rewrite(t, dir, "nodes.json", "RUNNING", "LOST")
	if _, errs := must(t, 1, "why", "application_7_0002", "--pull", dir); !strings.Contains(errs,
		"no running node: applications stay ACCEPTED until a NodeManager registers; left out 2 nodes in") &&
		!strings.Contains(errs, "LOST") {
		t.Errorf("got %s", errs)
	}
}

// A running cluster is read as a download is, with the queue file of the command line.
func TestWhyCluster(t *testing.T) {
	s := rmtest.New(1).Serve(t)
	if _, errs := must(t, 1, "why", "application_9_9999", "--rm", s.URL, "--rate", "100000"); !strings.Contains(errs,
		"application_9_9999: not in "+s.URL) {
		t.Errorf("got %s", errs)
	}
}
