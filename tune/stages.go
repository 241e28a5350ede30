package tune

// The search in two stages. Some parameters are costly: moving a share takes
// from somebody else. They stay at their present values for the first half of
// the search, which is easier there, having fewer dimensions; then everything
// may move, from the best so far. Settings without a costly change are
// recommended where they bring all but ablationSlack of the gain (see ablate).

// costly reports whether the search has two stages.
func (s *Space) costly() bool {
	free := 0
	for i := range s.params {
		if p := &s.params[i]; !p.Costly && !p.Fixed && p.Tied == "" && p.Kind != Share {
			free++
		}
	}
	for i := range s.params {
		if p := &s.params[i]; p.Costly && !p.Fixed {
			return free > 0
		}
	}
	return false
}

// cheap is the space with every costly parameter at its present value.
func (s *Space) cheap() (*Space, error) {
	ps := append([]Param(nil), s.params...)
	for i := range ps {
		ps[i].Fixed = ps[i].Fixed || ps[i].Costly
	}
	return NewSpace(ps...)
}

// touches reports whether settings change a costly parameter.
func (s *Space) touches(set Settings) bool {
	for i := range s.params {
		if s.params[i].Costly && set[i].Value != s.params[i].Present {
			return true
		}
	}
	return false
}

// held is a sampler of the cheap space whose points are those of the whole one.
type held struct {
	Sampler
	at    []int // per coordinate of the cheap space, that of the whole one
	whole Point // the present point of the whole space
}

// heldNoise is one of a sampler that adapts to noise.
type heldNoise struct{ held }

func (h heldNoise) tellNoise(c float64) { h.Sampler.(noiseAware).tellNoise(c) }

// newHeld makes the sampler of the first stage.
func newHeld(name string, cfg SamplerConfig) (Sampler, error) {
	whole := cfg.Space
	cheap, err := whole.cheap()
	if err != nil {
		return nil, err
	}
	h := held{whole: whole.Present()}
	seen := map[int]int{} // coordinates of a group already matched
	for _, c := range cheap.coords {
		if c.param >= 0 {
			h.at = append(h.at, whole.first[c.param])
			continue
		}
		for _, g := range whole.groups {
			if g.name == cheap.groups[c.group].name {
				h.at = append(h.at, g.first+seen[c.group])
			}
		}
		seen[c.group]++
	}
	cfg.Space = cheap
	if cfg.Start != nil {
		cfg.Start = h.reduce(cfg.Start)
	}
	if h.Sampler, err = NewSampler(name, cfg); err != nil {
		return nil, err
	}
	if _, ok := h.Sampler.(noiseAware); ok {
		return heldNoise{h}, nil
	}
	return h, nil
}

func (h held) expand(p Point) Point {
	if p == nil {
		return nil
	}
	out := append(Point(nil), h.whole...)
	for k, c := range h.at {
		out[c] = p[k]
	}
	return out
}

func (h held) reduce(p Point) Point {
	out := make(Point, len(h.at))
	for k, c := range h.at {
		out[k] = p[c]
	}
	return out
}

// Ask returns points of the whole space.
func (h held) Ask() []Point {
	ps := h.Sampler.Ask()
	out := make([]Point, len(ps))
	for i, p := range ps {
		out[i] = h.expand(p)
	}
	return out
}

// Tell takes points of the whole space.
func (h held) Tell(points []Point, scores []Score) {
	ps := make([]Point, len(points))
	for i, p := range points {
		ps[i] = h.reduce(p)
	}
	h.Sampler.Tell(ps, scores)
}

// learn implements learner with points of the whole space.
func (h held) learn(points []Point, scores []Score, block int) {
	l, ok := h.Sampler.(learner)
	if !ok {
		return
	}
	ps := make([]Point, len(points))
	for i, p := range points {
		ps[i] = h.reduce(p)
	}
	l.learn(ps, scores, block)
}

// tellBlock implements blockAware.
func (h held) tellBlock(block int) {
	if b, ok := h.Sampler.(blockAware); ok {
		b.tellBlock(block)
	}
}

// Recommend returns what the sampler believes in, if it does.
func (h held) Recommend() Point {
	if r, ok := h.Sampler.(Recommender); ok {
		return h.expand(r.Recommend())
	}
	return nil
}

func (h held) close() {
	if c, ok := h.Sampler.(closer); ok {
		c.close()
	}
}

// firstStage is the part of the search's runs, or of its time, in which costly
// parameters stay.
const firstStage = 0.5

// nextStage lets every parameter move once the first stage has had its runs or
// makes no more progress.
func (d *driver) nextStage(reserve float64) error {
	if !d.holding {
		return nil
	}
	over := d.impatient() || d.budget > 0 && float64(d.spent) >= firstStage*float64(d.budget)*(1-reserve)
	if !over && d.o.TimeBudget > 0 {
		v, err := d.o.Log.decide("all-parameters", func() int {
			if float64(d.o.Clock()) >= firstStage*0.75*float64(d.o.TimeBudget) {
				return d.spent
			}
			return 0
		})
		if err != nil {
			return err
		}
		over = v > 0
	}
	if !over {
		return nil
	}
	if err := d.lastRace(reserve); err != nil {
		return err
	}
	d.holding, d.mild, d.changedAt = false, d.incumbent, d.spent
	if d.affords(len(d.later)+2, reserve) {
		if err := d.raceCandidates(d.later); err != nil {
			return err
		}
	}
	return d.restartAt(d.incumbent)
}
