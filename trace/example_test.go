package trace_test

import (
	"fmt"
	"log"
	"os"
	"strings"

	"schedtune/trace"
)

// A Rumen trace of one job is read, and what it lacks is listed.
func ExampleRead() {
	const text = `{"jobID":"job_1_0001","user":"alice","queue":"prod","submitTime":1000,"finishTime":9000,"outcome":"SUCCESS",
	  "mapTasks":[{"taskID":"task_1_0001_m_000000","attempts":[
	    {"attemptID":"attempt_1_0001_m_000000_0","result":"SUCCESS","startTime":3000,"finishTime":8000}]}]}`
	t, err := trace.Read(strings.NewReader(text), "history.json", trace.Options{})
	if err != nil {
		log.Fatal(err)
	}
	w, _, err := t.Workload(trace.WorkloadOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(t.Format, w.Jobs[0].ID, w.Queues[0], w.Tasks.Duration[0].Std())
	for _, n := range t.Notes {
		fmt.Println(n)
	}
	// Output:
	// rumen job_1_0001 root.prod 5s
	// missing: container size of maps
	// missing: container size of the application master
}

// A trace of the Parallel Workloads Archive becomes one of Hadoop's Scheduler
// Load Simulator.
func ExampleTrace_WriteSLS() {
	const swf = "1 5 2 10 3 -1 -1 3 60 -1 1 7 1 4 2 -1 -1 -1\n"
	t, err := trace.Read(strings.NewReader(swf), "log.swf", trace.Options{})
	if err != nil {
		log.Fatal(err)
	}
	if err := t.WriteSLS(os.Stdout); err != nil {
		log.Fatal(err)
	}
	// Output:
	// {
	//   "am.type": "mapreduce",
	//   "job.start.ms": 0,
	//   "job.end.ms": 12000,
	//   "job.queue.name": "queue2",
	//   "job.id": "job_1",
	//   "job.user": "user7",
	//   "job.tasks": [
	//     {
	//       "count": 3,
	//       "container.start.ms": 0,
	//       "container.end.ms": 10000,
	//       "container.priority": 20,
	//       "container.type": "map"
	//     }
	//   ]
	// }
}

// A folder of Spark event logs, packed as the history server keeps them: the queues' parts
// of the work in the first ten minutes.
func ExampleOpen() {
	t, err := trace.Open("../datasets/spark/eventlogs", trace.Options{})
	if err != nil {
		log.Fatal(err)
	}
	t, err = t.Window(0, 10*60*1000)
	if err != nil {
		log.Fatal(err)
	}
	info := t.Info()
	fmt.Println(info.Jobs, "applications,", info.Spark.Tasks, "task attempts")
	for _, q := range info.Queues {
		fmt.Printf("%s %.0f %%\n", q.Name, 100*q.Share)
	}
	_, err = trace.Open("../datasets/nosuch", trace.Options{})
	fmt.Println(err)
	// Output:
	// 11 applications, 3928 task attempts
	// etl 54 %
	// notebooks 29 %
	// bi 17 %
	// ../datasets/nosuch: no such file or directory: must be a trace file, a folder of them, or - for standard input
}
