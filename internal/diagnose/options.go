package diagnose

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"slices"
	"strconv"
	"time"

	"schedtune/internal/parallel"
	"schedtune/internal/simulate"
	"schedtune/simcore"
	"schedtune/simcore/sched/capacity"
	"schedtune/simcore/yarn"
	"schedtune/yarnconf"
)

// Changes that free space over time: the order of applications, user limits, preemption.
// One container on a copy of the scheduler says little about them, so that each is made at
// the instant in a run of its own, and what counts is when the application completes.

// Option is a change that was tried in a simulated run.
type Option struct {
	Steps  []Step `json:"changes"`
	Helps  bool   `json:"helps"`  // it completes clearly earlier, and the others complete
	Whole  bool   `json:"-"`      // it was made at the beginning of the run
	Starts bool   `json:"starts"` // it only holds more when it would get its next container without
	// Held is how many containers it holds then, or ten minutes after the instant if it would
	// get none, and Without how many without the change.
	Held    int          `json:"containers"`
	Without int          `json:"containers_without"`
	Next    simcore.Time `json:"-"` // next container; simcore.Never: none
	End     simcore.Time `json:"-"` // completion, likewise
	// Others is how much later the other jobs complete on average; Slowed is the one that
	// loses most, by SlowedBy.
	Others   simcore.Time  `json:"-"`
	Slowed   simcore.JobID `json:"-"`
	SlowedBy simcore.Time  `json:"-"`
}

// Helping changes save a minute or a fifth of the time from submission to completion.
const (
	clearly      = simcore.Minute
	clearlyShare = 0.2
)

// nearlyBest is the part of the largest saving for which a smaller change is taken.
const nearlyBest = 0.8

// mostPairs bounds the runs with two changes.
const mostPairs = 10

// tries lists the changes to try in runs: those of the answer, and what may free space over
// time, the mildest first.
func tries(q PendingQuestion, a *PendingAnswer) (list [][]Step) {
	add := func(steps ...Step) {
		if len(steps) > 0 && !slices.ContainsFunc(list, func(o []Step) bool { return slices.Equal(o, steps) }) {
			list = append(list, steps)
		}
	}
	add(a.Changes...)
	s := search{PendingQuestion: q}
	st, conf := &a.Standing, q.Scheduler.Config()
	if leaf := queueOf(conf, st.Queue); leaf != nil && !leaf.PreemptionDisabled && st.Stage == capacity.Active {
		list = append(list, []Step{step(conf.Setting(st.Queue, "disable_preemption"), "false", "true")})
	}
	if len(a.Causes) == 0 || !a.Causes[0].Binding || Settled(a.Causes[0].Kind) {
		return list
	}
	if k := a.Causes[0].Kind; k == KindMastersQueue || k == KindMastersUser {
		if x := masterShares(conf, st, &a.Causes[0])[0]; x.steps > 0 {
			add(x.stepsAt(x.steps)...)
		}
	}
	if k := a.Causes[0].Kind; k == KindUserLimit {
		add(filled(conf, st)...)
	}
	for _, single := range append(shares(conf, st), fewer(conf, st)...) {
		add(single)
	}
	if steps, _, ok := s.preemption(st); ok {
		add(steps...)
	}
	var lifted []Step
	for _, k := range raiseAll(conf, st, true) {
		lifted = append(lifted, k.stepsAt(k.steps)...)
	}
	add(lifted...)
	return list
}

// pairs are changes that are tried together where none alone helps.
func pairs(list [][]Step) (out [][]Step) {
	for i, x := range list {
		for _, y := range list[:i] {
			if len(x) == 1 && len(y) == 1 && x[0].Key != y[0].Key && len(out) < mostPairs {
				out = append(out, []Step{y[0], x[0]})
			}
		}
	}
	return out
}

// shares are the settings that share a leaf among its applications and users.
func shares(conf *yarnconf.Config, st *capacity.Standing) (out []Step) {
	q := queueOf(conf, st.Queue)
	users, others, lower := map[string]int64{st.User: 0}, false, false
	for i := range st.Holders {
		if h := &st.Holders[i]; h.Queue == st.Queue && h.App != st.App {
			others, lower = true, lower || h.Priority < st.Priority
			users[h.User] += h.Used.Memory
		}
	}
	if q == nil || !others {
		return nil
	}
	switch {
	case q.AppOrder == yarnconf.FIFO:
		out = append(out, step(conf.Setting(q.Path, "ordering-policy"), "fifo", "fair"))
	case lower: // only fifo looks at priorities
		out = append(out, step(conf.Setting(q.Path, "ordering-policy"), "fair", "fifo"))
	}
	if even := 100 / len(users); len(users) > 1 && float32(even) < q.UserLimit {
		out = append(out, step(conf.Setting(q.Path, yarnconf.MinimumUser), whyShort(float64(q.UserLimit)),
			strconv.Itoa(even)))
	}
	for _, used := range users {
		if used > st.Levels[0].Guaranteed.Memory && users[st.User] < used && q.UserLimitFactor != 1 {
			return append(out, step(conf.Setting(q.Path, yarnconf.UserFactor), whyShort(float64(q.UserLimitFactor)), "1"))
		}
	}
	return out
}

// fewer halves the applications that run at a time in the other leaf that holds most.
func fewer(conf *yarnconf.Config, st *capacity.Standing) []Step {
	n, most, held := map[string]int{}, "", int64(0)
	for i := range st.Holders {
		h := &st.Holders[i]
		if h.Queue == st.Queue {
			continue
		}
		if n[h.Queue]++; h.QueueUsed.Memory > held {
			most, held = h.Queue, h.QueueUsed.Memory
		}
	}
	return atMost(conf, most, n[most]/2)
}

// atMost lets n applications of a leaf run at a time; nil where no more do.
func atMost(conf *yarnconf.Config, queue string, n int) []Step {
	q := queueOf(conf, queue)
	if q == nil || n < 1 || q.MaxParallelApps <= n {
		return nil
	}
	present := "no limit"
	if q.MaxParallelApps < yarnconf.MaxInt {
		present = strconv.Itoa(q.MaxParallelApps)
	}
	return []Step{step(conf.Setting(queue, "max-parallel-apps"), present, strconv.Itoa(n))}
}

// unlocked tries, in runs that stall whatever is changed at the instant, changes from the beginning on: a label for
// requests without one where every node has one, and fewer applications of the leaf at a time, whose application
// masters hold the space that their tasks wait for. nil: none helps.
func (p *pass) unlocked(ctx context.Context) (*Option, error) {
	conf, err := p.r.Config(nil)
	if err != nil {
		return nil, err
	}
	st := &p.rep.Answer.Standing
	elsewhere := func(h capacity.Holding) bool { return h.Queue != st.Queue }
	var list [][]Step
	for _, l := range p.r.Cluster.Labels {
		if c := &p.rep.Answer.Causes[0]; c.Kind == KindNoNodes && c.Partition == "" {
			list = append(list, []Step{step(conf.Setting(st.Queue, "default-node-label-expression"), "none", l.Name)})
		}
	}
	for n := len(slices.DeleteFunc(slices.Clone(st.Holders), elsewhere)) / 2; n > 0; n /= 2 {
		list = append(list, atMost(conf, st.Queue, n))
	}
	for _, steps := range list {
		it := p.item(0)
		if it.Changes = changesOf(steps); steps == nil {
			continue
		}
		if o, err := p.whole(ctx, it, steps); err != nil || o.Helps {
			return o, err
		}
	}
	return nil, nil
}

// filled is the user-limit-factor with which one user may fill the application's leaf up to its maximum.
func filled(conf *yarnconf.Config, st *capacity.Standing) []Step {
	q, l := queueOf(conf, st.Queue), &st.Levels[0]
	if q == nil || l.Guaranteed.Memory <= 0 {
		return nil
	}
	from, to := float64(q.UserLimitFactor), fills(yarnconf.Resource(l.Maximum), yarnconf.Resource(l.Guaranteed))
	if from < 0 || from >= to {
		return nil
	}
	return []Step{step(conf.Setting(q.Path, yarnconf.UserFactor), whyShort(from), whyShort(to))}
}

// choose makes the runs with changes and puts what helps first.
func (p *pass) choose(ctx context.Context) error {
	options, err := p.all(ctx, p.tries)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(options, func(o *Option) bool { return o != nil && (o.Helps || o.Starts) }) {
		more, err := p.all(ctx, pairs(p.tries))
		if err != nil {
			return err
		}
		options = append(options, more...)
		if p.rep.Stalled != nil && !slices.ContainsFunc(more, func(o *Option) bool { return o != nil && o.Helps }) {
			o, err := p.unlocked(ctx)
			if err != nil {
				return err
			}
			options = append(options, o)
		}
	}
	best := simcore.Time(0)
	for _, o := range options {
		if o != nil && o.Helps {
			best = max(best, p.saved(o))
		}
	}
	for _, o := range options {
		if o != nil && (o.Helps || best == 0 && o.Starts) {
			p.rep.Options = append(p.rep.Options, *o)
		}
	}
	// The smallest of those that are nearly the best comes first.
	slices.SortStableFunc(p.rep.Options, func(a, b Option) int {
		class := func(o *Option) int {
			if best == 0 {
				return 0
			}
			return int(min(1, float64(p.saved(o))/nearlyBest/float64(best)) * 4)
		}
		return cmp.Or(cmp.Compare(class(&b), class(&a)), cmp.Compare(len(a.Steps), len(b.Steps)),
			cmp.Compare(restarts(a.Steps), restarts(b.Steps)))
	})
	for i := 0; i < len(p.rep.Options); i++ { // what is added to a change that helps must help more
		p.rep.Options = append(p.rep.Options[:i+1], slices.DeleteFunc(p.rep.Options[i+1:], func(o Option) bool {
			return contains(p.rep.Options[i], o)
		})...)
	}
	a := p.rep.Answer
	if len(p.rep.Options) > 0 {
		a.Changes, a.Then, a.Node, a.Passes = p.rep.Options[0].Steps, nil, nil, false
	} else if len(a.Changes) > 0 && len(options) > 0 && options[0] != nil {
		p.rep.Options = append(p.rep.Options, *options[0])
	}
	return nil
}

// all tries changes, several at a time.
func (p *pass) all(ctx context.Context, list [][]Step) ([]*Option, error) {
	options, errs := make([]*Option, len(list)), make([]error, len(list))
	parallel.Each(runtime.GOMAXPROCS(0), len(list), func(i int) { options[i], errs[i] = p.try(ctx, list[i]) })
	return options, errors.Join(errs...)
}

// contains reports whether an option makes all the changes of another, or changes the same settings for nothing.
func contains(less, more Option) bool {
	return !slices.ContainsFunc(less.Steps, func(s Step) bool {
		return !slices.ContainsFunc(more.Steps, func(o Step) bool {
			return o.Key == s.Key && (o.Value == s.Value || more.End >= less.End)
		})
	})
}

// restarts counts the changes that need more than a refresh.
func restarts(steps []Step) (n int) {
	for i := range steps {
		if steps[i].Restart != "" {
			n++
		}
	}
	return n
}

// saved is how much earlier the job completes with a change.
func (p *pass) saved(o *Option) simcore.Time {
	return min(p.rep.End, simcore.Never/2) - min(o.End, simcore.Never/2)
}

// try makes the first run with a change at the instant, or from the beginning where the
// job is refused. nil: the change is refused.
func (p *pass) try(ctx context.Context, steps []Step) (*Option, error) {
	if len(steps) == 1 && steps[0].Key == idleKey { // read by each application when it starts
		return p.shorter(ctx, steps)
	}
	changes := changesOf(steps)
	if len(steps) == 1 && steps[0].Key == leastKey { // the ResourceManager reads it at its start
		it := p.item(0)
		it.Changes = changes
		return p.whole(ctx, it, steps)
	}
	props, err := p.r.Props(changes)
	if err != nil {
		return nil, nil
	}
	conf, err := yarnconf.Evaluate(props)
	if err != nil {
		return nil, nil
	}
	taken := true
	it := p.look(func(s yarn.Scheduler) bool {
		c, _ := p.find(s)
		taken = c != nil && len(c.Refresh(props)) == 0
		return taken
	})
	it.PreemptEvery = yarn.PreemptionInterval(conf.Preemption.Enabled, conf.Preemption.MonitoringInterval)
	out, err := p.run(ctx, it)
	if err != nil || !taken {
		return nil, err
	}
	return p.judge(steps, out), nil
}

// shorter makes the first run with another time-out for idle executors from the beginning.
func (p *pass) shorter(ctx context.Context, steps []Step) (*Option, error) {
	from, err := time.ParseDuration(steps[0].Present)
	if err != nil {
		return nil, err
	}
	it := p.item(0)
	idle := simcore.DefaultOf{Spark: func(s *simcore.SparkSettings) any { return &s.Idle }}
	it.Defaults = simcore.DefaultMoves{{Of: idle, From: float64(from.Microseconds()), To: float64(usualIdle)}}
	return p.whole(ctx, it, steps)
}

// whole makes a run with changes from the beginning.
func (p *pass) whole(ctx context.Context, it simulate.Item, steps []Step) (*Option, error) {
	out, err := p.run(ctx, it)
	if err != nil {
		return nil, err
	}
	o := p.judge(steps, out)
	o.Whole = true
	return o, nil
}

// judge compares a run with changes with the first one.
func (p *pass) judge(steps []Step, out *outcome) *Option {
	o := &Option{Steps: steps, Next: out.next, End: out.times[p.job].Finish, Held: out.later, Without: p.base.held}
	saved := p.saved(o)
	o.Helps = saved >= clearly || float64(saved) >= clearlyShare*float64(min(p.rep.End, simcore.Never/2)-p.rep.Submitted)
	if p.rep.Submitted > p.rep.At { // it was refused: to run at all is what helps
		o.Helps = o.End < simcore.Never
	}
	n := simcore.Time(0)
	for j := range out.times {
		now, before := out.times[j].Finish, p.base.times[j].Finish
		if simcore.JobID(j) == p.job || before == simcore.Never {
			continue
		}
		if now == simcore.Never {
			o.Helps, o.Starts = false, false
			return o
		}
		n++
		o.Others += now - before
		if now-before > o.SlowedBy {
			o.Slowed, o.SlowedBy = simcore.JobID(j), now-before
		}
	}
	o.Others /= max(n, 1)
	o.Starts = !o.Helps && o.Held > max(p.base.held+1, p.base.most/5)
	return o
}
