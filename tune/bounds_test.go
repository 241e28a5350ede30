package tune

import (
	"strings"
	"testing"
)

// Bounds of shares must leave room for their sum.
func TestBoundsOfShares(t *testing.T) {
	share := func(name, present string, lo, hi float64) Param {
		return Param{Name: name, Kind: Share, Group: "g", Present: present, Min: lo, Max: hi}
	}
	for _, c := range []struct {
		a, b Param
		want string // "": no error
	}{
		{share("a", "60", 0, 100), share("b", "40", 0, 100), ""},
		{share("a", "60", 60, 100), share("b", "40", 40, 100), ""},
		{share("a", "60", 0, 60), share("b", "40", 0, 40), ""},
		{share("a", "60", 70, 100), share("b", "40", 40, 100), "bounds add up to 110 to 200 points: must enclose 100"},
		{share("a", "60", 0, 30), share("b", "40", 0, 30), "bounds add up to 0 to 60 points: must enclose 100"},
	} {
		_, err := NewSpace(c.a, c.b)
		if (c.want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v to %v and %v to %v: %v, want %q", c.a.Min, c.a.Max, c.b.Min, c.b.Max, err, c.want)
		}
	}
}
