package yarnconf

import (
	"regexp"
	"slices"
	"strings"
)

// Unit is how one resource of a capacity vector is measured.
type Unit uint8

// Units of a capacity vector.
const (
	Plain   Unit = iota // MiB or cores
	Percent             // of the parent's
	Weights             // of the sum of the siblings' weights, of what the other units leave
)

// Amount is one resource of a capacity vector.
type Amount struct {
	Value float64 // a 32-bit float in the original
	Unit  Unit
}

// Vector is a capacity with a unit of its own for each resource: [memory=50%,vcores=2w].
// A single percentage or weight stands for the same in every resource. The zero
// value is a capacity that says nothing.
type Vector struct {
	Set            bool     // it says something
	Memory, VCores Amount   // in MiB or by Unit
	Others         []Amount // of further resources, which are not simulated
	undeclared     string   // one of these that yarn.resource-types does not name
}

// uniform is the same amount of every resource.
func uniform(value float64, u Unit) Vector {
	a := Amount{value, u}
	return Vector{Set: true, Memory: a, VCores: a}
}

// Uniform returns the one unit of all resources, false if there are several or none.
func (v *Vector) Uniform() (Unit, bool) {
	if !v.Set || v.Memory.Unit != v.VCores.Unit {
		return Plain, false
	}
	for _, o := range v.Others {
		if o.Unit != v.Memory.Unit {
			return Plain, false
		}
	}
	return v.Memory.Unit, true
}

// weight returns the one weight of all resources, false if it is none.
func (v *Vector) weight() (float32, bool) {
	if u, ok := v.Uniform(); !ok || u != Weights || v.Memory.Value != v.VCores.Value {
		return 0, false
	}
	for _, o := range v.Others {
		if o.Value != v.Memory.Value {
			return 0, false
		}
	}
	return float32(v.Memory.Value), true
}

var (
	uniformSyntax = regexp.MustCompile(`^([0-9.]+)(.*)`)
	digits        = regexp.MustCompile(`[0-9.]`)
)

// vector reads a capacity or maximum capacity as a vector, as
// QueueCapacityConfigParser does. Root's is always 100 percent.
func (l *loader) vector(path, key string) Vector {
	if path == "root" {
		return uniform(100, Percent)
	}
	v, ok := l.get(key)
	if !ok {
		return Vector{}
	}
	v = strings.ReplaceAll(v, " ", "")
	if vectorSyntax.MatchString(v) {
		return l.vectorOf(key, v)
	}
	m := uniformSyntax.FindStringSubmatch(v)
	if m == nil || m[2] != "" && m[2] != "w" {
		return Vector{}
	}
	f, err := parseJavaFloat(m[1])
	if err != nil {
		l.Fail(key, "must be a percentage from 0 to 100, a weight like 3w, or like [memory=50%,vcores=2w]")
		return Vector{}
	}
	if m[2] == "w" {
		return uniform(float64(f), Weights)
	}
	return uniform(float64(f), Percent)
}

func (l *loader) vectorOf(key, v string) Vector {
	out := Vector{Set: true}
	for name, amount := range parts(v[1 : len(v)-1]) {
		a, ok := l.vectorAmount(key, amount)
		switch {
		case !ok:
		case name == "memory" || name == "memory-mb":
			out.Memory = a
		case name == "vcores":
			out.VCores = a
		default:
			out.Others = append(out.Others, a)
			if !slices.Contains(splitNames(l.str(resourceTypes, "")), name) {
				out.undeclared = name
			}
		}
	}
	if out.Memory.Value == 0 && !l.rules.VectorWithoutMemory {
		return Vector{}
	}
	return out
}

// vectorAmount reads a number with a unit, false where Hadoop skips it. An
// unknown unit counts as none.
func (l *loader) vectorAmount(key, s string) (Amount, bool) {
	unit := digits.ReplaceAllString(s, "")
	if !strings.HasSuffix(s, unit) {
		return Amount{}, false
	}
	f, err := parseJavaFloat(strings.TrimSuffix(s, unit))
	if err != nil {
		l.Fail(key, s+" is not a number: must be like [memory=50%,vcores=2w] or [memory=1024,vcores=1]")
		return Amount{}, false
	}
	a := Amount{Value: float64(f)}
	switch _, _, known := unitOf(unit); {
	case unit == "%":
		a.Unit = Percent
	case unit == "w":
		a.Unit = Weights
	case unit != "" && known:
		n, ok := ConvertUnit(Truncate(a.Value), unit, "Mi")
		if !ok {
			l.Fail(key, s+" is too large")
		}
		a.Value = float64(float32(n))
	}
	return a, true
}

// mode derives a queue's mode from its vector. A vector with the same weight for every
// resource is that weight also in legacy mode.
func (l *loader) mode(q *Queue) {
	if _, ok := q.Vector.weight(); ok && l.c.LegacyMode && q.Mode == Percentage && q.Parent >= 0 {
		q.Mode = Weight
	}
	if l.c.LegacyMode || q.Parent < 0 {
		return
	}
	q.Mode = Percentage
	switch u, ok := q.Vector.Uniform(); {
	case ok && u == Plain:
		q.Mode = Absolute
	case ok && u == Weights:
		q.Mode = Weight
	}
}
