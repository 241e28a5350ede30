package schedtest

import (
	"testing"

	"schedtune/simcore"
	"schedtune/simcore/mr1"
)

func TestReferenceFIFOConforms(t *testing.T) {
	Conform(t, Kit{New: func(uint64, *simcore.Cluster, *simcore.Workload) (mr1.Scheduler, error) {
		return &FIFO{Slowstart: 0.05}, nil
	}})
}

func TestCapriciousConforms(t *testing.T) {
	for _, pool := range []bool{false, true} {
		Conform(t, Kit{Pool: pool, New: func(seed uint64, _ *simcore.Cluster, _ *simcore.Workload) (mr1.Scheduler, error) {
			return NewCapricious(seed), nil
		}})
	}
}
