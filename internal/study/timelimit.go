package study

import (
	"fmt"
	"math"
	"time"

	"schedtune/internal/scenario"
	"schedtune/internal/text"
	"schedtune/simcore"
	"schedtune/tune"
)

// DefaultTimeLimit is the processor time that a study of the command may take.
const DefaultTimeLimit = 15 * time.Minute

// referenceSpeed is how many tasks a second of processor time is taken to simulate. It
// is a constant so that how many runs a study has, and with that its result, does not
// depend on the machine; 0.6 to 2.3 million have been measured (results/speed.md). The
// time left that is shown while a study runs is measured.
const referenceSpeed = 1_000_000

// LeastBudget is the budget that a time limit leaves in any case.
const LeastBudget = 100

// limitBudget cuts the budget to the runs that the time limit pays for, and says so; empty
// where it stays. Several objectives, the trace alone and a budget in time have no limit.
func (req *Request) limitBudget(c *scenario.Case, drawn *workloads) string {
	budget := req.Options.Budget
	if req.TimeLimit <= 0 || budget <= LeastBudget || len(req.Objectives) > 1 || drawn.search == 0 ||
		req.Options.TimeBudget > 0 {
		return ""
	}
	tasks := tasksOfRun(c, drawn)
	paid := int(math.Min(float64(budget), req.TimeLimit.Seconds()*referenceSpeed/math.Max(1, tasks)))
	if paid >= budget {
		return ""
	}
	req.Options.Budget = max(paid, LeastBudget)
	return fmt.Sprintf("%d runs of %s tasks each would take about %s of processor time (taken at %d tasks a second, "+
		"whatever the machine): the study has %d; --time-limit 0 lets it have all",
		budget, text.Figure(tasks), text.Minutes(estimatedTime(budget, tasks)), referenceSpeed, req.Options.Budget)
}

// manyRuns is how many runs of a workload must exceed the time limit for one to be dear.
const manyRuns = 1000

// dear reports whether runs of so many tasks are so dear that nothing but what decides is
// measured: whatever the budget, so that all who make the study's runs agree.
func (req *Request) dear(tasks float64) bool {
	return req.TimeLimit > 0 && estimatedTime(manyRuns, tasks) > req.TimeLimit
}

// tasksOfRun is how many tasks a run of the study has.
func tasksOfRun(c *scenario.Case, drawn *workloads) float64 {
	return TasksOf(c.Work) / float64(max(1, drawn.recorded))
}

// estimatedTime is the processor time that a number of runs of a workload takes, by the
// number of its tasks.
func estimatedTime(runs int, tasks float64) time.Duration {
	return time.Duration(float64(runs) * tasks / referenceSpeed * float64(time.Second))
}

// TasksOf counts the tasks of a workload, those of Spark's stages and Tez' vertices included.
func TasksOf(w *simcore.Workload) float64 {
	n := 0.0
	for i := range w.Jobs {
		n += float64(w.Jobs[i].Tasks())
	}
	return n
}

// workOf is the work of a workload's jobs in MiB-seconds.
func workOf(w *simcore.Workload) float64 {
	sum := 0.0
	for i := range w.Jobs {
		sum += Work(w, &w.Jobs[i])
	}
	return sum
}

// goals are the metrics of objectives and constraints.
func goals(objectives []tune.Objective, limits []tune.Constraint) []string {
	var out []string
	for _, o := range objectives {
		out = append(out, o.Metric)
	}
	for _, l := range limits {
		out = append(out, l.Metric)
	}
	return out
}
