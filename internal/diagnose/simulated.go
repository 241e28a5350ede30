package diagnose

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"schedtune/internal/simulate"
	"schedtune/simcore"
	"schedtune/simcore/sched/capacity"
	"schedtune/simcore/yarn"
	"schedtune/yarnconf"
)

// Query is a question to a simulated run.
type Query struct {
	Job  string       // ID of the job in the trace, or its name where no other job has it
	At   simcore.Time // instant, since the run's time 0
	Seed uint64       // of the run that is looked at
	// Runs is how many runs with the seeds from Seed on tell when it starts.
	Runs int
}

// Report is the answer.
type Report struct {
	Answer    *PendingAnswer
	At        simcore.Time // of the look: for a refused job just before its submission
	Submitted simcore.Time
	// Next are the instants of the next container after At without a change, one for
	// each of the runs in which the job holds as many containers at At as in the
	// first; ascending, simcore.Never where none came.
	Next []simcore.Time
	Runs int
	// With is the same in the first run with the named changes made at At; Never:
	// none named, or none came.
	With simcore.Time
}

// Ask answers a question. Errors: a job that the trace does not have, one that is not
// submitted at the instant, a scheduler other than the Capacity Scheduler.
func AskSimulated(ctx context.Context, r *simulate.Runner, q Query) (*Report, error) {
	job := slices.IndexFunc(r.Work.Jobs, func(j simcore.Job) bool { return j.ID == q.Job })
	if job < 0 { // the only one of that name
		named := func(j simcore.Job) bool { return j.Name == q.Job }
		if at := slices.IndexFunc(r.Work.Jobs, named); at >= 0 && slices.IndexFunc(r.Work.Jobs[at+1:], named) < 0 {
			job, q.Job = at, r.Work.Jobs[at].ID
		}
	}
	if job < 0 {
		return nil, fmt.Errorf("application %q: not in the trace; use %s", q.Job, some(r.Work.Jobs))
	}
	p := &pass{r: r, q: q, job: simcore.JobID(job), rep: &Report{At: q.At, With: simcore.Never}}
	if err := p.first(ctx); err != nil {
		return nil, err
	}
	return p.rep, p.predict(ctx)
}

// some lists the first few jobs of a trace.
func some(jobs []simcore.Job) string {
	var names []string
	for i := range jobs {
		if i == 5 {
			return fmt.Sprintf("%s and %d more", strings.Join(names, ", "), len(jobs)-i)
		}
		names = append(names, jobs[i].ID)
	}
	return strings.Join(names, ", ")
}

// pass carries one question.
type pass struct {
	r       *simulate.Runner
	q       Query
	job     simcore.JobID
	rep     *Report
	held    int // containers so far at the instant, in the run at hand
	next    simcore.Time
	heldAt1 int // in the first run
}

// item is a run whose containers of the job are counted.
func (p *pass) item(seed uint64) simulate.Item {
	p.held, p.next = 0, simcore.Never
	return simulate.Item{Slowstart: -1, Seed: seed, Watch: func(c simulate.Change) {
		switch {
		case c.Job != p.job || c.Event != "allocated":
		case c.At <= p.rep.At:
			p.held++
		default:
			p.next = min(p.next, c.At)
		}
	}}
}

// find returns the scheduler and the job's last application.
func (p *pass) find(s yarn.Scheduler) (*capacity.Scheduler, yarn.AppID) {
	c, ok := s.(*capacity.Scheduler)
	if !ok {
		return nil, -1
	}
	for id := c.Submitted() - 1; id >= 0; id-- {
		if c.NameOf(yarn.AppID(id)) == p.q.Job {
			return c, yarn.AppID(id)
		}
	}
	return c, -1
}

// first makes the run that is looked at.
func (p *pass) first(ctx context.Context) error {
	var asked error
	looked := false
	var times []yarn.JobTimes
	it := p.item(p.q.Seed)
	it.LookAt, it.Times = p.rep.At, &times
	it.Look = func(s yarn.Scheduler) bool {
		c, id := p.find(s)
		if looked = c != nil; id >= 0 {
			p.rep.Answer, asked = AskPending(PendingQuestion{Scheduler: c, App: id, Props: p.r.Props})
		}
		return false
	}
	res, err := p.r.RunNamed(ctx, it)
	if err != nil {
		return err
	}
	if asked != nil {
		return asked
	}
	p.heldAt1 = p.held
	if int(p.job) < len(times) {
		p.rep.Submitted = times[p.job].Submit
	}
	if p.next < simcore.Never || p.rep.Answer != nil {
		p.rep.Next, p.rep.Runs = []simcore.Time{p.next}, 1
	}
	switch {
	case p.rep.Answer != nil:
		return nil
	case slices.ContainsFunc(res.Refused, func(r simcore.Refused) bool { return r.Job == p.job }):
		return p.refused(ctx)
	case !looked:
		return fmt.Errorf("--at %v: the run ends at %v; use an earlier instant", p.q.At.Std(), res.End.Std())
	}
	return fmt.Errorf("application %s: is submitted at %v; use --at from then on", p.q.Job, p.rep.Submitted.Std())
}

// refused looks just before the submission that is refused.
func (p *pass) refused(ctx context.Context) error {
	p.rep.At = max(p.rep.Submitted-1, 0)
	p.rep.Next, p.rep.Runs = nil, 0
	j := &p.r.Work.Jobs[p.job]
	it := p.item(p.q.Seed)
	it.LookAt = p.rep.At
	it.Look = func(s yarn.Scheduler) bool {
		if c, _ := p.find(s); c != nil {
			spec := yarn.AppSpec{Name: j.ID, User: p.r.Work.Users[j.User], Queue: p.r.Work.Queues[j.Queue],
				Priority: j.Priority, PrioritySet: j.PrioritySet}
			if j.Labels != nil {
				spec.Label, spec.AMLabel = j.Labels.App, j.Labels.Master
			}
			p.rep.Answer = Refused(c, spec, p.r.Props)
		}
		return false
	}
	if _, err := p.r.RunNamed(ctx, it); err != nil {
		return err
	}
	if p.rep.Answer == nil {
		return fmt.Errorf("application %s: is refused at once, before anything has happened", p.q.Job)
	}
	return nil
}

// predict makes the other runs, and the first one with the changes.
func (p *pass) predict(ctx context.Context) error {
	a := p.rep.Answer
	if len(p.rep.Next) == 0 || len(a.Causes) == 0 || a.Causes[0].Kind == KindEnded {
		return nil
	}
	for i := 1; i < p.q.Runs; i++ {
		if _, err := p.r.RunNamed(ctx, p.item(p.q.Seed+uint64(i))); err != nil {
			return err
		}
		p.rep.Runs++
		if p.held == p.heldAt1 {
			p.rep.Next = append(p.rep.Next, p.next)
		}
	}
	slices.Sort(p.rep.Next)
	if len(a.Changes) == 0 {
		return nil
	}
	var changes []yarnconf.Change
	for _, c := range a.Changes {
		changes = append(changes, c.Change)
	}
	props, err := p.r.Props(changes)
	if err != nil {
		return err
	}
	it := p.item(p.q.Seed)
	it.LookAt = p.rep.At
	it.Look = func(s yarn.Scheduler) bool {
		c, _ := p.find(s)
		return c != nil && len(c.Refresh(props)) == 0
	}
	if _, err := p.r.RunNamed(ctx, it); err != nil {
		return err
	}
	p.rep.With = p.next
	return nil
}
