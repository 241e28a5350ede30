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
		p.a.addLeaf(path)
		return nil
	}
	if amShare != nil {
		return p.fail(amShare, path, "set for a parent queue: must be set for leaf queues only")
	}
	p.a.addParent(path)
	return nil
}

// field reads one setting of a queue.
func (p *parser) field(path string, f *element) error {
	s := p.a.set(path)
	switch f.tag {
	case "minResources":
		return p.amount(path, f, &s.min, 0)
	case "maxContainerAllocation":
		return p.amount(path, f, &s.maxContainer, Never)
	case "maxResources":
		return set(p, path, f, &s.max, limit(Never))
	case "maxChildResources":
		return set(p, path, f, &s.maxChild, limit(Never))
	case "minSharePreemptionTimeout":
		return set(p, path, f, &s.minTimeout, seconds)
	case "fairSharePreemptionTimeout":
		return set(p, path, f, &s.fairTimeout, seconds)
	case "maxRunningApps":
		return set(p, path, f, &s.maxApps, integer)
	case "maxAMShare":
		return set(p, path, f, &s.maxAMShare, share)
	case "weight":
		return set(p, path, f, &s.weight, weight)
	case "fairSharePreemptionThreshold":
		return set(p, path, f, &s.threshold, threshold)
	case "schedulingPolicy", "schedulingMode":
		return set(p, path, f, &s.policy, policy)
	case "allowPreemptionFrom":
		t, err := p.text(f, path)
		s.fixed = s.fixed || !strings.EqualFold(t, "true")
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
	p.warn(f, path, "not an element of a queue: nothing reads it")
	return nil
}

// set reads a setting into a place of its own.
func set[T any](p *parser, path string, f *element, to **T, parse func(string) (T, error)) error {
	*to = new(T)
	return read(p, f, path, *to, parse)
}

// amount reads a resource; a share of the cluster counts as not set.
func (p *parser) amount(path string, f *element, to **Resource, missing int64) error {
	var l Limit
	if err := read(p, f, path, &l, limit(missing)); err != nil {
		return err
	}
	if *to = &l.Amount; l.Percent {
		*to = nil
		p.warn(f, path, "a share of the cluster counts as not set")
	}
	return nil
}
