package simcore

import (
	"fmt"
	"math"
	"slices"

	"schedtune/internal/text"
)

// Model is a source of task times.
type Model uint8

// Duration models.
const (
	// Replay uses recorded attempt times, and distributions only for jobs
	// without recorded tasks.
	Replay Model = iota
	// Sampled draws from the job's distributions, and uses recorded times only
	// for jobs without distributions.
	Sampled
	// Resources computes times from work in bytes and processor seconds, with
	// disks, NICs, uplinks and cores shared.
	Resources
)

var modelNames = [...]string{"replay", "sampled", "resource"}

// String returns the word for the model.
func (m Model) String() string { return text.Word(m, "Model", modelNames[:]...) }

// ParseModel returns the model of a name: replay, sampled or resource.
func ParseModel(name string) (Model, error) {
	m := slices.Index(modelNames[:], name)
	if m < 0 {
		return 0, fmt.Errorf("duration model %q: must be one of replay, sampled, resource", name)
	}
	return Model(m), nil
}

// DurationConfig sets the model of task times and what the replay and sampled models add to the
// recorded or drawn times. The zero value adds nothing.
type DurationConfig struct {
	Model Model  // of task times
	Seed  uint64 // of the draws
	// StragglerShare of attempts take StragglerFactor times as long.
	StragglerShare, StragglerFactor float64
	// RackFactor and OffSwitchFactor multiply the time of a map whose input is
	// not on its node; 0 reads as 1.
	RackFactor, OffSwitchFactor float64
	// CopyRate is the rate at which one reduce copies map output, bytes/s, where no copy
	// time is recorded; 0 = copying takes no time.
	CopyRate float64
}

// ResourceConfig sets the resource model.
type ResourceConfig struct {
	// Rounds is the approximate number of times that a reduce fetches map output: between
	// fetches it waits for that share of the job's maps to finish. 0 = 20.
	Rounds int32
	// ShuffleReads charges a reduce's copy also to the disks with the map output, to all of
	// them at once.
	ShuffleReads bool
	// WriteCost is how many bytes a disk reads in the time it writes one; 0 = 1.
	WriteCost float64
	// SpillBuffer is the memory, in bytes, in which a map sorts its output: larger
	// output is spilled in parts and merged, which reads and writes it once
	// more; and a reduce reads its copied share back from disk. 0 = neither is
	// charged.
	SpillBuffer int64
	// MergeFactor is the number of sorted runs in one merge (io.sort.factor): a reduce
	// with more runs of SpillBuffer bytes merges them in further passes, in the background
	// during its copy phase and for the rest after it; 0 = one pass is enough.
	MergeFactor int32
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

// meanOfQuantiles returns the mean of a distribution given by equally spaced quantiles.
func meanOfQuantiles(p []float64) float64 {
	switch len(p) {
	case 0:
		return 0
	case 1:
		return p[0]
	}
	sum := (p[0] + p[len(p)-1]) / 2
	for _, x := range p[1 : len(p)-1] {
		sum += x
	}
	return sum / float64(len(p)-1)
}
