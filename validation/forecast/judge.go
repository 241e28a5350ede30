package forecast

import (
	"context"
	"errors"
	"fmt"

	"schedtune/internal/study"
	"schedtune/tune"
)

// Request is what to judge.
type Request struct {
	Sample
	Constraints []string // limits of every study
	// Repeats is how many of the first cases with something to gain are studied again, with the
	// budgets of repeatBudgets and with further seeds.
	Repeats  int
	Changes  bool                       // measure what each change of a recommended file is worth
	Study    func(*study.Request)       // changes every request; may be nil
	Progress func(done int, o *Outcome) // from one goroutine at a time; may be nil
	Known    map[string]Outcome         // cases that were judged before, by name; may be nil
}

// repeatBudgets and repeatSeeds are what repeated studies differ in.
var (
	repeatBudgets = []int{100, 200, 400, 800}
	repeatSeeds   = 4
)

// Range is a point and the ends of its interval, as parts of the present value.
type Range struct{ Point, Low, High float64 }

// Outcome is one case: what was promised and what came.
type Outcome struct {
	Case        string
	Kind        Kind
	Objective   string
	Periods     int // recorded
	Budget      int
	Repeat      int           `json:",omitempty"` // of a further seed, from 1; 0 = the first
	Of          string        `json:",omitempty"` // the case that this is a further study of
	Start       tune.Settings `json:",omitempty"` // of KindTuned: what half the budget made of the period before
	Invalid     bool          `json:",omitempty"` // of KindNothing: no construction succeeded
	Recommended bool          // a file was recommended; else the figures are of the best found
	Decision    tune.Decision // of the study
	Found       bool          // something else than the present was found at all
	Expected    Range         // on similar workloads
	Again       Range         // on the recorded trace
	Came        float64
	// WorstQueue is the largest growth of a queue's mean completion in the next
	// period, as a part; over queues with at least five jobs.
	WorstQueue float64
	Lost       float64 // jobs per run that the current configuration finishes there
	Changes    []Change
	TakenBack  bool // what the changes cost to take back was measured
	// Queues are those with five jobs or more in the next period.
	Queues []Queue `json:",omitempty"`
}

// Change is one setting that differs from the current configuration, and what taking it back
// alone costs on workloads that the study has not seen: of the objective, and of the queue that
// it costs most. Both are parts, and 0 where nothing was recommended.
type Change struct {
	Name, From, To   string
	Objective, Queue float64
	Needed           bool // without it work is lost, or there is no run
}

// Queue is what was expected of a queue's mean completion and what came: changes, as parts of
// the value with the current configuration; more is worse.
type Queue struct {
	Name     string
	Expected *Range // nil where the study says nothing of it
	Came     float64
}

// Run draws the cases and judges them. Equal requests give equal outcomes for
// any number of workers.
func Run(ctx context.Context, r Request) ([]Outcome, error) {
	cases, err := r.drawOf(kinds)
	if err != nil {
		return nil, err
	}
	jobs := r.repeated(cases)
	return Each(ctx, len(jobs), r.Workers,
		func(i int) string { return jobs[i].name },
		func(i int) (Outcome, error) { return r.judgeOnce(ctx, &jobs[i]) },
		func(count int, o *Outcome) {
			if r.Progress != nil {
				r.Progress(count, o)
			}
		})
}

// job is one study of a case.
type job struct {
	Case
	name   string
	budget int
	seed   uint64
	repeat int
	of     string
}

// repeated lists the studies of cases.
func (r *Request) repeated(cases []Case) []job {
	var out []job
	for i, c := range cases {
		out = append(out, job{Case: c, name: c.Name, budget: r.Budget, seed: r.Seed + uint64(i)})
	}
	left := r.Repeats
	for _, first := range out {
		if first.Kind == KindNothing || left == 0 {
			continue
		}
		left--
		for _, b := range repeatBudgets {
			if b != r.Budget {
				j := first
				j.of, j.budget, j.name = first.name, b, fmt.Sprintf("%s, budget %d", first.name, b)
				out = append(out, j)
			}
		}
		for k := 1; k < repeatSeeds; k++ {
			j := first
			j.of, j.repeat, j.seed, j.name = first.name, k, first.seed+uint64(k)<<32, fmt.Sprintf("%s, seed %d", first.name, k+1)
			out = append(out, j)
		}
	}
	return out
}

// judgeOnce takes what is known of a case, else judges it.
func (r *Request) judgeOnce(ctx context.Context, j *job) (Outcome, error) {
	if o, ok := r.Known[j.name]; ok {
		return o, nil
	}
	return r.judge(ctx, j)
}

// request is that of a study of a case.
func (r *Request) request(c *Case, budget int, seed uint64) study.Request {
	q := study.Request{Objectives: []string{c.Objective}, Constraints: r.Constraints, Workers: 1,
		Windows: c.Periods}
	q.Options.Budget, q.Options.Seed = budget, seed
	if r.Study != nil {
		r.Study(&q)
	}
	return q
}

// prepare makes the current configuration of a case; ok is false where it has none.
func (r *Request) prepare(ctx context.Context, j *job, q *study.Request, o *Outcome) (ok bool, err error) {
	switch j.Kind {
	case KindNothing:
		q.Params, ok = j.leaveNothing(ctx)
		o.Invalid = !ok
		return ok, nil
	case KindTuned:
		before := j.Case
		before.Now, before.Periods = j.Before, 1
		space, _, err := study.NewSpace(j.Before, nil)
		if err != nil {
			return false, err
		}
		if _, res, err := r.study(ctx, &before, r.request(&before, max(20, r.Budget/2), j.seed&(1<<32-1)+1<<40)); err != nil {
			return false, err
		} else if res != nil && res.Found != nil {
			o.Start = res.Found.Settings
		}
		if o.Start != nil {
			return true, j.adopt(space, o.Start)
		}
	}
	return true, nil
}

// study runs a study; without a result where the current configuration gives no run.
func (r *Request) study(ctx context.Context, c *Case, q study.Request) (*study.Study, *tune.Result, error) {
	s, err := study.PrepareCase(ctx, c.Now, q)
	if err != nil {
		return nil, nil, ctx.Err()
	}
	res, err := s.Run(ctx, nil, nil)
	if err == nil {
		err = ctx.Err() // a study that was cut short has judged nothing
	}
	if none := (*tune.PresentError)(nil); errors.As(err, &none) {
		return nil, nil, nil // on what the study draws
	}
	return s, res, err
}

func (r *Request) judge(ctx context.Context, j *job) (Outcome, error) {
	o := Outcome{Case: j.name, Kind: j.Kind, Objective: j.Objective, Periods: j.Periods, Budget: j.budget, Repeat: j.repeat,
		Of: j.of}
	j.Case = j.clone()
	q := r.request(&j.Case, j.budget, j.seed)
	if ok, err := r.prepare(ctx, j, &q, &o); err != nil || !ok {
		return o, err
	}
	s, res, err := r.study(ctx, &j.Case, q)
	if err != nil || res == nil {
		return o, err
	}
	o.Decision, o.Recommended = res.Decision, res.Decision.Recommended
	if len(res.Gain) == 0 || res.Found == nil {
		return o, nil
	}
	best := res.Found.Settings
	for _, c := range res.Changes {
		o.Changes = append(o.Changes, Change{Name: c.Name, From: c.From, To: c.To})
	}
	g := res.Gain[0]
	o.Expected = Range{g.Mean, g.Low, g.High}
	o.Again = o.Expected
	if g.Again != nil {
		o.Again = Range{g.Again.Mean, g.Again.Low, g.Again.High}
	}
	if err := r.play(ctx, s, &j.Case, best, res.Constraints, &o); err != nil || !o.Found {
		return o, err
	}
	if o.Recommended && r.Changes {
		err = takeBack(ctx, s, best, &o)
	}
	return o, err
}
