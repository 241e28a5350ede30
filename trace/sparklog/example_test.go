package sparklog_test

import (
	"fmt"

	"schedtune/trace/sparklog"
)

// An event log as the history server keeps it, packed or not.
func ExampleOpen() {
	app, err := sparklog.Open("../../datasets/spark/eventlogs/application_1779999940000_0001_1.zstd")
	if err != nil {
		panic(err)
	}
	fmt.Printf("%s of %s: %d jobs, %d stages, %d executors\n", app.Name, app.User, len(app.Jobs), len(app.Stages), len(app.Executors))
	// Output: nightly-1 of etl: 2 jobs, 4 stages, 36 executors
}
