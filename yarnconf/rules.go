package yarnconf

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Validate returns what makes a document unfit to be applied: all errors that
// a load raises, and our own rule that maximum-capacity is not below capacity
// (Hadoop 3.4 accepts that and then never uses the guarantee in full). Ordered
// by line.
func (d *Document) Validate() []Problem {
	if IsMR1(d) {
		_, errs := evaluateMR1(d)
		return d.located(errs)
	}
	if keys := d.Keys(); len(keys) > 0 && !slices.ContainsFunc(keys, func(k string) bool {
		return strings.HasPrefix(k, Prefix)
	}) {
		return []Problem{{File: d.name, Line: 1, Reason: "no setting of the Capacity Scheduler: must be a " +
			"capacity-scheduler.xml"}}
	}
	c, errs := evaluate(d, versionOf(d), Resource{})
	if !c.LegacyMode {
		return d.located(errs) // Hadoop warns of a maximum below the minimum and loads
	}
	problems := append(d.located(errs), d.maximumBelowCapacity(c)...)
	sortProblems(problems)
	return problems
}

// located gives errors of an evaluation their places, ordered by line.
func (d *Document) located(errs []*PropError) []Problem {
	problems := make([]Problem, 0, len(errs))
	for _, e := range errs {
		problems = append(problems, d.locate(e))
	}
	sortProblems(problems)
	return slices.Compact(problems) // each queue reads what is set for all
}

// EditValid is Edit, refused if the outcome would not be fit to be applied.
// The error is the first Problem.
func (d *Document) EditValid(changes []Change) (*Document, error) {
	next, err := d.Edit(changes)
	if err != nil {
		return nil, err
	}
	if problems := next.Validate(); len(problems) > 0 {
		return nil, problems[0]
	}
	return next, nil
}

// maximumBelowCapacity compares the percentages of each queue. Labelled
// capacities are checked by the load; in absolute mode so is the order of
// minimum and maximum.
func (d *Document) maximumBelowCapacity(c *Config) []Problem {
	var problems []Problem
	for i := range c.Queues {
		q := &c.Queues[i]
		if q.Mode != Percentage || q.Parent < 0 || !q.ConfiguredMax.IsNone() || q.Capacity > 1 ||
			!(q.MaxCapacity >= 0 && q.MaxCapacity < q.Capacity) {
			continue
		}
		key, capKey := Key(q.Path, MaximumCapacity), Key(q.Path, Capacity)
		p := d.locate(&PropError{Key: key, Value: d.Value(key)})
		least := shown(d, capKey, q.Capacity)
		p.Reason = fmt.Sprintf("%s is below capacity %s: must be between %s and 100", shown(d, key, q.MaxCapacity), least,
			least)
		problems = append(problems, p)
	}
	return problems
}

// shown gives a percentage as it is written, else from its fraction.
func shown(d *Document, key string, fraction float32) string {
	if v := d.Value(key); v != "" {
		return v
	}
	return strconv.FormatFloat(float64(fraction*100), 'g', 6, 32)
}
