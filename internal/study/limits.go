package study

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"schedtune/internal/inputs"
	"schedtune/simcore"
	"schedtune/tune"
)

// Constraints as a person writes them. Beyond tune.ParseConstraint's
// "METRIC <= NUMBER[UNIT]" the metric may stand for all queues, users or
// classes that have jobs ("queue.*.p95-wait <= 60s"), and the limit may be
// relative to the present configuration ("queue.*.mean-completion <= present
// + 10 %"). A relative limit becomes a number before the search begins: the
// mean of the present configuration over replications of its own.

// limit is one constraint; if relative, its Limit is not known yet.
type limit struct {
	tune.Constraint
	relative bool
	factor   float64
}

var presentForm = regexp.MustCompile(`^=?\s*present\s*(?:([+-])\s*([0-9]+(?:\.[0-9]+)?)\s*%)?$`)

// readLimits parses constraints and writes out those that hold for many groups.
// Errors: *FlagError.
func readLimits(texts []string, w *simcore.Workload) ([]limit, error) {
	var out []limit
	for _, text := range texts {
		l, err := readLimit(text)
		if err != nil {
			return nil, &inputs.FlagError{Flag: "--constraint", Err: err}
		}
		many, err := expand(l, w)
		if err != nil {
			return nil, &inputs.FlagError{Flag: "--constraint", Err: err}
		}
		out = append(out, many...)
	}
	return out, nil
}

func readLimit(text string) (limit, error) {
	l := limit{factor: 1}
	plain := text
	if i := strings.IndexAny(text, "<>"); i >= 0 {
		if m := presentForm.FindStringSubmatch(strings.TrimSpace(text[i+1:])); m != nil {
			l.relative = true
			if m[2] != "" {
				part, err := strconv.ParseFloat(m[1]+m[2], 64)
				if err != nil {
					return l, err
				}
				l.factor += part / 100
			}
			plain = text[:i+1] + "= 0" // its limit comes later
		}
	}
	c, err := tune.ParseConstraint(plain)
	if err != nil {
		return l, fmt.Errorf("%w, or present with + or - PERCENT %% in place of NUMBER[UNIT]", err)
	}
	l.Constraint, l.Text = c, text
	_, err = simcore.Direction(c.Metric)
	return l, err
}

// expand writes out a metric of all groups of a kind, one constraint for each
// that has jobs.
func expand(l limit, w *simcore.Workload) ([]limit, error) {
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
		var out []limit
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
	return []limit{l}, nil
}

func constraintsOf(ls []limit) []tune.Constraint {
	var cs []tune.Constraint
	for _, l := range ls {
		cs = append(cs, l.Constraint)
	}
	return cs
}

// measureLimits turns relative limits into numbers.
func (s *Study) measureLimits(ls []limit) ([]tune.Constraint, error) {
	cs := constraintsOf(ls)
	sums, counts := make([]float64, len(ls)), make([]float64, len(ls))
	any := false
	for _, l := range ls {
		any = any || l.relative
	}
	if !any {
		return cs, nil
	}
	for i := range groupSeeds {
		for w := range s.Runner.Windows() {
			res, err := s.Runner.Simulate(s.Space.PresentSettings(), groupSeedBase+uint64(i), w, nil)
			if err != nil {
				return nil, err
			}
			for k, l := range ls {
				if v, err := res.Value(l.Metric); err == nil && !math.IsNaN(v) {
					sums[k] += v
					counts[k]++
				}
			}
		}
	}
	for k, l := range ls {
		if l.relative && counts[k] > 0 {
			cs[k].Limit = l.factor * sums[k] / counts[k]
		}
	}
	return cs, nil
}
