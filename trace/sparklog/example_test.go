package sparklog_test

import (
	"fmt"
	"strings"

	"schedtune/trace/sparklog"
)

// An event log as the history server keeps it, packed or not.
func ExampleOpen() {
	app, err := sparklog.Open("../../datasets/spark/eventlogs/application_1779999940000_0001_1.zstd")
	if err != nil {
		panic(err)
	}
	fmt.Printf("%s of %s: %d jobs, %d stages, %d executors\n", app.Name, app.User, len(app.Jobs), len(app.Stages),
		len(app.Executors))
	// Output: nightly-1 of etl: 2 jobs, 4 stages, 36 executors
}

// A log from elsewhere than a file, and what is odd in it: the application was still
// running, and a line came from another program.
func ExampleReader() {
	const text = `{"Event":"SparkListenerLogStart","Spark Version":"3.5.5"}
{"Event":"SparkListenerApplicationStart","App Name":"report","App ID":"application_1_0001","Timestamp":1700000000000,"User":"ann"}
log4j:WARN No appenders could be found
{"Event":"SparkListenerExecutorAdded","Timestamp":1700000004000,"Executor ID":"1","Executor Info":{"Host":"n1","Total Cores":2}}
`
	r := sparklog.NewReader()
	if err := r.Read(strings.NewReader(text), "report.log"); err != nil {
		panic(err)
	}
	app := r.App()
	fmt.Println(app.Name, "with Spark", app.Version, "has ended:", app.End.Known())
	for _, n := range app.Notes {
		if n.Where != "" { // not of the log as a whole
			fmt.Printf("%s at %s: %s\n", n.Kind, n.Where, n.Text)
		}
	}
	// Output:
	// report with Spark 3.5.5 has ended: false
	// dropped at report.log:3: lines that are not events (not valid JSON) and were skipped
}
