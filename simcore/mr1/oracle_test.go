package mr1_test

import (
	"math"
	"testing"

	"schedtune/internal/rng"
	"schedtune/simcore"
	"schedtune/simcore/mr1"
	"schedtune/simcore/schedtest"
	"schedtune/validation/testdata"
)

// ideal is a cluster manager without latency: a heartbeat every microsecond.
func ideal(m simcore.Model, seed uint64) mr1.Config {
	return mr1.Config{DurationConfig: simcore.DurationConfig{Model: m, Seed: seed}, Heartbeat: 1}
}

func oneNode(slots int64) *simcore.Cluster {
	return schedtest.Uniform(1, 1, simcore.Vec{slots, 0})
}

func run(t testing.TB, cfg mr1.Config, c *simcore.Cluster, w *simcore.Workload) *simcore.Result {
	t.Helper()
	r, err := mr1.Run(cfg, c, w, &schedtest.FIFO{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func value(t testing.TB, r *simcore.Result, name string) float64 {
	t.Helper()
	v, err := r.Value(name)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol*math.Abs(want)) {
		t.Errorf("%s: %.6g, theory says %.6g (tolerance %.2g)", what, got, want, tol)
	}
}

// erlangC is the probability of waiting in M/M/c with offered load a.
func erlangC(c int, a float64) float64 {
	sum, term := 0.0, 1.0
	for k := range c {
		sum += term
		term *= a / float64(k+1)
	}
	last := term * float64(c) / (float64(c) - a)
	return last / (sum + last)
}

// M/M/c: E[W] = C(c, a) / (c·mu - lambda), P(W > 0) = C(c, a).
func TestWaitInMMc(t *testing.T) {
	t.Parallel()
	for _, c := range []int{2, 8} { // of one server below
		lambda, mu := 0.7*float64(c), 1.0
		w := queueOf(1, 200000, lambda, simcore.Dist{Kind: simcore.Exponential, A: 1 / mu})
		r := run(t, ideal(simcore.Sampled, 2), oneNode(int64(c)), w)
		wait := erlangC(c, lambda/mu)
		near(t, "mean wait", value(t, r, "mean-wait"), wait/(float64(c)*mu-lambda), 0.04)
		waited := 0
		for _, j := range r.Jobs {
			if j.Wait() > 2 { // µs: an idle slot answers within a heartbeat
				waited++
			}
		}
		near(t, "share that waits", float64(waited)/float64(len(r.Jobs)), wait, 0.02)
		near(t, "utilisation", value(t, r, "map-utilisation"), 0.7, 0.01)
	}
}

// within is the tolerance for a mean of n jobs, from that for a mean of some number: errors shrink
// with the root.
func within(tolerance float64, of, n int) float64 {
	return tolerance * math.Sqrt(float64(of)/float64(n))
}

// M/G/1 FIFO: E[W] = lambda·E[S²] / (2(1 - rho)) (Pollaczek, Khinchine).
func TestWaitInMG1(t *testing.T) {
	t.Parallel()
	for _, s := range []struct {
		name   string
		dist   simcore.Dist
		m1, m2 float64
	}{
		{"constant", simcore.Dist{Kind: simcore.Constant, A: 1}, 1, 1},
		{"exponential", simcore.Dist{Kind: simcore.Exponential, A: 1}, 1, 2},
		{"uniform", simcore.Dist{Kind: simcore.Uniform, A: 0, B: 2}, 1, 4.0 / 3},
		{"lognormal", simcore.Dist{Kind: simcore.LogNormal, A: -0.5, B: 1}, 1, math.E},
		{"two-point", simcore.Dist{Kind: simcore.Empirical, Points: []float64{0.5, 0.5, 0.5, 2, 2}}, 0.0, 0.0},
	} {
		t.Run(s.name, func(t *testing.T) {
			if s.m1 == 0 { // linear between quantiles: half at 0.5, a quarter 0.5..2, a quarter at 2
				s.m1 = 0.5*0.5 + 0.25*1.25 + 0.25*2
				s.m2 = 0.5*0.25 + 0.25*(0.25+0.5*2+4)/3 + 0.25*4
			}
			lambda := 0.7 / s.m1
			jobs := testdata.Cases(200000)
			r := run(t, ideal(simcore.Sampled, 4), oneNode(1), queueOf(3, jobs, lambda, s.dist))
			near(t, s.name, value(t, r, "mean-wait"), lambda*s.m2/(2*(1-0.7)), within(0.06, 200000, jobs))
			near(t, s.name+" mean of distribution", s.dist.Mean(), s.m1, 1e-9)
		})
	}
}

// M/G/1-PS: a shared disk with as many slots as jobs. E[T | size x] =
// x / (1 - rho) whatever the distribution of sizes.
func TestSharedDiskIsProcessorSharing(t *testing.T) {
	t.Parallel()
	const rate = 100e6
	jobs := testdata.Cases(100000)
	w := queueOf(5, jobs, 0.7, simcore.Dist{})
	key := rng.NewKey(6, 1)
	sum := 0.0
	for j := range w.Jobs {
		size := 0.5
		if key.IntN(uint64(j), 4) == 0 {
			size = 2.5
		}
		sum += size / float64(jobs)
		w.Jobs[j].InputBytes = int64(size * rate)
	}
	c := oneNode(400)
	c.Nodes[0].Disks, c.Nodes[0].DiskRate, c.Nodes[0].NICRate = 1, rate, 0
	w.Dists, w.Jobs = nil, w.Jobs[:jobs]
	for j := range w.Jobs {
		w.Jobs[j].MapDist = -1
	}
	r := run(t, ideal(simcore.Resources, 1), c, w)
	rho := 0.7 * sum
	for _, size := range []float64{0.5, 2.5} {
		total, n := 0.0, 0.0
		for _, j := range r.Jobs {
			if w.Jobs[j.Job].InputBytes == int64(size*rate) {
				total, n = total+j.Completion().Seconds(), n+1
			}
		}
		near(t, "time in system", total/n, size/(1-rho), within(0.05, 100000, jobs))
	}
}

// n exponential tasks on k slots: E = (n-k)/(k·lambda) + H_k/lambda, and with
// n <= k (fork and join) H_n/lambda.
func TestExponentialMakespan(t *testing.T) {
	const seeds = 3000
	for _, s := range []struct{ n, k int }{{40, 8}, {8, 8}, {5, 8}} {
		w := stageOf(s.n, simcore.Dist{Kind: simcore.Exponential, A: 10})
		c, sim := oneNode(int64(s.k)), mr1.NewSim()
		sum := 0.0
		for seed := range uint64(seeds) {
			r, err := sim.Run(ideal(simcore.Sampled, seed), c, w, &schedtest.FIFO{})
			if err != nil {
				t.Fatal(err)
			}
			sum += value(t, r, "makespan")
		}
		harmonic, last := 0.0, min(s.n, s.k)
		for i := 1; i <= last; i++ {
			harmonic += 1 / float64(i)
		}
		// With 40 on 8 one run's deviation is about 10·sqrt(32/64 + pi²/6) =
		// 15 s, 20 % of the mean 67 s, over 3000 runs 0.4 %; with 8 on 8 it is
		// 12 s of 27 s, 0.8 %.
		near(t, "makespan", sum/seeds, float64(s.n-last)*10/float64(s.k)+10*harmonic, 0.025)
	}
}

// With sizes that vary more than exponential ones, equal sharing serves jobs
// sooner on average than first come first served; with equal sizes it serves
// them later. M/G/1: FIFO E[T] = E[S] + lambda·E[S²]/(2(1-rho)), shared
// E[S]/(1-rho).
func TestSharingAgainstFIFO(t *testing.T) {
	t.Parallel()
	const rate = 100e6
	jobs := testdata.Cases(60000)
	for _, big := range []float64{1, 9} { // sizes 1, or 1 and one in ten of 9
		w := queueOf(9, jobs, 0.35, simcore.Dist{})
		key, m1, m2 := rng.NewKey(10, 1), 0.0, 0.0
		for j := range w.Jobs {
			size := 1.0
			if key.IntN(uint64(j), 10) == 0 {
				size = big
			}
			w.Jobs[j].InputBytes, w.Jobs[j].MapDist = int64(size*rate), -1
			m1, m2 = m1+size/float64(jobs), m2+size*size/float64(jobs)
		}
		w.Dists = nil
		mean := func(slots int64) float64 {
			c := oneNode(slots)
			c.Nodes[0].Disks, c.Nodes[0].DiskRate = 1, rate
			return value(t, run(t, ideal(simcore.Resources, 1), c, w), "mean-completion")
		}
		rho := 0.35 * m1
		fifo, shared := mean(1), mean(200)
		near(t, "one at a time", fifo, m1+0.35*m2/(2*(1-rho)), within(0.06, 60000, jobs))
		near(t, "all at once", shared, m1/(1-rho), within(0.06, 60000, jobs))
		if (shared < fifo) != (big > 1) {
			t.Errorf("largest size %v: shared %v s, one at a time %v s", big, shared, fifo)
		}
	}
}

// Graham: list scheduling is at most (2 - 1/k) times optimal, which is at
// least max(S/k, m). ARIA: S/k <= T <= (n-1)·mean/k + max.
func TestGreedyBounds(t *testing.T) {
	for seed := range uint64(200) {
		k := rng.NewKey(seed, 9)
		n, slots := 1+k.IntN(0, 60), 1+k.IntN(1, 10)
		w := stageOf(n, simcore.Dist{})
		w.Dists, w.Jobs[0].FirstTask, w.Jobs[0].MapDist = nil, 0, -1
		sum, longest := 0.0, 0.0
		for i := range n {
			d := simcore.Seconds(k.Exp(uint64(2+i)) * 30)
			w.Tasks.Duration = append(w.Tasks.Duration, d)
			sum, longest = sum+d.Seconds(), max(longest, d.Seconds())
		}
		got := value(t, run(t, ideal(simcore.Replay, seed), oneNode(int64(slots)), w), "makespan")
		s, eps := float64(slots), 1e-4
		if low := max(sum/s, longest); got < low-eps || got > (2-1/s)*low+eps {
			t.Errorf("seed %d: %v outside Graham's [%v, %v]", seed, got, low, (2-1/s)*low)
		}
		if high := sum/float64(n)*float64(n-1)/s + longest; got > high+eps {
			t.Errorf("seed %d: %v above ARIA's %v", seed, got, high)
		}
	}
}

// Equal tasks of d seconds on k slots take ceil(n/k)·d, to the microsecond per
// wave.
func TestWavesOfEqualTasks(t *testing.T) {
	for _, n := range []int{1, 7, 8, 9, 100} {
		r := run(t, ideal(simcore.Sampled, 1), oneNode(8), stageOf(n, simcore.Dist{A: 12}))
		waves := math.Ceil(float64(n) / 8)
		if got := value(t, r, "makespan"); math.Abs(got-12*waves) > waves*2e-6 {
			t.Errorf("%d tasks on 8 slots: %v s, want %v", n, got, 12*waves)
		}
	}
}

// Little's law on a finished run is exact: the integral of the number of jobs
// in the system is the sum of their times there; the same for pending tasks
// and their waits, and for busy slots and the attempts' times.
func TestLittleAndSlotSeconds(t *testing.T) {
	for seed := range uint64(20) {
		w, c := schedtest.Mixed(seed, 40), schedtest.Uniform(8, 4, simcore.Vec{2, 1})
		var last, jobs, busy, took simcore.Time
		n, running := simcore.Time(0), simcore.Time(0)
		cfg := mr1.Config{DurationConfig: simcore.DurationConfig{Model: simcore.Sampled, Seed: seed}, Launch: simcore.Second,
			Replication: 2}
		cfg.Failures.Attempt = 0.05
		cfg.Trace = func(at simcore.Time, e mr1.Event) {
			jobs, busy, last = jobs+n*(at-last), busy+running*(at-last), at
			switch e.Kind {
			case mr1.JobArrived:
				n++
			case mr1.JobFinished:
				n--
			case mr1.TaskStarted:
				running++
			case mr1.TaskFinished, mr1.TaskFailed, mr1.TaskKilled:
				running, took = running-1, took+e.Took
			}
		}
		r := run(t, cfg, c, w)
		var sum simcore.Time
		for _, j := range r.Jobs {
			sum += j.Completion()
		}
		if jobs != sum {
			t.Errorf("seed %d: integral of jobs in system %d µs, sum of times in system %d µs", seed, jobs, sum)
		}
		if held := r.Total.Busy[0] + r.Total.Busy[1]; busy != held || took != held {
			t.Errorf("seed %d: busy slots integrate to %d µs, attempts hold %d µs, recorded %d µs", seed, busy, took, held)
		}
	}
}

// The bytes that disks, links and cores serve are those the workload moves.
func TestBytesAreConserved(t *testing.T) {
	for seed := range uint64(10) {
		w, c := schedtest.Mixed(seed, 15), schedtest.Uniform(8, 4, simcore.Vec{2, 2})
		c.UplinkRate = 1e9
		cfg := mr1.Config{DurationConfig: simcore.DurationConfig{Model: simcore.Resources, Seed: seed}, Replication: 1}
		r := run(t, cfg, c, w)
		var disk, cpu, remote, off int64
		for i := range w.Jobs {
			j := &w.Jobs[i]
			in, shuffle := j.InputBytes/int64(j.Maps), j.ShuffleBytes/int64(j.Maps)
			mapBytes := shuffle
			if j.Reduces == 0 {
				mapBytes = j.OutputBytes / int64(j.Maps)
			} else {
				share := shuffle * int64(j.Maps) / int64(j.Reduces)
				disk += int64(j.Reduces) * (share + j.OutputBytes/int64(j.Reduces))
				cpu += int64(j.Reduces) * int64(simcore.Seconds(j.ReduceCPU*float64(j.ShuffleBytes/int64(j.Reduces))))
			}
			disk += int64(j.Maps) * (in + mapBytes)
			cpu += int64(j.Maps) * int64(simcore.Seconds(j.MapCPU*float64(in)))
			at := r.Jobs[i].At
			remote += in * int64(at[simcore.RackLocal]+at[simcore.OffSwitch])
			off += in * int64(at[simcore.OffSwitch])
		}
		got := r.Traffic
		if got.Disk != disk || int64(got.CPU) != cpu || got.Out != remote || got.Up != off {
			t.Errorf("seed %d: served %+v, the workload moves disk %d, cpu %d, remote reads %d, off-switch reads %d",
				seed, got, disk, cpu, remote, off)
		}
		if got.In < remote || got.Down < off || got.In > disk {
			t.Errorf("seed %d: shuffle traffic out of bounds: %+v", seed, got)
		}
	}
}
