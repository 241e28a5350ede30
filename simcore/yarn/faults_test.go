package yarn

import (
	"math/rand/v2"
	"testing"

	"schedtune/simcore"
)

// Whatever fails, every job ends, and one that succeeded has finished all its
// tasks: exactly once without node failures, at least once with them (maps
// whose output was lost run again).
func TestFaultsLoseNothing(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 4))
		w := randomWorkload(r, 1+r.IntN(10))
		cfg := RunConfig{Seed: seed, Slowstart: -1, Jitter: Jitter{true, true, true},
			Durations: simcore.DurationConfig{StragglerShare: 0.1, StragglerFactor: 5}}
		c := testCluster(12, 4096)
		if r.IntN(2) > 0 {
			Spot(c, 5000*simcore.Second)
		}
		sim, err := NewSim(c, w, Options{Times: Times(r.IntN(2))})
		if err != nil {
			t.Fatal(err)
		}
		res, err := sim.Run(cfg, newFIFO(2))
		if err != nil {
			t.Errorf("seed %d: %v", seed, err)
			continue
		}
		books(t, sim)
		for j := range w.Jobs {
			got, want := res.Jobs[j].Finished, [2]int32{w.Jobs[j].Maps, w.Jobs[j].Reduces}
			exact := c.Still()
			if s := sim.JobTimes()[j].Status; s == Unfinished || s == Succeeded && (got[0] < want[0] || got[1] < want[1] ||
				exact && got != want) {
				t.Errorf("seed %d, job %d: status %d, finished %v of %v", seed, j, s, got, want)
			}
		}
	}
}

// Launches on two cores: three of 1 s that start together run at 2/3 and end
// at 1.5 s; one alone ends at 1 s. A fourth of 1 s that starts at 0.75 s, when
// half of each is done, makes it four at 1/2: the three end at 1.75 s, and the
// fourth, half done then, alone at 2.25 s.
func TestSharedCores(t *testing.T) {
	s := func(x float64) simcore.Time { return simcore.Seconds(x) }
	one := []float64{1, 1, 1, 1}
	got := ShareCores(2, []simcore.Time{0, 0, 0}, []simcore.Time{s(1), s(1), s(1)}, one)
	for _, e := range got {
		if abs(e-s(1.5)) > 2 {
			t.Errorf("three launches end at %v, want 1.5 s", e.Std())
		}
	}
	got = ShareCores(2, []simcore.Time{0, 0, 0, s(0.75)}, []simcore.Time{s(1), s(1), s(1), s(1)}, one)
	for i, want := range []float64{1.75, 1.75, 1.75, 2.25} {
		if abs(got[i]-s(want)) > 3 {
			t.Errorf("launch %d ends at %v, want %v s", i, got[i].Std(), want)
		}
	}
}

// The ramp-up of a recorded AM (job of 20 maps and 4 reduces of 256 MiB,
// headroom 0): with one map done of 20 and 13 running the reduces' share is
// 0.05 x 3328 = 166 MiB, none fits; with two done and 12 running
// 0.1 x 3072 = 307 MiB, one fits; with 8 done, 10 running (one of them a
// reduce), share 0.4 x 2816 = 1126 MiB holds 4, of which 2 are asked for.
func TestRampUp(t *testing.T) {
	size := Resource{Memory: 256, VCores: 1}
	for _, c := range []struct {
		done, wait, run, asked, reds, pending int32
		want                                  int32
	}{
		{1, 6, 13, 0, 0, 4, 0},
		{2, 6, 12, 0, 0, 4, 1},
		{8, 3, 10, 1, 1, 2, 2},
		{20, 0, 0, 0, 0, 4, 4}, // all maps assigned: all
	} {
		r := Ramp{Map: size, Reduce: size, TotalMaps: 20, DoneMaps: c.done, WaitMaps: c.wait, RunMaps: c.run,
			AskedReduces: c.asked, RunReduces: c.reds, PendingReduces: c.pending}
		if got := r.Change(); got != c.want {
			t.Errorf("%+v: change %d, want %d", c, got, c.want)
		}
	}
	starved := Ramp{Map: size, Reduce: size, TotalMaps: 2, WaitMaps: 2, RunReduces: 3}
	if !starved.Starved() || starved.Kills() != 2 { // min(max(1, ceil(0.5 x 768 / 256)), 2)
		t.Errorf("starved %v, kills %d; want true, 2", starved.Starved(), starved.Kills())
	}
}

// Twice the times everywhere give twice the results: heartbeats, latencies,
// submissions, task times.
func TestScaledTime(t *testing.T) {
	twice := func(l Latency) Latency {
		var d Latency
		for _, v := range l {
			d = append(d, 2*v)
		}
		return d
	}
	for seed := range uint64(10) {
		r := rand.New(rand.NewPCG(seed, 5))
		w := randomWorkload(r, 6)
		for i := range w.Dists {
			w.Dists[i] = simcore.Dist{Kind: simcore.Constant, A: float64(1 + r.IntN(40))}
		}
		cal := plain()
		cal.TaskExit, cal.Commit, cal.StartRequest = Latency{30}, Latency{26}, Latency{14}
		big := *cal
		big.NodeBeat, big.AMBeat, big.ShufflePoll = 2*cal.NodeBeat, 2*cal.AMBeat, 2*cal.ShufflePoll
		big.AMStart, big.Linger, big.TaskExit, big.Commit, big.StartRequest = twice(cal.AMStart), twice(cal.Linger),
			twice(cal.TaskExit), twice(cal.Commit), twice(cal.StartRequest)
		v := *w
		v.Jobs, v.Dists = append([]simcore.Job{}, w.Jobs...), append([]simcore.Dist{}, w.Dists...)
		for i := range v.Jobs {
			v.Jobs[i].Submit *= 2
		}
		for i := range v.Dists {
			v.Dists[i].A *= 2
		}
		c := testCluster(4, 4096)
		a, _ := mustRun(t, c, w, Options{}, RunConfig{Slowstart: -1, Calibration: cal}, newFIFO(2))
		first := append([]JobTimes{}, a.JobTimes()...)
		b, _ := mustRun(t, c, &v, Options{}, RunConfig{Slowstart: -1, Calibration: &big}, newFIFO(2))
		for j, x := range b.JobTimes() {
			if abs(x.Finish-2*first[j].Finish) > 2 || abs(x.Registered-2*first[j].Registered) > 2 { // phases round to 1 µs
				t.Errorf("seed %d, job %d: finish %v and %v", seed, j, first[j].Finish.Std(), x.Finish.Std())
			}
		}
	}
}

// Container-seconds: what the run counts as held equals what the jobs held,
// from grant to release, plus their AMs'.
func TestHeldMemoryIsConserved(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 6))
		w := randomWorkload(r, 8)
		for j := range w.Jobs {
			w.Jobs[j].MapAsk, w.Jobs[j].ReduceAsk = simcore.Vec{512, 1}, simcore.Vec{512, 1}
		}
		c := testCluster(4, 4096)
		sim, res := mustRun(t, c, w, Options{}, RunConfig{Seed: seed, Slowstart: -1, Jitter: Jitter{true, true, true}},
			newFIFO(1))
		var held simcore.Time
		given := int32(0)
		for j, x := range sim.JobTimes() {
			held += 512 * (res.Jobs[j].Busy[0] + res.Jobs[j].Busy[1] + x.Released - x.AMAllocated)
			given += x.Given
		}
		if sum := simcore.Time(sim.held.lo); given == 0 && held != sum || held > sum {
			t.Errorf("seed %d: jobs held %d, the run %d (%d given back)", seed, held, sum, given)
		}
	}
}

// A master is lost with its node after some of its 400 maps have finished. Its next one recovers those
// whose output is on other nodes: only the maps that had finished on the lost node run again.
func TestRestartedMasterRecoversTasks(t *testing.T) {
	c, at := testCluster(8, 4096), 200*simcore.Second
	c.Elastic = simcore.Elastic{Expiry: simcore.Second, Unreachable: simcore.Second,
		Changes: []simcore.NodeChange{{At: at, What: simcore.Lose, Node: "n0"}}}
	var master simcore.NodeID
	var done [8]int32
	cfg := RunConfig{Slowstart: -1, Calibration: plain(), Trace: func(now simcore.Time, e ContainerChange) {
		switch {
		case now >= at:
		case e.Master:
			master = e.Node
		case e.Delta < 0 && !e.Lost && e.Kind == simcore.Map:
			done[e.Node]++
		}
	}}
	sim, res := mustRun(t, c, oneJob(400, 4, 20, 10), Options{}, cfg, newFIFO(2))
	if master != 0 || sim.jobs[0].starts != 1 || done[0] == 0 {
		t.Fatalf("master on node %d, %d masters lost, %d maps on the lost node; want 0, 1 and some", master,
			sim.jobs[0].starts, done[0])
	}
	if got, want := res.Jobs[0].Finished, [2]int32{400 + done[0], 4}; got != want {
		t.Errorf("finished %v, want %v", got, want)
	}
}

// A node with room for the AM and one container, and a slow one that fails during its map. The container
// of the first map has gone to the reduce that had been asked for, and the second map cannot run
// again: the AM has to kill the reduce. Without that rule the run would stall.
func TestMasterKillsReducesForMaps(t *testing.T) {
	c, w := testCluster(2, 2048), oneJob(2, 1, 10, 5)
	w.Jobs[0].Slowstart = 0.5
	c.Nodes[1].Capacity[simcore.Memory], c.Nodes[1].Speed = 1024, 0.1
	c.Elastic = simcore.Elastic{Expiry: simcore.Second, Unreachable: simcore.Second,
		Changes: []simcore.NodeChange{{At: 40 * simcore.Second, What: simcore.Lose, Node: "n1"}}}
	_, res := mustRun(t, c, w, Options{}, RunConfig{Slowstart: -1, Calibration: plain()}, newFIFO(1))
	if got := res.Jobs[0].Finished; got != [2]int32{2, 1} {
		t.Errorf("finished %v, want 2 maps and 1 reduce", got)
	}
	if got := res.Jobs[0].Killed[1]; got != 1 {
		t.Errorf("%d reduces were killed, want 1", got)
	}
}

func FuzzParseCalibration(f *testing.F) {
	f.Add([]byte(`{"schema":"schedtune/calibration/v1"}`))
	f.Add([]byte(`{"schema":"schedtune/calibration/v1","linger_ms":[1,2],"cpu_scope":"cluster","cores":2}`))
	f.Add([]byte(`{"schema":"x","commit_ms":[]}`))
	f.Add([]byte(`{"submit_ms":[5,1]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := ParseCalibration(b)
		if err == nil && c.Validate() != nil {
			t.Errorf("accepted %q but %v", b, c.Validate())
		}
	})
}

// The resource model: two maps of 100 MB from their node's one disk of 50 MB/s
// share it and take 4 s of reading together, one alone takes 2 s.
func TestResourceModelSharesTheDisk(t *testing.T) {
	for _, c := range []struct {
		maps int32
		want float64
	}{{1, 2}, {2, 4}} {
		cl := testCluster(1, 8192)
		cl.Nodes[0].Disks, cl.Nodes[0].DiskRate, cl.Nodes[0].Cores = 1, 50e6, 8
		w := oneJob(c.maps, 0, 0, 0)
		w.Jobs[0].MapDist, w.Jobs[0].ReduceDist = -1, -1
		w.Jobs[0].InputBytes = int64(c.maps) * 100e6
		sim, _ := mustRun(t, cl, w, Options{}, RunConfig{Slowstart: -1, Calibration: plain(),
			Durations: simcore.DurationConfig{Model: simcore.Resources}}, newFIFO(4))
		x := sim.JobTimes()[0]
		if got := (x.LastMap - x.FirstMap).Seconds(); got < c.want-0.01 || got > c.want+0.01 {
			t.Errorf("%d maps read for %.3f s, want %v", c.maps, got, c.want)
		}
	}
}

// Jobs with shuffle end under the resource model.
func TestResourceModelLosesNothing(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 7))
		cl, w := testCluster(6, 4096), randomWorkload(r, 1+r.IntN(8))
		for i := range cl.Nodes {
			cl.Nodes[i].Disks, cl.Nodes[i].DiskRate, cl.Nodes[i].NICRate, cl.Nodes[i].Cores = 2, 80e6, 100e6, 4
		}
		for j := range w.Jobs {
			q := &w.Jobs[j]
			q.InputBytes, q.ShuffleBytes, q.OutputBytes = int64(q.Maps)*64e6, int64(q.Maps)*16e6, int64(q.Reduces)*10e6
		}
		cfg := RunConfig{Seed: seed, Slowstart: -1, Jitter: Jitter{true, true, true},
			Durations: simcore.DurationConfig{Model: simcore.Resources}}
		sim, res := mustRun(t, cl, w, Options{Times: Times(r.IntN(2))}, cfg, newFIFO(2))
		books(t, sim)
		for j := range w.Jobs {
			if got, want := res.Jobs[j].Finished, [2]int32{w.Jobs[j].Maps, w.Jobs[j].Reduces}; got != want {
				t.Errorf("seed %d, job %d: finished %v of %v", seed, j, got, want)
			}
		}
	}
}

// abs returns the absolute value of a time.
func abs(t simcore.Time) simcore.Time { return max(t, -t) }
