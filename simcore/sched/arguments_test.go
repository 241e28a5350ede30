package sched

import (
	"testing"

	"schedtune/fairconf"
	"schedtune/simcore/sched/capacity"
	"schedtune/simcore/sched/yarnfair"
	"schedtune/simcore/yarn"
)

// Schedulers without a configuration are errors, specs that Parse did not make have
// Hadoop's rules.
func TestNothingConfigured(t *testing.T) {
	if _, err := capacity.New(nil); err == nil {
		t.Error("capacity.New: no error")
	}
	for _, x := range []struct {
		a *fairconf.Allocations
		s *fairconf.Site
	}{{nil, nil}, {&fairconf.Allocations{}, nil}, {nil, &fairconf.Site{}}} {
		if _, err := yarnfair.New(x.a, x.s); err == nil {
			t.Error("yarnfair.New: no error")
		}
	}
	if p, err := new(Spec).Policies(1); err != nil || p != (yarn.Policies{}) {
		t.Errorf("%+v, %v", p, err)
	}
}
