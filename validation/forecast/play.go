package forecast

import (
	"context"
	"math"
	"slices"
	"strings"

	"schedtune/internal/study"
	"schedtune/simcore"
	"schedtune/tune"
)

// fewestJobs is how many jobs a queue of the next period needs for its mean
// completion time to be judged.
const fewestJobs = 5

// judgedBy names the metrics of the next period: the objective first, then the mean
// completion times of the queues with enough jobs.
func judgedBy(c *Case) []string {
	names := []string{c.Objective}
	count := make([]int, len(c.Next.Work.Queues))
	for i := range c.Next.Work.Jobs {
		count[c.Next.Work.Jobs[i].Queue]++
	}
	for i, q := range c.Next.Work.Queues {
		if count[i] >= fewestJobs {
			names = append(names, "queue."+q+".mean-completion")
		}
	}
	return names
}

// newlyLost counts the jobs that are lost under the tuned file alone.
func newlyLost(present, tuned *simcore.Result) int {
	n := 0
	before := present.Lost()
	for _, j := range tuned.Lost() {
		if !slices.Contains(before, j) {
			n++
		}
	}
	return n
}

// replications of the next period.
const replications = 6

// play simulates the next period under both files on common seeds.
func (r *Request) play(ctx context.Context, s *study.Study, c *Case, tuned tune.Settings,
	limits []tune.ConstraintResult, o *Outcome) error {
	run, err := study.NewRunner(c.Next, s.Space, []*simcore.Workload{c.Next.Work}, nil)
	if err != nil {
		return err
	}
	now, then := map[string]float64{}, map[string]float64{}
	names := judgedBy(c)
	for i := range uint64(replications) {
		a, err := run.Simulate(ctx, s.Space.PresentSettings(), 1<<50+i, 0, nil)
		if err != nil {
			return nil // the next period can't be simulated with the current configuration
		}
		b, err := run.Simulate(ctx, tuned, 1<<50+i, 0, nil)
		if err != nil {
			o.Found, o.Came, o.WorstQueue = true, math.Inf(-1), math.Inf(1)
			return nil
		}
		for range newlyLost(a, b) {
			o.Lost += 1.0 / replications
		}
		for _, name := range names {
			x, err := a.Value(name)
			if err != nil {
				return err
			}
			y, err := b.Value(name)
			if err != nil {
				return err
			}
			now[name] += x
			then[name] += y
		}
	}
	o.Found = now[c.Objective] > 0
	o.Came = 1 - then[c.Objective]/now[c.Objective]
	o.WorstQueue = math.Inf(-1)
	for _, name := range names[1:] {
		q := Queue{Name: queueOf(name), Came: then[name]/now[name] - 1}
		o.WorstQueue = math.Max(o.WorstQueue, q.Came)
		i := slices.IndexFunc(limits, func(l tune.ConstraintResult) bool { return l.Metric == name })
		if i >= 0 && limits[i].Expected != nil {
			e := limits[i].Expected
			q.Expected = &Range{e.Mean, e.Low, e.High}
		}
		o.Queues = append(o.Queues, q)
	}
	return nil
}

// queueOf is the queue that a metric is of.
func queueOf(metric string) string {
	return strings.TrimSuffix(strings.TrimPrefix(metric, "queue."), ".mean-completion")
}
