package diagnose

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"schedtune/internal/text"
	"schedtune/simcore"
	"schedtune/simcore/sched/capacity"
	"schedtune/simcore/yarn"
	"schedtune/yarnconf"
)

// Refused answers why a submission to a queue is refused: the tests that it fails, in the
// order of the scheduler, and the least change with which it is accepted. The
// scheduler stays as it is. No causes: it is accepted.
func Refused(s *capacity.Scheduler, spec yarn.AppSpec, props func([]yarnconf.Change) (yarnconf.Props,
	error)) *PendingAnswer {
	a := &PendingAnswer{Standing: capacity.Standing{App: -1, Name: spec.Name, User: spec.User, Queue: spec.Queue}}
	a.Causes = admission(s, spec)
	if len(a.Causes) == 0 || !a.Causes[0].Binding {
		return a
	}
	q := search{PendingQuestion: PendingQuestion{Scheduler: s, App: -1, Props: props}, submission: &spec}
	if a.Changes = q.settings(a.Causes[0]); a.Changes != nil {
		a.goOn(&q, spec)
	}
	return a
}

// goOn looks for what else keeps an application from its first container once it is accepted.
func (a *PendingAnswer) goOn(q *search, spec yarn.AppSpec) {
	c := q.with()
	if c == nil {
		return
	}
	spec.AM.Memory, spec.AM.VCores = cmp.Or(spec.AM.Memory, 1536), cmp.Or(spec.AM.VCores, 1)
	id, err := c.Submit(spec)
	if err != nil || starts(c.Clone(), id) {
		return
	}
	before := slices.Clone(q.steps)
	then, next := q.next(c, id)
	if next == nil {
		return
	}
	for _, more := range tries(then, next) {
		a.tries = append(a.tries, append(slices.Clone(before), more...))
	}
	q.add(next.Changes)
	a.Changes, a.Then, a.In = q.steps, next.Then, next.In
	if len(next.Changes) == 0 {
		a.Then = &next.Causes[0]
	}
}

// next asks again about an application in a copy of the scheduler that has the steps found so far; nil:
// nothing holds it.
func (s *search) next(c *capacity.Scheduler, id yarn.AppID) (PendingQuestion, *PendingAnswer) {
	made := changesOf(s.steps)
	q := PendingQuestion{Scheduler: c, App: id, Props: func(more []yarnconf.Change) (yarnconf.Props, error) {
		return s.Props(append(slices.Clone(made), more...))
	}}
	a, err := AskPending(q)
	if err != nil || len(a.Causes) == 0 || !a.Causes[0].Binding || Settled(a.Causes[0].Kind) {
		return q, nil
	}
	return q, a
}

// besideMaster returns the changes of an answer that start an application master, with those that
// leave room for a container of a task beside it; nil: there is room without.
func besideMaster(q PendingQuestion, a *PendingAnswer, task yarn.Resource) []Step {
	s := search{PendingQuestion: q, steps: slices.Clone(a.Changes)}
	c := s.with()
	if a.Standing.HasMaster || len(a.Changes) == 0 || task.Memory == 0 || c == nil || !starts(c, q.App) {
		return nil
	}
	c.Ask(q.App, []yarn.Ask{{Priority: 20, Where: yarn.AnyPlace, Size: task, Count: 1}}, nil, &yarn.AskResponse{})
	_, next := s.next(c, q.App)
	if next == nil || len(next.Changes) == 0 || next.Then != nil {
		return nil
	}
	s.add(next.Changes)
	return s.steps
}

// firstStep is the first of 1 to steps for which a test passes that fails below
// some step and passes from there on; 0: none.
func firstStep(guess, steps int, passes func(int) bool) int {
	high := min(max(guess, 1), steps)
	low := 0
	for !passes(high) {
		if high == steps {
			return 0
		}
		low, high = high, min(2*high+1, steps)
	}
	if high > 1 && high == guess && !passes(high-1) {
		return high
	}
	return low + 1 + sort.Search(high-low-1, func(i int) bool { return passes(low + 1 + i) })
}

// admission lists the tests of a submission: first those that it fails.
func admission(s *capacity.Scheduler, spec yarn.AppSpec) []Cause {
	var first []Cause
	if c := labelled(s, spec); c != nil {
		first = append(first, *c)
	}
	i := s.Config().Find(spec.Queue)
	if spec.ByRules || i < 0 { // a queue that is not there may be made
		c := s.Clone()
		leaf, err := c.Destination(spec)
		if err != nil {
			return append(first, notMade(spec, err))
		}
		s, i = c, c.Config().Find(leaf)
	}
	if i < 0 || !s.Config().Queues[i].Leaf {
		return first
	}
	if c := barred(s.Config(), i, spec.User, spec.Groups); c != nil && !c.Unknown {
		first = append(first, *c)
	}
	fails, passes := tests(s, i, spec.User)
	return append(append(first, fails...), passes...)
}

// barred is the test of the permissions, which the ResourceManager makes before the scheduler sees the
// application (RMAppManager.createAndPopulateNewRMApp); nil: it passes. groups are those of the user, none where
// they are not known.
func barred(conf *yarnconf.Config, leaf int, user string, groups []string) *Cause {
	may, members := conf.MaySubmit(leaf, user, groups)
	if may {
		return nil
	}
	path := conf.Queues[leaf].Path
	c := &Cause{Kind: KindPermission, Binding: true, Queue: path, User: user,
		Property: conf.Setting(path, yarnconf.SubmitACL)}
	if c.Unknown = len(groups) == 0 && len(members) > 0; c.Unknown {
		c.Reason = "members of " + strings.Join(members, ", ") + " may, and no --groups file tells the user's groups"
		return c
	}
	for i := range conf.Queues {
		if may, _ := conf.MaySubmit(i, user, groups); may && conf.Queues[i].Leaf {
			c.Reason = "the user may submit to " + conf.Queues[i].Path
			break
		}
	}
	return c
}

// tests are those of a submission to a leaf that is there.
func tests(s *capacity.Scheduler, leaf int, user string) (fails, passes []Cause) {
	for _, l := range s.Admission(leaf, user) {
		c := Cause{Binding: !l.Passes, Queue: l.Queue, User: user, Counts: l.Counts, Count: l.Present, Most: l.Limit}
		switch {
		case !l.Counts:
			conf := s.Config()
			c.Kind, c.Property = KindStopped, yarnconf.Key(conf.StateFrom(conf.Find(l.Queue)), "state")
		case l.Queue == "":
			c.Kind, c.Property = KindClusterApps, yarnconf.Prefix+"maximum-applications"
		case l.User != "":
			c.Kind, c.Property = KindUserApps, yarnconf.Key(l.Queue, yarnconf.UserFactor)
		default:
			c.Kind, c.Property = KindApplications, yarnconf.Key(l.Queue, "maximum-applications")
		}
		c.Property = source(s.Config(), &c)
		if !l.Passes {
			fails = append(fails, c)
		} else if l.Counts {
			passes = append(passes, c)
		}
	}
	return fails, passes
}

// labelled is the test of the label that a master is asked with; nil: it passes. The
// ResourceManager makes it before all others.
func labelled(s *capacity.Scheduler, spec yarn.AppSpec) *Cause {
	i := s.Config().Find(spec.Queue)
	if spec.AMLabel == "" || spec.AMLabel == yarn.DefaultPartition || i < 0 ||
		s.Config().Queues[i].Accessible(spec.AMLabel) {
		return nil
	}
	return &Cause{Kind: KindNoAccess, Binding: true, Queue: spec.Queue, User: spec.User, Partition: spec.AMLabel,
		Property: s.Config().Setting(spec.Queue, "accessible-node-labels")}
}

// notMade is the cause of a submission whose queue is not there and is not made.
func notMade(spec yarn.AppSpec, err error) Cause {
	c := Cause{Kind: KindNotMade, Binding: true, Queue: spec.Queue, User: spec.User,
		Reason: strings.TrimPrefix(err.Error(), "application "+spec.Name+": ")}
	if e := (*yarnconf.NotMadeError)(nil); errors.As(err, &e) {
		c.Queue, c.Property, c.Counts, c.Count, c.Most = e.Parent, e.Property, e.Limit > 0, e.Present, e.Limit
	}
	return c
}

// tooLarge returns why a queue may not request a container of a size: it is above the maximum allocation, or
// above the largest node; nil: it may.
func tooLarge(q *yarnconf.Queue, largest, ask yarnconf.Resource) *Cause {
	c := &Cause{Kind: KindTooLarge, Binding: true, Queue: q.Path, Asked: yarn.Resource(ask)}
	most := q.MaxAllocation
	if ask.FitsIn(most) {
		c.Kind, most = KindTooSmall, largest
	}
	if ask.FitsIn(most) {
		return nil
	}
	c.Limit, c.Cores = yarn.Resource(most), ask.VCores > most.VCores
	return c
}

// tooLarge returns the first request of a job that its queue may not make, as a cause, and the queue; nil:
// there is none.
func (p *pass) tooLarge(conf *yarnconf.Config, largest yarnconf.Resource, j *simcore.Job) (*yarnconf.Queue, *Cause) {
	w := p.r.Work
	q := queueOf(conf, w.Queues[j.Queue])
	if q == nil {
		return nil, nil
	}
	for _, ask := range requests(j) {
		if c := tooLarge(q, largest, ask); c != nil {
			c.User = w.Users[j.User]
			return q, c
		}
	}
	return q, nil
}

// requests are the sizes of the containers that a job asks for, that of its application master first.
func requests(j *simcore.Job) []yarnconf.Resource {
	out := []yarnconf.Resource{resourceOf(j.AMAsk)}
	if j.Maps > 0 {
		out = append(out, resourceOf(j.MapAsk))
	}
	if j.Reduces > 0 {
		out = append(out, resourceOf(j.ReduceAsk))
	}
	if j.Spark != nil {
		for i := range j.Spark.Executors {
			out = append(out, resourceOf(j.Spark.Executors[i].Container))
		}
	}
	if j.Tez != nil {
		for i := range j.Tez.Vertices {
			out = append(out, resourceOf(j.Tez.Vertices[i].Size))
		}
	}
	return out
}

// oversized answers for a job that asks for a container above the maximum allocation or the largest node, which
// Hadoop refuses; false: it does not. The change is tried in a run from the beginning, since the ResourceManager
// reads the maximum at its start. Other jobs with such requests are noted.
func (p *pass) oversized(ctx context.Context) (bool, error) {
	var steps []Step
	rep, j, most := p.rep, &p.r.Work.Jobs[p.job], largest(p.r.Cluster.All())
	for len(steps) < maxSteps {
		conf, err := p.r.Config(changesOf(steps))
		if err != nil {
			return false, err
		}
		q, c := p.tooLarge(conf, most, j)
		if steps == nil {
			p.noteOversized(conf, most)
		}
		if c == nil {
			break
		}
		if rep.Answer == nil {
			rep.Answer = &PendingAnswer{Causes: []Cause{*c}, Standing: capacity.Standing{Name: j.ID, User: c.User,
				Queue: c.Queue, Stage: capacity.Active, HasMaster: yarnconf.Resource(c.Asked) !=
					resourceOf(j.AMAsk) && (j.Spark == nil || yarnconf.Resource(c.Asked).FitsIn(conf.MaxAllocation.MinEach(most)))}}
		}
		if c.Kind == KindTooSmall {
			if rep.Answer.Node = (&NewNode{Memory: c.Asked.Memory, VCores: c.Asked.VCores}); steps != nil {
				rep.Answer.Then = c
			}
			break
		}
		steps = append(steps, allowing(conf, q, yarnconf.Resource(c.Asked)))
	}
	if rep.Answer == nil {
		return false, nil
	}
	rep.Answer.Changes, rep.End = steps, simcore.Never
	base, err := p.run(ctx, p.item(0))
	if err != nil {
		return false, err
	}
	if p.base, rep.Submitted = base, base.times[p.job].Submit; !rep.Answer.Standing.HasMaster {
		rep.At = max(rep.Submitted-1, 0)
	}
	if rep.Answer.Node != nil {
		return true, nil
	}
	it := p.item(0)
	it.Changes = changesOf(steps)
	o, err := p.whole(ctx, it, steps)
	if err == nil {
		o.Next, o.Helps = simcore.Never, o.End < simcore.Never
		rep.Options = []Option{*o}
	}
	return true, err
}

// noteOversized notes the other jobs with requests that are refused.
func (p *pass) noteOversized(conf *yarnconf.Config, most yarnconf.Resource) {
	n, first := 0, ""
	for i := range p.r.Work.Jobs {
		if _, c := p.tooLarge(conf, most, &p.r.Work.Jobs[i]); c == nil || simcore.JobID(i) == p.job {
			continue
		} else if n++; n == 1 {
			first = p.r.Work.Jobs[i].ID + ": " + c.Text()
		}
	}
	if n > 0 {
		p.rep.Notes = append(p.rep.Notes, fmt.Sprintf("%s cannot run, first %s", text.Count(n, "other application"), first))
	}
}

// allowing is the change of the first maximum on the way from the cluster to a queue that a size
// does not fit in.
func allowing(conf *yarnconf.Config, q *yarnconf.Queue, size yarnconf.Resource) (first Step) {
	prefix, most := "yarn.scheduler.", conf.MaxAllocation
	for q != nil && size.FitsIn(conf.MaxAllocation) {
		prefix, most = yarnconf.Key(q.Path, ""), q.MaxAllocation
		if q.Parent < 0 || size.FitsIn(conf.Queues[q.Parent].MaxAllocation) {
			break
		}
		q = &conf.Queues[q.Parent]
	}
	if size.Memory > most.Memory {
		return step(prefix+"maximum-allocation-mb", strconv.FormatInt(most.Memory, 10), strconv.FormatInt(size.Memory, 10))
	}
	return step(prefix+"maximum-allocation-vcores", strconv.FormatInt(most.VCores, 10), strconv.FormatInt(size.VCores, 10))
}
