package fairconf

import (
	"math"
	"regexp"

	"schedtune/yarnconf"
)

// truncate32 is Java's conversion of a double to an int.
func truncate32(f float64) int64 {
	return max(min(yarnconf.Truncate(f), math.MaxInt32), math.MinInt32)
}

// whitespace of Java's regular expressions.
const ws = `[ \t\n\x0b\f\r]*`

var (
	oldMemory   = regexp.MustCompile(`^(-?[0-9]+)(\.[0-9]*)?` + ws + `mb`)
	oldVCores   = regexp.MustCompile(`^(-?[0-9]+)(\.[0-9]*)?` + ws + `vcores`)
	oldSpaced   = regexp.MustCompile(`-?[0-9]+(?:\.[0-9]*)?` + ws + `[a-z]+` + ws)
	percentOnly = regexp.MustCompile(`^(-?([0-9]+)(\.[0-9]*)?)` + ws + `%` + ws + `$`)
	percentOf   = map[string]*regexp.Regexp{
		"memory": regexp.MustCompile(`^(-?([0-9]+)(\.[0-9]*)?)` + ws + `%` + ws + `memory$`),
		"cpu":    regexp.MustCompile(`^(-?([0-9]+)(\.[0-9]*)?)` + ws + `%` + ws + `cpu$`),
	}
)
