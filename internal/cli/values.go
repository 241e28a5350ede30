package cli

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"schedtune/internal/text"
)

// Values of flags with a range: a value outside of it is a usage error that names flag,
// value and range; help shows the range, and shells complete choices.

// number is a type that Number reads.
type number interface {
	int | int64 | uint64 | float64 | time.Duration
}

// Range is the range of a number on the command line. The zero value allows all.
type Range[T number] struct {
	holds func(T) bool
	text  string
}

// AtLeast allows a number and all above it.
func AtLeast[T number](least T) Range[T] {
	return Range[T]{func(v T) bool { return v >= least }, numberText(least) + " or more"}
}

// Above allows all numbers above one.
func Above[T number](x T) Range[T] {
	return Range[T]{func(v T) bool { return v > x }, "above " + numberText(x)}
}

// Within allows the numbers between two, both included.
func Within[T number](least, most T) Range[T] {
	return Range[T]{func(v T) bool { return v >= least && v <= most }, numberText(least) + " to " + numberText(most)}
}

// Or allows one number more, which has a meaning of its own.
func (r Range[T]) Or(special T, meaning string) Range[T] {
	return Range[T]{func(v T) bool { return v == special || r.holds(v) }, r.text + ", or " + numberText(special) + ": " +
		meaning}
}

// numberText is a number as a person types it: 1m and not 1m0s.
func numberText[T number](v T) string {
	if d, ok := any(v).(time.Duration); ok && d != 0 {
		return shortDuration(d.String())
	}
	return strings.TrimSuffix(fmt.Sprint(v), "s") // of 0s
}

// shortDuration leaves out the zeros at the end of a duration, as of 168h0m0s.
func shortDuration(text string) string {
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(text, zero) {
			text = text[:len(text)-2]
		}
	}
	return text
}

// Number declares a flag for a number within a range. value is what holds without the
// flag, and may lie outside of the range.
func Number[T number](fs *pflag.FlagSet, at *T, name string, value T, r Range[T], usage string) {
	*at = value
	fs.Var(&numberValue[T]{at, r}, name, usage)
}

// numberValue is the value of such a flag.
type numberValue[T number] struct {
	at *T
	r  Range[T]
}

var errNotAllowed = errors.New("not allowed")

// Set reads a value from the command line.
func (v *numberValue[T]) Set(text string) error {
	x, err := parseNumber[T](text)
	if err != nil {
		return err
	}
	if v.r.holds != nil && !v.r.holds(x) {
		return errNotAllowed
	}
	*v.at = x
	return nil
}

func parseNumber[T number](text string) (v T, err error) {
	switch at := any(&v).(type) {
	case *int:
		*at, err = strconv.Atoi(text)
	case *int64:
		*at, err = strconv.ParseInt(text, 10, 64)
	case *uint64:
		*at, err = strconv.ParseUint(text, 10, 64)
	case *float64:
		if *at, err = strconv.ParseFloat(text, 64); math.IsNaN(*at) || math.IsInf(*at, 0) {
			err = errNotAllowed
		}
	case *time.Duration:
		*at, err = time.ParseDuration(text)
	}
	return v, err
}

func (v *numberValue[T]) String() string {
	if v.at == nil { // pflag formats an empty value to detect defaults
		return ""
	}
	return fmt.Sprint(*v.at)
}

// Type is that of pflag's own flag for the number.
func (v *numberValue[T]) Type() string {
	switch any(v.at).(type) {
	case *time.Duration:
		return "duration"
	case *float64:
		return "float64"
	}
	return "int"
}

// kinds describe the types of numbers.
var kinds = map[string]string{"int": "a whole number", "float64": "a number", "duration": "a duration such as 30s, " +
	"5m or 1h30m"}

// required describes the numbers that the flag takes.
func (v *numberValue[T]) required() string {
	kind := kinds[v.Type()]
	if v.r.text == "" {
		return kind
	}
	return kind + ", " + v.r.text
}

// limits returns the range alone, for help.
func (v *numberValue[T]) limits() string { return v.r.text }

// Choice declares a flag whose value is one of a list.
func Choice(fs *pflag.FlagSet, at *string, name, value string, allowed []string, usage string) {
	*at = value
	fs.Var(&choiceValue{at, allowed}, name, usage)
}

type choiceValue struct {
	at      *string
	allowed []string
}

// Set reads a value from the command line.
func (v *choiceValue) Set(text string) error {
	if !slices.Contains(v.allowed, text) {
		return errNotAllowed
	}
	*v.at = text
	return nil
}

func (v *choiceValue) String() string {
	if v.at == nil {
		return ""
	}
	return *v.at
}

// Type is that of a text.
func (v *choiceValue) Type() string { return "string" }

// required lists the choices.
func (v *choiceValue) required() string { return "one of " + strings.Join(v.allowed, ", ") }

// choicesShown is how many choices the help of a flag lists.
const choicesShown = 16

// limits lists them for help, where they are not too many.
func (v *choiceValue) limits() string {
	if len(v.allowed) > choicesShown {
		return ""
	}
	return strings.Join(v.allowed, ", ")
}

// completeChoices has shells complete the values of all flags that are choices.
func completeChoices(c *cobra.Command) {
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if v, ok := valueOf(f).(*choiceValue); ok {
			// It fails only where the flag has a completion of its own.
			_ = c.RegisterFlagCompletionFunc(f.Name, cobra.FixedCompletions(v.allowed, cobra.ShellCompDirectiveNoFileComp))
		}
	})
}

// nearest returns the name that is most similar to an unknown one: it begins with that, or differs in
// two letters at most. It is empty if there is none.
func nearest(names []string, name string) string {
	best, least := "", 3
	for _, n := range names {
		d := text.Distance(name, n)
		if strings.HasPrefix(n, name) {
			d = min(d, 2)
		}
		if d < least {
			best, least = n, d
		}
	}
	return best
}
