package tune

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Kind is the type of a parameter: how its values lie on the unit interval
// the samplers see.
type Kind uint8

// Kinds of parameters.
const (
	// Linear is a number in [Min, Max].
	Linear Kind = iota
	// Logarithmic is a positive number in [Min, Max] on a logarithmic scale.
	Logarithmic
	// Logit is a number in [Min, Max], 0 < Min, Max < 1, on the log-odds scale.
	Logit
	// Integer is a whole number in [Min, Max].
	Integer
	// LogInteger is a positive whole number in [Min, Max] on a logarithmic scale.
	LogInteger
	// Users is a percentage 100/n, rounded down, for n = Min to Max users
	// (default 1 to 10): the only values of a minimum user limit that differ.
	Users
	// Category is one of Choices, without order.
	Category
	// Share is a number of a Group of siblings that sums to exactly Total
	// (default 100); Min and Max (default 0 and Total) bound it.
	Share
	// Ceiling is a percentage between the share named by Of and 100:
	// share + t (100 - share). Min and Max (default 0 and 1) bound t.
	Ceiling
)

// Param describes one parameter.
type Param struct {
	// Name identifies the parameter in settings and messages.
	Name string
	// Kind tells the scale.
	Kind Kind
	// Present is the current value, verbatim; it need not lie in the range.
	Present string
	// Min and Max bound the search; units are the parameter's own.
	Min, Max float64
	// Step is the grid of values written: 0 means 1 point for shares and
	// ceilings, 1 for whole numbers, four significant digits for the rest.
	Step float64
	// Choices are the values of a Category.
	Choices []string
	// Special are values outside the scale, such as "-1" for "off".
	Special []string
	// Group names the parent whose Share siblings sum to Total.
	Group string
	// Total is what the shares of the group sum to; 0 means 100.
	Total float64 `json:",omitempty"`
	// Suffix stands behind the number of a Share, such as the w of a weight.
	Suffix string `json:",omitempty"`
	// Of names the Share a Ceiling stands above.
	Of string
	// Tied names another parameter whose value is copied.
	Tied string
	// Fixed keeps the current value.
	Fixed bool
	// When, if set, keeps the current value unless the condition holds.
	When *When
}

// When is a condition on another parameter, which must not be conditional.
type When struct {
	Param string   // name of the other
	In    []string // values that make the conditional parameter active
}

// number parses a parameter's number; what names it in the error.
func number(p *Param, what, text string) (float64, error) {
	v, err := strconv.ParseFloat(strings.TrimSuffix(text, p.Suffix), 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, fmt.Errorf("tune: %s: %s %q: is not a number", p.Name, what, text)
	}
	return v, nil
}

// withDefaults fills what the zero value stands for.
func (p Param) withDefaults() Param {
	switch p.Kind {
	case Share:
		p.Max = cmp.Or(p.Max, p.total())
		p.Step = cmp.Or(p.Step, p.total()/100)
	case Ceiling:
		p.Max = cmp.Or(p.Max, 1)
		p.Step = cmp.Or(p.Step, 1)
	case Users:
		p.Min, p.Max = cmp.Or(p.Min, 1), cmp.Or(p.Max, 10)
	case Integer, LogInteger:
		p.Step = cmp.Or(p.Step, 1)
	}
	return p
}

// total is what the shares of the parameter's group sum to.
func (p *Param) total() float64 { return cmp.Or(p.Total, 100) }

// check reports the first thing wrong with a parameter on its own.
func (p *Param) check() error {
	bad := func(format string, a ...any) error {
		return fmt.Errorf("tune: %s: %s", p.Name, fmt.Sprintf(format, a...))
	}
	outside := func(least, most float64) bool { return p.Min < least || p.Max > most }
	switch {
	case p.Name == "":
		return fmt.Errorf("tune: a parameter has no name")
	case p.Kind > Ceiling:
		return bad("kind %d: is unknown", p.Kind)
	case !(p.Total >= 0) || math.IsInf(p.Total, 0):
		return bad("total %v: must be positive", p.Total)
	case math.IsNaN(p.Min) || math.IsNaN(p.Max) || math.IsInf(p.Min, 0) || math.IsInf(p.Max, 0):
		return bad("range %v to %v: must be finite", p.Min, p.Max)
	case p.Step < 0 || math.IsNaN(p.Step):
		return bad("step %v: must not be negative", p.Step)
	case p.Fixed || p.Tied != "" || p.Kind == Category && len(p.Choices) > 0:
		return nil
	case p.Kind == Category:
		return bad("a category needs choices")
	case p.Min >= p.Max && !(p.Kind == Users && p.Min == p.Max):
		return bad("range %v to %v: is empty", p.Min, p.Max)
	case (p.Kind == Logarithmic || p.Kind == LogInteger) && p.Min <= 0:
		return bad("minimum %v: must be above 0 on a log scale", p.Min)
	case p.Kind == Logit && (p.Min <= 0 || p.Max >= 1):
		return bad("range %v to %v: must be inside (0, 1) on a logit scale", p.Min, p.Max)
	case p.Kind == Share && outside(0, p.total()):
		return bad("range %v to %v: must be from 0 to %v for a share", p.Min, p.Max, p.total())
	case p.Kind == Ceiling && outside(0, 1):
		return bad("range %v to %v: must be from 0 to 1 for a ceiling's t", p.Min, p.Max)
	}
	return nil
}
