package snapshot

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"

	"schedtune/internal/calibrate"
	"schedtune/internal/rm"
	"schedtune/internal/scenario"
	"schedtune/internal/simulate"
	"schedtune/simcore"
	"schedtune/simcore/yarn"
	"schedtune/trace"
	"schedtune/yarnconf"
)

// Options of a prediction.
type Options struct {
	Inputs       scenario.Files // files that replace those of the folder
	Replications int
	Seed         uint64
}

// Start is when a waiting application starts: its master's container comes.
type Start struct {
	App *App
	// At are the instants of the replications, ascending, from the moment on;
	// simcore.Never: not at all.
	At []simcore.Time
	// Guessed: see Model.
	Guessed bool
}

// What recorded clusters did and the spread of replications does not hold, as the
// logarithm of a factor on the time with a second added (results/starts.md, the half
// of the runs used for development).
const (
	allowance        = 0.14
	guessedAllowance = 1.6
)

// Interval is where the start lies with 90 %: the 5 to 95 % range of the
// replications, widened by the simulator's own error.
func (s *Start) Interval() (low, high simcore.Time) {
	by := allowance
	if s.Guessed {
		by = guessedAllowance
	}
	low, high = s.Quantile(0.05), s.Quantile(0.95)
	scale := func(t simcore.Time, f float64) simcore.Time {
		if t == simcore.Never {
			return t
		}
		return max(simcore.Time(float64(t+simcore.Second)*f)-simcore.Second, 0)
	}
	return scale(low, math.Exp(-by)), scale(high, math.Exp(by))
}

// Quantile is the instant that a part of the replications do not exceed.
func (s *Start) Quantile(p float64) simcore.Time {
	if len(s.At) == 0 {
		return simcore.Never
	}
	return s.At[min(int(p*float64(len(s.At))), len(s.At)-1)]
}

// Outlook is a state with prepared replications.
type Outlook struct {
	Model  *Model
	Runner *simulate.Runner
	draws  []*Draw
	opt    Options
}

// Open reads a pulled folder and prepares replications. Errors name file and what is
// allowed.
func Open(dir string, opt Options) (*Outlook, error) {
	st, err := read(dir)
	if err != nil {
		return nil, err
	}
	c, err := load(dir, &opt)
	if err != nil {
		return nil, err
	}
	conf, err := yarnconf.Evaluate(c.Doc)
	if err != nil {
		return nil, err
	}
	place, err := places(conf)
	if err != nil {
		return nil, err
	}
	o := &Outlook{opt: opt}
	if o.Model, err = newModel(st, c, place, conf.Calculator.Dominant); err != nil {
		return nil, err
	}
	o.Model.Notes = append(o.Model.Notes, scenario.MissingFrom(dir)...)
	o.draws = make([]*Draw, max(opt.Replications, 1))
	for i := range o.draws {
		o.draws[i] = o.Model.draw(opt.Seed + uint64(i))
	}
	if len(st.Apps) == 0 {
		return o, nil
	}
	if o.Runner, err = o.runner(c); err != nil {
		return nil, err
	}
	return o, nil
}

// runner prepares runs of the draws, each a window of its own.
func (o *Outlook) runner(c *scenario.Case) (*simulate.Runner, error) {
	with := *c
	with.Work = o.draws[0].Work
	return simulate.New(&with, simulate.Options{Jitter: simulate.RecordedArrivals(), Drawn: len(o.draws) - 1,
		Draw: func(i int) *simcore.Workload { return o.draws[i+1].Work }})
}

// load reads the folder's files. A folder without a history has none of another
// cluster in its place.
func load(dir string, opt *Options) (*scenario.Case, error) {
	in := opt.Inputs
	rm.Fill(&in, dir)
	if in.Config == "" {
		return nil, fmt.Errorf("%s: no %s in the folder; use --config FILE", dir, rm.FileConfig)
	}
	var c *scenario.Case
	err := trace.ErrEmpty
	if len(in.Traces) > 0 {
		c, err = in.Load()
	}
	if errors.Is(err, trace.ErrEmpty) {
		c, err = in.LoadIdle()
	}
	if err != nil {
		return nil, err
	}
	calibrate.Fit(c, &in)
	opt.Inputs = in
	return c, nil
}

// Starts predicts when the waiting applications start, with changes of the queue
// file made at the moment.
func (o *Outlook) Starts(ctx context.Context, changes []yarnconf.Change) ([]Start, error) {
	var out []Start
	var jobs []int
	if o.Runner == nil {
		return nil, nil
	}
	for i, job := range o.Model.order {
		if a := &o.Model.State.Apps[job]; a.Waits() {
			out, jobs = append(out, Start{App: a, Guessed: o.Model.guessed(job), At: make([]simcore.Time, len(o.draws))}),
				append(jobs, i)
		}
	}
	err := simulate.Each(ctx, len(o.draws), runtime.GOMAXPROCS(0), func(i int) error {
		var times []yarn.JobTimes
		it := o.Item(i)
		it.Changes, it.Times = changes, &times
		if _, err := o.Runner.RunNamed(ctx, it); err != nil {
			return err
		}
		for k, j := range jobs {
			at := times[j].AMAllocated
			if at != simcore.Never {
				at = max(at-o.Model.At, 0)
			}
			out[k].At[i] = at
		}
		return nil
	})
	for k := range out {
		slices.Sort(out[k].At)
	}
	return out, err
}

// ChangesTo are the changes from the file in force to another.
func (o *Outlook) ChangesTo(path string) ([]yarnconf.Change, error) {
	doc, err := yarnconf.Load(path)
	if err != nil {
		return nil, err
	}
	return yarnconf.SchedulerChanges(o.Model.c.Doc, doc), nil
}

// App returns an application that waits or runs, and whether what it waits for is guessed; nil: there
// is none of the id.
func (o *Outlook) App(id string) (a *App, guessed bool) {
	apps := o.Model.State.Apps
	if i := slices.IndexFunc(apps, func(a App) bool { return a.ID == id }); i >= 0 {
		return &apps[i], o.Model.guessed(i)
	}
	return nil, false
}

// Item is the run of a replication.
func (o *Outlook) Item(i int) simulate.Item {
	return simulate.Item{Slowstart: -1, Seed: o.opt.Seed + uint64(i), Window: i, Warm: o.draws[i].Warm}
}

// Replications is how many draws there are.
func (o *Outlook) Replications() int { return len(o.draws) }
