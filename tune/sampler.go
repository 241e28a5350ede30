package tune

import (
	"fmt"
	"strings"

	"schedtune/internal/rng"
)

// Sampler proposes points and learns from their scores. Ask returns one
// generation; Tell hands back its scores in the same order before the next
// Ask. A sampler is a pure function of its configuration and what it was told: a
// study that is resumed asks and tells it the same again.
type Sampler interface {
	Ask() []Point
	Tell(points []Point, scores []Score)
}

// Recommender is a Sampler that believes in a point of its own, such as the
// mean of its distribution. It is nil before the first Tell.
type Recommender interface {
	Recommend() Point
}

// closer is a Sampler that holds a coroutine.
type closer interface{ close() }

// noiseAware is a Sampler that adapts to the rank correlation between two
// measurements of one generation under different seeds.
type noiseAware interface{ tellNoise(correlation float64) }

// SamplerConfig tells a sampler what it works on.
type SamplerConfig struct {
	Space      *Space
	Start      Point   // where to begin; nil means the present configuration
	First      []Point // more points of nsga2's first generation
	Seed       uint64  // of all its randomness
	Step       float64 // first step of cmaes, as a part of the range; 0 means its default
	Population int     // points per generation; 0 means the sampler's default
	Children   int     // of nsga2's later generations; 0 means as many as its population
	Objectives int     // 0 means 1
	Off        Part    // parts of cmaes, and the model of nsga2, to leave out, for comparisons

	// made, if set, is what is known of an objective over points of a space.
	made    func(s *Space, objective int) *composition
	threads int // that models are computed on
}

// samplerKind is a row of the table of samplers.
type samplerKind struct {
	name  string
	help  string
	multi bool // handles several objectives
	new   func(SamplerConfig) (Sampler, error)
}

// samplerTable lists every sampler by name; the first is the default.
func samplerTable() []samplerKind {
	return []samplerKind{
		{"cmaes", "CMA-ES with margin for discrete parameters, noise handling and growing restarts (default)", false, newCMAES},
		{"ga", "eaopt's genetic algorithm with additive, folded mutation", false, newTunedGA},
		{"ga-stock", "eaopt's genetic algorithm as its library ships it", false, newStockGA},
		{"de", "eaopt's differential evolution", false, newDE},
		{"pso", "eaopt's particle swarm", false, newPSO},
		{"oes", "eaopt's evolution strategy of the OpenAI kind", false, newOES},
		{"random", "uniform over the space", true, newRandom},
		{"sobol", "scrambled Sobol sequence", true, newSobol},
		{"nsga2", "NSGA-II for several objectives", true, newNSGA2},
	}
}

// SamplerInfo describes a sampler for help texts.
type SamplerInfo struct {
	Name, Help      string // the second is one line
	MultiObjectives bool   // takes more than one
}

// Samplers lists the samplers; the first is the default for one objective.
func Samplers() []SamplerInfo {
	var out []SamplerInfo
	for _, k := range samplerTable() {
		out = append(out, SamplerInfo{k.name, k.help, k.multi})
	}
	return out
}

// NewSampler builds a sampler by name; "" is cmaes, or nsga2 for several
// objectives.
func NewSampler(name string, cfg SamplerConfig) (Sampler, error) {
	if cfg.Space == nil || cfg.Space.Dim() == 0 {
		return nil, fmt.Errorf("tune: the space has no free parameter")
	}
	if name == "" {
		name = "cmaes"
		if cfg.Objectives > 1 {
			name = "nsga2"
		}
	}
	var names []string
	for _, k := range samplerTable() {
		if k.name == name {
			if cfg.Objectives > 1 && !k.multi {
				return nil, fmt.Errorf("tune: sampler %s takes one objective; allowed for %d: nsga2, random, sobol", name, cfg.Objectives)
			}
			return k.new(cfg)
		}
		names = append(names, k.name)
	}
	return nil, fmt.Errorf("tune: sampler %q is unknown; allowed: %s", name, strings.Join(names, ", "))
}

// key is the source of the sampler's draws.
func (c SamplerConfig) key() rng.Key { return rng.Key(c.Seed) }

// composition is what is known of an objective; nil if nothing.
func (c SamplerConfig) composition(objective int) *composition {
	if c.made == nil {
		return nil
	}
	return c.made(c.Space, objective)
}

// start is the point to begin at, the caller's to keep.
func (c SamplerConfig) start() Point {
	if c.Start != nil {
		return append(Point(nil), c.Start...)
	}
	return c.Space.Present()
}

// population returns the configured population or the sampler's own.
func (c SamplerConfig) population(otherwise int) int {
	if c.Population > 0 {
		return c.Population
	}
	return otherwise
}
