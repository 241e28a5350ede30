package yarn

import (
	"testing"

	"schedtune/simcore"
)

// What is not given is an error of the call, with and without the other one.
func TestNothingGiven(t *testing.T) {
	c, w := &simcore.Cluster{}, &simcore.Workload{}
	for _, x := range []struct {
		c *simcore.Cluster
		w *simcore.Workload
	}{{nil, nil}, {c, nil}, {nil, w}} {
		if _, err := NewSim(x.c, x.w, Options{}); err == nil || err.Error() != "yarn: no cluster or no workload is given" {
			t.Errorf("NewSim: %v", err)
		}
		if _, err := Alone(x.c, x.w, Options{}, RunConfig{}, "root.a", nil); err == nil {
			t.Error("Alone: no error")
		}
	}
}
