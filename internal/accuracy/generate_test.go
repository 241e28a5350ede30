package accuracy

import (
	"fmt"
	"math"
	"testing"

	"schedtune/internal/rng"
	"schedtune/internal/scenario"
	"schedtune/internal/simulate"
	"schedtune/simcore"
	"schedtune/simcore/yarn"
	"schedtune/yarnconf"
)

// Generated histories: the simulator under other latencies than those that the
// comparison knows, with jobs that the history lacks, stands for the cluster.

// queueFile has three queues, hard where no queue can use what others leave.
func queueFile(t testing.TB, hard bool) *yarnconf.Document {
	t.Helper()
	text := "<configuration>\n"
	set := func(key, value string) {
		text += "<property><name>yarn.scheduler.capacity." + key + "</name><value>" + value + "</value></property>\n"
	}
	set("maximum-am-resource-percent", "0.5")
	set("root.queues", "etl,adhoc,ml")
	for i, q := range []string{"etl", "adhoc", "ml"} {
		share := []string{"30", "30", "40"}[i]
		set("root."+q+".capacity", share)
		set("root."+q+".user-limit-factor", "4")
		most := "100"
		if hard {
			most = share
		}
		set("root."+q+".maximum-capacity", most)
	}
	doc, err := yarnconf.Parse("drawn.xml", []byte(text+"</configuration>\n"))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// world draws a cluster, its true latencies and what its users do.
type world struct {
	key     rng.Key
	cluster *simcore.Cluster
	truth   *yarn.Calibration
}

func newWorld(seed, i uint64) *world {
	w := &world{key: rng.NewKey(seed, i), cluster: &simcore.Cluster{Racks: []string{"/rack"}}, truth: yarn.Default()}
	u := func(k uint64, low, high float64) float64 { return low + (high-low)*w.key.At(1).Float64(k) }
	for n := range int(u(0, 8, 20)) {
		w.cluster.Nodes = append(w.cluster.Nodes, simcore.Node{Name: fmt.Sprintf("node%02d", n), Cores: 8,
			Capacity: simcore.Vec{8192, 8}})
	}
	w.truth.MapWork *= u(1, 0.6, 2.5)
	w.truth.ReduceWork *= u(2, 0.6, 2.5)
	w.truth.AMWork *= u(3, 0.6, 2.5)
	return w
}

// workload draws the jobs of a period at a load, in parts of the cluster.
func (w *world) workload(period uint64, jobs int, load float64) *simcore.Workload {
	k := w.key.At(100 + period)
	out := &simcore.Workload{Name: fmt.Sprint("period ", period), Queues: []string{"root.etl", "root.adhoc", "root.ml"},
		Users: []string{"ann", "bob", "cid", "dora", "eve", "fay"}}
	area := 0.0
	for i := range uint64(jobs) {
		d := k.At(i)
		user := d.IntN(0, 6)
		maps := 1 + int32(math.Exp(1.5+1.1*d.Norm(1)))
		maps = min(maps, 200)
		j := simcore.Job{ID: fmt.Sprintf("job_%d_%04d", period, i), Name: fmt.Sprintf("job-%d", user),
			Queue: int32(user / 2), User: int32(user), Class: -1,
			Maps: maps, Reduces: maps / 8, FirstTask: int32(len(out.Tasks.Duration)), Slowstart: 0.8, MapDist: -1,
			ReduceDist: -1,
			AMAsk:      simcore.Vec{1024, 1}, MapAsk: simcore.Vec{1024, 1}, ReduceAsk: simcore.Vec{1024, 1}}
		pace := math.Exp(3 + 0.5*d.Norm(2))
		for t := range uint64(j.Maps + j.Reduces) {
			s := pace * math.Exp(0.3*d.At(7).Norm(t))
			out.Tasks.Duration = append(out.Tasks.Duration, simcore.Seconds(s))
			area += s
		}
		out.Jobs = append(out.Jobs, j)
	}
	// Arrivals are Poisson with bursts: a third of the jobs come with the one before.
	length := area / (load * float64(8*len(w.cluster.Nodes)))
	at, gap := 0.0, length/float64(jobs)
	for i := range out.Jobs {
		if k.At(uint64(i)).Float64(3) > 1.0/3 {
			at += 1.5 * gap * k.At(uint64(i)).Exp(4)
		}
		out.Jobs[i].Submit = simcore.Seconds(at)
	}
	return out
}

// play makes the history of a period under a file. One job in thirty is not in
// the history. known is the file that the comparison takes as the old one.
func (w *world) play(t testing.TB, period uint64, jobs int, load float64, known, doc *yarnconf.Document) *Period {
	t.Helper()
	work := w.workload(period, jobs, load)
	runs, err := simulate.New(&scenario.Case{Doc: doc, Cluster: w.cluster, Work: work, Calibration: w.truth},
		simulate.Options{Jitter: yarn.Jitter{Launch: true, Phases: true}})
	if err != nil {
		t.Fatal(err)
	}
	res, err := runs.Run(t.Context(), simulate.Item{Slowstart: -1, Seed: 1<<40 + uint64(w.key.At(period))>>24})
	if err != nil {
		t.Fatal(err)
	}
	seen := make([]Seen, len(work.Jobs))
	for i := range res.Jobs {
		j := &res.Jobs[i]
		seen[j.Job] = Seen{j.Submit, j.Start, j.Finish, j.Failed}
	}
	history := *work
	history.Jobs = nil
	p := &Period{Case: &scenario.Case{Doc: known, Cluster: w.cluster, Work: &history, Calibration: yarn.Default()}}
	for i := range work.Jobs {
		if w.key.At(200+period).IntN(uint64(i), 30) > 0 {
			history.Jobs, p.Seen = append(history.Jobs, work.Jobs[i]), append(p.Seen, seen[i])
		}
	}
	return p
}

// pairOf plays two periods of different load.
func (w *world) pairOf(t testing.TB, was, now *yarnconf.Document) (before, after *Period, ch Change) {
	u := func(k uint64, low, high float64) float64 { return low + (high-low)*w.key.At(2).Float64(k) }
	before = w.play(t, 0, int(u(0, 80, 300)), u(1, 0.4, 0.9), was, was)
	after = w.play(t, 1, int(u(2, 80, 300)), u(3, 0.4, 0.9), was, now)
	return before, after, Change{Settings: yarnconf.Changes(was, now), Old: -1, New: -1}
}
