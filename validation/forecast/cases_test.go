package forecast

import (
	"math"
	"testing"

	"schedtune/internal/rng"
	"schedtune/simcore"
	"schedtune/yarnconf"
)

// hours is a workload with a job of two tasks of a minute every ten minutes.
func hours(n int) *simcore.Workload {
	w := &simcore.Workload{Name: "hours", Queues: []string{"none"}, Users: []string{"a", "b"}}
	for i := range 6 * n {
		w.Jobs = append(w.Jobs, simcore.Job{Submit: simcore.Time(600*i) * simcore.Second, User: int32(i % 2), Maps: 1,
			Reduces: 1, FirstTask: int32(2 * i), MapDist: -1, ReduceDist: -1,
			MapAsk: simcore.Vec{2048, 1}, ReduceAsk: simcore.Vec{4096, 1}})
		w.Tasks.Duration = append(w.Tasks.Duration, 60*simcore.Second, 60*simcore.Second)
	}
	return w
}

// Two periods that follow each other hold every job between their ends once, each at
// its time from the period's begin; shortened ones do so as well.
func TestPeriodsPartition(t *testing.T) {
	w := hours(24)
	const start, length = 2 * simcore.Hour, 3 * simcore.Hour
	now, next := period(w, start, start+length), period(w, start+length, start+2*length)
	if len(now.Jobs) != 18 || len(next.Jobs) != 18 {
		t.Fatalf("%d and %d jobs, want 18 each", len(now.Jobs), len(next.Jobs))
	}
	for p, x := range []*simcore.Workload{now, next} {
		for i, j := range x.Jobs {
			if want := simcore.Time(600*i) * simcore.Second; j.Submit != want || int(j.FirstTask) != 2*(12+18*p+i) {
				t.Errorf("period %d job %d: submitted at %v with task %d", p, i, j.Submit, j.FirstTask)
			}
		}
	}
	many := hours(24)
	for i := range many.Jobs {
		many.Jobs[i].Maps = mostJob - 1 // the most that counts, so a period of 18 jobs is over the bound
	}
	one := shape{now: 1}
	parts, shorter := one.cut(many, start, length)
	if tasks(parts[0]) > mostTasks || tasks(parts[1]) > mostTasks || shorter >= length {
		t.Errorf("%d and %d tasks in %v", tasks(parts[0]), tasks(parts[1]), shorter)
	}
	if want := 5 * length / 4; shorter*5/4 > length || tasks(period(many, start, start+shorter*5/4)) <= mostTasks &&
		tasks(period(many, start+shorter*5/4, start+shorter*5/2)) <= mostTasks {
		t.Errorf("%v is shorter than it need be (at most %v)", shorter, want)
	}
	if many.Jobs[20].Maps = mostJob; len(period(many, 0, simcore.Hour*24).Jobs) != len(many.Jobs)-1 {
		t.Error("a job over the bound is not left out")
	}
}

// Three recorded periods, the next and one before them follow each other: 18 jobs in each.
func TestPeriodsOfTunedCases(t *testing.T) {
	parts, _ := shape{now: 3, before: 1}.cut(hours(24), 2*simcore.Hour, 3*simcore.Hour)
	for i, want := range []struct {
		jobs  int
		first simcore.Time // its task
	}{{54, 2 * 30}, {18, 2 * 84}, {18, 2 * 12}} {
		if got := parts[i]; len(got.Jobs) != want.jobs || simcore.Time(got.Jobs[0].FirstTask) != want.first {
			t.Errorf("part %d: got %d jobs from task %d, want %d from %d", i, len(got.Jobs), got.Jobs[0].FirstTask, want.jobs,
				want.first)
		}
	}
}

// The area of n jobs of a map and a reduce is n times their sizes times a minute,
// and the cluster of a case offers it at a load from 35 to 130 %, within the rounding
// of its nodes.
func TestAreaAndLoad(t *testing.T) {
	w := hours(3)
	if got, want := area(w), 18*60.0*(2048+4096); got != want {
		t.Errorf("area %g MiB-seconds, want %g", got, want)
	}
	all, err := sources(nil)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for i := range uint64(60) {
		c, ok := draw(all, rng.NewKey(21, purposeCase).At(i), shape{now: 1})
		if !ok {
			continue
		}
		n++
		nodes := float64(len(c.Now.Cluster.Nodes))
		if c.Next.Cluster != c.Now.Cluster || c.Next.Doc != c.Now.Doc {
			t.Errorf("%s: the periods are on different clusters or files", c.Name)
		}
		length := 0.0
		for _, x := range []*simcore.Workload{c.Now.Work, c.Next.Work} {
			for k := range x.Jobs {
				length = math.Max(length, x.Jobs[k].Submit.Seconds())
				if q := x.Jobs[k].Queue; int(q) >= len(x.Queues) {
					t.Fatalf("%s: queue %d of %d", c.Name, q, len(x.Queues))
				}
			}
		}
		// The length itself is longer than the last submission.
		offered := (area(c.Now.Work) + area(c.Next.Work)) / (2 * length * 8192)
		if offered/(nodes-0.5) < 0.35 || offered*0.7/(nodes+0.5) > 1.3 {
			t.Errorf("%s: %.2f nodes' worth of work on %g", c.Name, offered, nodes)
		}
	}
	if n < 20 {
		t.Errorf("seed 21: only %d of 60 draws make a case", n)
	}
}

// A drawn queue file loads, the shares of siblings are 100 together, and no maximum is
// below its share.
func TestDrawnTrees(t *testing.T) {
	for i := range uint64(200) {
		d := rng.NewStream(rng.NewKey(22, 1).At(i))
		doc, leaves := tree(func() float64 { return float64(d.Uint64()>>11) / (1 << 53) })
		conf, err := yarnconf.Evaluate(doc)
		if err != nil {
			t.Fatalf("seed 22, draw %d: %v", i, err)
		}
		n := 0
		for _, q := range conf.Queues {
			if q.Leaf {
				n++
			}
		}
		if n != len(leaves) || n < 2 || n > 6 {
			t.Errorf("seed 22, draw %d: %d leaves, %d named", i, n, len(leaves))
		}
	}
}

// Of four recommended files one makes the period 3 % worse, one a queue 11 % worse
// and one loses jobs: a quarter each. What was not recommended counts for the
// promise and not for these; a period without a run counts for neither.
func TestJudgement(t *testing.T) {
	e := Range{0.2, 0.1, 0.3}
	outs := []Outcome{
		{Case: "1", Recommended: true, Found: true, Expected: e, Again: e, Came: 0.2, WorstQueue: 0.1},
		{Case: "3", Recommended: true, Found: true, Expected: e, Again: e, Came: -0.03, WorstQueue: 0.0},
		{Case: "5", Recommended: true, Found: true, Expected: e, Again: e, Came: 0.25, WorstQueue: 0.11},
		{Case: "7", Recommended: true, Found: true, Expected: e, Again: e, Came: 0.15, Lost: 2},
		{Case: "9", Found: true, Expected: e, Again: e, Came: -0.5, WorstQueue: 3},
		{Case: "11", Found: true, Expected: e, Again: e, Came: math.Inf(-1), WorstQueue: math.Inf(1)},
		{Case: "13"},
	}
	j := Judge(outs)
	if j.Drawn != 7 || j.Found != 5 || j.Recommended != 4 || j.Worse != 0.25 || j.WorseQueue != 0.25 || j.Losing != 0.25 {
		t.Errorf("%+v", j)
	}
	if math.Abs(j.Expected.Coverage-0.6) > 1e-12 || math.Abs(j.MeanCame-(20-3+25+15)/4.0) > 1e-9 {
		t.Errorf("coverage %g, mean %g", j.Expected.Coverage, j.MeanCame)
	}
	for _, o := range Finite(outs) {
		if math.IsInf(o.Came, 0) || math.IsInf(o.WorstQueue, 0) {
			t.Errorf("%+v can't be told in JSON", o)
		}
	}
}

// Promises that are the true distribution hold nine cases in ten, score better than
// the best constant and than the same promises narrowed or shifted.
func TestTruePromisesScoreBest(t *testing.T) {
	const n, z = 1000, 1.6449
	k := rng.NewKey(23, 1)
	var outs [3][]Outcome
	for i := range uint64(n) {
		centre, spread := 0.4*k.Norm(2*i), 0.05+0.1*float64(i%4)
		came := centre + spread*k.Norm(2*i+1)
		for v, half := range []float64{z * spread, 0.4 * z * spread, z * spread} {
			point := centre
			if v == 2 {
				point += 0.2
			}
			e := Range{point, point - half, point + half}
			outs[v] = append(outs[v], Outcome{Found: true, Expected: e, Again: e, Came: came})
		}
	}
	right, narrow, shifted := Judge(outs[0]), Judge(outs[1]), Judge(outs[2])
	if math.Abs(right.Expected.Coverage-0.9) > 0.03 || math.Abs(right.Expected.Bias) > 2 {
		t.Errorf("seed 23: %+v", right.Expected)
	}
	for name, other := range map[string]float64{"constant": right.Constant.Interval, "narrow": narrow.Expected.Interval,
		"shifted": shifted.Expected.Interval} {
		if other <= right.Expected.Interval {
			t.Errorf("seed 23: %s scores %.1f, the true intervals %.1f", name, other, right.Expected.Interval)
		}
	}
	if math.Abs(shifted.Expected.Bias-20) > 2 {
		t.Errorf("shifted by 20 points, bias %.2f", shifted.Expected.Bias)
	}
}
