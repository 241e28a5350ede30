package spark_test

import (
	"fmt"

	"schedtune/simcore"
	"schedtune/simcore/yarn/spark"
)

// A stage of 100 tasks on executors with four slots needs 25 executors. As long as tasks
// wait, the target grows by 1, 2, 4, … each second, whether executors register or not.
func ExampleManager() {
	settings := simcore.DefaultSparkSettings()
	settings.Dynamic, settings.Instances, settings.Min = true, 0, 0
	var m spark.Manager
	m.Reset(&settings, []int32{4}) // one resource profile
	m.Submit(0, 0, 100, 100)
	registered := []int32{0}
	for turn := range simcore.Time(60) { // the loop of the driver, every 100 ms
		now := turn * 100 * simcore.Millisecond
		if m.Turn(now, registered, false) {
			fmt.Printf("%.1f s: %d executors wanted\n", now.Seconds(), m.Target(0))
		}
	}
	// Output:
	// 0.0 s: 1 executors wanted
	// 1.0 s: 3 executors wanted
	// 2.0 s: 7 executors wanted
	// 3.0 s: 15 executors wanted
	// 4.0 s: 25 executors wanted
}
