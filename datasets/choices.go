package datasets

import (
	"slices"
	"strings"
)

// Choice is a parameter that a paper leaves open or states inconsistently, and the value
// used here. choices.csv lists them; the constants are in assumptions.go.
type Choice struct {
	Key string // short name
	// Paper and Sections say where it applies; no sections: everywhere. A section that
	// ends in * stands for all with that prefix.
	Paper    string
	Sections []string
	Value    string // what was chosen
	// Ground paraphrases what the paper says about it, Source says where.
	Ground, Source string
	// Seen reports that the choice was made, or kept, after results of these sections
	// were known: they are no independent evidence for it.
	Seen bool
}

// Seen lists the keys of the choices that a section depends on and that were made after
// its results were known.
func Seen(paper, section string) []string {
	var out []string
	for _, c := range Choices(paper) {
		if c.Seen && c.matters(section) {
			out = append(out, c.Key)
		}
	}
	return out
}

func (c *Choice) matters(section string) bool {
	return len(c.Sections) == 0 || slices.ContainsFunc(c.Sections, func(s string) bool {
		prefix, any := strings.CutSuffix(s, "*")
		return s == section || any && strings.HasPrefix(section, prefix)
	})
}

// Choices lists the choices for a paper, the lines of choices.csv.
func Choices(paper string) (out []Choice) {
	for _, r := range list("choices.csv") {
		if r[0] == paper {
			sections := strings.FieldsFunc(r[2], func(c rune) bool { return c == '|' })
			out = append(out, Choice{Paper: r[0], Key: r[1], Sections: sections, Value: r[3], Ground: r[4], Source: r[5],
				Seen: r[6] == "true"})
		}
	}
	return out
}
