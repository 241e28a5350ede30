package papers

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// The rules by which rows are met, as docs/validation.md explains them. Their figures come from
// published figures (spread.go), never from ours.

// rule is the column "rule": conditions separated by spaces that must all hold.
//
//	above, below    the interval lies above or below zero
//	gain            above, and the mean is within a factor of the published reduction
//	gain-from       above, and the mean is at least the lower end of gain
//	half-to-twice   the mean is from half to twice the published figure
//	within:NAME     the mean is within a tolerance of the published figure
//	no-effect       the interval is closer to zero than half of the published effect, the
//	                least that the paper reports of the quantity
//	no-harm         the interval's lower end is
//	no-effect:NAME  and no-harm:NAME are the same within a tolerance of 100
//	mean>=0.8       a comparison of mean, low or high with a number
type rule struct {
	text  string
	holds []func(Estimate) bool
	reach float64 // of within: the largest distance that is met
}

// met reports whether an estimate meets the rule.
func (r *rule) met(e Estimate) bool {
	for _, holds := range r.holds {
		if !holds(e) {
			return false
		}
	}
	return true
}

// parseRule reads a rule for a published figure.
func parseRule(text string, published float64) *rule {
	r := &rule{}
	var parts []string
	add := func(text string, holds func(Estimate) bool) {
		parts, r.holds = append(parts, text), append(r.holds, holds)
	}
	above := func(e Estimate) bool { return e.Low > 0 }
	low, high := gainRange(published)
	for word := range strings.FieldsSeq(text) {
		switch {
		case word == "above":
			add("low>0", above)
		case word == "below":
			add("high<0", func(e Estimate) bool { return e.High < 0 })
		case word == "gain":
			add("low>0", above)
			between := func(e Estimate) bool { return e.Mean >= low && e.Mean <= high }
			add(fmt.Sprintf("mean %s to %s", Number(low), Number(high)), between)
		case word == "gain-from":
			add("low>0", above)
			add("mean from "+Number(low), func(e Estimate) bool { return e.Mean >= low })
		case word == "half-to-twice":
			r.reach = published / 2
			add("half to twice", func(e Estimate) bool { return e.Mean >= published/2 && e.Mean <= published*2 })
		case strings.HasPrefix(word, "no-"):
			kind, name, own := strings.Cut(word, ":")
			reach := low
			if own {
				reach, _ = tolerated(name, 100)
			}
			add("low>="+Number(-reach), func(e Estimate) bool { return e.Low >= -reach })
			switch kind {
			case "no-effect":
				add("high<="+Number(reach), func(e Estimate) bool { return e.High <= reach })
			case "no-harm":
			default:
				check(fmt.Errorf("rule %q: unknown", word))
			}
		case strings.HasPrefix(word, "within:"):
			reach, text := tolerated(strings.TrimPrefix(word, "within:"), published)
			r.reach = reach
			add("within "+text, func(e Estimate) bool { return math.Abs(e.Mean-published) <= reach })
		default:
			add(word, comparison(word))
		}
	}
	r.text = strings.Join(parts, ", ")
	return r
}

// comparison reads mean>=0.8 and the like.
func comparison(text string) func(Estimate) bool {
	i := strings.IndexAny(text, "<>")
	if i < 0 {
		check(fmt.Errorf("rule %q: unknown", text))
	}
	number := strings.TrimPrefix(text[i+1:], "=")
	limit := must(strconv.ParseFloat(number, 64))
	field := map[string]func(Estimate) float64{
		"mean": func(e Estimate) float64 { return e.Mean },
		"low":  func(e Estimate) float64 { return e.Low },
		"high": func(e Estimate) float64 { return e.High },
	}[text[:i]]
	if field == nil {
		check(fmt.Errorf("rule %q: must compare mean, low or high", text))
	}
	return func(e Estimate) bool {
		v := field(e)
		return text[i] == '<' && v < limit || text[i] == '>' && v > limit || number != text[i+1:] && v == limit
	}
}

// gainRange returns what meets a published reduction, in percent. With the speed-up
// -ln(1 - reduction), ours must be from 1/gainFactor of the published to gainFactor times it.
func gainRange(published float64) (low, high float64) {
	speedup := -math.Log1p(-published / 100)
	return -100 * math.Expm1(-speedup/gainFactor), -100 * math.Expm1(-speedup*gainFactor)
}
