package forecast

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"

	"schedtune/internal/study"
	"schedtune/simcore"
	"schedtune/tune"
)

// Request is what to judge.
type Request struct {
	Sample
	Constraints []string                   // limits of every study
	Options     tune.Options               // further options of every study
	Study       func(*study.Request)       // changes every request; may be nil
	Progress    func(done int, o *Outcome) // from one goroutine at a time; may be nil
	Known       map[string]Outcome         // cases that were judged before, by name; may be nil
}

// Range is a point and the ends of its interval, as parts of the present value.
type Range struct{ Point, Low, High float64 }

// Outcome is one case: what was promised and what came.
type Outcome struct {
	Case        string
	Recommended bool  // a file was recommended; else the figures are of the best found
	Found       bool  // something else than the present was found at all
	Expected    Range // on similar workloads
	Again       Range // on the recorded trace
	Came        float64
	// WorstQueue is the largest growth of a queue's mean completion in the next
	// period, as a part; over queues with at least five jobs.
	WorstQueue float64
	Lost       float64 // jobs per run that the current configuration finishes there
	Changes    int
	Ratios     []float64 // logarithms of the ratio on the study's fresh workloads
	// Queues are those whose mean completion was limited, with five jobs or more in the next period.
	Queues []Queue `json:",omitempty"`
}

// Queue is what was expected of a queue's mean completion and what came: changes, as parts of
// the value with the current configuration; more is worse.
type Queue struct {
	Name     string
	Expected Range
	Came     float64
}

// Run draws the cases and judges them. Equal requests give equal outcomes for
// any number of workers.
func Run(ctx context.Context, r Request) ([]Outcome, error) {
	cases, err := r.Draw()
	if err != nil {
		return nil, err
	}
	return Each(ctx, len(cases), r.Workers,
		func(i int) string { return cases[i].Name },
		func(i int) (Outcome, error) { return r.judgeOnce(ctx, &cases[i], uint64(i)) },
		func(count int, o *Outcome) {
			if r.Progress != nil {
				r.Progress(count, o)
			}
		})
}

// judgeOnce takes what is known of a case, else judges it.
func (r *Request) judgeOnce(ctx context.Context, c *Case, n uint64) (Outcome, error) {
	if o, ok := r.Known[c.Name]; ok {
		return o, nil
	}
	return r.judge(ctx, c, n)
}

func (r *Request) judge(ctx context.Context, c *Case, n uint64) (Outcome, error) {
	o := Outcome{Case: c.Name}
	q := study.Request{Objectives: []string{c.Objective}, Constraints: r.Constraints, Workers: 1, Options: r.Options}
	q.Options.Budget, q.Options.Seed = r.Budget, r.Seed+n
	if r.Study != nil {
		r.Study(&q)
	}
	s, err := study.PrepareCase(ctx, c.Now, q)
	if err != nil {
		return o, nil // a present file that gives no run: nothing was promised
	}
	res, err := s.Run(ctx, nil, nil)
	if err == nil {
		err = ctx.Err() // a study that was cut short has judged nothing
	}
	if none := (*tune.PresentError)(nil); errors.As(err, &none) {
		return o, nil // as above, on what the study draws
	}
	if err != nil {
		return o, err
	}
	best := res.Shown()
	o.Recommended, o.Changes = res.Decision.Recommended, len(res.Changes)
	if len(res.Gain) == 0 || best.Settings.Equal(res.Present.Settings) {
		return o, nil
	}
	g := res.Gain[0]
	o.Expected, o.Ratios = Range{g.Mean, g.Low, g.High}, g.Ratios
	o.Again = o.Expected
	if g.Again != nil {
		o.Again = Range{g.Again.Mean, g.Again.Low, g.Again.High}
	}
	return o, r.play(ctx, s, c, best.Settings, res.Constraints, &o)
}

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
		came := then[name]/now[name] - 1
		o.WorstQueue = math.Max(o.WorstQueue, came)
		i := slices.IndexFunc(limits, func(l tune.ConstraintResult) bool { return l.Metric == name })
		if i >= 0 && limits[i].Expected != nil {
			e := limits[i].Expected
			o.Queues = append(o.Queues, Queue{strings.TrimSuffix(strings.TrimPrefix(name, "queue."), ".mean-completion"),
				Range{e.Mean, e.Low, e.High}, came})
		}
	}
	return nil
}
