package yarnconf

import "math"

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

// UnitNames lists the units a resource can be written in, without the empty one.
func UnitNames() []string {
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

// ConvertUnit converts a number from one unit to another, towards zero. It is
// false for an unknown unit and for what overflows on the way, as in Hadoop's
// UnitsConversionUtil.
func ConvertUnit(n int64, from, to string) (int64, bool) {
	if from == to {
		return n, true
	}
	fromNum, fromDen, known := unitOf(from)
	toNum, toDen, wanted := unitOf(to)
	if !known || !wanted {
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
