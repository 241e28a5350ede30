package timeline_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"schedtune/internal/report/timeline"
	"schedtune/internal/simulate"
	"schedtune/simcore"
)

// A Spark application beside a MapReduce job, container by container. The driver
// and the AM count for their queues only; the executors of the one and the maps of
// the other have columns of their own; what comes and goes at one instant is one
// row; a change of nothing (a reservation) is none.
func TestExecutorsOverTime(t *testing.T) {
	w := &simcore.Workload{Queues: []string{"root.etl", "root.bi"},
		Jobs: []simcore.Job{{ID: "s", Queue: 0, Spark: &simcore.SparkApp{}}, {ID: "m", Queue: 1}}}
	r := timeline.New(w)
	for _, c := range []struct {
		at     simcore.Time
		job    simcore.JobID
		kind   simcore.Kind
		master bool
		delta  int
	}{
		{1, 0, simcore.Map, true, 1}, {2, 1, simcore.Map, true, 1}, {3, 0, simcore.Map, false, 1},
		{3, 0, simcore.Map, false, 1}, {4, 1, simcore.Map, false, 1},
		{5, 1, simcore.Reduce, false, 0}, {6, 1, simcore.Map, false, -1}, {6, 1, simcore.Reduce, false, 1},
		{7, 0, simcore.Map, false, -1}, {8, 0, simcore.Map, false, -1}, {9, 0, simcore.Map, true, -1},
	} {
		r.Watch(simulate.Change{At: c.at * simcore.Second, Job: c.job, Kind: c.kind, Master: c.master, Delta: c.delta})
	}
	var b bytes.Buffer
	if err := r.WriteCSV(&b); err != nil {
		t.Fatal(err)
	}
	const want = `time,maps,reduces,executors,root.etl,root.bi
1,0,0,0,1,0
2,0,0,0,1,1
3,0,0,2,3,1
4,1,0,2,3,2
6,0,1,2,3,2
7,0,1,1,2,2
8,0,1,0,1,2
9,0,1,0,0,2
`
	if b.String() != want {
		t.Errorf("\n%s, want\n%s", b.String(), want)
	}
}

// The heartbeat log has the memory of Spark's executors, whose size no job's ask tells.
func TestMemoryOfExecutors(t *testing.T) {
	work := &simcore.Workload{Queues: []string{"root.etl"},
		Jobs: []simcore.Job{{ID: "s", Class: -1, Spark: &simcore.SparkApp{}}}}
	cluster := &simcore.Cluster{Nodes: []simcore.Node{{Name: "n", Capacity: simcore.Vec{4096, 4}}}}
	var b bytes.Buffer
	h, err := timeline.NewHeartbeats(&b, &simulate.Runner{Cluster: cluster, Work: work}, simcore.Second)
	if err != nil {
		t.Fatal(err)
	}
	for at := range simcore.Time(2) {
		h.Watch(simulate.Change{At: at, Delta: 1, Memory: 1024})
	}
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	rows := strings.Split(b.String(), "\n")
	column := slices.Index(strings.Split(rows[0], ","), "memory")
	if got := strings.Split(rows[2], ",")[column]; got != "0.25" {
		t.Errorf("memory in use %q behind one executor of 1 of 4 GiB, want 0.25:\n%s", got, b.String())
	}
}
