package fairconf

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"schedtune/internal/fileio"
	"schedtune/internal/java"
)

// Load reads an allocation file of at most 16 MiB. Its errors are of type *Error: the
// file can't be read, is no allocation file, or holds what Hadoop refuses or what can't
// be simulated.
func Load(path string) (*Allocations, error) {
	data, err := fileio.ReadFile(path, maxFile)
	if err != nil {
		return nil, &Error{File: path, Reason: fileio.Cause(err), Err: err}
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
	return java.Trim(e.first), nil
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
			if err := read(p, e, "", &p.a.other.Policy, policy); err != nil {
				return err
			}
			if p.a.other.Policy == FIFO {
				return p.fail(e, "", "fifo: must be fair or drf")
			}
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
			p.warn(e, "", "not an element of an allocation file: ignored")
		}
	}
	if err := p.defaults(); err != nil {
		return err
	}
	for _, q := range p.queues {
		if err := p.outermost(q); err != nil {
			return err
		}
	}
	if placement != nil {
		return p.placement(placement)
	}
	return nil
}

func (p *parser) warn(e *element, queue, reason string) {
	p.a.Warnings = append(p.a.Warnings, p.fail(e, queue, reason).(*Error))
}

func (p *parser) user(e *element) error {
	for _, f := range e.children {
		if f.tag != "maxRunningApps" {
			p.warn(f, "", "not an element of a user: ignored")
			continue
		}
		n := 0
		if err := read(p, f, "", &n, integer); err != nil {
			return err
		}
		p.a.UserMaxApps[e.name] = n
	}
	return nil
}

// read reads the text of an element into a place; without an element the place stays as it is.
func read[T any](p *parser, e *element, queue string, to *T, parse func(string) (T, error)) error {
	if e == nil {
		return nil
	}
	t, err := p.text(e, queue)
	if err != nil {
		return err
	}
	if *to, err = parse(t); err != nil {
		return p.fail(e, queue, fmt.Sprintf("%q: %v", t, err))
	}
	return nil
}

func integer(t string) (int, error) {
	n, err := strconv.ParseInt(t, 10, 32)
	if err != nil {
		err = errors.New("must be a 32-bit integer")
	}
	return int(n), err
}

// seconds reads a timeout and returns milliseconds.
func seconds(t string) (int64, error) {
	n, err := strconv.ParseInt(t, 10, 64)
	if err != nil {
		err = errors.New("must be a whole number of seconds")
	}
	return n * 1000, err
}

func number(t string, bits int) (float32, error) {
	f, err := java.ParseFloat(t, bits)
	if err != nil {
		err = errors.New("must be a number")
	}
	return float32(f), err
}

// share is a number of at most 1: NaN if it is none.
func share(t string) (float32, error) {
	f, err := number(t, 32)
	return min(f, 1), err
}

// threshold is a number cut at 0 and 1.
func threshold(t string) (float32, error) {
	f, err := share(t)
	return max(f, 0), err
}

func weight(t string) (float32, error) {
	f, err := number(t, 64)
	if err == nil && !(f >= 0) {
		err = errors.New("must be 0 or more")
	}
	return f, err
}

// limit reads a resource; missing is what a named form leaves out.
func limit(missing int64) func(string) (Limit, error) {
	return func(t string) (Limit, error) {
		l, err := parseLimit(t, missing)
		if err != nil {
			err = fmt.Errorf("%w: must be %s", err, limitForms)
		}
		return l, err
	}
}

func policy(t string) (Policy, error) {
	const prefix = "org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.policies."
	for p, class := range [...]string{Fair: "FairSharePolicy", FIFO: "FifoPolicy", DRF: "DominantResourceFairnessPolicy"} {
		if strings.EqualFold(t, Policy(p).String()) || t == prefix+class {
			return Policy(p), nil
		}
	}
	return 0, errors.New("must be one of fair, fifo, drf")
}

// defaults reads the settings beside the queues, of each the last.
func (p *parser) defaults() error {
	v, all, root := p.values, &p.a.other, &p.a.root
	return cmp.Or(read(p, v["queueMaxResourcesDefault"], "", &all.Max, limit(Never)),
		read(p, v["userMaxAppsDefault"], "", &p.a.UserMaxAppsDefault, integer),
		read(p, v["queueMaxAppsDefault"], "", &all.MaxApps, integer),
		read(p, v["queueMaxAMShareDefault"], "", &all.MaxAMShare, share),
		read(p, v["defaultMinSharePreemptionTimeout"], "", &root.MinTimeout, seconds),
		read(p, cmp.Or(v["defaultFairSharePreemptionTimeout"], v["fairSharePreemptionTimeout"]), "", &root.FairTimeout,
			seconds),
		read(p, v["defaultFairSharePreemptionThreshold"], "", &root.FairThreshold, threshold))
}
