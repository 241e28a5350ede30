package fairconf

import (
	"regexp"
	"strconv"

	"schedtune/yarnconf"
)

var quantity = regexp.MustCompile(`^(\d+) ?([a-zA-Z]*)$`)

// parseQuantity reads a number with a unit, say "2 Gi", as a whole number of the
// unit to; one without a unit counts in that unit. It is false for what does not
// have this form, for an unknown unit, and for what overflows.
func parseQuantity(s, to string) (int64, bool) {
	m := quantity.FindStringSubmatch(s)
	if m == nil {
		return 0, false
	}
	n, err := strconv.ParseInt(m[1], 10, 64)
	if err != nil {
		return 0, false
	}
	if m[2] == "" {
		return n, true
	}
	return yarnconf.ConvertUnit(n, m[2], to)
}
