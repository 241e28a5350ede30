package yarnconf

import (
	"maps"

	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"schedtune/internal/java"
)

// Props is a flat look-up of configuration properties: what is left of one or
// more Hadoop configuration files once later values have replaced earlier ones.
type Props interface {
	// Get returns the raw value of a property and whether it is set.
	Get(key string) (string, bool)
	// Keys returns all property names in a fixed order.
	Keys() []string
}

// Map is a Props over a plain map.
type Map map[string]string

// Get returns the raw value of a property and whether it is set.
func (m Map) Get(key string) (string, bool) {
	v, ok := m[key]
	return v, ok
}

// Keys returns the property names in ascending order.
func (m Map) Keys() []string { return slices.Sorted(maps.Keys(m)) }

// PropError is a property that a load or a refresh rejects.
type PropError struct {
	Key    string // the property at fault; of several, the first
	Value  string // its value, "" when unset
	Reason string // what is wrong with it, and what would be accepted
}

// Error returns KEY=VALUE: REASON on one line.
func (e *PropError) Error() string { return fmt.Sprintf("%s=%s: %s", e.Key, e.Value, e.Reason) }

// Errors are all properties that a load rejects, in the order in which it comes
// to them. errors.As finds them in what Evaluate returns.
type Errors []*PropError

// Error is the first one's, on one line; "" without any.
func (e Errors) Error() string {
	if len(e) == 0 {
		return ""
	}
	return e[0].Error()
}

// Unwrap returns them one by one.
func (e Errors) Unwrap() []error {
	out := make([]error, len(e))
	for i := range e {
		out[i] = e[i]
	}
	return out
}

// Rejected lists the properties of an error of Evaluate; none for nil.
func Rejected(err error) []*PropError {
	var list Errors
	errors.As(err, &list)
	return list
}

// orNil is nil, and no empty list, without errors.
func (e Errors) orNil() error {
	if len(e) == 0 {
		return nil
	}
	return e
}

// given is p, or no properties where it is nil.
func given(p Props) Props {
	if p == nil {
		return Map(nil)
	}
	return p
}

// Reader reads typed properties as Hadoop's Configuration does and collects
// what it refuses, so that one pass finds all mistakes.
type Reader struct {
	p     Props
	rules Rules
	errs  []*PropError

	odd      []string                          // keys with a value that is neither true nor false, and taken as not set
	readFile func(path string) ([]byte, error) // of files that properties name; nil: none can be read
}

// NewReader returns a reader of properties, none where p is nil, by the rules of 3.4.
func NewReader(p Props) *Reader { return &Reader{p: given(p)} }

// Refused lists what has been refused so far.
func (r *Reader) Refused() []*PropError { return r.errs }

// Fill reads the fields of a struct that have a tag conf:"NAME=DEFAULT" (a bool, int, int64, float32
// or float64). prefix comes before names that do not begin with yarn.
func (r *Reader) Fill(prefix string, to any) {
	v := reflect.ValueOf(to).Elem()
	for i := range v.NumField() {
		name, def, ok := strings.Cut(v.Type().Field(i).Tag.Get("conf"), "=")
		if !ok {
			continue
		}
		if !strings.HasPrefix(name, "yarn.") {
			name = prefix + name
		}
		number, _ := strconv.ParseFloat(def, 64)
		switch f := v.Field(i).Addr().Interface().(type) {
		case *bool:
			*f = r.Boolean(name, def == "true")
		case *int:
			*f = r.Integer(name, int(number))
		case *int64:
			*f = r.long(name, int64(number))
		case *float32:
			*f = r.float(name, float32(number))
		case *float64:
			*f = r.double(name, number)
		}
	}
}

// Fail refuses a property.
func (r *Reader) Fail(key, reason string) {
	v, _ := r.p.Get(key)
	r.errs = append(r.errs, &PropError{Key: key, Value: v, Reason: reason})
}

// get returns a value with its ${name} references replaced by the values of
// other properties; unknown names stay as they are. Hadoop gives up after 20
// replacements, so cycles end.
func (r *Reader) get(key string) (string, bool) {
	v, ok := r.p.Get(key)
	for i := 0; ok && i < 20; i++ {
		a := strings.Index(v, "${")
		if a < 0 {
			break
		}
		b := strings.IndexByte(v[a:], '}')
		if b < 0 {
			break
		}
		x, known := r.p.Get(v[a+2 : a+b])
		if !known {
			break
		}
		v = v[:a] + x + v[a+b+1:]
	}
	return v, ok
}

func (r *Reader) str(key, def string) string {
	if v, ok := r.get(key); ok {
		return v
	}
	return def
}

// parsed reads a property with a parser, def where it is not set or the parser refuses it.
func parsed[T any](r *Reader, key string, def T, parse func(string) (T, error), what string) T {
	v, ok := r.get(key)
	if !ok {
		return def
	}
	x, err := parse(v)
	if err != nil {
		r.Fail(key, "must be "+what)
		return def
	}
	return x
}

// Integer reads a 32-bit integer as Configuration.getInt: trimmed, 0x allowed.
func (r *Reader) Integer(key string, def int) int {
	return parsed(r, key, def, parseJavaInt, "a 32-bit integer")
}

func (r *Reader) long(key string, def int64) int64 {
	return parsed(r, key, def, func(v string) (int64, error) {
		return strconv.ParseInt(strings.TrimSpace(v), 10, 64)
	}, "a 64-bit integer")
}

func (r *Reader) float(key string, def float32) float32 {
	return parsed(r, key, def, parseJavaFloat, "a number")
}

func (r *Reader) double(key string, def float64) float64 {
	return parsed(r, key, def, func(v string) (float64, error) { return java.ParseFloat(v, 64) }, "a number")
}

func parseJavaInt(s string) (int, error) {
	s = strings.TrimSpace(s)
	base, t := 10, strings.TrimPrefix(s, "-")
	if len(t) > 1 && strings.EqualFold(t[:2], "0x") {
		base, s = 16, s[:len(s)-len(t)]+t[2:]
	}
	n, err := strconv.ParseInt(s, base, 32)
	return int(n), err
}

// Boolean reads as Configuration.getBoolean: anything but true and false
// (any case) means the default.
func (r *Reader) Boolean(key string, def bool) bool {
	v, ok := r.get(key)
	if !ok {
		return def
	}
	switch strings.ToLower(strings.TrimSpace(v)) {
	case "true":
		return true
	case "false":
		return false
	}
	r.odd = append(r.odd, key)
	return def
}

// parseJavaFloat is java.ParseFloat for 32 bits.
func parseJavaFloat(s string) (float32, error) {
	f, err := java.ParseFloat(s, 32)
	return float32(f), err
}

// layered is properties above others.
type layered struct {
	over map[string]string
	base Props
}

func (l layered) Get(key string) (string, bool) {
	if v, ok := l.over[key]; ok {
		return v, true
	}
	return given(l.base).Get(key)
}

func (l layered) Keys() []string { return mergedKeys(Map(l.over).Keys(), given(l.base).Keys()) }
