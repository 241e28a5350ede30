package study

import (
	"fmt"
	"testing"

	"schedtune/internal/rng"
	"schedtune/internal/scenario"
	"schedtune/tune"
	"schedtune/yarnconf"
)

// Where maximum-capacity stays, no point of the space and no candidate has a share beyond it:
// such a file is refused. The embedded file's maxima are 100, 50, 40 and 20.
func TestSharesBelowMaximaThatStay(t *testing.T) {
	c, err := (&scenario.Files{Dataset: "default-1"}).Load()
	if err != nil {
		t.Fatal(err)
	}
	s, _, err := NewSpace(c, []string{yarnconf.Capacity})
	if err != nil {
		t.Fatal(err)
	}
	most := map[string]float64{"root.prod.capacity": 100, "root.batch.capacity": 50, "root.adhoc.capacity": 40,
		"root.reports.capacity": 20}
	check := func(what string, get func(string) (string, bool)) {
		for name, m := range most {
			if v, ok := get(name); !ok || value(v) > m {
				t.Errorf("%s: %s is %s, want at most %v", what, name, v, m)
			}
		}
	}
	key := rng.NewKey(7, 7)
	x := make(tune.Point, s.Dim())
	for n := range uint64(500) {
		for i := range x {
			x[i] = key.At(n).Float64(uint64(i))
		}
		check(fmt.Sprint("point ", n), s.Decode(x).Get)
	}
	for _, k := range Candidates(c, s) {
		check(k.Name, k.Settings.Get)
	}
}
