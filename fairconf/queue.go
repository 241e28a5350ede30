package fairconf

import (
	"fmt"
	"strings"
)

// blanks are what the original trims off queue names.
const blanks = "\u2002\u3000\r\u0085\u200A\u2005\u2000\u2029\u000B\u2008\u2003\u205F\u1680\u0009\u0020\u2006\u2001\u202F\u00A0\u000C\u2009\u2004\u2028\n\u2007"

// TrimName takes the blanks off a queue name as the original does; nothing is left of
// a name of blanks alone.
func TrimName(s string) string { return strings.Trim(s, blanks) }

// outermost reads a queue that stands directly below <allocations>: one called
// root, which must stand alone, or a child of root.
func (p *parser) outermost(e *element) error {
	if !strings.EqualFold(e.name, "root") {
		return p.queue("root", e)
	}
	if len(p.queues) > 1 {
		return p.fail(e, "root", "a queue beside root: must be below it")
	}
	return p.queue("", e)
}

func (p *parser) queue(parent string, e *element) error {
	path := TrimName(e.name)
	switch {
	case strings.Contains(path, "."):
		return p.fail(e, path, "a period in the name: nest <queue> elements for a tree")
	case path == "":
		return p.fail(e, path, `missing name="…"`)
	}
	if parent != "" {
		path = parent + "." + path
	}
	leaf, amShare := true, (*element)(nil)
	for _, f := range e.children {
		if f.tag == "pool" || f.tag != "" && strings.HasSuffix("queue", f.tag) { // the original takes any ending of the word
			if err := p.queue(path, f); err != nil {
				return err
			}
			leaf = false
			continue
		}
		if f.tag == "maxAMShare" {
			amShare = f
		}
		if err := p.field(path, f); err != nil {
			return err
		}
	}
	if leaf && e.attr("type") != "parent" {
		enter(path, &p.a.Leaves, p.a.leaves)
		return nil
	}
	if amShare != nil {
		return p.fail(amShare, path, "set for a parent queue: must be set for leaf queues only")
	}
	enter(path, &p.a.Parents, p.a.inner)
	return nil
}

// field reads one setting of a queue.
func (p *parser) field(path string, f *element) error {
	q := p.a.queues[path]
	if q == nil {
		q = new(p.a.Of(path))
		p.a.queues[path] = q
	}
	switch f.tag {
	case "minResources":
		return p.amount(path, f, &q.Min, 0)
	case "maxContainerAllocation":
		return p.amount(path, f, &q.MaxContainer, Never)
	case "maxResources":
		return read(p, f, path, &q.Max, limit(Never))
	case "maxChildResources":
		q.MaxChild = &Limit{}
		return read(p, f, path, q.MaxChild, limit(Never))
	case "minSharePreemptionTimeout":
		return read(p, f, path, &q.MinTimeout, seconds)
	case "fairSharePreemptionTimeout":
		return read(p, f, path, &q.FairTimeout, seconds)
	case "maxRunningApps":
		return read(p, f, path, &q.MaxApps, integer)
	case "maxAMShare":
		return read(p, f, path, &q.MaxAMShare, share)
	case "weight":
		return read(p, f, path, &q.Weight, weight)
	case "fairSharePreemptionThreshold":
		return read(p, f, path, &q.FairThreshold, threshold)
	case "schedulingPolicy", "schedulingMode":
		return read(p, f, path, &q.Policy, policy)
	case "allowPreemptionFrom":
		t, err := p.text(f, path)
		q.Fixed = q.Fixed || !strings.EqualFold(t, "true")
		return err
	case "aclSubmitApps", "aclAdministerApps", "aclAdministerReservations", "aclListReservations", "aclSubmitReservations":
		t, err := p.text(f, path)
		if err == nil && strings.HasSuffix(f.tag, "Apps") && t != "*" {
			p.a.Access = append(p.a.Access, p.fail(f, path,
				fmt.Sprintf("%q: access lists are not simulated: every user may submit", t)).(*Error))
		}
		return err
	case "reservation":
		return p.fail(f, path, "a reservation queue cannot be simulated")
	}
	p.warn(f, path, "not an element of a queue: ignored")
	return nil
}

// amount reads a resource; a share of the cluster counts as not set.
func (p *parser) amount(path string, f *element, to *Resource, missing int64) error {
	var l Limit
	if err := read(p, f, path, &l, limit(missing)); err != nil {
		return err
	}
	if *to = l.Amount; l.Percent {
		if *to = (Resource{}); missing > 0 {
			*to = Unbounded()
		}
		p.warn(f, path, "a share of the cluster counts as not set")
	}
	return nil
}
