package yarnconf

import (
	"slices"
	"strings"
)

// absolutes looks at capacities written as [memory=…,vcores=…] that a load takes. Hadoop leaves out resources
// that it does not know, takes an amount with an unknown unit as 0, or without legacy queue mode as
// if it had none, and takes a negative amount as it is.
func (k *checker) absolutes(q *Queue) {
	for _, l := range append([]Label{q.Label}, q.Labels...) {
		for _, name := range []string{Capacity, MaximumCapacity} {
			key := LabelKey(q.Path, l.Name, name)
			text := k.d.Value(key)
			if q.Parent < 0 || k.wrong[key] || !isAbsolute(text) {
				continue
			}
			for _, pair := range strings.Split(text[1:len(text)-1], ",") {
				k.absolute(key, strings.TrimSpace(pair))
			}
			switch none := k.c.LegacyMode && AbsoluteResource(text).IsNone(); {
			case none && name == Capacity && q.Mode == Absolute:
				k.warn("no-guarantee", key, "", "amounts to no memory, so the queue is guaranteed neither memory nor vcores")
			case none && name == MaximumCapacity:
				k.warn("no-effect", key, "", "amounts to no memory, so the queue has no maximum of its own")
			}
		}
	}
}

// absolute looks at one amount of a capacity.
func (k *checker) absolute(key, pair string) {
	known := append([]string{"memory", "memory-mb", "vcores"}, splitNames(k.d.Value(resourceTypes))...)
	what, amount, _ := strings.Cut(pair, "=")
	number, unit := withUnit(amount)
	_, _, isUnit := unitOf(unit)
	isUnit = isUnit || unit == "w"
	switch {
	case amount == "" || !slices.Contains(known, strings.TrimSpace(what)):
		k.warn("ignored", key, "write memory=…, vcores=…, or a name of "+resourceTypes,
			"%q names no amount of a known resource and is ignored", pair)
	case !isUnit && k.c.LegacyMode:
		k.warn("out-of-range", key, "units of memory are Mi, Gi and Ti", "%s is taken as 0: %s is no unit", pair, unit)
	case !isUnit:
		k.warn("out-of-range", key, "units of memory are Mi, Gi and Ti", "%s is taken as %s: %s is no unit", pair, number,
			unit)
	case strings.HasPrefix(number, "-"):
		k.warn("out-of-range", key, "", "%s: must be 0 or more, though Hadoop loads it", pair)
	}
}
