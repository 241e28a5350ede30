package accuracy

import (
	"slices"

	"schedtune/internal/scenario"
	"schedtune/simcore"
	"schedtune/trace"
)

// Period is a recorded period: its cluster, old queue file and jobs, and what
// was seen of each job.
type Period struct {
	Case *scenario.Case
	Seen []Seen // by job of the workload
}

// Seen is what a history tells of a job. Times are from the period's first
// submission; Never = unknown.
type Seen struct {
	Submit, Start, Finish simcore.Time // Start: launch of its first task
	Lost                  bool         // it failed, was killed or refused
}

// observe joins a case with the histories that it was read from.
func verifyObserve(c *scenario.Case, t *trace.Trace) *Period {
	p := &Period{Case: c, Seen: make([]Seen, len(c.Work.Jobs))}
	byID := map[string]*trace.Job{}
	first := trace.Millis(0)
	for i := range t.Jobs {
		j := &t.Jobs[i]
		byID[j.ID] = j
		if j.Submit.Known() && (first == 0 || j.Submit < first) {
			first = j.Submit
		}
	}
	at := func(m trace.Millis) simcore.Time {
		if !m.Known() {
			return simcore.Never
		}
		return simcore.Time(m-first) * simcore.Millisecond
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
	queue string
	rec   value
	sim   []value
}

// sample are the jobs of a period that can be compared, by submission.
type sample struct{ jobs []pair }

// sample joins the recorded jobs with simulated ones. Jobs that were lost, or do
// not finish in a simulation, are left out.
func (p *Period) sample(results []*simcore.Result) *sample {
	sims := make([][]value, len(p.Seen))
	for _, res := range results {
		for i := range res.Jobs {
			if j := &res.Jobs[i]; !j.Failed {
				sims[j.Job] = append(sims[j.Job], value{j.Submit.Seconds(), j.Finish.Seconds(), j.Completion().Seconds(), j.Wait().Seconds()})
			}
		}
	}
	s := &sample{}
	for i, seen := range p.Seen {
		if seen.Lost || seen.Submit == simcore.Never || seen.Finish == simcore.Never || seen.Finish <= seen.Submit || len(sims[i]) < len(results) {
			continue
		}
		v := value{seen.Submit.Seconds(), seen.Finish.Seconds(), (seen.Finish - seen.Submit).Seconds(), 0}
		if seen.Start != simcore.Never {
			v.wait = (seen.Start - seen.Submit).Seconds()
		}
		s.jobs = append(s.jobs, pair{p.Case.Work.Queues[p.Case.Work.Jobs[i].Queue], v, sims[i]})
	}
	slices.SortStableFunc(s.jobs, func(a, b pair) int {
		switch {
		case a.rec.submit < b.rec.submit:
			return -1
		case a.rec.submit > b.rec.submit:
			return 1
		}
		return 0
	})
	return s
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

func (p *Period) lost() int {
	n := 0
	for _, s := range p.Seen {
		if s.Lost {
			n++
		}
	}
	return n
}
