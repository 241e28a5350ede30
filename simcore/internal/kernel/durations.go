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
	_ // of failing nodes, once: the streams after it keep their draws
	PurposeLatency
	PurposePhase
)

// Durations returns the task times of the replay and sampled models. A time is a
// pure function of (seed, job, task, attempt) and the node's speed: no setting
// of a scheduler shifts it.
type Durations struct {
	cfg       simcore.DurationConfig
	cluster   *simcore.Cluster
	work      *simcore.Workload
	draw      rng.Key
	straggler rng.Key
	uniform   bool // every node has speed 1
}

// Reset prepares a run without allocating.
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
}

// Map returns the time an attempt of a map takes on the node.
func (d *Durations) Map(t simcore.Task, attempt int32, n simcore.NodeID, l simcore.Locality) simcore.Time {
	return d.scale(d.base(t, attempt), t, attempt, n, d.far(l))
}

// far returns the factor on the time of a task at a distance from its input.
func (d *Durations) far(l simcore.Locality) float64 {
	switch l {
	case simcore.RackLocal:
		return Factor(d.cfg.RackFactor)
	case simcore.OffSwitch:
		return Factor(d.cfg.OffSwitchFactor)
	}
	return 1
}

// Stage returns the time an attempt of a task of a Spark stage or Tez vertex, with its FirstTask
// and Dist, takes on the node; number is the task's within its application, index within its stage.
func (d *Durations) Stage(j simcore.JobID, first, dist, number, index, attempt int32, n simcore.NodeID,
	l simcore.Locality) simcore.Time {
	t := simcore.Task{Job: j, Kind: simcore.Map, Index: number}
	var base simcore.Time
	if first >= 0 && (dist < 0 || d.cfg.Model == simcore.Replay) {
		base = max(d.work.Tasks.Duration[first+index], 0)
	} else {
		base = d.drawn(dist, t, attempt)
	}
	return d.scale(base, t, attempt, n, d.far(l))
}

// Reduce returns the time an attempt of a reduce takes on the node after its
// shuffle has ended.
func (d *Durations) Reduce(t simcore.Task, attempt int32, n simcore.NodeID) simcore.Time {
	return d.scale(d.base(t, attempt), t, attempt, n, 1)
}

// Shuffle returns how long a reduce still copies after the later of its start
// and the end of the job's last map: as recorded, or else the time of its share of
// the job's shuffle bytes at CopyRate, less what was copied while maps still ran,
// except the last map's share.
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

// base returns the time of an attempt at reference speed, recorded or drawn; 0 without either.
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
	return d.drawn(dist, t, attempt)
}

// drawn draws the time of an attempt from a distribution.
func (d *Durations) drawn(dist int32, t simcore.Task, attempt int32) simcore.Time {
	k := TaskKey(d.draw, t)
	if attempt > 0 {
		k = k.At(uint64(attempt))
	}
	return draw(&d.work.Dists[dist], k)
}

// First returns the time of a task's first attempt, near its input; dist is the task's
// distribution or None.
func (d *Durations) First(t simcore.Task, dist int32, n simcore.NodeID) simcore.Time {
	var took simcore.Time
	if dist >= 0 {
		took = draw(&d.work.Dists[dist], TaskKey(d.draw, t))
	} else {
		took = d.base(t, 0)
	}
	return d.scale(took, t, 0, n, 1)
}

// scale multiplies a time by a factor, the straggler's factor and the inverse of the speed.
func (d *Durations) scale(base simcore.Time, t simcore.Task, attempt int32, n simcore.NodeID, f float64) simcore.Time {
	f *= d.straggle(t, attempt)
	if !d.uniform {
		f /= Factor(d.cluster.Nodes[n].Speed)
	}
	if f == 1 {
		return base
	}
	return simcore.Time(float64(base)*f + 0.5)
}

// straggle draws the factor on the time of an attempt that may be a straggler.
func (d *Durations) straggle(t simcore.Task, attempt int32) float64 {
	if d.cfg.StragglerShare > 0 && TaskKey(d.straggler, t).Float64(uint64(attempt)) < d.cfg.StragglerShare {
		return Factor(d.cfg.StragglerFactor)
	}
	return 1
}

// Factor returns a speed or factor, 1 where it is not set (0 or less).
func Factor(f float64) float64 {
	if f <= 0 {
		return 1
	}
	return f
}

// TaskKey returns the stream of draws of one task, numbered by attempt.
func TaskKey(k rng.Key, t simcore.Task) rng.Key {
	return k.At(uint64(t.Job)<<33 | uint64(t.Kind)<<32 | uint64(uint32(t.Index)))
}

// draw draws from a distribution: never negative and, except for an exponential, at most
// longestTask.
func draw(d *simcore.Dist, k rng.Key) simcore.Time {
	if d.Kind != simcore.Exponential || d.A <= 0 {
		return drawOther(d, k)
	}
	return simcore.Time(d.A*expDraw(k)*float64(simcore.Second) + 0.5)
}

// drawOther is draw for all but the exponential distribution.
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
		s = quantile(d.Points, k.Float64(0))
	}
	return simcore.Seconds(min(max(s, 0), longestTask))
}

// longestTask bounds draws, in seconds (31 years): heavy-tailed distributions exceed the range
// of Time.
const longestTask = 1e9

// quantile interpolates between equally spaced quantiles.
func quantile(p []float64, u float64) float64 {
	if len(p) == 0 {
		return 0
	}
	x := u * float64(len(p)-1)
	i := int(x)
	if i+1 >= len(p) {
		return p[len(p)-1]
	}
	return p[i] + (x-float64(i))*(p[i+1]-p[i])
}
