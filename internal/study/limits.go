package study

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"schedtune/internal/scenario"
	"schedtune/simcore"
	"schedtune/tune"
)

// Constraints as a person writes them. Beyond tune.ParseConstraint's
// "METRIC <= NUMBER[UNIT]" the metric may stand for all queues, users or
// classes that have jobs ("queue.*.p95-wait <= 60s"), and the limit may be
// relative to the current configuration ("queue.*.mean-completion <= present
// + 10 %"). A relative limit compares with the current configuration on the same
// seeds and workloads.

var presentForm = regexp.MustCompile(`^=?\s*present\s*(?:([+-])\s*([0-9]+(?:\.[0-9]+)?)\s*%)?$`)

// ProtectedMetric is what Protection limits.
const ProtectedMetric = "queue.*.mean-completion"

// Protection is the limit that keeps the mean completion of every queue with jobs
// within so many percent of the current file's.
func Protection(percent float64) string {
	return fmt.Sprintf(ProtectedMetric+" <= present + %s %%", strconv.FormatFloat(percent, 'g', -1, 64))
}

// Limits parses constraints and writes out those that hold for many groups. Errors:
// *scenario.FlagError.
func Limits(texts []string, w *simcore.Workload) ([]tune.Constraint, error) {
	var out []tune.Constraint
	for _, text := range texts {
		l, err := readLimit(text)
		if err != nil {
			return nil, &scenario.FlagError{Flag: "--constraint", Err: err}
		}
		many, err := expand(l, w)
		if err != nil {
			return nil, &scenario.FlagError{Flag: "--constraint", Err: err}
		}
		out = append(out, many...)
	}
	return out, nil
}

func readLimit(text string) (tune.Constraint, error) {
	factor, plain := 0.0, text
	if i := strings.IndexAny(text, "<>"); i >= 0 {
		if m := presentForm.FindStringSubmatch(strings.TrimSpace(text[i+1:])); m != nil {
			factor = 1
			if m[2] != "" {
				part, err := strconv.ParseFloat(m[1]+m[2], 64)
				if err != nil {
					return tune.Constraint{}, err
				}
				factor += part / 100
			}
			plain = text[:i+1] + "= 0" // the limit follows from the factor
		}
	}
	c, err := tune.ParseConstraint(plain)
	if err != nil {
		return c, fmt.Errorf("%w, or present with + or - PERCENT %% in place of NUMBER[UNIT]", err)
	}
	c.Text, c.Factor = text, factor
	m, _, _, err := simcore.ParseMetric(c.Metric)
	if err != nil {
		return c, err
	}
	return c, inUnit(&c, m.Unit, plain)
}

// limitUnit is the unit behind a limit's number.
var limitUnit = regexp.MustCompile(`[0-9.]\s*([a-zA-Z]+|%)\s*$`)

// inUnit has a limit in the unit of its metric: tune.ParseConstraint gives all times in
// seconds, and takes every unit for every metric.
func inUnit(c *tune.Constraint, unit, plain string) error {
	if c.Limit < 0 || c.Factor < 0 {
		return fmt.Errorf("constraint %q: no metric is ever below 0; use a limit of 0 or more", c.Text)
	}
	written := ""
	if m := limitUnit.FindStringSubmatch(plain); m != nil {
		written = m[1]
	}
	refused := func(allowed string) error {
		return fmt.Errorf("constraint %q: %q does not go with %s, which is measured in %s; use %s", c.Text, written,
			c.Metric, unit, allowed)
	}
	switch written {
	case "us", "ms", "s", "m", "min", "h", "d":
		switch unit {
		case "s":
		case "h":
			c.Limit /= 3600
		default:
			return refused("a number without a unit of time")
		}
	case "%":
		if unit != "share" && unit != "ratio" {
			return refused("a number, with us, ms, s, min, h or d if it is a time; or present with + or - PERCENT %")
		}
	}
	if unit == "share" && !(c.Limit >= 0 && c.Limit <= 1) {
		return fmt.Errorf("constraint %q: %s is a fraction: must be 0 to 1, or 0 %% to 100 %%", c.Text, c.Metric)
	}
	return nil
}

// expand writes out a metric of all groups of a kind, one constraint for each
// that has jobs.
func expand(l tune.Constraint, w *simcore.Workload) ([]tune.Constraint, error) {
	for _, dim := range []struct {
		name  string
		names []string
		of    func(*simcore.Job) int32
	}{
		{"queue", w.Queues, func(j *simcore.Job) int32 { return j.Queue }},
		{"user", w.Users, func(j *simcore.Job) int32 { return j.User }},
		{"class", w.Classes, func(j *simcore.Job) int32 { return j.Class }},
	} {
		all := dim.name + ".*."
		if !strings.HasPrefix(l.Metric, all) {
			continue
		}
		has := make([]bool, len(dim.names))
		for i := range w.Jobs {
			if g := dim.of(&w.Jobs[i]); g >= 0 && int(g) < len(has) {
				has[g] = true
			}
		}
		var out []tune.Constraint
		for i, name := range dim.names {
			if has[i] {
				one := l
				one.Metric = strings.Replace(l.Metric, all, dim.name+"."+name+".", 1)
				one.Text = strings.Replace(l.Text, all, dim.name+"."+name+".", 1)
				out = append(out, one)
			}
		}
		if out == nil {
			return nil, fmt.Errorf("%s: no %s of the trace has a name", l.Text, dim.name)
		}
		return out, nil
	}
	return []tune.Constraint{l}, nil
}
