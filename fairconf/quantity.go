package fairconf

import (
	"math"
	"regexp"
	"strconv"
)

// units of Hadoop's resource types, each as a fraction num/den of one.
var units = []struct {
	name     string
	num, den int64
}{
	{"", 1, 1},
	{"p", 1, 1e12}, {"n", 1, 1e9}, {"u", 1, 1e6}, {"m", 1, 1e3},
	{"k", 1e3, 1}, {"M", 1e6, 1}, {"G", 1e9, 1}, {"T", 1e12, 1}, {"P", 1e15, 1},
	{"Ki", 1 << 10, 1}, {"Mi", 1 << 20, 1}, {"Gi", 1 << 30, 1}, {"Ti", 1 << 40, 1}, {"Pi", 1 << 50, 1},
}

// unitNames lists the units that can be written, without the empty one.
func unitNames() []string {
	names := make([]string, 0, len(units))
	for _, u := range units[1:] {
		names = append(names, u.name)
	}
	return names
}

func unitOf(name string) (num, den int64, ok bool) {
	for _, u := range units {
		if u.name == name {
			return u.num, u.den, true
		}
	}
	return 0, 0, false
}

var quantity = regexp.MustCompile(`^(\d+) ?([a-zA-Z]*)$`)

// parseQuantity reads a number with a unit, say "2 Gi", as a whole number of the
// unit to; one without a unit counts in that unit. It is false for what does not
// have this form, for an unknown unit, and for what overflows on the way, as in
// Hadoop's UnitsConversionUtil.
func parseQuantity(s, to string) (int64, bool) {
	m := quantity.FindStringSubmatch(s)
	if m == nil {
		return 0, false
	}
	n, err := strconv.ParseInt(m[1], 10, 64)
	if err != nil {
		return 0, false
	}
	if m[2] == "" || m[2] == to {
		return n, true
	}
	fromNum, fromDen, known := unitOf(m[2])
	toNum, toDen, _ := unitOf(to)
	if !known {
		return 0, false
	}
	num, den := fromNum*toDen, fromDen*toNum
	limit := math.MaxInt64 / num
	switch {
	case limit > n || num < den && limit == n:
		return n * num / den, true
	case num < den || math.MaxInt64/(num/den) < n:
		return 0, false
	}
	return n * (num / den), true
}
