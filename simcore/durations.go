package simcore

import (
	"fmt"
	"math"

	"schedtune/internal/rng"
)

// Model chooses where task times come from.
type Model uint8

// Duration models.
const (
	// Replay takes recorded attempt times, and distributions only for jobs
	// without recorded tasks.
	Replay Model = iota
	// Sampled draws from the job's distributions, and takes recorded times only
	// for jobs without distributions.
	Sampled
	// Resources computes times from work in bytes and processor seconds, with
	// disks, NICs, uplinks and cores shared.
	Resources
)

var modelNames = [...]string{"replay", "sampled", "resource"}

func (m Model) String() string { return modelNames[m] }

// ParseModel returns the model of a name: replay, sampled or resource.
func ParseModel(name string) (Model, error) {
	for m, n := range modelNames {
		if n == name {
			return Model(m), nil
		}
	}
	return 0, fmt.Errorf("duration model %q: want replay, sampled or resource", name)
}

// Purposes of random draws; each has a stream of its own (rng.NewKey).
const (
	purposeDuration = iota + 1
	purposeStraggler
	purposePlacement
	purposeFailure
	purposeNodeFailure
	purposeLatency
	purposePhase
	purposeArrival
)

// DurationConfig sets what the replay and sampled models add to the recorded
// or drawn times. The zero value adds nothing.
type DurationConfig struct {
	Model Model
	Seed  uint64
	// StragglerShare of attempts take StragglerFactor times as long.
	StragglerShare, StragglerFactor float64
	// RackFactor and OffSwitchFactor multiply the time of a map whose input is
	// not on its node; 0 reads as 1.
	RackFactor, OffSwitchFactor float64
	// CopyRate is how fast one reduce copies map output, bytes/s, where no copy
	// time is recorded; 0 = copying takes no time.
	CopyRate float64
}

// Durations gives the task times of the replay and sampled models. A time is a
// pure function of (seed, job, task, attempt) and the node's speed: no setting
// of a scheduler shifts it.
type Durations struct {
	cfg       DurationConfig
	cluster   *Cluster
	work      *Workload
	draw      rng.Key
	straggler rng.Key
	uniform   bool // every node has speed 1
	same      bool // and there are no stragglers
}

// NewDurations prepares the times of one run.
func NewDurations(cfg DurationConfig, c *Cluster, w *Workload) *Durations {
	d := &Durations{}
	d.Reset(cfg, c, w)
	return d
}

// Reset prepares for another run without allocating.
func (d *Durations) Reset(cfg DurationConfig, c *Cluster, w *Workload) {
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
func (d *Durations) Map(t Task, attempt int32, n NodeID, l Locality) Time {
	f := 1.0
	switch l {
	case RackLocal:
		f = factor(d.cfg.RackFactor)
	case OffSwitch:
		f = factor(d.cfg.OffSwitchFactor)
	}
	return d.scale(d.base(t, attempt), t, attempt, n, f)
}

// Reduce returns the time an attempt of a reduce takes on the node after its
// shuffle has ended.
func (d *Durations) Reduce(t Task, attempt int32, n NodeID) Time {
	return d.scale(d.base(t, attempt), t, attempt, n, 1)
}

// Shuffle returns how long a reduce still copies after the later of its start
// and the end of the job's last map. Where copy times are recorded they are
// used as they are. Otherwise the copy needs its share of the job's shuffle
// bytes at CopyRate; what was copied while maps still ran is saved, except the
// last map's share.
func (d *Durations) Shuffle(t Task, started, mapsDone Time) Time {
	j := &d.work.Jobs[t.Job]
	if j.FirstTask >= 0 && d.work.Tasks.Shuffle != nil {
		return max(d.work.Tasks.Shuffle[j.FirstTask+j.Maps+t.Index], 0)
	}
	if d.cfg.CopyRate <= 0 || j.Reduces == 0 {
		return 0
	}
	full := Seconds(float64(j.ShuffleBytes) / float64(j.Reduces) / d.cfg.CopyRate)
	early := max(mapsDone-started, 0)
	if early == 0 {
		return full
	}
	return max(full-early, full/Time(max(j.Maps, 1)))
}

func (d *Durations) base(t Task, attempt int32) Time {
	j := &d.work.Jobs[t.Job]
	dist, at := j.MapDist, t.Index
	if t.Kind == Reduce {
		dist, at = j.ReduceDist, j.Maps+t.Index
	}
	recorded := j.FirstTask >= 0 && d.work.Tasks.Duration != nil
	if recorded && (dist < 0 || d.cfg.Model == Replay) {
		return max(d.work.Tasks.Duration[j.FirstTask+at], 0)
	}
	if dist < 0 {
		return 0
	}
	k := taskKey(d.draw, t)
	if attempt > 0 {
		k = k.At(uint64(attempt))
	}
	return d.work.Dists[dist].draw(k)
}

// fresh is the time of a task's first attempt, near its input; dist is its
// distribution or None.
func (d *Durations) fresh(t Task, dist int32, n NodeID) Time {
	var took Time
	if dist >= 0 {
		took = d.work.Dists[dist].draw(taskKey(d.draw, t))
	} else {
		took = d.base(t, 0)
	}
	if !d.same {
		took = d.scale(took, t, 0, n, 1)
	}
	return took
}

func (d *Durations) scale(base Time, t Task, attempt int32, n NodeID, f float64) Time {
	if d.cfg.StragglerShare > 0 {
		f *= d.straggle(t, attempt)
	}
	if !d.uniform {
		f /= factor(d.cluster.Nodes[n].Speed)
	}
	if f == 1 {
		return base
	}
	return Time(float64(base)*f + 0.5)
}

// straggle is how many times longer the attempt takes by chance.
func (d *Durations) straggle(t Task, attempt int32) float64 {
	if d.cfg.StragglerShare > 0 && taskKey(d.straggler, t).Float64(uint64(attempt)) < d.cfg.StragglerShare {
		return factor(d.cfg.StragglerFactor)
	}
	return 1
}

func factor(f float64) float64 {
	if f <= 0 {
		return 1
	}
	return f
}

// taskKey derives the stream of one task; its draws are numbered by attempt.
func taskKey(k rng.Key, t Task) rng.Key {
	return k.At(uint64(t.Job)<<33 | uint64(t.Kind)<<32 | uint64(uint32(t.Index)))
}

// draw returns the key's draw of the distribution, never negative and, but for
// an exponential, at most longestTask.
func (d *Dist) draw(k rng.Key) Time {
	if d.Kind != Exponential || d.A <= 0 {
		return d.drawOther(k)
	}
	return Time(d.A*expDraw(k)*float64(Second) + 0.5)
}

func (d *Dist) drawOther(k rng.Key) Time {
	s := d.A // Constant, and Exponential of mean 0
	switch d.Kind {
	case Uniform:
		s = d.A + (d.B-d.A)*k.Float64(0)
	case Normal:
		s = d.A + d.B*k.Norm(0)
	case LogNormal:
		s = math.Exp(d.A + d.B*k.Norm(0))
	case Pareto:
		s = d.A * math.Pow(k.Open(0), -1/d.B)
	case Empirical:
		s = d.quantile(k.Float64(0))
	}
	return Seconds(min(max(s, 0), longestTask))
}

// longestTask cuts draws, in seconds (31 years): distributions with heavy tails
// reach beyond what Time can hold.
const longestTask = 1e9

// quantile interpolates between equally spaced quantiles.
func (d *Dist) quantile(u float64) float64 {
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

// Mean returns the mean in seconds; +Inf for a Pareto with shape at most 1.
// For Normal it ignores the cut at 0.
func (d *Dist) Mean() float64 {
	switch d.Kind {
	case Uniform:
		return (d.A + d.B) / 2
	case LogNormal:
		return math.Exp(d.A + d.B*d.B/2)
	case Pareto:
		if d.B <= 1 {
			return math.Inf(1)
		}
		return d.A * d.B / (d.B - 1)
	case Empirical:
		return meanOfQuantiles(d.Points)
	}
	return d.A
}

func meanOfQuantiles(p []float64) float64 {
	if len(p) < 2 {
		if len(p) == 1 {
			return p[0]
		}
		return 0
	}
	sum := (p[0] + p[len(p)-1]) / 2
	for _, x := range p[1 : len(p)-1] {
		sum += x
	}
	return sum / float64(len(p)-1)
}
