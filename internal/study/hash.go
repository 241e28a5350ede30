package study

import (
	"encoding/binary"
	"fmt"
	"io"

	"schedtune/simcore"
)

// hashWorkload writes all that a run reads of a workload.
func hashWorkload(h io.Writer, w *simcore.Workload) {
	fmt.Fprintf(h, "%q %q %q\n", w.Queues, w.Users, w.Classes)
	for i := range w.Jobs {
		fmt.Fprintf(h, "%+v\n", w.Jobs[i])
	}
	for i := range w.Dists {
		fmt.Fprintf(h, "%+v\n", w.Dists[i])
	}
	t := &w.Tasks
	for _, s := range []any{t.Duration, t.Shuffle, t.Input, t.Output, t.HostAt, t.Hosts} {
		// Slices of fixed-size integers: Write can't fail on them.
		_ = binary.Write(h, binary.LittleEndian, s)
	}
}

// arrivalSpread is by how much a replication may move two submissions
// together: six standard deviations of either.
func arrivalSpread(c *Case) simcore.Time {
	return simcore.Time(12 * c.Calibration.ArrivalJitter * float64(simcore.Millisecond))
}
