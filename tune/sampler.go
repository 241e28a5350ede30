package tune

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"schedtune/internal/rng"
)

// Sampler proposes points and learns from their scores. Ask returns one
// generation; Tell hands back its scores in the same order before the next
// Ask. Generations of the same block share their seeds. A sampler is a pure function of its configuration and
// what it was given: a study that is resumed asks and tells it the same again.
type Sampler interface {
	Ask() []Point
	Tell(points []Point, scores []Score, block int)
}

// closer is a Sampler that holds a coroutine.
type closer interface{ close() }

// SamplerConfig describes what a sampler works on.
type SamplerConfig struct {
	Space      *Space
	Start      Point   // where to begin; nil means the current configuration
	First      []Point // more points of nsga2's first generation
	Seed       uint64  // of all its randomness
	Step       float64 // first step of cmaes, as a part of the range; 0 means its default
	Population int     // points per generation; 0 means the sampler's default
	Children   int     // of nsga2's later generations; 0 means as many as its population
	Objectives int     // 0 means 1

	costs   func() func(Point) []float64 // the model of the objectives' costs, nil without one; may be nil
	threads int                          // that it is computed on
}

// SamplerInfo describes a sampler for help texts.
type SamplerInfo struct {
	Name, Help      string // the second is one line
	MultiObjectives bool   // takes more than one

	make func(SamplerConfig) (Sampler, error)
}

// Samplers lists the samplers.
func Samplers() []SamplerInfo {
	return []SamplerInfo{
		{"cmaes", "CMA-ES with margin for discrete parameters and growing restarts", false,
			newCMAES},
		{"ga", "eaopt's genetic algorithm with additive, folded mutation", false, newGA},
		{"de", "eaopt's differential evolution", false, newDE},
		{"pso", "eaopt's particle swarm", false, newPSO},
		{"random", "uniform over the space", true, newRandom},
		{"sobol", "scrambled Sobol sequence", true, newSobol},
		{"nsga2", "NSGA-II for several objectives", true, newNSGA2},
	}
}

// defaultSampler is the sampler for so many objectives.
func defaultSampler(objectives int) string {
	if objectives > 1 {
		return "nsga2"
	}
	return "cmaes"
}

// NewSampler builds a sampler by name; "" is cmaes, or nsga2 for several objectives.
func NewSampler(name string, cfg SamplerConfig) (Sampler, error) {
	if cfg.Space == nil || cfg.Space.Dim() == 0 {
		return nil, fmt.Errorf("tune: the search space has no free parameter")
	}
	name = cmp.Or(name, defaultSampler(cfg.Objectives))
	all := Samplers()
	i := slices.IndexFunc(all, func(s SamplerInfo) bool { return s.Name == name })
	switch {
	case i < 0:
		return nil, fmt.Errorf("tune: sampler %q: must be one of %s", name, samplerNames(all))
	case cfg.Objectives > 1 && !all[i].MultiObjectives:
		many := slices.DeleteFunc(all, func(s SamplerInfo) bool { return !s.MultiObjectives })
		return nil, fmt.Errorf("tune: sampler %s: takes one objective; for %d it must be one of %s", name, cfg.Objectives,
			samplerNames(many))
	}
	return all[i].make(cfg)
}

// samplerNames lists names for an error.
func samplerNames(list []SamplerInfo) string {
	var names []string
	for _, s := range list {
		names = append(names, s.Name)
	}
	return strings.Join(names, ", ")
}

// key is the source of the sampler's draws.
func (c SamplerConfig) key() rng.Key { return rng.Key(c.Seed) }

// start returns the point to begin at, the caller's to keep.
func (c SamplerConfig) start() Point {
	if c.Start != nil {
		return slices.Clone(c.Start)
	}
	return c.Space.Present()
}

// population returns the configured population or the sampler's own.
func (c SamplerConfig) population(otherwise int) int { return cmp.Or(max(0, c.Population), otherwise) }
