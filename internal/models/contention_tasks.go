package models

import (
	"fmt"
	"path"

	"schedtune/trace"
)

// NodeTask is a task on a node: it is there from Start to End, and its own work begins at From.
// Times are in seconds.
type NodeTask struct {
	Node, Effect, Class string // Effect names the tasks that are alike; empty = the task counts as a neighbour only
	Start, From, End    float64
}

// NodeTasks returns the tasks of histories that have nodes and times, with the class of
// their job.
func NodeTasks(hs []*trace.Trace, class func(*trace.Job) string) (out []NodeTask) {
	for h, t := range hs {
		add := func(node, effect, class string, start, from, end trace.Millis) {
			if node = path.Base(node); node != "." && start.Known() && end.Known() && end > from && from >= start {
				out = append(out, NodeTask{fmt.Sprint(h, " ", node), effect, class, float64(start) / 1000, float64(from) / 1000,
					float64(end) / 1000})
			}
		}
		for i := range t.Jobs {
			j := &t.Jobs[i]
			for task, at := range j.Containers() {
				effect, from := "", at.Start
				if task.Kind == trace.Reduce && at.ShuffleEnd.Known() { // before, it waits for maps
					from = at.ShuffleEnd
				}
				if at.Result == trace.Succeeded && (task.Kind == trace.Map || from != at.Start) {
					effect = fmt.Sprint(h, " ", i, " ", task.Kind)
				}
				add(at.Host, effect, class(j), at.Start, from, at.Finish)
			}
			if j.Spark == nil {
				continue
			}
			for s := range j.Spark.Stages {
				for _, x := range j.Spark.Stages[s].Attempts {
					if x.Executor >= 0 {
						start, end := trace.Millis(x.Launch), trace.Millis(x.Finish)
						add(j.Spark.Executors[x.Executor].Host, fmt.Sprint(h, " ", i, " ", s), class(j), start, start, end)
					}
				}
			}
		}
	}
	return out
}
