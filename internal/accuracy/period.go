package accuracy

import (
	"cmp"
	"context"
	"slices"

	"schedtune/internal/scenario"
	"schedtune/internal/simulate"
	"schedtune/simcore"
	"schedtune/trace"
)

// Period is a recorded period: its scenario and what was observed of each job. All comparisons of
// this package are made of it.
type Period struct {
	Case    *scenario.Case
	Seen    []Seen           // by job of the workload
	options simulate.Options // of its simulation; submissions were recorded, so they do not vary
}

// Seen holds what a history records of a job. Times are from the trace's first submission;
// Never = unknown. Waiting is what the simulator's metrics mean by it: from the submission to the
// start of the first task's container, the AM's not counted.
type Seen struct {
	Submit, Start, Finish simcore.Time
	Lost                  bool // it failed, was killed or refused
}

// Compared reports whether the job is compared with its simulation: it was recorded from its
// submission to its end, and was not lost.
func (s *Seen) Compared() bool {
	return !s.Lost && s.Submit != simcore.Never && s.Finish != simcore.Never && s.Finish > s.Submit
}

// Observe joins a scenario with the histories that it was read from.
func Observe(c *scenario.Case, t *trace.Trace) *Period {
	p := &Period{Case: c, Seen: make([]Seen, len(c.Work.Jobs)),
		options: simulate.Options{Jitter: simulate.RecordedArrivals()}}
	byID, at := map[string]*trace.Job{}, since(t)
	for i := range t.Jobs {
		byID[t.Jobs[i].ID] = &t.Jobs[i]
	}
	for i := range c.Work.Jobs {
		s := &p.Seen[i]
		*s = Seen{simcore.Never, simcore.Never, simcore.Never, false}
		j := byID[c.Work.Jobs[i].ID]
		if j == nil {
			continue
		}
		s.Submit, s.Finish, s.Lost = at(j.Submit), at(j.Finish), j.Result == trace.Failed || j.Result == trace.Killed
		for k := range j.Tasks {
			for _, a := range j.Tasks[k].Attempts {
				if j.Tasks[k].Kind != trace.AM && a.Start.Known() {
					s.Start = min(s.Start, at(a.Start))
				}
			}
		}
	}
	return p
}

// FirstSubmission returns when the first job of a trace was submitted, on the trace's own
// clock; unknown where that of none is known.
func FirstSubmission(t *trace.Trace) trace.Millis {
	first := trace.Millis(trace.Unknown)
	for i := range t.Jobs {
		if s := t.Jobs[i].Submit; s.Known() && (!first.Known() || s < first) {
			first = s
		}
	}
	return first
}

// since returns a function that gives times from a trace's first submission.
func since(t *trace.Trace) func(trace.Millis) simcore.Time {
	first := FirstSubmission(t)
	return func(m trace.Millis) simcore.Time {
		if !m.Known() {
			return simcore.Never
		}
		return simcore.Time(m-first) * simcore.Millisecond
	}
}

// count counts the jobs of which is holds.
func (p *Period) count(is func(*Seen) bool) (n int) {
	for i := range p.Seen {
		if is(&p.Seen[i]) {
			n++
		}
	}
	return n
}

// compared counts the jobs that are compared, lost those that were lost.
func (p *Period) compared() int { return p.count((*Seen).Compared) }

func (p *Period) lost() int { return p.count(func(s *Seen) bool { return s.Lost }) }

// simulate runs the period with n seeds from the first on and joins its jobs with the simulated
// ones. each, if not nil, is called after every run.
func (p *Period) simulate(ctx context.Context, it simulate.Item, seed uint64, n int,
	each func(*simcore.Result)) (*sample, error) {
	runs, err := simulate.New(p.Case, p.options)
	if err != nil {
		return nil, err
	}
	sims := make([][]value, len(p.Seen))
	for i := range n {
		it.Seed = seed + uint64(i)
		res, err := runs.RunNamed(ctx, it)
		if err != nil {
			return nil, err
		}
		for k := range res.Jobs {
			if j := &res.Jobs[k]; !j.Failed {
				sims[j.Job] = append(sims[j.Job], value{j.Submit.Seconds(), j.Finish.Seconds(), j.Completion().Seconds(),
					j.Wait().Seconds()})
			}
		}
		if each != nil {
			each(res)
		}
	}
	return p.join(sims, n), nil
}

// without leaves jobs out that the other period has too: histories of rolling
// windows overlap.
func (p *Period) without(other *Period) int {
	ids := map[string]bool{}
	for i := range other.Case.Work.Jobs {
		ids[other.Case.Work.Jobs[i].ID] = true
	}
	work, c := *p.Case.Work, *p.Case
	var jobs []simcore.Job
	var seen []Seen
	for i, j := range work.Jobs {
		if !ids[j.ID] {
			jobs, seen = append(jobs, j), append(seen, p.Seen[i])
		}
	}
	left := len(work.Jobs) - len(jobs)
	if left > 0 {
		work.Jobs, c.Work = jobs, &work
		p.Case, p.Seen = &c, seen
	}
	return left
}

// value holds a job's figures in seconds.
type value struct {
	submit, finish, completion, wait float64
}

// ratio is the completion time over the time from the first task on.
func (v value) ratio() float64 {
	if v.completion <= v.wait {
		return 1
	}
	return v.completion / (v.completion - v.wait)
}

// pair is a job as recorded and as simulated, by replication.
type pair struct {
	job     int // of the workload
	queue   string
	rec     value
	started bool // when it started is recorded
	sim     []value
}

// sample are the jobs of a period that can be compared, by submission.
type sample struct{ jobs []pair }

// join joins the recorded jobs with those of n simulations. Jobs that were lost, or do
// not finish in a simulation, are left out.
func (p *Period) join(sims [][]value, n int) *sample {
	s := &sample{}
	for i, seen := range p.Seen {
		if !seen.Compared() || len(sims[i]) < n {
			continue
		}
		v := value{seen.Submit.Seconds(), seen.Finish.Seconds(), (seen.Finish - seen.Submit).Seconds(), 0}
		if seen.Start != simcore.Never {
			v.wait = (seen.Start - seen.Submit).Seconds()
		}
		s.jobs = append(s.jobs, pair{i, p.Case.Work.Queues[p.Case.Work.Jobs[i].Queue], v,
			seen.Start != simcore.Never, sims[i]})
	}
	slices.SortStableFunc(s.jobs, func(a, b pair) int { return cmp.Compare(a.rec.submit, b.rec.submit) })
	return s
}

// mean is a figure's mean over the replications.
func (p *pair) mean(of func(value) float64) (sum float64) {
	for _, v := range p.sim {
		sum += of(v) / float64(len(p.sim))
	}
	return sum
}

// only returns the jobs that keep holds for; nil keeps all.
func (s *sample) only(keep func(*pair) bool) *sample {
	if keep == nil {
		return s
	}
	out := &sample{}
	for i := range s.jobs {
		if keep(&s.jobs[i]) {
			out.jobs = append(out.jobs, s.jobs[i])
		}
	}
	return out
}

// queues lists the queues in order of name.
func (s *sample) queues() []string {
	var names []string
	for i := range s.jobs {
		names = append(names, s.jobs[i].queue)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// side sums a period up.
func (p *Period) side(s *sample, m metric) Side {
	out := Side{Jobs: len(p.Seen), Compared: len(s.jobs), Lost: p.lost()}
	first, last := simcore.Never, simcore.Time(0)
	work := 0.0
	for i, seen := range p.Seen {
		work += taskSeconds(p.Case.Work, i)
		first = min(first, seen.Submit)
		for _, t := range []simcore.Time{seen.Submit, seen.Finish} {
			if t != simcore.Never {
				last = max(last, t)
			}
		}
	}
	if first < last {
		out.Hours = (last - first).Seconds() / 3600
		out.PerHour, out.Work = float64(out.Jobs)/out.Hours, work/out.Hours
	}
	out.Recorded, out.Simulated = s.only(m.keep).values(m)
	return out
}
