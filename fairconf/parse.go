package fairconf

import (
	"errors"
	"fmt"
	"strings"

	"schedtune/yarnconf"
)

// Load reads an allocation file of at most 16 MiB. Its errors are of type *Error: the
// file can't be read, is no allocation file, or holds what Hadoop refuses or what can't
// be simulated.
func Load(path string) (*Allocations, error) {
	data, err := yarnconf.ReadFile(path)
	if err != nil {
		var p yarnconf.Problem
		if errors.As(err, &p) {
			return nil, &Error{File: path, Reason: p.Reason, Err: err}
		}
		return nil, &Error{File: path, Err: err}
	}
	return Parse(path, data)
}

// Parse is Load of a text; name stands for the file in messages.
func Parse(name string, data []byte) (*Allocations, error) {
	root, err := readTree(name, data)
	if err != nil {
		return nil, err
	}
	p := &parser{a: New()}
	p.a.File = name
	if root.tag != "allocations" {
		return nil, p.fail(root, "", "the outermost element must be <allocations>")
	}
	if err := p.top(root); err != nil {
		return nil, err
	}
	return p.a, nil
}

type parser struct {
	a      *Allocations
	queues []*element
	values map[string]*element // the last of each default
}

func (p *parser) fail(e *element, queue, reason string) error {
	key := e.tag
	if queue != "" {
		key = "queue " + queue + ": " + key
	}
	return &Error{File: p.a.File, Line: e.line, Key: key, Reason: reason}
}

// text returns the trimmed text of an element; one without text is refused.
func (p *parser) text(e *element, queue string) (string, error) {
	if !e.hasText {
		return "", p.fail(e, queue, "missing value")
	}
	return trim(e.first), nil
}

func (p *parser) top(root *element) error {
	p.values = map[string]*element{}
	var placement *element
	for _, e := range root.children {
		switch e.tag {
		case "queue", "pool":
			p.queues = append(p.queues, e)
		case "user":
			if err := p.user(e); err != nil {
				return err
			}
		case "queuePlacementPolicy":
			placement = e
		case "defaultQueueSchedulingPolicy", "defaultQueueSchedulingMode":
			pol, err := p.policy(e, "")
			if err != nil {
				return err
			}
			if pol == FIFO {
				return p.fail(e, "", "fifo: must be fair or drf")
			}
			p.a.DefaultPolicy = pol
		case "queueMaxResourcesDefault", "userMaxAppsDefault", "defaultFairSharePreemptionTimeout",
			"fairSharePreemptionTimeout",
			"defaultMinSharePreemptionTimeout", "queueMaxAppsDefault", "defaultFairSharePreemptionThreshold",
			"queueMaxAMShareDefault",
			"reservation-planner", "reservation-agent", "reservation-policy":
			if _, err := p.text(e, ""); err != nil {
				return err
			}
			p.values[e.tag] = e
		default:
			p.warn(e, "", "not an element of an allocation file: nothing reads it")
		}
	}
	for _, q := range p.queues {
		if err := p.outermost(q); err != nil {
			return err
		}
	}
	if placement != nil {
		if err := p.placement(placement); err != nil {
			return err
		}
	}
	return p.defaults()
}

func (p *parser) warn(e *element, queue, reason string) {
	p.a.Warnings = append(p.a.Warnings, p.fail(e, queue, reason).(*Error))
}

func (p *parser) user(e *element) error {
	for _, f := range e.children {
		if f.tag != "maxRunningApps" {
			p.warn(f, "", "not an element of a user: nothing reads it")
			continue
		}
		n, err := p.integer(f, "")
		if err != nil {
			return err
		}
		p.a.UserMaxApps[e.name] = n
	}
	return nil
}

func (p *parser) integer(e *element, queue string) (int, error) {
	t, err := p.text(e, queue)
	if err != nil {
		return 0, err
	}
	n, ok := parseInt(t)
	if !ok {
		return 0, p.fail(e, queue, fmt.Sprintf("%q: must be a 32-bit integer", t))
	}
	return n, nil
}

// seconds reads a timeout and returns milliseconds.
func (p *parser) seconds(e *element, queue string) (int64, error) {
	t, err := p.text(e, queue)
	if err != nil {
		return 0, err
	}
	n, ok := parseLong(t)
	if !ok {
		return 0, p.fail(e, queue, fmt.Sprintf("%q: must be a whole number of seconds", t))
	}
	return n * 1000, nil
}

func (p *parser) number(e *element, queue string, bits int) (float64, error) {
	t, err := p.text(e, queue)
	if err != nil {
		return 0, err
	}
	f, ok := parseFloat(t, bits)
	if !ok {
		return 0, p.fail(e, queue, fmt.Sprintf("%q: must be a number", t))
	}
	return f, nil
}

func (p *parser) limit(e *element, queue string, missing int64) (Limit, error) {
	t, err := p.text(e, queue)
	if err != nil {
		return Limit{}, err
	}
	l, err := parseLimit(t, missing)
	if err != nil {
		return l, p.fail(e, queue, fmt.Sprintf("%q: %v: must be %s", t, err, limitForms))
	}
	return l, nil
}

func (p *parser) policy(e *element, queue string) (Policy, error) {
	t, err := p.text(e, queue)
	if err != nil {
		return 0, err
	}
	const prefix = "org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.policies."
	switch strings.ToLower(t) {
	case "fair":
		return Fair, nil
	case "fifo":
		return FIFO, nil
	case "drf":
		return DRF, nil
	}
	switch t {
	case prefix + "FairSharePolicy":
		return Fair, nil
	case prefix + "FifoPolicy":
		return FIFO, nil
	case prefix + "DominantResourceFairnessPolicy":
		return DRF, nil
	}
	return 0, p.fail(e, queue, fmt.Sprintf("%q: must be one of fair, fifo, drf", t))
}

// defaults reads the settings beside the queues, of each the last.
func (p *parser) defaults() (err error) {
	a := p.a
	if e := p.values["queueMaxResourcesDefault"]; e != nil {
		if a.MaxDefault, err = p.limit(e, "", Never); err != nil {
			return err
		}
	}
	for _, d := range [...]struct {
		tag string
		to  *int
	}{{"userMaxAppsDefault", &a.UserMaxAppsDefault}, {"queueMaxAppsDefault", &a.QueueMaxAppsDefault}} {
		if e := p.values[d.tag]; e != nil {
			if *d.to, err = p.integer(e, ""); err != nil {
				return err
			}
		}
	}
	if e := p.values["queueMaxAMShareDefault"]; e != nil {
		f, err := p.number(e, "", 32)
		if err != nil {
			return err
		}
		a.MaxAMShareDefault = javaMin(float32(f), 1)
	}
	return p.timeouts()
}

func (p *parser) timeouts() (err error) {
	a := p.a
	if e := p.values["defaultMinSharePreemptionTimeout"]; e != nil {
		if a.MinTimeoutDefault, err = p.seconds(e, ""); err != nil {
			return err
		}
	}
	e := p.values["defaultFairSharePreemptionTimeout"]
	if e == nil {
		e = p.values["fairSharePreemptionTimeout"]
	}
	if e != nil {
		if a.FairTimeoutDefault, err = p.seconds(e, ""); err != nil {
			return err
		}
	}
	if e := p.values["defaultFairSharePreemptionThreshold"]; e != nil {
		f, err := p.number(e, "", 32)
		if err != nil {
			return err
		}
		a.FairThresholdDefault = clamp01(float32(f))
	}
	return nil
}
