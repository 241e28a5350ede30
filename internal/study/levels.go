package study

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"schedtune/internal/inputs"
	"schedtune/internal/resample"
	"schedtune/internal/run"
	"schedtune/internal/stats"
	"schedtune/simcore"
	"schedtune/tune"
)

// Levels of a study whose runs are dear: workloads drawn like the trace for a part of
// the time, and for a part of the cluster with the same part of the jobs. tune chooses
// among them and confirms on the whole (tune/levels.go).

// Fidelities of a request.
const (
	FidelityFull   = "full"   // every run is of full fidelity
	FidelityAuto   = "auto"   // levels where a study of full fidelity would take too long
	FidelityLevels = "levels" // levels
)

// Fidelities lists them.
func Fidelities() []string { return []string{FidelityAuto, FidelityFull, FidelityLevels} }

// DefaultTimeLimit is the processor time beyond which "auto" searches on levels.
const DefaultTimeLimit = 15 * time.Minute

// referenceSpeed is how many tasks a second of processor time is taken to simulate. It
// is a constant so that whether a study has levels, and with that its result, does not
// depend on the machine; 0.6 to 2.3 million have been measured (results/yarn-speed.md). The
// time left that is shown while a study runs is measured.
const referenceSpeed = 1_000_000

// levelCosts are the costs of levels in runs of full fidelity, cheapest first.
var levelCosts = []float64{1.0 / 64, 1.0 / 32, 1.0 / 16, 1.0 / 8}

// What a level must have at least, so that queues still compete in it: its part of the
// nodes, the time of its workloads, and the jobs in them.
const (
	leastNodes  = 16
	leastPeriod = simcore.Hour / 2
	leastJobs   = 10
)

// levelWindows is how many workloads are drawn for each level.
const levelWindows = DefaultWorkloads

// level is one level's part of the time and of the cluster.
type level struct {
	time, cluster float64
}

// levelRunner makes the runs of a level; window 0 is the first of its own.
type levelRunner struct {
	first  int
	runner *run.Runner
}

// estimatedTime is the processor time that a number of runs of a workload takes, by the
// number of its tasks.
func estimatedTime(runs int, tasks float64) time.Duration {
	return time.Duration(float64(runs) * tasks / referenceSpeed * float64(time.Second))
}

// tasksOf counts the tasks of a workload.
func tasksOf(w *simcore.Workload) float64 {
	n := 0.0
	for i := range w.Jobs {
		j := &w.Jobs[i]
		n += float64(j.Maps) + float64(j.Reduces)
		if j.Spark != nil {
			for k := range j.Spark.Stages {
				n += float64(j.Spark.Stages[k].Tasks)
			}
		}
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

// chooseLevels lists the levels that a study may use; none where it has full fidelity.
func (req *Request) chooseLevels(c *inputs.Case, drawn *workloads) ([]level, error) {
	tasks := tasksOf(c.Work) / float64(max(1, drawn.recorded))
	switch req.Fidelity {
	case "", FidelityFull:
		return nil, nil
	case FidelityLevels:
		if why := req.noLevels(drawn); why != "" {
			return nil, &inputs.FlagError{Flag: "--fidelity", Err: fmt.Errorf("%s: %s; allowed: %s", FidelityLevels, why, FidelityFull)}
		}
	case FidelityAuto:
		limit := req.TimeLimit
		if limit == 0 {
			limit = DefaultTimeLimit
		}
		if req.noLevels(drawn) != "" || estimatedTime(req.Options.Budget, tasks) <= limit {
			return nil, nil
		}
	default:
		return nil, &inputs.FlagError{Flag: "--fidelity", Err: fmt.Errorf("%q; allowed: %s, %s, %s", req.Fidelity, FidelityAuto, FidelityFull, FidelityLevels)}
	}
	levels := possibleLevels(c, drawn)
	if len(levels) == 0 && req.Fidelity == FidelityLevels {
		return nil, &inputs.FlagError{Flag: "--fidelity", Err: fmt.Errorf("%s: an eighth of this trace and cluster is too little (%d nodes, %s and %d jobs at least); allowed: %s", FidelityLevels, leastNodes, stats.Minutes(leastPeriod.Std()), leastJobs, FidelityFull)}
	}
	return levels, nil
}

// noLevels says why a study can't have levels; empty if it can.
func (req *Request) noLevels(drawn *workloads) string {
	switch {
	case drawn.search == 0:
		return "there are no levels for the trace alone (--workloads -1)"
	case len(req.Objectives) > 1:
		return "there are no levels for several objectives"
	case req.Options.Budget == 0:
		return "levels need a budget in runs"
	case req.Options.Budget < tune.LeastLevelBudget:
		return fmt.Sprintf("levels need a --budget of %d runs at least, most of them cheap", tune.LeastLevelBudget)
	}
	return ""
}

// possibleLevels are those that leave enough of time, cluster and jobs. Both parts are
// the root of the cost, but more of one where the other would be too little.
func possibleLevels(c *inputs.Case, drawn *workloads) []level {
	jobs := c.Work.Jobs
	period := float64(jobs[len(jobs)-1].Submit-jobs[0].Submit) / float64(max(1, drawn.recorded))
	count := float64(len(jobs)) / float64(max(1, drawn.recorded))
	time, nodes := float64(leastPeriod)/max(1, period), leastNodes/float64(len(c.Cluster.Nodes))
	var out []level
	for _, cost := range levelCosts {
		l := level{time: max(time, math.Sqrt(cost))}
		l.cluster = max(nodes, cost/l.time)
		l.time = cost / l.cluster
		if l.cluster <= 1 && l.time <= 1 && l.time > 0.99*time && cost*count >= leastJobs {
			out = append(out, l)
		}
	}
	return out
}

// addLevels lets a study's problem and runner have the levels.
func (s *Study) addLevels(levels []level, drawn *workloads) error {
	for i, l := range levels {
		c, kept := s.Case, 1.0
		if l.cluster < 1 {
			c, kept = s.Case.Sample(l.cluster)
		}
		spread, key := drawn.spread, drawn.key.At(purposeLevel).At(uint64(i))
		spread.Part = l.time / float64(max(1, drawn.recorded))
		work := c.Work
		opt := run.Options{Windows: []*simcore.Workload{}, Drawn: levelWindows, Scale: kept, Draw: func(i int) *simcore.Workload {
			return backlog(resample.Sample(work, spread, kept, key.At(uint64(i))))
		}}
		opt.Slowdowns = slowdowns(goals(s.Problem.Objectives, s.Problem.Constraints))
		opt.Jitter = run.Replications()
		r, err := run.New(c, opt)
		if err != nil {
			return fmt.Errorf("a part of the cluster: %w; allowed: --fidelity %s", err, FidelityFull)
		}
		p := &s.Problem
		s.Runner.levels = append(s.Runner.levels, levelRunner{p.Windows, r})
		p.Levels = append(p.Levels, tune.Level{Name: s.levelName(l, c, drawn), First: p.Windows, Windows: levelWindows, Cost: l.time * kept})
		p.Windows += levelWindows
	}
	if len(levels) > 0 {
		s.Problem.Name += fmt.Sprintf(" levels %v", s.Problem.Levels)
		for i := range drawn.recorded + drawn.search {
			s.Problem.Work = append(s.Problem.Work, workOf(s.Runner.Runner.Workload(i)))
		}
	}
	s.Notes = append(s.Notes, s.levelNotes(drawn)...)
	return nil
}

// levelBacklog is how much of the time of a level's workloads is at their beginning, half
// of it at most.
const levelBacklog = 20 * simcore.Minute

// backlog has the jobs of the first part of a drawn workload submitted at once: a short
// run from an empty cluster would not show what happens under a backlog.
func backlog(w *simcore.Workload) *simcore.Workload {
	first := min(levelBacklog, w.Jobs[len(w.Jobs)-1].Submit/2)
	for i := range w.Jobs {
		w.Jobs[i].Submit = max(0, w.Jobs[i].Submit-first)
	}
	return w
}

// levelNotes say that, and why, the search is not made on full fidelity.
func (s *Study) levelNotes(drawn *workloads) []string {
	if len(s.Problem.Levels) == 0 {
		return nil
	}
	tasks := tasksOf(s.Case.Work) / float64(max(1, drawn.recorded))
	var names []string
	for _, l := range s.Problem.Levels {
		names = append(names, l.Name)
	}
	return []string{fmt.Sprintf("%d runs of %.3g tasks each would take about %s of processor time (taken at %d tasks a second, whatever the machine): the search is made on smaller runs (%s), and what it finds is confirmed on whole ones; --fidelity %s does without",
		s.Request.Options.Budget, tasks, stats.Minutes(estimatedTime(s.Request.Options.Budget, tasks)), referenceSpeed, strings.Join(names, "; "), FidelityFull)}
}

// levelName says what a run of a level is.
func (s *Study) levelName(l level, c *inputs.Case, drawn *workloads) string {
	jobs := s.Case.Work.Jobs
	period := float64(jobs[len(jobs)-1].Submit-jobs[0].Submit) / float64(max(1, drawn.recorded)) * l.time
	return fmt.Sprintf("%d of %d nodes, %s", len(c.Cluster.Nodes), len(s.Case.Cluster.Nodes), stats.Minutes(simcore.Time(period).Std()))
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

// levelRun is the runner of a window of a level and the window's number there; nil for
// full fidelity.
func (r *Runner) levelRun(window int) (*run.Runner, int) {
	for _, l := range slices.Backward(r.levels) {
		if window >= l.first {
			return l.runner, window - l.first
		}
	}
	return nil, window
}
