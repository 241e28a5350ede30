package diagnose

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"schedtune/internal/simulate"
	"schedtune/simcore"
	"schedtune/simcore/sched/capacity"
	"schedtune/simcore/yarn"
)

// Query is a question to a simulated run.
type Query struct {
	Job  string       // ID of the job in the trace, or its name where no other job has it
	At   simcore.Time // instant, since the run's time 0
	Seed uint64       // of the run that is looked at
	// Runs is how many runs with the seeds from Seed on tell when it starts.
	Runs int
	// Item makes run i from 0 on; nil: with the seeds from Seed on.
	Item func(i int) simulate.Item
	// Groups are those of users, who may submit by them; a user without any is in none that is known.
	Groups map[string][]string
	// Zero is the instant from which the times of a document count.
	Zero simcore.Time
}

// Report is the answer.
type Report struct {
	Answer    *PendingAnswer
	zero      simcore.Time // see Query
	At        simcore.Time // of the look: for a refused job just before its submission
	Submitted simcore.Time
	// Next are the instants of the next container after At without a change, one for
	// each of the runs in which the job holds as many containers at At as in the
	// first; ascending, simcore.Never where none came.
	Next []simcore.Time
	End  simcore.Time // completion in the first run; simcore.Never: it does not complete
	// Stalled is why the first run does not end; nil: it does.
	Stalled *yarn.StalledError
	// Preempted counts the job's containers that were preempted up to At, and in the whole
	// first run.
	Preempted [2]int
	// Options are the changes that were made at At in the first run: first those with
	// which the job completes clearly earlier, the best first; then that of the answer if it
	// is not one of them.
	Options []Option
	// Idle says what Tez applications hold in the first run at the instant without working.
	Idle []string
	// Notes name the other jobs whose requests are refused.
	Notes []string
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
	p := &pass{r: r, q: q, job: simcore.JobID(job), rep: &Report{At: q.At, zero: q.Zero}}
	if answered, err := p.oversized(ctx); answered || err != nil {
		return p.rep, err
	}
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
	r     *simulate.Runner
	q     Query
	job   simcore.JobID
	rep   *Report
	base  *outcome     // of the first run
	until simcore.Time // instant by which those of other runs are counted; 0: not known yet
	tries [][]Step     // to be tried, the answer's changes first
	idle  *idleTez     // of the run that is looked at; nil in others
	// forbidden: the user has no permission to submit the application.
	forbidden bool
}

// outcome is what a run came to for the job.
type outcome struct {
	held    int          // containers at the instant
	later   int          // at pass.until
	most    int          // at a time
	next    simcore.Time // next container
	lost    [2]int       // containers that were preempted, as Report.Preempted
	times   []yarn.JobTimes
	stalled *yarn.StalledError
	res     *simcore.Result
}

// item is run i.
func (p *pass) item(i int) simulate.Item {
	if p.q.Item != nil {
		return p.q.Item(i)
	}
	return simulate.Item{Seed: p.q.Seed + uint64(i)}
}

// look is the first run with a look at the scheduler.
func (p *pass) look(look func(yarn.Scheduler) bool) simulate.Item {
	it := p.item(0)
	it.LookAt, it.Look = p.rep.At, look
	return it
}

// run makes a run and counts the job's containers. A run that stalls is no error.
func (p *pass) run(ctx context.Context, it simulate.Item) (*outcome, error) {
	o := &outcome{next: simcore.Never}
	holds := 0
	it.Slowstart, it.Times = -1, &o.times
	if p.idle != nil {
		it.SparkTrace = p.idle.event
	}
	it.Watch = func(c simulate.Change) {
		if p.idle != nil {
			p.idle.watch(&c)
		}
		if c.Job != p.job || c.Delta == 0 {
			return
		}
		early := c.At <= p.rep.At
		holds += c.Delta
		o.most = max(o.most, holds)
		if early {
			o.held = holds
		} else if c.Delta > 0 {
			o.next = min(o.next, c.At)
		}
		if c.At < p.until {
			o.later = holds
		}
		if c.Lost && c.Delta < 0 {
			o.lost[1]++
			if early {
				o.lost[0]++
			}
		}
	}
	var err error
	if o.res, err = p.r.RunNamed(ctx, it); errors.As(err, &o.stalled) {
		return o, nil
	}
	return o, err
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
	if slices.ContainsFunc(p.r.Work.Jobs, func(j simcore.Job) bool { return j.Tez != nil }) {
		p.idle = &idleTez{work: p.r.Work, at: p.rep.At, held: map[[2]int32]*tezHeld{}}
	}
	o, err := p.run(ctx, p.look(func(s yarn.Scheduler) bool {
		c, id := p.find(s)
		if looked = c != nil; id >= 0 && !p.barred(c, id) {
			q := PendingQuestion{Scheduler: c, App: id, Props: p.r.Props}
			if p.rep.Answer, asked = AskPending(q); asked == nil {
				p.tries = tries(q, p.rep.Answer)
				p.more(q)
			}
		}
		return false
	}))
	if err != nil {
		return err
	}
	if asked != nil {
		return asked
	}
	if p.idle != nil && o.res != nil {
		p.rep.Idle = TezHoldings(p.idle.holders(o.res.DAGs), p.r.Work.Queues[p.r.Work.Jobs[p.job].Queue], " without work")
	}
	p.idle = nil
	p.base, p.until = o, o.next
	if o.next == simcore.Never {
		p.until = p.rep.At + 10*simcore.Minute
	}
	p.rep.Stalled, p.rep.Preempted, p.rep.End = o.stalled, o.lost, simcore.Never
	if int(p.job) < len(o.times) {
		p.rep.Submitted, p.rep.End = o.times[p.job].Submit, o.times[p.job].Finish
	}
	if a := p.rep.Answer; a != nil && a.Standing.HasMaster && len(a.Standing.Asks) == 0 &&
		o.times[p.job].Registered > p.rep.At { // the scheduler does not see that a master registers
		a.Standing.Launching = true
		a.Causes = Causes(&a.Standing, nil)
	}
	if p.forbidden {
		p.rep.Stalled, p.rep.Preempted, p.rep.End = nil, [2]int{}, simcore.Never
		return p.refused(ctx)
	}
	if o.next < simcore.Never || p.rep.Answer != nil {
		p.rep.Next = []simcore.Time{o.next}
	}
	rejected := func(r simcore.Refused) bool { return r.Job == p.job }
	switch {
	case p.rep.Answer != nil:
		return nil
	case o.res != nil && slices.ContainsFunc(o.res.Refused, rejected) ||
		o.times[p.job].Status == yarn.Rejected:
		return p.refused(ctx)
	case !looked && o.res != nil:
		return fmt.Errorf("--at %v: the run ends at %v; use an earlier instant", p.q.At.Std(), o.res.End.Std())
	}
	return fmt.Errorf("application %s: is submitted at %v; use --at from then on", p.q.Job, p.rep.Submitted.Std())
}

// barred reports whether the user may not submit the application, which a run takes all the same. On a cluster that was
// downloaded the ResourceManager has accepted it.
func (p *pass) barred(c *capacity.Scheduler, id yarn.AppID) bool {
	j := &p.r.Work.Jobs[p.job]
	st, ok := c.Standing(id)
	if p.q.Item != nil || !ok {
		return false
	}
	user := p.r.Work.Users[j.User]
	b := barred(c.Config(), c.Config().Find(st.Queue), user, p.q.Groups[user])
	if b != nil && b.Unknown {
		p.rep.Notes = append(p.rep.Notes, b.Text())
		b = nil
	}
	p.forbidden = b != nil
	return p.forbidden
}

// more adds what the workload tells to the changes that are tried: those with which a task fits beside the
// application master, the minimum allocation where it rounds requests up to more than its default does, and Spark's
// time-out for idle executors where a Spark application holds space.
func (p *pass) more(q PendingQuestion) {
	a, job := p.rep.Answer, &p.r.Work.Jobs[p.job]
	task := yarn.Resource(resourceOf(job.MapAsk))
	if steps := besideMaster(q, a, task); steps != nil {
		p.tries = slices.Insert(p.tries, 1, steps)
	}
	if len(a.Causes) == 0 || !ofSpace(a.Causes[0].Kind) {
		return
	}
	least, pending := q.Scheduler.Config().MinAllocation.Memory, (&walk{st: &a.Standing}).ask().Memory
	idle, rounded := simcore.Time(0), false
	for i := range p.r.Work.Jobs {
		j := &p.r.Work.Jobs[i]
		holds := func(h capacity.Holding) bool { return h.Name == j.ID }
		if j != job && !slices.ContainsFunc(a.Standing.Holders, holds) {
			continue
		}
		if j.Spark != nil && j.Spark.Settings.Dynamic {
			idle = max(idle, j.Spark.Settings.Idle)
		}
		for _, r := range requests(j) {
			up := (r.Memory + least - 1) / least * least
			more := least > usualLeast && up-r.Memory >= usualLeast
			if rounded = rounded || more; more && j == job && up == pending {
				p.rep.Notes = append(p.rep.Notes, fmt.Sprintf("the request for %d MiB is rounded up to %d MiB (%s)", r.Memory, up,
					leastKey))
				pending = 0 // once
			}
		}
	}
	if rounded {
		p.tries = append(p.tries, []Step{step(leastKey, fmt.Sprint(least), fmt.Sprint(usualLeast))})
	}
	if idle > usualIdle {
		p.tries = append(p.tries, []Step{step(idleKey, seconds(idle), seconds(usualIdle))})
	}
}

// Settings that count from the beginning of a run: the minimum allocation and Spark's time-out for idle executors,
// with their defaults.
const (
	leastKey   = "yarn.scheduler.minimum-allocation-mb"
	usualLeast = 1024

	idleKey   = "spark.dynamicAllocation.executorIdleTimeout"
	usualIdle = simcore.Minute
)

// seconds is a time as Spark's settings have it.
func seconds(t simcore.Time) string { return fmt.Sprintf("%gs", t.Seconds()) }

// refused looks just before the submission that is refused.
func (p *pass) refused(ctx context.Context) error {
	p.rep.At = max(p.rep.Submitted-1, 0)
	p.rep.Next = nil
	j := &p.r.Work.Jobs[p.job]
	_, err := p.run(ctx, p.look(func(s yarn.Scheduler) bool {
		if c, _ := p.find(s); c != nil {
			spec := yarn.AppSpec{Name: j.ID, User: p.r.Work.Users[j.User], Queue: p.r.Work.Queues[j.Queue],
				Priority: j.Priority, PrioritySet: j.PrioritySet, AM: yarn.Resource(resourceOf(j.AMAsk)),
				Groups: p.q.Groups[p.r.Work.Users[j.User]]}
			if j.Labels != nil {
				spec.Label, spec.AMLabel = j.Labels.App, j.Labels.Master
			}
			p.rep.Answer = Refused(c, spec, p.r.Props)
		}
		return false
	}))
	if err != nil {
		return err
	}
	if p.rep.Answer == nil {
		return fmt.Errorf("application %s: is rejected at submission, before anything else has happened", p.q.Job)
	}
	if len(p.rep.Answer.Changes) > 0 && !p.forbidden { // a run does not look at permissions
		p.tries = append([][]Step{p.rep.Answer.Changes}, p.rep.Answer.tries...)
	}
	return nil
}

// predict makes the other runs, and the first one with each of the changes.
func (p *pass) predict(ctx context.Context) error {
	a := p.rep.Answer
	if len(a.Causes) == 0 || a.Causes[0].Kind == KindEnded {
		return nil
	}
	for i := 1; i < p.q.Runs && len(p.rep.Next) > 0; i++ {
		o, err := p.run(ctx, p.item(i))
		if err != nil {
			return err
		}
		if o.held == p.base.held {
			p.rep.Next = append(p.rep.Next, o.next)
		}
	}
	slices.Sort(p.rep.Next)
	return p.choose(ctx)
}
