package capacity

import (
	"testing"

	"schedtune/simcore/yarn"
	"schedtune/yarnconf"
)

// Of two applications that wait the one whose id has the lower number goes first,
// whichever was submitted first; without numbers they follow the submissions, and
// fair order goes by the time of the submission.
func TestFirstInFirstOutIsByNumber(t *testing.T) {
	for _, c := range []struct {
		policy  string
		numbers [2]int64
		first   int
	}{
		{"fifo", [2]int64{0, 0}, 0}, {"fifo", [2]int64{5, 7}, 0}, {"fifo", [2]int64{7, 5}, 1}, {"fair", [2]int64{7, 5}, 0},
	} {
		t.Run(c.policy, func(t *testing.T) {
			s := alone(t, yarnconf.Hadoop34, map[string]string{"root.a.ordering-policy": c.policy},
				yarn.NodeSpec{Name: "n", Rack: "/r", Resource: yarn.Resource{Memory: 2048, VCores: 8}})
			var apps [2]yarn.AppID
			for i, n := range c.numbers {
				var err error
				if apps[i], err = s.Submit(yarn.AppSpec{Name: "x", User: "u", Queue: "root.a", Number: n,
					AM: yarn.Resource{Memory: 1024, VCores: 1}}); err != nil {
					t.Fatal(err)
				}
			}
			var order []yarn.AppID
			for range 4 {
				for _, e := range s.Beat(0, nil, nil) {
					if e.Kind == yarn.Allocate && !e.Refused {
						order = append(order, e.App)
					}
				}
			}
			if len(order) != 2 || order[0] != apps[c.first] {
				t.Errorf("%s, numbers %v: masters in the order %v of %v", c.policy, c.numbers, order, apps)
			}
		})
	}
}
