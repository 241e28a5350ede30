package yarnconf

import "math"

// This file computes effective capacities without legacy rules
// (legacy-queue-mode.enabled=false): ResourceCalculationDriver and its
// calculators in Hadoop. Per resource the children's absolute amounts are served
// first, then percentages, then weights, each kind from what the kinds before it
// have left; what does not fit is cut, not refused.

// division hands one parent's resources out to its children.
type division struct {
	e      *evaluation
	parent *Queue
	of     *Effective // the parent's
}

// flexible computes the figures of the partition. A queue whose capacity says
// nothing keeps the resources that out held before.
func (e *evaluation) flexible() {
	if e.c.Queues[0].share(e.Name).set {
		e.out[0].Min, e.out[0].Max = e.Total, e.Total
	}
	e.out[0].Absolute = 1
	e.shareOut(0, e.cluster)
}

// shareOut computes the figures of everything below a queue whose own are known.
func (e *evaluation) shareOut(i int, limit Resource) {
	q, o := &e.c.Queues[i], &e.out[i]
	if len(q.Children) == 0 {
		return
	}
	if q.share(e.Name).set {
		d := division{e: e, parent: q, of: o}
		memory, cores := d.ratios()
		d.hand(memoryOf, memory)
		d.hand(coresOf, cores)
	}
	limit = e.c.Calculator.RoundDown(e.c.Calculator.Min(e.cluster, limit, o.Max), e.c.MinAllocation)
	for _, ch := range q.Children {
		if e.c.Queues[ch].share(e.Name).set {
			e.derive(ch, e.Total)
		}
		if e.c.Queues[ch].Leaf {
			e.applications(ch)
			e.amLimit(ch, limit)
			continue
		}
		e.shareOut(ch, limit)
	}
}

// part is one resource: memory or cores.
type part int

const (
	memoryOf part = iota
	coresOf
)

func (p part) amount(v *Vector) Amount { return [...]Amount{v.Memory, v.VCores}[p] }

func (p part) of(r *Resource) *int64 { return [...]*int64{&r.Memory, &r.VCores}[p] }

// ratios returns by how much the children's absolute amounts of each resource
// are scaled down where they exceed what the parent has. Kept from the original:
// once one resource has a ratio, one without amounts has the ratio 0.
func (d *division) ratios() (memory, cores float64) {
	if s := d.parent.share(d.e.Name); d.parent.AutoCreateOld || !s.Vector.Set {
		return 1, 1
	}
	memory, okM := d.ratio(memoryOf)
	cores, okV := d.ratio(coresOf)
	if !okM && !okV {
		return 1, 1
	}
	return memory, cores
}

func (d *division) ratio(p part) (float64, bool) {
	var sum int64
	for _, ch := range d.parent.Children {
		if v := &d.e.c.Queues[ch].share(d.e.Name).Vector; v.Set && p.amount(v).Unit == Plain {
			sum = Truncate(float64(sum) + p.amount(v).Value)
		}
	}
	if sum == 0 {
		return 0, false
	}
	return float64(float32(min(sum, *p.of(&d.of.Min))) / float32(sum)), true
}

// hand computes one resource of every child.
func (d *division) hand(p part, ratio float64) {
	have := float64(*p.of(&d.of.Min))
	overall, batch := have, have
	var weights float64
	for _, ch := range d.parent.Children {
		if v := &d.e.c.Queues[ch].share(d.e.Name).Vector; v.Set && p.amount(v).Unit == Weights {
			weights += p.amount(v).Value
		}
	}
	for _, unit := range []Unit{Plain, Percent, Weights} {
		used := 0.0
		for _, ch := range d.parent.Children {
			s := d.e.c.Queues[ch].share(d.e.Name)
			if !s.Vector.Set || p.amount(&s.Vector).Unit != unit {
				continue
			}
			least := d.least(p, p.amount(&s.Vector), ratio, batch, weights)
			got := d.settle(p, p.amount(&s.MaxVector), ch, roundAs(unit, least), overall)
			overall -= got
			used += got
		}
		batch -= used
	}
}

// least is what an amount comes to before it is rounded and cut.
func (d *division) least(p part, a Amount, ratio, batch, weights float64) float64 {
	have, all := float64(*p.of(&d.of.Min)), float64(*p.of(&d.e.Total))
	left := batch / have
	switch a.Unit {
	case Plain:
		return ratio * left * a.Value
	case Percent:
		return all * (have / all * left * a.Value / 100)
	}
	share := a.Value / weights
	if share == 1 {
		return batch // all that is left, without loss by rounding
	}
	return all * (have / all * left * share)
}

// most is the child's maximum before it is rounded and cut; 0 is none.
func (d *division) most(p part, a Amount) float64 {
	if a.Unit == Percent {
		all := float64(*p.of(&d.e.Total))
		return all * (float64(*p.of(&d.of.Max)) / all * a.Value / 100)
	}
	return a.Value
}

// settle cuts a child's minimum and maximum, a, at what the parent has and returns
// the minimum.
func (d *division) settle(p part, a Amount, ch int, least, left float64) float64 {
	o := &d.e.out[ch]
	most, parentMost := roundAs(a.Unit, d.most(p, a)), float64(*p.of(&d.of.Max))
	if p == coresOf && o.Min.Memory == 0 {
		least = 0
	}
	if most == 0 {
		most = parentMost
	} else {
		most = math.Min(most, parentMost)
	}
	if most < least {
		least = most
	}
	if least > left {
		least = left
		if d.parent.AutoCreateOld {
			least = 0
		}
	}
	*p.of(&o.Min), *p.of(&o.Max) = Truncate(least), Truncate(most)
	return least
}

// roundAs rounds weights to the nearest whole number and the rest down.
func roundAs(u Unit, f float64) float64 {
	if u != Weights {
		return math.Floor(f)
	}
	if f != f {
		return 0
	}
	r := math.Floor(f)
	if f-r >= 0.5 {
		r++
	}
	return r
}
