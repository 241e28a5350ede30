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
	case "minResources", "maxResources", "maxChildResources", "maxContainerAllocation":
		return p.amount(path, f, s)
	case "minSharePreemptionTimeout", "fairSharePreemptionTimeout":
		n, err := p.seconds(f, path)
		if f.tag == "minSharePreemptionTimeout" {
			s.minTimeout = &n
		} else {
			s.fairTimeout = &n
		}
		return err
	case "maxRunningApps":
		n, err := p.integer(f, path)
		s.maxApps = &n
		return err
	case "maxAMShare", "weight", "fairSharePreemptionThreshold":
		return p.ratio(path, f, s)
	case "schedulingPolicy", "schedulingMode":
		pol, err := p.policy(f, path)
		s.policy = &pol
		return err
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

// amount reads a resource. Where only an amount can be meant, a share of the
// cluster counts as not set.
func (p *parser) amount(path string, f *element, s *settings) error {
	missing := int64(Never)
	if f.tag == "minResources" {
		missing = 0
	}
	l, err := p.limit(f, path, missing)
	if err != nil {
		return err
	}
	var amount *Resource
	if !l.Percent {
		amount = &l.Amount
	} else if f.tag == "minResources" || f.tag == "maxContainerAllocation" {
		p.warn(f, path, "a share of the cluster counts as not set")
	}
	switch f.tag {
	case "minResources":
		s.min = amount
	case "maxResources":
		s.max = &l
	case "maxChildResources":
		s.maxChild = &l
	case "maxContainerAllocation":
		s.maxContainer = amount
	}
	return nil
}

func (p *parser) ratio(path string, f *element, s *settings) error {
	bits := 32
	if f.tag == "weight" {
		bits = 64
	}
	x, err := p.number(f, path, bits)
	if err != nil {
		return err
	}
	v := float32(x)
	switch f.tag {
	case "maxAMShare":
		v = javaMin(v, 1)
		s.maxAMShare = &v
	case "weight":
		if v != v || v < 0 {
			return p.fail(f, path, fmt.Sprintf("%g: must be 0 or more", x))
		}
		s.weight = &v
	default:
		v = clamp01(v)
		s.threshold = &v
	}
	return nil
}
