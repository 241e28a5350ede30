package replay

import (
	"fmt"
	"slices"

	"schedtune/simcore"
	"schedtune/simcore/sched/capacity"
	"schedtune/simcore/yarn"
	"schedtune/yarnconf"
)

// resolution bounds how far the records leave the order of two calls open: a
// heartbeat's record is written before the scheduler's own thread handles it,
// and an AM's log line after the ResourceManager has answered.
const resolution = 60 * simcore.Millisecond

// decider replays calls and compares.
type decider struct {
	run   *Run
	conf  *yarnconf.Config
	sched *capacity.Scheduler
	steps []step

	apps  []yarn.AppID         // by job, -1 = not submitted
	jobs  []int32              // by app
	live  map[*Container]int32 // recorded container to the ordinal decided
	stray []stray
	held  map[*Container]bool // over, but their processes fill their nodes
	nodes []yarn.NodeID
	place []yarn.Place
	resp  yarn.AskResponse
	cpu   bool // the calculator looks at vcores

	rounds bool // scheduling is asynchronous

	tries    []int32 // by job: the attempt under way
	models   []modelMaster
	modelled int
}

// stray is a container decided without a record.
type stray struct {
	job     int32
	kind    string
	ordinal int32
}

// outcome is one pass over all steps.
type outcome struct {
	agreeing, total int
	exceptions      []Exception
}

func (d *decider) decide() (*Decisions, error) {
	best, err := d.pass()
	if err != nil {
		return nil, err
	}
	moved := 0
	for at := 0; at < len(best.exceptions); {
		better, ok, err := d.reorder(best, best.exceptions[at].step)
		if err != nil {
			return nil, err
		}
		if !ok {
			at++
			continue
		}
		best = better
		moved++
	}
	for i := range best.exceptions {
		best.exceptions[i].Reason = d.reason(best, i)
	}
	return &Decisions{Agreeing: best.agreeing, Total: best.total, Reordered: moved, Asynchronous: d.rounds,
		Exceptions: append([]Exception{}, best.exceptions...)}, nil
}

// reorder tries to resolve the difference at a step by moving another step,
// recorded within the resolution, to its other side, or by what another heartbeat
// of the node is recorded to have done.
func (d *decider) reorder(now *outcome, at int) (*outcome, bool, error) {
	t := d.steps[at].at
	lo, hi := at, at
	for lo > 0 && t-d.steps[lo-1].at <= resolution {
		lo--
	}
	for hi+1 < len(d.steps) && d.steps[hi+1].at-t <= resolution {
		hi++
	}
	original := slices.Clone(d.steps)
	best, order := now, original
	try := func(change func()) error {
		change()
		got, err := d.pass()
		if err == nil && got.better(best) {
			best, order = got, slices.Clone(d.steps)
		}
		copy(d.steps, original)
		return err
	}
	for k := lo; k <= hi; k++ {
		if k == at || d.steps[k].kind == stepQuiet {
			continue
		}
		changes := []func(){func() { move(d.steps, k, at) }}
		if a, b := &d.steps[at], &d.steps[k]; a.kind == stepBeat && b.kind == stepBeat && a.node == b.node {
			changes = append(changes, func() { takeOver(a, b) }, func() { takeOver(b, a) })
		}
		for _, change := range changes {
			if err := try(change); err != nil {
				return nil, false, err
			}
		}
	}
	copy(d.steps, order)
	return best, best != now, nil
}

// better reports whether more containers agree, or as many and fewer are decided
// that are not recorded.
func (o *outcome) better(than *outcome) bool {
	if o.agreeing != than.agreeing {
		return o.agreeing > than.agreeing
	}
	return len(o.exceptions) < len(than.exceptions)
}

// takeOver lets one of two heartbeats of a node have what was recorded for the other:
// the records do not tell which of them allocated it or freed it.
func takeOver(to, from *step) {
	to.expected, from.expected = slices.Concat(from.expected, to.expected), nil
	to.done, from.done = slices.Concat(from.done, to.done), nil
	to.gone, from.gone = slices.Concat(from.gone, to.gone), nil
}

// move takes the step at k to the other side of the step at `at`.
func move(s []step, k, at int) {
	x := s[k]
	if k < at {
		copy(s[k:at], s[k+1:at+1])
	} else {
		copy(s[at+1:k+1], s[at:k])
	}
	s[at] = x
	if k < at {
		s[at].at = max(x.at, s[at-1].at)
	} else {
		s[at].at = min(x.at, s[at+1].at)
	}
}

// pass replays all steps once.
func (d *decider) pass() (*outcome, error) {
	if err := d.start(); err != nil {
		return nil, err
	}
	o := &outcome{}
	var events []yarn.Event
	for i := range d.steps {
		s := &d.steps[i]
		switch s.kind {
		case stepSubmit:
			if err := d.submit(s); err != nil {
				return nil, err
			}
		case stepAsk:
			d.ask(s)
		case stepModel:
			d.model(s)
		case stepKill:
			d.kill(s)
		case stepEnd:
			d.end(s)
		case stepJoin, stepDrain, stepGone:
			if err := d.turn(s); err != nil {
				return nil, err
			}
		case stepBeat:
			events = d.beat(s, events[:0])
			d.compare(o, i, events)
		case stepCommit:
			events = d.commit(s, events[:0])
			d.compare(o, i, events)
		case stepQuiet:
			events = d.sched.Round(0, 0, nil, events[:0])
			d.compare(o, i, events)
		}
	}
	return o, nil
}

func (d *decider) start() error {
	var err error
	if d.sched, err = capacity.New(d.conf); err != nil {
		return err
	}
	if d.rounds {
		d.sched.ByRounds()
	}
	d.nodes, d.place, d.stray = d.nodes[:0], d.place[:0], d.stray[:0]
	d.models = make([]modelMaster, len(d.run.Jobs))
	d.live, d.held = map[*Container]int32{}, map[*Container]bool{}
	d.apps = slices.Repeat([]yarn.AppID{-1}, len(d.run.Jobs))
	d.tries = make([]int32, len(d.run.Jobs))
	d.jobs = d.jobs[:0]
	for i := range d.run.Nodes {
		d.nodes = append(d.nodes, -1)
		if d.run.Nodes[i].stays()[0].From <= 0 {
			if err := d.addNode(i); err != nil {
				return err
			}
		}
		d.place = append(d.place, d.sched.Place(d.run.Nodes[i].Name))
	}
	d.place = append(d.place, d.sched.Place(d.run.Nodes[0].Rack))
	return nil
}

func (d *decider) submit(s *step) error {
	j := d.run.Jobs[s.job]
	app, err := d.sched.Submit(yarn.AppSpec{Name: j.Name, User: j.User, Queue: j.Queue,
		AM: yarn.Resource{Memory: j.AMMiB, VCores: 1}, Number: j.number, Stamp: j.stamp})
	if err != nil {
		return fmt.Errorf("%s: job %s: %w", d.run.Dir, j.Name, err)
	}
	for int(app) >= len(d.jobs) {
		d.jobs = append(d.jobs, -1)
	}
	d.jobs[app], d.apps[s.job], d.tries[s.job], d.models[s.job] = s.job, app, s.try, modelMaster{}
	return nil
}

func (d *decider) ask(s *step) {
	if d.apps[s.job] < 0 || d.tries[s.job] != s.try {
		return
	}
	asks := slices.Clone(s.asks)
	for i := range asks {
		if asks[i].Where < 0 {
			asks[i].Where = d.place[-1-asks[i].Where]
		}
	}
	var release []int32
	live := slices.DeleteFunc(slices.Clone(s.release), func(c *Container) bool { // what is gone already is ignored
		ord, ok := d.find(s.job, c)
		if ok {
			release = append(release, ord)
		}
		return !ok
	})
	d.sched.Ask(d.apps[s.job], asks, release, &d.resp)
	for _, c := range live {
		d.hold(c, s.at)
	}
}

// kill ends containers without their node or master.
func (d *decider) kill(s *step) {
	for _, c := range s.release {
		job := d.jobOf(c)
		if ord, ok := d.find(job, c); ok && d.apps[job] >= 0 {
			d.sched.Ask(d.apps[job], nil, []int32{ord}, &d.resp)
			d.hold(c, s.at)
		}
	}
}

// end ends an application with the containers that are left.
func (d *decider) end(s *step) {
	if d.apps[s.job] < 0 || d.tries[s.job] != s.try {
		return
	}
	d.sched.End(d.apps[s.job])
	for _, c := range d.run.Jobs[s.job].Containers {
		if _, ok := d.live[c]; ok {
			delete(d.live, c)
			d.hold(c, s.at)
		}
	}
}

// hold keeps the space of a container that is over while its process runs: a node
// that received its start has the space back when it reports the process gone
// (SchedulerNode.releaseContainer).
func (d *decider) hold(c *Container, at simcore.Time) {
	if d.nodes[c.Node] < 0 || c.Running == simcore.Never || c.Running > at || c.Gone == simcore.Never ||
		c.Gone < at && c.Over == 0 {
		return
	}
	d.held[c] = true
	d.sched.Hold(d.nodes[c.Node], yarn.Resource{Memory: c.MiB, VCores: c.VCores})
}

// free gives back what processes held that a heartbeat reports gone.
func (d *decider) free(s *step) {
	for _, c := range s.gone {
		if d.held[c] {
			delete(d.held, c)
			d.sched.Unhold(d.nodes[c.Node], yarn.Resource{Memory: c.MiB, VCores: c.VCores})
		}
	}
}

// find returns the decided ordinal of a recorded container; one that was
// decided elsewhere replaces one that was not decided where recorded.
func (d *decider) find(job int32, c *Container) (int32, bool) {
	if ord, ok := d.live[c]; ok {
		delete(d.live, c)
		return ord, true
	}
	for i, st := range d.stray {
		if st.job == job && st.kind == c.Kind {
			d.stray = slices.Delete(d.stray, i, i+1)
			return st.ordinal, true
		}
	}
	return 0, false
}

func (d *decider) done(s *step) []yarn.Container {
	var done []yarn.Container
	for _, c := range s.done {
		job := d.jobOf(c)
		if c.Try != d.tries[job] {
			continue // went with its attempt
		}
		if ord, ok := d.find(job, c); ok && d.apps[job] >= 0 {
			done = append(done, yarn.Container{App: d.apps[job], Ordinal: ord})
		}
	}
	return done
}
