package sched

import (
	"math"

	"schedtune/internal/rng"
	"schedtune/predict"
	"schedtune/simcore"
	"schedtune/simcore/yarn"
)

// The papers' rules for reduces and far maps, in the AMs of MapReduce jobs on YARN.

// omoReduces starts all reduces of a job when the gap between its last map and its
// last shuffle is nearest to zero (OMO, section IV-C, equations 1 to 3).
//
// R_t is section IV-A's form for YARN: what was released on every node within the
// window, in containers of the size of the job's maps (predict.FreeContainers); a_t
// is counted likewise of what maps hold, and reduces of jobs whose maps are done.
//
// What differs: under fair sharing every one of D jobs gets a D-th of the releases;
// queues with capacities share otherwise, so that F_o / D is replaced by what the job was granted, averaged by the same weights. T_s = d m / (B r)
// takes B, unless it is given, from the reduces that have copied after their jobs'
// last maps, and before any has, as infinite.
type omoReduces struct {
	lazy      predict.LazyStart
	period    simcore.Time
	weight    float64
	bandwidth float64 // bytes/s; 0 = measured

	sizes   []sizeReleases
	grants  []predict.EMA // by job
	copying predict.EMA   // bytes/s
	free    [][]int64
}

// sizeReleases are the releases in containers of one size.
type sizeReleases struct {
	size    yarn.Resource
	release *predict.Release
}

func newOMOReduces(v Values) *omoReduces {
	return &omoReduces{period: v.seconds("window"), weight: v.float("weight"), bandwidth: 1e6 * v.float("bandwidth")}
}

func (o *omoReduces) Start(nodes []yarn.Resource, jobs int) {
	o.sizes = o.sizes[:0]
	o.grants = make([]predict.EMA, jobs)
	for j := range o.grants {
		o.grants[j].Beta = o.weight
	}
	o.copying = predict.EMA{Beta: o.weight}
	flat := make([]int64, 2*len(nodes))
	o.free = make([][]int64, len(nodes))
	for n := range nodes {
		o.free[n] = flat[2*n : 2*n+2]
	}
}

func (o *omoReduces) Period() simcore.Time { return o.period }

// Observe takes a window, in containers of every size that a job has asked about.
func (o *omoReduces) Observe(w *yarn.Window) {
	for i := range o.sizes {
		s := &o.sizes[i]
		released, available := o.containers(w.Released, s.size), o.containers(w.Available, s.size)
		if released > 0 || available > 0 {
			// Counts and a positive window: no error is possible.
			_ = s.release.Observe(released, available, w.Span.Seconds())
		}
	}
	for j, n := range w.Granted {
		if n > 0 || o.grants[j].Ready() {
			o.grants[j].Add(float64(n) / w.Span.Seconds())
		}
	}
}

func (o *omoReduces) containers(at []yarn.Resource, size yarn.Resource) float64 {
	for n := range at {
		o.free[n][0], o.free[n][1] = at[n].Memory, at[n].VCores
	}
	request := [2]int64{size.Memory, size.VCores}
	n, err := predict.FreeContainers(o.free[:len(at)], request[:])
	if err != nil { // a request of nothing
		return 0
	}
	return float64(n)
}

func (o *omoReduces) Copied(bytes float64, took simcore.Time) { o.copying.Add(bytes / took.Seconds()) }

// Reduces is none before the job's reduces are due, and all afterwards.
func (o *omoReduces) Reduces(p *yarn.MapReduceProgress) int32 {
	if p.WaitMaps == 0 || p.PendingReduces < p.Reduces { // begun
		return p.Reduces
	}
	e := o.estimate(p)
	if p.DoneMaps == 0 || !(e.Frequency > 0) {
		return 0 // T_m or the rate is unknown
	}
	st := predict.MapStage{
		Running: true, Pending: int(p.WaitMaps), Reduces: int(p.Reduces), Held: int(p.RunMaps),
		MapTime: p.MapTime.Seconds(), ShuffleTime: predict.ShuffleTime(p.MapBytes, int(p.Maps), int(p.Reduces), o.rate()),
	}
	if !o.lazy.Due(st, e, 1) {
		return 0
	}
	return p.Reduces
}

// rate is B.
func (o *omoReduces) rate() float64 {
	switch {
	case o.bandwidth > 0:
		return o.bandwidth
	case o.copying.Ready():
		return o.copying.Value()
	}
	return math.Inf(1)
}

// estimate returns F_o / D, as the job's own grants, and A_o for a job.
func (o *omoReduces) estimate(p *yarn.MapReduceProgress) (e predict.ReleaseEstimate) {
	known := false
	for i := range o.sizes {
		if o.sizes[i].size == p.Map {
			e, known = o.sizes[i].release.Estimate(), true
		}
	}
	if !known {
		r, err := predict.NewRelease(o.weight)
		if err != nil { // the table checks the weight
			return e
		}
		o.sizes = append(o.sizes, sizeReleases{p.Map, r})
	}
	e.Frequency = 0
	if g := &o.grants[p.Job]; g.Ready() {
		e.Frequency = g.Value()
	}
	return e
}

// omoBatch adds batch finish: of a queue's running jobs that have begun their reduces, the
// one whose maps are best finished in a batch (algorithm 2) is served first. F_o is what
// the queue's jobs were granted and A_o what they hold: a queue serves its own
// applications with its releases.
type omoBatch struct {
	*omoReduces
	stages []predict.MapStage
}

func (o *omoBatch) Batch(jobs []yarn.MapReduceProgress) int {
	var e predict.ReleaseEstimate
	o.stages = o.stages[:0]
	for i := range jobs {
		p := &jobs[i]
		o.stages = append(o.stages, predict.MapStage{Running: true, ReducesStarted: p.RunReds+p.DoneReds > 0,
			Pending: int(p.WaitMaps), Reduces: int(p.RunReds), MapTime: p.MapTime.Seconds()})
		if g := &o.grants[p.Job]; g.Ready() {
			e.Frequency += g.Value()
		}
		e.Available += float64(p.RunMaps)
		if p.DoneMaps == p.Maps {
			e.Available += float64(p.RunReds)
		}
	}
	return predict.BatchFinish(o.stages, e)
}

// couplingReduces starts reduces step by step as maps finish (Coupling, algorithm 1):
// so many that the job's mismatch is positive for each.
type couplingReduces struct{ threshold float64 }

func (couplingReduces) Start([]yarn.Resource, int)   {}
func (couplingReduces) Observe(*yarn.Window)         {}
func (couplingReduces) Period() simcore.Time         { return simcore.Hour }
func (couplingReduces) Copied(float64, simcore.Time) {}

func (c couplingReduces) Reduces(p *yarn.MapReduceProgress) int32 {
	at := predict.Progress{Maps: int(p.Maps), FinishedMaps: int(p.DoneMaps), PendingMaps: int(p.WaitMaps),
		Reduces: int(p.Reduces)}
	begun := p.Reduces - p.PendingReduces
	for n := begun; n < p.Reduces; n++ {
		at.RunningReduces, at.PendingReduces = int(n), int(p.Reduces-n)
		if !(at.Mismatch(c.threshold) > 0) {
			return n
		}
	}
	return p.Reduces
}

// peekMaps uses a container far from the input of a job's maps with the probability
// of Coupling's equation 3, and gives it back otherwise (algorithm 3).
type peekMaps struct {
	beta float64 // fixed exponent; 0 = the paper's formula
	draw rng.Key
}

func (p *peekMaps) Accepts(o *yarn.MapOffer) bool {
	peek := predict.Peek{RackLocal: o.RackLocal, RunsReduce: o.RunsReduce, Pending: int(o.Waiting), BetaOverwrite: p.beta,
		LocalShare: float64(o.InputNodes) / float64(max(o.Nodes, 1)), FreeNodes: float64(o.FreeNodes)}
	return p.draw.At(uint64(o.Job)).Float64(o.Number) < peek.Probability()
}
