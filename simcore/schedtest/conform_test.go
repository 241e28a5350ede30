package schedtest

import (
	"testing"

	"schedtune/simcore"
	"schedtune/simcore/mr1"
)

// TestReferenceFIFOConforms checks the reference scheduler with the kit.
func TestReferenceFIFOConforms(t *testing.T) {
	Conform(t, Kit{New: func(uint64, *simcore.Cluster, *simcore.Workload) (mr1.Scheduler, error) {
		return &FIFO{Slowstart: 0.05}, nil
	}})
}
