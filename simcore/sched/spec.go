package sched

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"schedtune/simcore"
	"schedtune/simcore/mr1"
	"schedtune/simcore/sched/capacity"
	"schedtune/simcore/sched/yarnfair"
	"schedtune/simcore/yarn"
)

// Param describes one parameter of a scheduler. Numbers have Min and Max;
// parameters with Choices are words; a parameter with neither is free text.
type Param struct {
	Name     string   // as in a spec
	Default  string   // passes the parameter's own check
	Min, Max float64  // inclusive; both zero for words and text
	Integer  bool     // whole numbers only
	Choices  []string // allowed words; "false", "true" for switches
	File     bool     // a file that fit saved is allowed as well
	Unit     string   // of a number
	Help     string   // one line
	// Given marks what describes the cluster or an error of measurement: a search
	// must not improve it away.
	Given bool
}

// number reports whether the parameter is a number.
func (p *Param) number() bool { return p.Min != 0 || p.Max != 0 }

// Allowed describes the values of the parameter, for messages and help.
func (p *Param) Allowed() string {
	switch {
	case p.File && p.Choices == nil && !p.number():
		return "the file of a model"
	case p.File:
		q := *p
		q.File = false
		return q.Allowed() + ", or the file of a model"
	case p.Choices != nil:
		return "one of " + strings.Join(p.Choices, ", ")
	case p.number():
		kind := "a number"
		if p.Integer {
			kind = "a whole number"
		}
		return fmt.Sprintf("%s from %v to %v", kind, p.Min, p.Max)
	}
	return "text"
}

// check returns an error when the value is not allowed.
func (p *Param) check(value string) error {
	switch {
	case p.Choices != nil:
		if slices.Contains(p.Choices, value) {
			return nil
		}
	case p.number():
		x, err := strconv.ParseFloat(value, 64)
		if err == nil && x >= p.Min && x <= p.Max && (!p.Integer || x == math.Trunc(x)) {
			return nil
		}
	default:
		if !p.File || value == p.Default {
			return nil
		}
	}
	return fmt.Errorf("%s=%s: must be %s", p.Name, value, p.Allowed())
}

// Values are the parameters of one scheduler by name, as text; Parse fills in the defaults
// and checks the rest.
type Values map[string]string

func (v Values) float(name string) float64 {
	x, _ := strconv.ParseFloat(v[name], 64) // Parse has checked the value
	return x
}

func (v Values) int(name string) int              { return int(v.float(name)) }
func (v Values) bool(name string) bool            { return v[name] == "true" }
func (v Values) seconds(name string) simcore.Time { return simcore.Seconds(v.float(name)) }

// Spec is a scheduler by name with all its parameters.
type Spec struct {
	Entry  *Entry // its row of the table
	Values Values // of every parameter of the row

	files map[string]any // models that parameters name
}

// String returns the spec in its shortest form: only what differs from the
// defaults, in the order of the table.
func (s *Spec) String() string {
	if s.Entry == nil {
		return ""
	}
	var parts []string
	for _, p := range s.Entry.Params {
		if s.Values[p.Name] != p.Default {
			parts = append(parts, p.Name+"="+s.Values[p.Name])
		}
	}
	if parts == nil {
		return s.Entry.Name
	}
	return s.Entry.Name + ":" + strings.Join(parts, ",")
}

// Parse reads "name" or "name:k=v,k=v". Errors name what is wrong and what is
// allowed.
func Parse(spec string) (*Spec, error) {
	name, rest, _ := strings.Cut(spec, ":")
	table := Table()
	var e *Entry
	for i := range table {
		if table[i].Name == name {
			e = &table[i]
		}
	}
	if e == nil {
		return nil, fmt.Errorf("scheduler %q: must be one of %s", name, strings.Join(Names(), ", "))
	}
	s := &Spec{Entry: e, Values: Values{}, files: map[string]any{}}
	for _, p := range e.Params {
		s.Values[p.Name] = p.Default
	}
	if rest == "" {
		return s, nil
	}
	given := map[string]bool{} // read only by key
	for _, kv := range strings.Split(rest, ",") {
		key, value, ok := strings.Cut(kv, "=")
		if !ok {
			return nil, fmt.Errorf("scheduler %s: %q is not key=value", name, kv)
		}
		p := e.param(key)
		if p == nil {
			return nil, fmt.Errorf("scheduler %s: parameter %q: must be one of %s", name, key, e.paramNames())
		}
		if p.takesFile(value) {
			f, err := openFile(key, value)
			if errors.Is(err, fs.ErrNotExist) {
				err = fmt.Errorf("no such file: must be %s", p.Allowed())
			}
			if err != nil {
				return nil, fmt.Errorf("scheduler %s: %s=%s: %w", name, key, value, err)
			}
			s.files[key] = f
		} else if err := p.check(value); err != nil {
			return nil, fmt.Errorf("scheduler %s: %w", name, err)
		}
		if given[key] {
			return nil, fmt.Errorf("scheduler %s: %s is given twice, as %s and %s", name, key, s.Values[key], value)
		}
		given[key], s.Values[key] = true, value
	}
	return s, nil
}

// Split cuts a list of specs at its commas: "fifo,coupling:threshold=3,beta=0.5"
// holds two, because a part with "=" but without ":" belongs to the spec before.
func Split(list string) []string {
	var specs []string
	for _, part := range strings.Split(list, ",") {
		if len(specs) > 0 && strings.Contains(part, "=") && !strings.Contains(part, ":") {
			specs[len(specs)-1] += "," + part
			continue
		}
		specs = append(specs, part)
	}
	return specs
}

// New builds a scheduler for one run on the Hadoop 1 runtime from a spec string. Errors
// name what is wrong with it and what is allowed; a scheduler of YARN is one.
func New(spec string, o Options) (mr1.Scheduler, error) {
	s, err := Parse(spec)
	if err != nil {
		return nil, err
	}
	return s.New(o)
}

// New builds the scheduler for one run on the Hadoop 1 runtime.
func (s *Spec) New(o Options) (mr1.Scheduler, error) {
	if s.Entry == nil {
		return nil, errNoEntry()
	}
	if s.Entry.Runtime != MR1 || s.Entry.build == nil {
		return nil, fmt.Errorf("scheduler %s: runs on %s; must be one of %s", s, s.Entry.Runtime,
			strings.Join(NamesOf(MR1), ", "))
	}
	o.files = s.files
	sch, err := s.Entry.build(o, s.Values)
	if err != nil {
		return nil, fmt.Errorf("scheduler %s: %w", s, err)
	}
	return sch, nil
}

// errNoEntry is for a Spec that Parse has not made.
func errNoEntry() error {
	return fmt.Errorf("scheduler spec without an entry: must be made by Parse from one of %s", strings.Join(Names(), ", "))
}

// NewYARN builds the scheduler for one run on the YARN runtime. What capacity or yarn-fair
// needs of the options must be there.
func (s *Spec) NewYARN(o YARNOptions) (yarn.Scheduler, error) {
	if s.Entry == nil {
		return nil, errNoEntry()
	}
	if s.Entry.Runtime != YARN {
		return nil, fmt.Errorf("scheduler %s: runs on %s; must be one of %s", s, s.Entry.Runtime,
			strings.Join(NamesOf(YARN), ", "))
	}
	if s.Entry.Name == "capacity" {
		return capacity.New(o.Queues)
	}
	return yarnfair.New(o.Allocations, o.Site)
}

// Names lists the schedulers in the order of the table.
func Names() []string { return append(NamesOf(YARN), NamesOf(MR1)...) }

// NamesOf lists the schedulers of a runtime in the order of the table.
func NamesOf(r Runtime) []string {
	var names []string
	for _, e := range Table() {
		if e.Runtime == r {
			names = append(names, e.Name)
		}
	}
	return names
}

func (e *Entry) param(name string) *Param {
	for i := range e.Params {
		if e.Params[i].Name == name {
			return &e.Params[i]
		}
	}
	return nil
}

func (e *Entry) paramNames() string {
	if len(e.Params) == 0 {
		return "none"
	}
	names := make([]string, 0, len(e.Params))
	for _, p := range e.Params {
		names = append(names, p.Name)
	}
	sort.Strings(names)
	return strings.Join(names, ", ")
}

// File reports whether the parameter's value names a file.
func (s *Spec) File(param string) bool { return s.files[param] != nil }

// With returns the spec with some of its values replaced. It checks nothing: the values
// must be of parameters the scheduler has and allowed for them (Param.Allowed).
func (s *Spec) With(values Values) *Spec {
	out := &Spec{Entry: s.Entry, Values: Values{}, files: s.files}
	maps.Copy(out.Values, s.Values)
	maps.Copy(out.Values, values)
	return out
}
