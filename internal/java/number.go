package java

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

// Split is String.split at plain text: trailing empty parts are dropped.
func Split(s, sep string) []string {
	parts := strings.Split(s, sep)
	for s != "" && len(parts) > 0 && parts[len(parts)-1] == "" {
		parts = parts[:len(parts)-1]
	}
	return parts
}

// Trim is String.trim: blanks are all characters up to U+0020.
func Trim(s string) string {
	return strings.TrimFunc(s, func(r rune) bool { return r <= ' ' })
}

// ParseFloat is Float.parseFloat and Double.parseDouble (bits 32 and 64), but for hexadecimal
// figures: blanks around the figure and a type suffix are allowed, NaN and Infinity are spelled
// so, and what is too large is infinite. The error is strconv.ErrSyntax.
func ParseFloat(s string, bits int) (float64, error) {
	t := Trim(s)
	switch u := strings.TrimLeft(t, "+-"); {
	case len(t)-len(u) > 1:
		return 0, strconv.ErrSyntax
	case u == "NaN":
		return math.NaN(), nil
	case u == "Infinity":
		return math.Inf(1 - 2*strings.Count(t, "-")), nil
	}
	if n := len(t); n > 1 && strings.ContainsRune("fFdD", rune(t[n-1])) {
		t = t[:n-1]
	}
	if strings.Trim(t, "0123456789+-.eE") != "" {
		return 0, strconv.ErrSyntax
	}
	f, err := strconv.ParseFloat(t, bits)
	if errors.Is(err, strconv.ErrRange) {
		return f, nil // overflow gives infinity, underflow zero
	}
	return f, err
}
