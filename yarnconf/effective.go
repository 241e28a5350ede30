package yarnconf

import (
	"math"
	"slices"
)

// Effective is what a queue's configuration comes to on a given cluster.
// Fractions are 32-bit, as in the original: with 64 bits some memory limits
// would come out one MiB apart.
type Effective struct {
	Capacity        float32 // of the parent
	Absolute        float32 // of the cluster
	Maximum         float32 // of the parent
	AbsoluteMaximum float32 // of the cluster
	WeightShare     float32 // weight over the sum of the siblings' weights
	Min, Max        Resource

	// Leaves only.
	MaxApplications        int
	MaxApplicationsPerUser int
	AMLimit                Resource // of an idle cluster
}

// Partition is a node label, or "" for nodes without one, and what the nodes
// with it offer together.
type Partition struct {
	Name  string   // node label, "" for the nodes without one
	Total Resource // of its nodes
}

// Effective computes the effective figures of every queue, in the order of
// Config.Queues, for a cluster with these resources and no labels.
func (c *Config) Effective(cluster Resource) []Effective {
	return c.EffectiveInto(cluster, make([]Effective, len(c.Queues)))
}

// EffectiveInto is Effective into a slice of the same length; it panics on a shorter one.
func (c *Config) EffectiveInto(cluster Resource, out []Effective) []Effective {
	c.EffectivePartitions(cluster, []Partition{{Total: cluster}}, [][]Effective{out})
	return out
}

// EffectivePartitions computes the effective figures of every queue in every
// partition; parts[0] is the one without label. Of a queue without settings for
// a label the resources in out stay as they are, as in the original; all other
// figures are zero. out has a slice of the length of Queues for each partition; it panics on
// shorter ones.
func (c *Config) EffectivePartitions(cluster Resource, parts []Partition, out [][]Effective) {
	for i := range c.Queues[0].Labels { // those the cluster does not have count for the number of applications
		name := c.Queues[0].Labels[i].Name
		if !slices.ContainsFunc(parts, func(p Partition) bool { return p.Name == name }) {
			parts, out = append(slices.Clip(parts), Partition{Name: name}),
				append(slices.Clip(out), make([]Effective, len(c.Queues)))
		}
	}
	for p := len(parts) - 1; p >= 0; p-- {
		e := evaluation{c: c, cluster: cluster, Partition: parts[p], out: out[p]}
		if p == 0 { // the number of applications goes by the largest share
			e.labels, e.parts = out[1:len(parts)], parts[1:]
		}
		e.run()
	}
}

// minRatio scales the absolute minima of a parent's children where they do not
// fit.
type minRatio struct {
	mem, vc     float32
	setM, setVC bool
}

// evaluation computes the figures of one partition.
type evaluation struct {
	c       *Config
	cluster Resource // all partitions together
	Partition
	out    []Effective
	labels [][]Effective // of the others, computed before
	parts  []Partition
}

func (e *evaluation) run() {
	for i := range e.out {
		e.out[i] = Effective{Min: e.out[i].Min, Max: e.out[i].Max}
	}
	e.load()
	if !e.c.LegacyMode {
		e.flexible()
		return
	}
	e.queue(0, e.cluster, minRatio{})
}

// load puts the configured fractions in. A queue that had a weight before the
// last refresh first counts with its old share; it keeps that where it now has
// neither a weight nor a capacity beside siblings with weights.
func (e *evaluation) load() {
	for i := range e.c.Queues {
		s := e.c.Queues[i].share(e.Name)
		e.out[i].Capacity, e.out[i].Maximum = s.Capacity, s.MaxCapacity
		if e.c.LegacyMode {
			e.out[i].WeightShare = s.CarriedWeight
		}
		e.absolutes(i)
	}
}

func (e *evaluation) queue(i int, limit Resource, ratio minRatio) {
	q, o := &e.c.Queues[i], &e.out[i]
	if q.Parent < 0 && q.share(e.Name).Weight > 0 {
		o.WeightShare = 1
	}
	e.absolutes(i)
	if q.Leaf {
		e.resources(i, ratio)
		e.applications(i)
		e.amLimit(i, limit)
		return
	}
	e.weights(q)
	e.resources(i, ratio)
	ratio = e.minRatio(i)
	limit = e.c.Calculator.Min(e.cluster, limit, o.Max)
	for _, ch := range q.Children {
		e.queue(ch, e.c.Calculator.RoundDown(limit, e.c.MinAllocation), ratio)
	}
}

func (e *evaluation) absolutes(i int) {
	q, o := &e.c.Queues[i], &e.out[i]
	absolute, most := float32(1), float32(1)
	if q.Parent >= 0 {
		absolute, most = e.out[q.Parent].Absolute, e.out[q.Parent].AbsoluteMaximum
	}
	if share := javaMax(o.Capacity, o.WeightShare); share > 0 {
		o.Absolute = share * absolute
	}
	if o.Maximum > 0 || q.Managed && o.Maximum != o.Maximum { // a template's share of a parent without a maximum
		o.AbsoluteMaximum = o.Maximum * most
	}
}

// weights normalises the children's weights.
func (e *evaluation) weights(q *Queue) {
	if k, _ := e.c.kindOf(q, q.Children); k != kindWeight {
		return
	}
	var sum float32
	for _, c := range q.Children {
		if w, ok := e.weight(c); ok {
			sum += max(0, w)
		}
	}
	if float64(abs32(sum)) <= 1e-6 {
		return
	}
	for _, c := range q.Children {
		if w, ok := e.weight(c); ok {
			e.out[c].WeightShare = w / sum
		}
	}
}

// weight is a queue's weight in the partition, if it has any figures of it.
func (e *evaluation) weight(i int) (float32, bool) {
	s := e.c.Queues[i].share(e.Name)
	if s.Weight == -1 && e.inherits(i) {
		return 1, true
	}
	return s.Weight, s.set
}

// inherits reports whether a queue made by a flexible parent has a share of a label because
// that parent has one: its weight there is 1 where no template says otherwise. The share
// orders queues; resources it gives only with settings of the label.
func (e *evaluation) inherits(i int) bool {
	q := &e.c.Queues[i]
	return q.Dynamic && q.Parent >= 0 && (e.c.Queues[q.Parent].share(e.Name).set || e.inherits(q.Parent))
}

func (e *evaluation) resources(i int, ratio minRatio) {
	q, o := &e.c.Queues[i], &e.out[i]
	s := q.share(e.Name)
	set := s.set
	if e.c.Version.Rules().LabelsOfParent && q.Parent >= 0 {
		set = e.c.Queues[q.Parent].share(e.Name).set
	}
	switch {
	case !set:
	case q.Parent < 0:
		o.Min, o.Max = e.Total, e.Total
	case q.Mode == Absolute:
		o.Min = s.ConfiguredMin.scaled(ratio)
		o.Max = e.absoluteMax(q)
		e.derive(i, e.cluster)
	default:
		o.Min = e.Total.Scale(float64(o.Absolute))
		o.Max = e.Total.Scale(float64(o.AbsoluteMaximum))
	}
}

// scaled shrinks a configured minimum where the siblings' minima together
// exceed what the parent has.
func (r Resource) scaled(m minRatio) Resource {
	if m.setM {
		r.Memory = Truncate(float64(float32(r.Memory) * m.mem))
	}
	if m.setVC {
		r.VCores = Truncate(float64(float32(r.VCores) * m.vc))
	}
	return r
}

func (e *evaluation) absoluteMax(q *Queue) Resource {
	up := e.c.Queues[q.Parent].share(e.Name).ConfiguredMax
	if up.IsNone() {
		up = e.out[q.Parent].Max
	}
	own := q.share(e.Name).ConfiguredMax
	if own.IsNone() {
		return up
	}
	// Three-way minimum written as the original has it: against the parent's,
	// with the partition as the measure.
	return e.c.Calculator.Min(e.Total, own, up)
}

// derive computes fractions back from absolute resources, as shares of a cluster.
func (e *evaluation) derive(i int, cluster Resource) {
	o, up := &e.out[i], &e.out[e.c.Queues[i].Parent]
	o.Capacity, o.Maximum = e.c.Calculator.Divide(cluster, o.Min, up.Min), e.c.Calculator.Divide(cluster, o.Max, up.Max)
	if !e.c.Version.Rules().InfiniteShares {
		o.Capacity, o.Maximum = finite(o.Capacity), finite(o.Maximum)
	}
	o.Absolute = o.Capacity * up.Absolute
	if e.c.LegacyMode || o.Maximum > 0 {
		o.AbsoluteMaximum = o.Maximum * up.AbsoluteMaximum
	}
}

func finite(f float32) float32 {
	if f-f != 0 && f == f {
		return 0
	}
	return f
}

func (e *evaluation) minRatio(i int) (r minRatio) {
	q := &e.c.Queues[i]
	sum := e.c.minima(q, e.Name)
	have := e.out[i].Min
	if q.Parent < 0 && have.IsNone() || e.c.Calculator.Compare(e.cluster, have, sum) >= 0 {
		return r
	}
	if sum.Memory != 0 {
		r.setM, r.mem = true, float32(have.Memory)/float32(sum.Memory)
	}
	if sum.VCores != 0 {
		r.setVC, r.vc = true, float32(have.VCores)/float32(sum.VCores)
	}
	return r
}

// applications computes how many applications a leaf admits.
func (e *evaluation) applications(i int) {
	q, o := &e.c.Queues[i], &e.out[i]
	base := e.c.MaxSystemApps
	if g := e.c.GlobalQueueMaxApps; g > 0 {
		base = min(g, base)
	}
	n := q.MaxApplications
	if n < 0 && e.c.Version.Rules().ApplicationsByGlobal {
		n = e.applicationsByGlobal(i)
	} else if n < 0 {
		if !e.c.LegacyMode && e.cluster.Memory <= 0 && e.cluster.VCores <= 0 {
			n = base
		} else if e.c.GlobalQueueMaxApps > 0 && q.Mode != Absolute {
			n = base
		} else {
			n = max(n, int(Truncate(float64(float32(base)*o.Absolute))))
			for p := range e.labels {
				if q.LabelOf(e.parts[p].Name) != nil {
					n = max(n, int(Truncate(float64(float32(base)*e.labels[p][i].Absolute))))
				}
			}
		}
	}
	o.MaxApplications, o.MaxApplicationsPerUser = n, n
	if q.UserLimitFactor != -1 || e.c.Version.Rules().NoUnlimitedFactor {
		o.MaxApplicationsPerUser = min(n, int(Truncate(float64(float32(n)*(q.UserLimit/100)*q.UserLimitFactor))))
	}
}

// applicationsByGlobal is what a leaf of 3.3 admits that says nothing itself: what is
// set for all queues in place of the number of the system, by its share without
// label, or, of absolute resources, that of the label computed last.
func (e *evaluation) applicationsByGlobal(i int) int {
	q, base, share := &e.c.Queues[i], e.c.MaxSystemApps, e.out[i].Absolute
	if g := e.c.GlobalQueueMaxApps; g > 0 {
		if base = g; q.Mode != Absolute {
			return base
		}
	}
	if labels := e.c.Queues[max(q.Parent, 0)].labelsByHash(); q.Mode == Absolute && len(labels) > 0 {
		for p := range e.labels { // computed for one label after the other
			if e.parts[p].Name == labels[len(labels)-1] {
				share = e.labels[p][i].Absolute
			}
		}
	}
	return int(min(Truncate(float64(float32(base)*share)), math.MaxInt32)) // of an infinite share
}

func (e *evaluation) amLimit(i int, limit Resource) {
	q, o, calc := &e.c.Queues[i], &e.out[i], e.c.Calculator
	percent := q.AMPercent
	limit = calc.Min(e.cluster, calc.RoundDown(o.Max, e.c.MinAllocation), limit)
	if e.Name != "" { // only what is guaranteed counts
		limit, percent = Resource{}, q.share(e.Name).AMPercent
	}
	o.AMLimit = AMLimit(calc, o.Min, limit, percent, e.c.MinAllocation)
}

// AMLimit is what the AMs of a leaf may use together: its share
// of the larger of guarantee and present limit, rounded up to the minimum
// allocation.
func AMLimit(calc Calculator, guarantee, limit Resource, percent float32, step Resource) Resource {
	usable := guarantee
	if calc.Fits(guarantee, limit) {
		usable = limit
	}
	return calc.ScaleUp(usable, float64(percent), step)
}
