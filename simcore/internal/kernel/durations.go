package kernel

import (
	"math"

	"schedtune/internal/rng"
	"schedtune/simcore"
)

// Purposes of random draws; each has a stream of its own (rng.NewKey).
const (
	purposeDuration = iota + 1
	purposeStraggler
	PurposePlacement
	PurposeFailure
	PurposeNodeFailure
	PurposeLatency
	PurposePhase
)

// Durations gives the task times of the replay and sampled models. A time is a
// pure function of (seed, job, task, attempt) and the node's speed: no setting
// of a scheduler shifts it.
type Durations struct {
	cfg       simcore.DurationConfig
	cluster   *simcore.Cluster
	work      *simcore.Workload
	draw      rng.Key
	straggler rng.Key
	uniform   bool // every node has speed 1
	same      bool // and there are no stragglers
}

// NewDurations prepares the times of one run.
func NewDurations(cfg simcore.DurationConfig, c *simcore.Cluster, w *simcore.Workload) *Durations {
	d := &Durations{}
	d.Reset(cfg, c, w)
	return d
}

// Reset prepares for another run without allocating.
func (d *Durations) Reset(cfg simcore.DurationConfig, c *simcore.Cluster, w *simcore.Workload) {
	*d = Durations{
		cfg: cfg, cluster: c, work: w,
		draw:      rng.NewKey(cfg.Seed, purposeDuration),
		straggler: rng.NewKey(cfg.Seed, purposeStraggler),
		uniform:   true,
	}
	for n := range c.Nodes {
		d.uniform = d.uniform && (c.Nodes[n].Speed == 1 || c.Nodes[n].Speed == 0)
	}
	d.same = d.uniform && cfg.StragglerShare <= 0
}

// Map returns the time an attempt of a map takes on the node.
func (d *Durations) Map(t simcore.Task, attempt int32, n simcore.NodeID, l simcore.Locality) simcore.Time {
	base := d.base(t, attempt)
	if d.same && l == simcore.NodeLocal {
		return base
	}
	return d.scale(base, t, attempt, n, d.far(l))
}

// far is the factor on a time whose input is at a distance.
func (d *Durations) far(l simcore.Locality) float64 {
	switch l {
	case simcore.RackLocal:
		return Factor(d.cfg.RackFactor)
	case simcore.OffSwitch:
		return Factor(d.cfg.OffSwitchFactor)
	}
	return 1
}

// Stage returns the time an attempt of a task of a Spark stage takes on the
// node; number is the task's within its application, index within its stage.
func (d *Durations) Stage(j simcore.JobID, st *simcore.SparkStage, number, index, attempt int32, n simcore.NodeID, l simcore.Locality) simcore.Time {
	t := simcore.Task{Job: j, Kind: simcore.Map, Index: number}
	var base simcore.Time
	if st.FirstTask >= 0 && (st.Dist < 0 || d.cfg.Model == simcore.Replay) {
		base = max(d.work.Tasks.Duration[st.FirstTask+index], 0)
	} else {
		k := TaskKey(d.draw, t)
		if attempt > 0 {
			k = k.At(uint64(attempt))
		}
		base = draw(&d.work.Dists[st.Dist], k)
	}
	return d.scale(base, t, attempt, n, d.far(l))
}

// Reduce returns the time an attempt of a reduce takes on the node after its
// shuffle has ended.
func (d *Durations) Reduce(t simcore.Task, attempt int32, n simcore.NodeID) simcore.Time {
	base := d.base(t, attempt)
	if d.same {
		return base
	}
	return d.scale(base, t, attempt, n, 1)
}

// Shuffle returns how long a reduce still copies after the later of its start
// and the end of the job's last map. Where copy times are recorded they are
// used as they are. Otherwise the copy needs its share of the job's shuffle
// bytes at CopyRate; what was copied while maps still ran is saved, except the
// last map's share.
func (d *Durations) Shuffle(t simcore.Task, started, mapsDone simcore.Time) simcore.Time {
	j := &d.work.Jobs[t.Job]
	if j.FirstTask >= 0 && d.work.Tasks.Shuffle != nil {
		return max(d.work.Tasks.Shuffle[j.FirstTask+j.Maps+t.Index], 0)
	}
	if d.cfg.CopyRate <= 0 || j.Reduces == 0 {
		return 0
	}
	full := simcore.Seconds(float64(j.ShuffleBytes) / float64(j.Reduces) / d.cfg.CopyRate)
	early := max(mapsDone-started, 0)
	if early == 0 {
		return full
	}
	return max(full-early, full/simcore.Time(max(j.Maps, 1)))
}

func (d *Durations) base(t simcore.Task, attempt int32) simcore.Time {
	j := &d.work.Jobs[t.Job]
	dist, at := j.MapDist, t.Index
	if t.Kind == simcore.Reduce {
		dist, at = j.ReduceDist, j.Maps+t.Index
	}
	recorded := j.FirstTask >= 0 && d.work.Tasks.Duration != nil
	if recorded && (dist < 0 || d.cfg.Model == simcore.Replay) {
		return max(d.work.Tasks.Duration[j.FirstTask+at], 0)
	}
	if dist < 0 {
		return 0
	}
	k := TaskKey(d.draw, t)
	if attempt > 0 {
		k = k.At(uint64(attempt))
	}
	return draw(&d.work.Dists[dist], k)
}

// First is the time of a task's first attempt, near its input; dist is its
// distribution or None.
func (d *Durations) First(t simcore.Task, dist int32, n simcore.NodeID) simcore.Time {
	var took simcore.Time
	if dist >= 0 {
		took = draw(&d.work.Dists[dist], TaskKey(d.draw, t))
	} else {
		took = d.base(t, 0)
	}
	if !d.same {
		took = d.scale(took, t, 0, n, 1)
	}
	return took
}

func (d *Durations) scale(base simcore.Time, t simcore.Task, attempt int32, n simcore.NodeID, f float64) simcore.Time {
	if d.cfg.StragglerShare > 0 {
		f *= d.straggle(t, attempt)
	}
	if !d.uniform {
		f /= Factor(d.cluster.Nodes[n].Speed)
	}
	if f == 1 {
		return base
	}
	return simcore.Time(float64(base)*f + 0.5)
}

// straggle is how many times longer the attempt takes by chance.
func (d *Durations) straggle(t simcore.Task, attempt int32) float64 {
	if d.cfg.StragglerShare > 0 && TaskKey(d.straggler, t).Float64(uint64(attempt)) < d.cfg.StragglerShare {
		return Factor(d.cfg.StragglerFactor)
	}
	return 1
}

// Factor reads a speed or factor of 0 or less, which is one not given, as 1.
func Factor(f float64) float64 {
	if f <= 0 {
		return 1
	}
	return f
}

// TaskKey derives the stream of one task; its draws are numbered by attempt.
func TaskKey(k rng.Key, t simcore.Task) rng.Key {
	return k.At(uint64(t.Job)<<33 | uint64(t.Kind)<<32 | uint64(uint32(t.Index)))
}

// draw returns the key's draw of the distribution, never negative and, but for
// an exponential, at most longestTask.
func draw(d *simcore.Dist, k rng.Key) simcore.Time {
	if d.Kind != simcore.Exponential || d.A <= 0 {
		return drawOther(d, k)
	}
	return simcore.Time(d.A*expDraw(k)*float64(simcore.Second) + 0.5)
}

func drawOther(d *simcore.Dist, k rng.Key) simcore.Time {
	s := d.A // Constant, and Exponential of mean 0
	switch d.Kind {
	case simcore.Uniform:
		s = d.A + (d.B-d.A)*k.Float64(0)
	case simcore.Normal:
		s = d.A + d.B*k.Norm(0)
	case simcore.LogNormal:
		s = math.Exp(d.A + d.B*k.Norm(0))
	case simcore.Pareto:
		s = d.A * math.Pow(k.Open(0), -1/d.B)
	case simcore.Empirical:
		s = quantile(d, k.Float64(0))
	}
	return simcore.Seconds(min(max(s, 0), longestTask))
}

// longestTask cuts draws, in seconds (31 years): distributions with heavy tails
// reach beyond what Time can hold.
const longestTask = 1e9

// quantile interpolates between equally spaced quantiles.
func quantile(d *simcore.Dist, u float64) float64 {
	if len(d.Points) == 0 {
		return 0
	}
	x := u * float64(len(d.Points)-1)
	i := int(x)
	if i+1 >= len(d.Points) {
		return d.Points[len(d.Points)-1]
	}
	return d.Points[i] + (x-float64(i))*(d.Points[i+1]-d.Points[i])
}
