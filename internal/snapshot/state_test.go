package snapshot

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"schedtune/internal/rng"
	"schedtune/internal/scenario"
	"schedtune/simcore"
	"schedtune/simcore/yarn"
	"schedtune/yarnconf"
)

const (
	someApps = `{"apps":{"app":[
{"id":"application_7_0002","user":"u","name":"w","queue":"a","state":"ACCEPTED","finalStatus":"UNDEFINED","applicationType":"MAPREDUCE","startedTime":1000000,"elapsedTime":5000,"diagnostics":"Application is Activated, waiting","resourceRequests":[{"priority":0,"resourceName":"*","numContainers":1,"capability":{"memory":1024,"vCores":1}},{"priority":0,"resourceName":"/r","numContainers":1,"capability":{"memory":1024,"vCores":1}}]},
{"id":"application_7_0001","user":"u","name":"r","queue":"root.a","state":"RUNNING","finalStatus":"UNDEFINED","applicationType":"MAPREDUCE","startedTime":990000,"elapsedTime":15000}]}}`
	someContainers = `{"application_7_0001":[{"containerId":"container_7_0001_01_000002","allocatedMB":"2048","allocatedVCores":"1","assignedNodeId":"n:1","priority":"20","startedTime":995000},{"containerId":"container_7_0001_01_000001","allocatedMB":1024,"allocatedVCores":1,"nodeId":"n:1","priority":0,"startedTime":"990100"}]}`
	someMasters    = `{"application_7_0001":{"job":{"mapsTotal":3,"reducesTotal":1},"tasks":[{"type":"MAP","state":"SUCCEEDED","startTime":991000,"finishTime":994000},{"type":"MAP","state":"RUNNING","startTime":995500}],"conf":{"mapreduce.map.memory.mb":"2048","mapreduce.job.reduce.slowstart.completedmaps":"0.5"}}}`
)

func parsed(apps, containers, masters string) (*State, error) {
	return parse([3]string{"apps.json", "containers.json", "masters.json"}, [3][]byte{[]byte(apps), []byte(containers),
		[]byte(masters)})
}

// in finds queues among these leaves.
func in(leaves ...string) func(string) (string, error) {
	return func(name string) (string, error) {
		for _, l := range leaves {
			if l == name || strings.HasSuffix(l, "."+name) {
				return l, nil
			}
		}
		return "", fmt.Errorf("no queue %s among %v", name, leaves)
	}
}

// A queue that the ResourceManager has created dynamically is not in the file, but below a
// parent of it that makes queues.
func TestPlaceMadeOnFirstUse(t *testing.T) {
	for flexible, want := range map[string]string{"true": "root.users.ann", "false": ""} {
		changes := []yarnconf.Change{{Key: yarnconf.Prefix + "root.queues", Value: "a,users"},
			{Key: yarnconf.Prefix + "root.a.capacity", Value: "1w"},
			{Key: yarnconf.Prefix + "root.users.capacity", Value: "1w"},
			{Key: yarnconf.Prefix + "root.users.auto-queue-creation-v2.enabled", Value: flexible}}
		doc, err := yarnconf.Parse("f", yarnconf.Fragment("", changes))
		if err != nil {
			t.Fatal(err)
		}
		conf, err := yarnconf.Evaluate(doc)
		if err != nil {
			t.Fatal(err)
		}
		place, err := places(conf)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := place("root.users.ann"); got != want || (err == nil) != (want != "") {
			t.Errorf("flexible %s: %q, %v", flexible, got, err)
		}
		if got, err := place("a"); got != "root.a" {
			t.Errorf("flexible %s: a is %q, %v", flexible, got, err)
		}
	}
}

func TestRead(t *testing.T) {
	s, err := parsed(someApps, someContainers, someMasters)
	if err != nil {
		t.Fatal(err)
	}
	if s.Now != 1005000 || len(s.Apps) != 2 {
		t.Fatalf("%+v", s)
	}
	r, w := &s.Apps[0], &s.Apps[1]
	if r.ID != "application_7_0001" || r.Waits() || !r.Registered || len(r.Containers) != 2 ||
		r.Containers[0].Number != 1 ||
		r.Containers[1].Size != (yarn.Resource{Memory: 2048, VCores: 1}) || r.Containers[1].Priority != 20 ||
		r.Containers[1].Node != "n:1" {
		t.Errorf("%+v", r)
	}
	if m := r.Master; m.Total != [2]int32{3, 1} || m.Slowstart != 0.5 || m.Size[0].Memory != 2048 ||
		len(m.Tasks[0]) != 2 || m.Tasks[0][1].Finish != 0 {
		t.Errorf("%+v", m)
	}
	if !w.Waits() || !w.Activated || len(w.Asks) != 1 || w.Asks[0].Size.Memory != 1024 {
		t.Errorf("%+v", w)
	}
}

// A draw has the tasks that are done, those in containers with what is left of them,
// and the container of the waiting master.
func TestDraw(t *testing.T) {
	s, err := parsed(someApps, someContainers, someMasters)
	if err != nil {
		t.Fatal(err)
	}
	c := &scenario.Case{Cluster: &simcore.Cluster{Racks: []string{"/r"},
		Nodes: []simcore.Node{{Name: "n", Capacity: simcore.Vec{4096, 4}}}},
		Work: &simcore.Workload{}, Calibration: yarn.Default()}
	m, err := newModel(s, c, in("root.a"), false)
	if err != nil {
		t.Fatal(err)
	}
	if m.At != 15*simcore.Second || !m.guessed(1) {
		t.Errorf("%v, guessed %v", m.At, m.guessed(1))
	}
	d := m.draw(1)
	j, w := d.Work.Jobs[0], d.Warm.Jobs[0]
	if j.Maps != 3 || j.Reduces != 1 || j.MapAsk != (simcore.Vec{2048, 1}) || w.MapsDone != 1 || len(w.Tasks) != 1 {
		t.Errorf("%+v %+v", j, w)
	}
	// The one map that is over took 3 s; the other has run 9.5 s, longer than any.
	if left := w.Tasks[0].Left; left < simcore.Second/2 || left > 10*simcore.Second {
		t.Errorf("%v left", left.Std())
	}
	if got := d.Work.Tasks.Duration[j.FirstTask+2]; got != 3*simcore.Second {
		t.Errorf("the map to come takes %v, want 3 s", got.Std())
	}
	if x := d.Work.Jobs[1]; x.AMAsk != (simcore.Vec{1024, 1}) || len(d.Warm.Active) != 1 || x.Submit != 10*simcore.Second {
		t.Errorf("%+v %+v", x, d.Warm.Active)
	}
	if _, err := newModel(s, c, in("root.b"), false); err == nil || !strings.Contains(err.Error(), "root.b") {
		t.Error(err)
	}
	c.Cluster.Nodes[0].Name = "other"
	if _, err := newModel(s, c, in("root.a"), false); err == nil || !strings.Contains(err.Error(), `"n:1"`) {
		t.Error(err)
	}
}

// What an application asks for with a label goes to the nodes with it, its master to those without.
func TestLabelOfAsks(t *testing.T) {
	for _, c := range []struct{ master, asked, app, am string }{
		{"", "", "", ""}, {"", "x", "x", yarn.DefaultPartition}, {"x", "", "", "x"}, {"x", "x", "x", "x"},
	} {
		s, err := parsed(strings.NewReplacer(`"state":"RUNNING"`, `"state":"RUNNING","amNodeLabelExpression":"`+c.master+
			`","resourceRequests":[{"priority":20,"resourceName":"*","numContainers":1,"nodeLabelExpression":"`+c.asked+
			`","capability":{"memory":1024,"vCores":1}}]`).Replace(someApps), someContainers, someMasters)
		if err != nil {
			t.Fatal(err)
		}
		m, err := newModel(s, &scenario.Case{Cluster: &simcore.Cluster{Racks: []string{"/r"},
			Nodes: []simcore.Node{{Name: "n", Capacity: simcore.Vec{4096, 4}}}},
			Work: &simcore.Workload{}, Calibration: yarn.Default()}, in("root.a"), false)
		if err != nil {
			t.Fatal(err)
		}
		got := m.draw(1).Work.Jobs[0].Labels
		if (got == nil) != (c.am == "") || got != nil && (got.App != c.app || got.Master != c.am) {
			t.Errorf("%+v: got %+v", c, got)
		}
	}
}

// What remains of a task is what remained of those that lasted longer than its age.
func TestLeft(t *testing.T) {
	times := []simcore.Time{10, 20, 30, 40}
	seen := map[simcore.Time]int{}
	for i := range uint64(2000) {
		seen[left(times, 20, rng.NewKey(1, 2).At(i))]++
	}
	if len(seen) != 2 || seen[10] < 900 || seen[20] < 900 {
		t.Errorf("of an age of 20: %v, want 10 and 20 alike", seen)
	}
	if got := left(times, 40, rng.NewKey(1, 2)); got < simcore.Second/2 {
		t.Errorf("%v", got)
	}
}

func TestPlainName(t *testing.T) {
	if got := plainName("etl-2024-05-01_part7"); got != "etl-#-#-#_part#" {
		t.Error(got)
	}
}

func TestReadRefuses(t *testing.T) {
	for _, c := range []struct{ apps, containers, masters, want string }{
		{`{`, `{}`, `{}`, "apps.json"},
		{someApps, `[`, `{}`, "containers.json"},
		{someApps, `{}`, `[]`, "masters.json"},
		{`{"apps":{"app":[{"id":"x"}]}}`, `{}`, `{}`, "application_TIME_NUMBER"},
		{`{"apps":{"app":[{"id":"application_1_1","startedTime":-1}]}}`, `{}`, `{}`, "startedTime -1"},
		{someApps, `{"application_7_0001":[{"containerId":"c"}]}`, `{}`, `container "c"`},
		{strings.ReplaceAll(someApps, "0002", "0001"), someContainers, `{}`, "twice"},
	} {
		if _, err := parsed(c.apps, c.containers, c.masters); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
	if _, err := read(t.TempDir()); !errors.Is(err, errNone) {
		t.Error(err)
	}
}

// Whatever the files hold, reading them ends with a state or one line of error, and
// a state can be drawn from.
func FuzzRead(f *testing.F) {
	f.Add(someApps, someContainers, someMasters)
	f.Add(someApps, `{}`, `{"application_7_0001":null}`)
	f.Fuzz(func(t *testing.T, apps, containers, masters string) {
		s, err := parsed(apps, containers, masters)
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("error of several lines: %q", err)
			}
			return
		}
		tasks := int64(0)
		for i := range s.Apps {
			tasks += s.Apps[i].tasks()
		}
		if tasks > 10000 {
			return
		}
		c := &scenario.Case{Cluster: &simcore.Cluster{Racks: []string{"/r"},
			Nodes: []simcore.Node{{Name: "n", Capacity: simcore.Vec{1 << 40, 1 << 20}}}},
			Work: &simcore.Workload{}, Calibration: yarn.Default()}
		m, err := newModel(s, c, in("root.a"), false)
		if err != nil {
			return
		}
		d := m.draw(3)
		if len(d.Work.Jobs) != len(s.Apps) {
			t.Errorf("%d jobs of %d applications", len(d.Work.Jobs), len(s.Apps))
		}
		sim, err := yarn.NewSim(c.Cluster, d.Work, yarn.Options{})
		if err != nil {
			return
		}
		_ = sim
		for _, j := range d.Warm.Jobs {
			for _, x := range j.Tasks {
				if x.Left < 0 || x.Since > d.Warm.At {
					t.Errorf("a task since %v with %v left at %v", x.Since, x.Left, d.Warm.At)
				}
			}
		}
	})
}

// A folder that is not there is told apart from one of an older pull.
func TestReadNoFolder(t *testing.T) {
	if _, err := read("no-such-folder"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v, want one of a folder that does not exist", err)
	}
	if _, err := read(t.TempDir()); !errors.Is(err, errNone) {
		t.Error(err)
	}
}
