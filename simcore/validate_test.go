package simcore

import (
	"strings"
	"testing"
)

// TestValidateRacks checks clusters without racks: all nodes are in rack 0.
func TestValidateRacks(t *testing.T) {
	one := func(rack int32) *Cluster { return &Cluster{Nodes: []Node{{Name: "a", Rack: rack}}} }
	for _, c := range []struct {
		name    string
		cluster *Cluster
		work    *Workload
		want    string // part of the error, "" for none
	}{
		{"no cluster", nil, &Workload{}, "no nodes"},
		{"no workload", one(0), nil, "no workload"},
		{"rack 0", one(0), &Workload{}, ""},
		{"rack 3", one(3), &Workload{}, "rack 3"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := Validate(c.cluster, c.work)
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("got error %v, want one with %q", err, c.want)
			}
		})
	}
}
