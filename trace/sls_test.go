package trace

import (
	"slices"
	"strings"
	"testing"
)

// The simulator's file needs a queue, and says nothing where one task stands for itself.
func TestSLSDefaults(t *testing.T) {
	j := NewJob("job_1_1")
	if o := slsOut(&j, 0, nil); o.Queue != "default" {
		t.Errorf("queue %q, want default", o.Queue)
	}
	tr, err := Read(
		strings.NewReader(`{"am.type":"mapreduce","job.start.ms":0,"job.end.ms":9000,"job.id":"j1","job.tasks":[`+
			`{"container.start.ms":0,"container.end.ms":4000,"container.type":"map"},{"duration.ms":1000,"count":3,"container.type":"reduce"}]}`), "f", Options{})
	if err != nil {
		t.Fatal(err)
	}
	var kinds []Kind
	for _, task := range tr.Jobs[0].Tasks {
		kinds = append(kinds, task.Kind)
	}
	if !slices.Equal(kinds, []Kind{Map, Reduce, Reduce, Reduce}) {
		t.Errorf("tasks %v, want a map and three reduces", kinds)
	}
}

// Containers of the load simulator that are neither maps nor reduces have their own size; a host
// is where a map's input is, not where another task ran.
func TestSLSContainers(t *testing.T) {
	tr, err := Read(
		strings.NewReader(`{"am.type":"mapreduce","job.start.ms":0,"job.end.ms":9000,"job.id":"j1","job.tasks":[`+
			`{"container.host":"/r1/n1","duration.ms":1000,"container.type":"map","container.memory-mb":1024,"container.vcores":1},`+
			`{"container.host":"/r1/n2","duration.ms":1000,"container.type":"reduce","container.memory-mb":2048,"container.vcores":2}]}`+
			`{"job.start.ms":0,"job.end.ms":9000,"job.id":"j2","job.tasks":[{"container.host":"/r1/n2","duration.ms":1000,"container.type":"x","container.memory-mb":4096,"container.vcores":4}]}`), "f", Options{})
	if err != nil {
		t.Fatal(err)
	}
	if j := tr.Jobs[0]; j.MapSize != (Size{1024, 1}) || j.ReduceSize != (Size{2048, 2}) || !slices.Equal(j.Tasks[0].Hosts,
		[]string{"/r1/n1"}) || j.Tasks[1].Hosts != nil {
		t.Errorf("maps of %v, reduces of %v, tasks %+v", j.MapSize, j.ReduceSize, j.Tasks)
	}
	if j := tr.Jobs[1]; j.MapSize != (Size{4096, 4}) || j.Tasks[0].Hosts != nil {
		t.Errorf("containers of %v, tasks %+v", j.MapSize, j.Tasks)
	}
}

func TestSLSNodes(t *testing.T) {
	tr := &Trace{Nodes: []Node{{Name: "n1", Rack: "/r1", Size: Size{1024, 1}}, {Name: "n2", Size: Size{2048, 2}},
		{Name: "n3", Rack: "/r1", Size: Size{1024, 1}}}}
	var b strings.Builder
	if err := tr.WriteSLSNodes(&b); err != nil {
		t.Fatal(err)
	}
	const want = `{"rack":"r1","nodes":[{"node":"n1","memory-mb":1024,"vcores":1},{"node":"n3","memory-mb":1024,"vcores":1}]}` +
		`{"rack":"default-rack","nodes":[{"node":"n2","memory-mb":2048,"vcores":2}]}`
	got := strings.Join(strings.Fields(b.String()), "")
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// Of a job that is known by its file's name: 90 s from launch to finish.
func TestTimesOfNames(t *testing.T) {
	const u = Unknown
	for _, c := range []struct {
		submit, launch, finish Millis
		maps, reduces          int
		mapTime, reduceTime    Millis
		notes                  int
	}{
		{5_000, 10_000, 100_000, 4, 2, 60_000, 30_000, 1},
		{10_000, u, 100_000, 4, 2, 60_000, 30_000, 1},
		{10_000, 0, 100_000, 4, 2, 60_000, 30_000, 1},
		{5_000, 10_000, 100_000, 4, 0, 90_000, u, 1},
		{5_000, 10_000, 100_000, 0, 2, u, 90_000, 1},
		{5_000, 10_000, 100_000, 0, 0, u, u, 0},
		{5_000, 10_000, u, 4, 2, u, u, 0},
		{u, u, 100_000, 4, 2, u, u, 0},
	} {
		j, n := NewJob("job"), &notes{index: map[string]int{}}
		j.Submit, j.Launch, j.Finish, j.Maps, j.Reduces = c.submit, c.launch, c.finish, c.maps, c.reduces
		namesOnlyTimes(&j, n)
		if j.MapTime != c.mapTime || j.ReduceTime != c.reduceTime || len(n.list) != c.notes {
			t.Errorf("%+v: maps of %d ms, reduces of %d ms, notes %v", c, j.MapTime, j.ReduceTime, n.list)
		}
	}
}

// A transformed trace that is written for the load simulator is known as such when it is read again.
func TestSLSKeepsTransformations(t *testing.T) {
	recorded := made(8)
	fast, err := recorded.ScaleLoad(4)
	if err != nil {
		t.Fatal(err)
	}
	large, err := fast.ScaleCluster(3)
	if err != nil {
		t.Fatal(err)
	}
	read := func(of *Trace) *Trace {
		var b strings.Builder
		if err := of.WriteSLS(&b); err != nil {
			t.Fatal(err)
		}
		tr, err := Read(strings.NewReader(b.String()), "f", Options{})
		if err != nil {
			t.Fatal(err)
		}
		return tr
	}
	plain := read(recorded)
	if _, said := plain.Untransformed(); said != nil {
		t.Errorf("the recorded trace is said to be transformed: %q", said)
	}
	back, said := read(large).Untransformed()
	if _, want := large.Untransformed(); !slices.Equal(said, want) {
		t.Errorf("transformations %q, want %q", said, want)
	}
	for i := range plain.Jobs {
		a, b := &plain.Jobs[i], &back.Jobs[i]
		if d := a.Submit - b.Submit; d < -4 || d > 4 || len(a.Tasks) != len(b.Tasks) {
			t.Errorf("job %d submitted at %d with %d tasks, want %d with %d", i, b.Submit, len(b.Tasks), a.Submit, len(a.Tasks))
		}
	}
}
