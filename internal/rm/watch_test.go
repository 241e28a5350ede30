package rm

import (
	"math"
	"strings"
	"testing"

	"schedtune/trace"
	"schedtune/yarnconf"
)

func TestCompare(t *testing.T) {
	a := &State{Nodes: 4, Memory: 4096, PerHour: 10, Mean: 100, Shares: map[string]float64{"a": 0.5, "b": 0.5},
		Config: yarnconf.Map{"yarn.scheduler.capacity.root.a.capacity": "60"}}
	same := *a
	if d := CompareWindows(a, &same); len(d) != 0 {
		t.Errorf("%v", d)
	}
	b := &State{Nodes: 3, Memory: 3072, PerHour: 13, Mean: 110, Shares: map[string]float64{"a": 0.2, "b": 0.45, "c": 0.35},
		Config: yarnconf.Map{"yarn.scheduler.capacity.root.a.capacity": "50"}}
	var text []string
	for _, d := range CompareWindows(a, b) {
		text = append(text, d.What+": "+d.Text)
	}
	// 10 to 13 jobs an hour is +30 %; 100 to 110 s is +10 %, within bounds; b loses 5 points, within bounds.
	want := []string{
		`configuration: root.a.capacity went from "60" to "50"`,
		"nodes: from 4 nodes with 4096 MiB to 3 with 3072",
		"load: jobs per hour from 10.0 to 13.0 (+30 %)",
		"load: queue a from 50 % to 20 % of the work",
		"load: queue c from 0 % to 35 % of the work",
	}
	if strings.Join(text, "\n") != strings.Join(want, "\n") {
		t.Errorf("%s", strings.Join(text, "\n"))
	}
}

// A setting that was not there, or is there no more, has no value to quote.
func TestCompareUnset(t *testing.T) {
	key := yarnconf.Prefix + "root.a.capacity"
	with, without := &State{Config: yarnconf.Map{key: "60"}}, &State{Config: yarnconf.Map{}}
	if d := CompareWindows(with, without); len(d) != 1 || d[0].Text != `root.a.capacity went from "60" to not set` {
		t.Errorf("%v", d)
	}
	if d := CompareWindows(without, with); len(d) != 1 || d[0].Text != `root.a.capacity went from not set to "60"` {
		t.Errorf("%v", d)
	}
}

// What one of two rounds does not tell is no drift: no job ended, or none did any work.
func TestCompareWithNothing(t *testing.T) {
	idle := &State{Nodes: 4, Shares: map[string]float64{}}
	busy := &State{Nodes: 4, PerHour: 10, Mean: 100, Shares: map[string]float64{"a": 1}}
	if d := CompareWindows(idle, busy); len(d) != 1 || d[0].Text != "jobs per hour from none to 10.0" {
		t.Errorf("%v", d)
	}
	if d := CompareWindows(busy, idle); len(d) != 1 || d[0].Text != "jobs per hour from 10.0 to 0.0 (-100 %)" {
		t.Errorf("%v", d)
	}
}

// Two jobs in two hours; work by attempts is 10 s · 512 MiB, charged work 15,360
// MiB·s: shares of a quarter and three quarters.
func TestLoad(t *testing.T) {
	one, two := trace.NewJob("1"), trace.NewJob("2")
	one.Queue, one.MapSize = "root.a", trace.Size{MiB: 512}
	task := trace.NewTask(trace.Map, 0)
	at := trace.NewAttempt(0)
	at.Start, at.Finish = 1000, 11000
	task.Attempts = []trace.Attempt{at}
	one.Tasks = []trace.Task{task}
	one.Submit, one.Finish = 0, 20000
	two.Queue, two.MemorySeconds, two.Submit, two.Finish = "b", 15360, 0, 40000
	s := &State{Shares: map[string]float64{}}
	s.load(&trace.Trace{Jobs: []trace.Job{one, two}}, 2, nil)
	if s.PerHour != 1 || s.Mean != 30 || s.Shares["root.a"] != 0.25 || s.Shares["b"] != 0.75 {
		t.Errorf("%+v", s)
	}
}

// Two leaves of one last name are two queues. A name without a path is the one leaf that
// bears it, and stays as it is where several do.
func TestLoadByPath(t *testing.T) {
	key := func(rest string) string { return yarnconf.Prefix + rest }
	conf := yarnconf.Map{key("root.queues"): "x,y", key("root.x.queues"): "etl,ad", key("root.y.queues"): "etl",
		key("root.x.capacity"): "50", key("root.y.capacity"): "50",
		key("root.x.etl.capacity"): "50", key("root.x.ad.capacity"): "50", key("root.y.etl.capacity"): "100"}
	var jobs []trace.Job
	for i, q := range []string{"root.x.etl", "root.y.etl", "ad", "etl"} {
		j := trace.NewJob(string(rune('1' + i)))
		j.Queue, j.MemorySeconds = q, int64(10*(i+1))
		jobs = append(jobs, j)
	}
	s := &State{Shares: map[string]float64{}}
	s.load(&trace.Trace{Jobs: jobs}, 1, leaves(conf))
	for q, want := range map[string]float64{"root.x.etl": 0.1, "root.y.etl": 0.2, "root.x.ad": 0.3, "etl": 0.4} {
		if math.Abs(s.Shares[q]-want) > 1e-9 {
			t.Errorf("%s: %g, want %g (%v)", q, s.Shares[q], want, s.Shares)
		}
	}
}
