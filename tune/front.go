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

// beginFront has NSGA-II begin with the caller's candidates, in a population that leaves
// room for three generations.
func (d *driver) beginFront() error {
	d.epoch = frontEpoch
	if len(d.search) > 1 {
		d.epoch = variedEpoch
	}
	if d.samplerName != "nsga2" {
		return nil
	}
	cfg := d.samplerConfig(nil)
	for _, t := range d.given[1:] {
		p, err := d.p.Space.Encode(t.settings)
		if err != nil {
			return err
		}
		cfg.First = append(cfg.First, p)
	}
	if cfg.Population == 0 && d.budget > 0 {
		cfg.Population = min(frontPopulation, max(8, d.budget/3/2*2))
	}
	cfg.Children = frontChildren
	if d.shortStudy() {
		cfg.Children = shortChildren
	}
	if cfg.Population > 0 {
		cfg.Children = min(cfg.Children, cfg.Population)
	}
	d.epoch = d.epoch * frontPopulation / cfg.Children // as many children
	var err error
	d.sampler, err = NewSampler(d.samplerName, cfg)
	return err
}

// frontBlocks reports whether generations stay on an instance for some time.
func (d *driver) frontBlocks() bool {
	return len(d.p.Objectives) > 1 && d.o.Replicates == 1 && d.o.Off&PartCRN == 0
}

// frontBlock is the instance of this generation.
func (d *driver) frontBlock() []instance {
	if d.frontEpochOver(d.gen) {
		d.epochOn, d.since = d.instances(1, d.search), d.gen
	}
	return d.epochOn
}

func (d *driver) frontEpochOver(gen int) bool {
	return d.epochOn == nil || gen >= d.since+d.epoch
}

// frontRuns is how many runs the next generation takes.
func (d *driver) frontRuns(points []Point) int {
	fresh := d.frontEpochOver(d.gen + 1)
	n := 0
	for _, p := range points {
		t := d.byKey[keyOf(d.p.Space.Decode(p))]
		if fresh || t == nil || !t.ranOn(d.epochOn[0]) {
			n++
		}
	}
	return n
}
