package tune

// A front's generations are measured on the same instance for some time: parents have
// their runs on it, so that a generation costs its offspring only and the population is
// what is best there; with the next instance the parents are measured again, and what
// was good by luck falls back. Where workloads differ the time is short, since one would
// be all that the search sees.
const (
	frontEpoch  = 8 // generations of a whole population on one instance, where there is one workload
	variedEpoch = 3 // where there are several

	frontPopulation = 24 // at most; smaller in studies of fewer than three times as many runs

	frontChildren = 8 // of a generation
	shortChildren = 4 // in a short study
)

// epoch is the time on one instance.
type epoch struct {
	on     []instance
	since  int // its first generation
	length int // in generations
}

func (e *epoch) over(gen int) bool { return e.on == nil || gen >= e.since+e.length }

// beginFront has NSGA-II begin with the caller's candidates, in a population that leaves
// room for three generations.
func (g *generations) beginFront() {
	g.epoch.length = frontEpoch
	if len(g.search) > 1 {
		g.epoch.length = variedEpoch
	}
	if g.samplerName != "nsga2" {
		return
	}
	cfg := g.samplerConfig(nil)
	cfg.First = mapped(g.given[1:], g.pointOf)
	cfg.Children = frontChildren
	if g.short() {
		cfg.Children = shortChildren
	}
	cfg.Population = min(frontPopulation, max(8, g.budget/3/2*2))
	g.epoch.length = g.epoch.length * frontPopulation / cfg.Children // as many children
	var err error
	g.sampler, err = NewSampler(g.samplerName, cfg)
	must(err)
}

// frontRuns is how many runs the next generation takes.
func (g *generations) frontRuns(points []Point) int {
	if g.epoch.over(g.gen + 1) {
		return len(points)
	}
	n := 0
	for _, p := range points {
		if t := g.trialAt(p); t == nil || !t.ranOn(g.epoch.on[0]) {
			n++
		}
	}
	return n
}
