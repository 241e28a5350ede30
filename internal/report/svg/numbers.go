package svg

import (
	"math"
	"strconv"
)

// Number prints a value for people: three or four significant digits, with
// thousands as k and millions as M.
func Number(v float64) string {
	a := math.Abs(v)
	switch {
	case math.IsNaN(v):
		return "–"
	case math.IsInf(v, 1):
		return "∞"
	case math.IsInf(v, -1):
		return "−∞"
	case a >= 1e9 || a > 0 && a < 1e-3:
		return Minus(strconv.FormatFloat(v, 'g', 3, 64))
	case a >= 1e6:
		return Minus(trim(v/1e6, 2)) + "M"
	case a >= 1e4:
		return Minus(trim(v/1e3, 1)) + "k"
	case a >= 100:
		return Minus(trim(v, 0))
	case a >= 10:
		return Minus(trim(v, 1))
	case a >= 1:
		return Minus(trim(v, 2))
	}
	return Minus(trim(v, 3))
}

// trim prints with at most d decimals and no trailing zeros.
func trim(v float64, d int) string {
	p := math.Pow10(d)
	v = math.Round(v*p) / p
	if v == 0 {
		v = 0
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// Minus sets the typographic sign.
func Minus(s string) string {
	if len(s) > 0 && s[0] == '-' {
		return "−" + s[1:]
	}
	return s
}

// Duration prints seconds as s, min, h or d.
func Duration(s float64) string {
	if math.IsNaN(s) {
		return "–"
	}
	scale, name := TimeUnit(math.Abs(s))
	if scale == 1 {
		return Number(s) + name
	}
	return Minus(trim(s/scale, 1)) + name
}

// TimeUnit returns the seconds and the name of a unit in which a span of
// seconds is readable.
func TimeUnit(span float64) (float64, string) {
	switch {
	case span >= 3*86400:
		return 86400, " d"
	case span >= 3*3600:
		return 3600, " h"
	case span >= 600:
		return 60, " min"
	}
	return 1, " s"
}
