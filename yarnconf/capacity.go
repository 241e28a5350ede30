package yarnconf

import (
	"fmt"
	"iter"
	"regexp"
	"strconv"
	"strings"
)

// Syntaxes of a capacity in legacy queue mode, as Hadoop's patterns read them.
var (
	absoluteSyntax = regexp.MustCompile(`^\[[\w.,\-_= /]+\]$`)
	vectorSyntax   = regexp.MustCompile(`^\[([\w.,\-_% /]+=[\w.,\-_% /]+)+\]$`)
)

// isAbsolute reports whether a capacity is written as [memory=…,vcores=…].
func isAbsolute(s string) bool { return absoluteSyntax.MatchString(s) }

func isVector(s string) bool { return vectorSyntax.MatchString(strings.ReplaceAll(s, " ", "")) }

// capacities reads capacity and maximum-capacity without and with labels.
func (l *loader) capacities(q *Queue) {
	v, set := l.get(Key(q.Path, Capacity))
	l.amounts(q, &q.Label)
	switch {
	case q.Parent < 0:
		// The root's own capacity is ignored whatever it says: 99 loads too,
		// against the documentation, as recorded.
		q.Capacity = 1
	case set && isAbsolute(v):
		q.Mode = Absolute
	case strings.HasSuffix(v, "w"):
		q.Mode = Weight
	case set && !isVector(v):
		q.Capacity = l.percent(Key(q.Path, Capacity), v) / 100
	}
	q.MaxCapacity = l.maxCapacity(q.Path)
	l.mode(q)
	l.oldForms(q)
	l.labelled(q)
	l.oldMaximum(q)
}

// amounts reads capacity and maximum-capacity of a label as they are written, but for
// percentages.
func (l *loader) amounts(q *Queue, s *Label) {
	key, most := LabelKey(q.Path, s.Name, Capacity), LabelKey(q.Path, s.Name, MaximumCapacity)
	v, _ := l.get(key)
	s.Weight, s.absoluteAsWritten = l.weight(key, v), isAbsolute(v)
	s.ConfiguredMin, s.ConfiguredMax = l.resource(key), l.resource(most)
	s.Vector, s.MaxVector = l.vector(q.Path, key), l.vector(q.Path, most)
	if w, ok := s.Vector.weight(); ok {
		s.Weight = w
	}
	if m := &s.MaxVector; !l.c.LegacyMode && s.Vector.Set && (m.Memory.Unit == Weights || m.VCores.Unit == Weights) {
		l.Fail(most, "a maximum cannot be a weight: must be a percentage, or like [memory=80%,vcores=100]")
	}
}

// weight reads "3w"; -1 when the capacity is not written as a weight.
func (l *loader) weight(key, v string) float32 {
	if !strings.HasSuffix(v, "w") {
		return -1
	}
	w, err := parseJavaFloat(v[:strings.IndexByte(v, 'w')])
	if err != nil {
		l.Fail(key, "must be a number from 0 to 10000 followed by w")
		return 0
	}
	if w < -1e-6 && abs32(w+1) > 1e-6 || w > 10000 {
		l.Fail(key, "must be between 0w and 10000w")
	}
	return w
}

func (l *loader) percent(key, v string) float32 {
	f, err := parseJavaFloat(v)
	if err != nil {
		l.Fail(key, "must be a percentage from 0 to 100, a weight like 3w, or like [memory=1024,vcores=1]")
		return 0
	}
	if f < 0 || f > 100 {
		l.Fail(key, "must be between 0 and 100")
	}
	return f
}

// maxCapacity reads maximum-capacity as a fraction. Hadoop 3.4.1 does not check
// its range here; -1 means 100.
func (l *loader) maxCapacity(path string) float32 {
	key := Key(path, "maximum-capacity")
	v, ok := l.get(key)
	if !ok || isAbsolute(v) || isVector(v) {
		return 1
	}
	f, err := parseJavaFloat(v)
	if err != nil {
		l.Fail(key, "must be a percentage, or like [memory=1024,vcores=1]")
		return 1
	}
	if f == -1 {
		f = 100
	}
	return f / 100
}

// resource reads [memory=…,vcores=…]; anything else, and a memory of 0, is
// none. Unknown names and units are skipped, as Hadoop does with a log line.
func (l *loader) resource(key string) Resource {
	v, _ := l.get(key)
	return l.resourceOf(key, v)
}

// AbsoluteResource is what a capacity or maximum-capacity written as absolute resources
// names, as a load reads it; none where it is written otherwise.
func AbsoluteResource(text string) Resource {
	return (&loader{Reader: &Reader{p: Map(nil)}}).resourceOf("", strings.TrimSpace(text))
}

func (l *loader) resourceOf(key, v string) Resource {
	if !isAbsolute(v) {
		return Resource{}
	}
	var r Resource
	for name, amount := range parts(strings.TrimSpace(v[1 : len(v)-1])) {
		into := map[string]*int64{"memory": &r.Memory, "memory-mb": &r.Memory, "vcores": &r.VCores}[strings.TrimSpace(name)]
		if into == nil {
			continue
		}
		if n, ok := l.amount(key, amount); ok {
			*into = n
		}
	}
	if r.Memory == 0 {
		return Resource{}
	}
	return r
}

// parts are the names and amounts of a list NAME=AMOUNT,…; what is none is passed over.
func parts(list string) iter.Seq2[string, string] {
	return func(yield func(name, amount string) bool) {
		for pair := range strings.SplitSeq(list, ",") {
			if kv := strings.Split(pair, "="); len(kv) > 1 && kv[1] != "" && !yield(kv[0], kv[1]) {
				return
			}
		}
	}
}

// withUnit splits an amount into the number and the letters behind it.
func withUnit(s string) (number, unit string) {
	number = strings.TrimRight(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
	return number, s[len(number):]
}

// amount reads a number with an optional unit and converts it to Mi.
func (l *loader) amount(key, s string) (int64, bool) {
	s, unit := withUnit(s)
	if _, _, known := unitOf(unit); !known {
		if l.rules.NoVectors { // nor does a unit of one stand for nothing
			l.Fail(key, "Hadoop 3.3 knows no unit "+unit+": must be like [memory=1024,vcores=1]")
		}
		return 0, false
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		l.Fail(key, s+" is not a whole number: must be like [memory=1024,vcores=1]")
		return 0, false
	}
	if unit == "" {
		return n, true
	}
	return ConvertUnit(n, unit, "Mi")
}

// limits checks an absolute minimum of a label against maxima and inherits the maximum.
func (l *loader) limits(q *Queue, s *Label) {
	if up := l.up(q); up != nil {
		most := up.share(s.Name).ConfiguredMax
		l.atMost(LabelKey(q.Path, s.Name, MaximumCapacity), s.ConfiguredMax, most, "the parent's maximum")
		if s.ConfiguredMax.IsNone() && !s.ConfiguredMin.IsNone() {
			s.ConfiguredMax = most
		}
	}
	l.atMost(LabelKey(q.Path, s.Name, Capacity), s.ConfiguredMin, s.ConfiguredMax, "the queue's maximum")
}

func (l *loader) atMost(key string, r, most Resource, what string) {
	if !most.IsNone() && l.c.Calculator.Compare(l.cluster, r, most) > 0 {
		l.Fail(key, fmt.Sprintf("exceeds %s: must be at most [memory=%d,vcores=%d]", what, most.Memory, most.VCores))
	}
}

// maxAllocation reads the largest container of a queue, which inherits its
// parent's and may not exceed the cluster's.
func (l *loader) maxAllocation(q, up *Queue) {
	q.MaxAllocation = l.c.MaxAllocation
	if up != nil {
		q.MaxAllocation = up.MaxAllocation
	}
	if v := l.str(Key(q.Path, "maximum-allocation"), ""); v != "" {
		l.allocationVector(q, v)
		return
	}
	l.allocation(Key(q.Path, "maximum-allocation-mb"), &q.MaxAllocation.Memory, l.c.MaxAllocation.Memory)
	l.allocation(Key(q.Path, "maximum-allocation-vcores"), &q.MaxAllocation.VCores, l.c.MaxAllocation.VCores)
}

func (l *loader) allocation(key string, to *int64, most int64) {
	if n := int64(l.Integer(key, Undefined)); n != Undefined {
		*to = n
		l.checkAllocation(key, n, most)
	}
}

func (l *loader) checkAllocation(key string, n, most int64) {
	if n > most {
		l.Fail(key, fmt.Sprintf("exceeds the cluster's maximum allocation %d", most))
	}
}

// allocationVector reads memory-mb=…,vcores=….
func (l *loader) allocationVector(q *Queue, v string) {
	key := Key(q.Path, "maximum-allocation")
	for _, pair := range strings.Split(v, ",") {
		name, s, _ := strings.Cut(pair, "=")
		n, ok := l.amount(key, strings.TrimSpace(s))
		switch name = strings.TrimSpace(name); {
		case !ok:
		case name == "memory-mb" || name == "memory":
			q.MaxAllocation.Memory = n
			l.checkAllocation(key, n, l.c.MaxAllocation.Memory)
		case name == "vcores":
			q.MaxAllocation.VCores = n
			l.checkAllocation(key, n, l.c.MaxAllocation.VCores)
		}
	}
}
