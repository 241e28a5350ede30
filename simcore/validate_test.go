package simcore

import (
	"strings"
	"testing"
)

// A cluster that names no racks has one.
func TestRackOfNone(t *testing.T) {
	w := &Workload{}
	if Validate(nil, w) == nil || Validate(&Cluster{Nodes: []Node{{Name: "a"}}}, nil) == nil {
		t.Error("nothing to run is valid")
	}
	if err := Validate(&Cluster{Nodes: []Node{{Name: "a"}}}, w); err != nil {
		t.Error(err)
	}
	if err := Validate(&Cluster{Nodes: []Node{{Name: "a", Rack: 3}}}, w); err == nil || !strings.Contains(err.Error(), "rack 3, want 0 to 0") {
		t.Error(err)
	}
}
