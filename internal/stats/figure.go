package stats

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Figure prints four significant digits without an exponent, and no negative zero.
func Figure(v float64) string {
	switch a := max(v, -v); {
	case a >= 1000:
		return Fixed(v, 0)
	case a >= 100:
		return Fixed(v, 1)
	case a >= 10:
		return Fixed(v, 2)
	}
	return Fixed(v, 3)
}

// Fixed prints a value with so many decimals. What rounds to zero has no sign.
func Fixed(v float64, decimals int) string {
	text := strconv.FormatFloat(v, 'f', decimals, 64)
	if digits, ok := strings.CutPrefix(text, "-"); ok && strings.Trim(digits, "0.") == "" {
		return digits
	}
	return text
}

// Signed is Fixed with the sign of a change: what grows has a plus, what rounds to
// zero has no sign.
func Signed(v float64, decimals int) string {
	text := Fixed(v, decimals)
	if v > 0 && strings.Trim(text, "0.") != "" {
		return "+" + text
	}
	return text
}

// Percent is a part as a change in percent with one decimal and its sign.
func Percent(part float64) string { return fmt.Sprintf("%s %%", Signed(100*part, 1)) }

// Minutes prints a time to the minute, from an hour on as hours and minutes.
func Minutes(d time.Duration) string {
	m := int64(d.Round(time.Minute) / time.Minute)
	if m < 60 {
		return fmt.Sprintf("%d min", m)
	}
	return fmt.Sprintf("%d h %d min", m/60, m%60)
}
