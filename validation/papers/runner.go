// Package papers runs the experiments of the five papers on the simulator and compares
// the results with the published figures. Every table, and every figure whose numbers
// the papers state, has its rows.
//
// The tables in data/ say what is run, what is measured and by which rule a row is met.
// Workloads and clusters come from package datasets, schedulers from simcore/sched, and
// what a paper leaves open from datasets/assumptions.go.
package papers

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"schedtune/datasets"
	"schedtune/internal/simulate"
	"schedtune/simcore"
	"schedtune/simcore/mr1"
	"schedtune/simcore/sched"
	"schedtune/yarnconf"
)

// Options configures a reproduction; the zero value is the published set-up.
type Options struct {
	Workers int    // concurrent runs; 0 = all cores. The results do not depend on it.
	Seed    uint64 // first seed; replication i uses Seed + i
	// Replications of every experiment; 0 = each experiment's own number.
	Replications int
	// Progress, if not nil, is called after each scenario, from one goroutine at a time.
	Progress func(done int, what string)
}

// runner runs scenarios on demand, each once.
type runner struct {
	ctx    context.Context
	opt    Options
	sims   sync.Pool
	sets   map[string]*datasets.Set // by name
	series map[string]measured      // by scenario
	done   int
}

func newRunner(ctx context.Context, opt Options) *runner {
	if opt.Workers <= 0 {
		opt.Workers = runtime.GOMAXPROCS(0)
	}
	return &runner{
		ctx: ctx, opt: opt, sims: sync.Pool{New: func() any { return mr1.NewSim() }},
		sets: map[string]*datasets.Set{}, series: map[string]measured{},
	}
}

// load returns a data set, built once.
func (r *runner) load(name string) (*datasets.Set, error) {
	if s := r.sets[name]; s != nil {
		return s, nil
	}
	s, err := datasets.Load(name)
	if err == nil {
		r.sets[name] = s
	}
	return s, err
}

// trial is one configuration of a scenario.
type trial struct {
	label     string
	set       *datasets.Set
	scheduler string   // a spec, or "yarn:GB" for YARN's Fair Scheduler with tasks of that size
	settings  []string // of data/runs.csv
	reps      int
	slots     simulate.Slots
	shift     uint64 // added to the seeds
}

// outcome is one run.
type outcome struct {
	*simcore.Result
	set       *datasets.Set
	scheduler mr1.Scheduler
	recording *recording // nil unless recorded
}

// value returns a metric that is known to exist; NaN otherwise.
func (o *outcome) value(metric string) float64 {
	v, err := o.Value(metric)
	if err != nil {
		return math.NaN()
	}
	return v
}

// trials returns the trials of a scenario.
func (r *runner) trials(scenario string) ([]trial, error) {
	var out []trial
	for _, line := range runList() {
		if line["scenario"] != scenario {
			continue
		}
		set, err := r.load(line["set"])
		if err != nil {
			return nil, err
		}
		reps, err := strconv.Atoi(line["reps"])
		if err != nil {
			return nil, err
		}
		t := trial{label: line["label"], set: set, reps: reps, settings: strings.Fields(line["settings"])}
		t.scheduler = cmp.Or(specs()[line["scheduler"]], line["scheduler"])
		if err := t.configure(); err != nil {
			return nil, fmt.Errorf("scenario %s, %s: %w", scenario, t.label, err)
		}
		out = append(out, t)
	}
	if out == nil {
		return nil, fmt.Errorf("scenario %q: not in data/runs.csv", scenario)
	}
	return out, nil
}

// configure applies the settings; those of queues apply to all queues.
func (t *trial) configure() (err error) {
	if t.slots, err = simulate.SlotsOf(t.set); err != nil {
		return err
	}
	queues := &t.slots.Options.MR1
	for _, s := range t.settings {
		key, text, _ := strings.Cut(s, "=")
		var values []float64
		for part := range strings.SplitSeq(text, "-") {
			if v, err := strconv.ParseFloat(part, 64); err == nil {
				values = append(values, v)
			}
		}
		of := func(set func(q *yarnconf.MR1Queue)) {
			for i := range (*queues).Queues {
				set(&(*queues).Queues[i])
			}
		}
		switch key {
		case "seed":
			t.shift = uint64(values[0])
		case "pool":
			t.slots.Config.Pool = true
		case "pending-first":
			t.slots.Options.PendingFirst = true
		case "capacity":
			var names []string
			for i := range values {
				names = append(names, fmt.Sprintf("queue%d", i+1))
			}
			*queues = sched.NewMR1(names, values)
		case "maximum-capacity":
			of(func(q *yarnconf.MR1Queue) { q.MaxCapacity = q.Capacity })
		case "minimum-user-limit-percent":
			of(func(q *yarnconf.MR1Queue) { q.UserLimit = values[0] })
		case "user-limit-factor":
			of(func(q *yarnconf.MR1Queue) { q.UserFactor = values[0] })
		case "supports-priority":
			of(func(q *yarnconf.MR1Queue) { q.SupportsPriority = true })
		case "maximum-system-jobs":
			(*queues).MaxSystemJobs = int(values[0])
		case "maximum-initialized-active-tasks":
			of(func(q *yarnconf.MR1Queue) { q.MaxActiveTasks, q.MaxActiveTasksPerUser = int(values[0]), 80 })
		default:
			return fmt.Errorf("setting %q: unknown", s)
		}
	}
	return nil
}

// run simulates the trial with one seed.
func (r *runner) run(t *trial, seed uint64) (*outcome, error) {
	out := &outcome{set: t.set}
	if memory, ok := strings.CutPrefix(t.scheduler, "yarn:"); ok {
		var err error
		out.Result, err = r.runYARN(t, memory, seed)
		return out, err
	}
	spec, err := sched.Parse(t.scheduler)
	if err != nil {
		return nil, err
	}
	cfg, s, err := t.slots.Run(spec, seed)
	if err != nil {
		return nil, err
	}
	out.scheduler = s
	// Experiments of the thesis's chapter 6, which have a queue file, need no events.
	if t.set.ConfigXML == nil {
		out.recording = newRecording(len(t.set.Workload.Jobs))
		cfg.Trace = out.recording.event
	}
	sim := r.sims.Get().(*mr1.Sim)
	defer r.sims.Put(sim)
	if out.Result, err = sim.RunContext(r.ctx, cfg, t.set.Cluster, t.set.Placed(seed), s); err != nil {
		return nil, fmt.Errorf("data set %s, scheduler %s, seed %d: %w", t.set.Name, t.scheduler, seed, err)
	}
	return out, nil
}

// measured holds the figures of a scenario by "label/figure", one value per replication.
type measured map[string][]float64

// scenario runs a scenario once. All trials share their seeds; the order of the values is
// that of the seeds.
func (r *runner) scenario(name string) (measured, error) {
	if m, ok := r.series[name]; ok {
		return m, nil
	}
	if name == "computed" {
		return computed()
	}
	trials, err := r.trials(name)
	if err != nil {
		return nil, err
	}
	n := cmp.Or(r.opt.Replications, trials[0].reps)
	figures := make([]map[string]float64, len(trials)*n)
	err = simulate.Each(r.ctx, len(figures), r.opt.Workers, func(k int) error {
		t, rep := &trials[k%len(trials)], k/len(trials)
		o, err := r.run(t, r.opt.Seed+t.shift+uint64(rep))
		if err == nil {
			figures[k] = o.figures()
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	m := measured{}
	for k, of := range figures {
		for figure, v := range of {
			key := trials[k%len(trials)].label + "/" + figure
			if m[key] == nil {
				m[key] = slices.Repeat([]float64{math.NaN()}, n)
			}
			m[key][k/len(trials)] = v
		}
	}
	m.variations()
	r.series[name] = m
	r.done++
	if r.opt.Progress != nil {
		r.opt.Progress(r.done, name)
	}
	return m, nil
}

// find returns the series "scenario/label/figure" by replication. The label "Fair best" is
// the slowstart of the Fair Scheduler with the smallest mean makespan.
func (r *runner) find(name string) ([]float64, error) {
	parts := strings.SplitN(name, "/", 3)
	m, err := r.scenario(parts[0])
	if err != nil {
		return nil, err
	}
	if parts[1] == "Fair best" {
		labels, spans, err := r.means(parts[0] + "/Fair-*/span")
		if err != nil {
			return nil, err
		}
		parts[1] = "Fair-" + labels[slices.Index(spans, slices.Min(spans))]
	}
	s, ok := m[parts[1]+"/"+parts[2]]
	if !ok {
		return nil, fmt.Errorf("figure %q: not measured", name)
	}
	return s, nil
}

// means returns the means of all series that match a pattern with * in the scenario or the
// label, and what * stands for, in the order of data/runs.csv.
func (r *runner) means(pattern string) (matches []string, means []float64, err error) {
	parts := strings.SplitN(pattern, "/", 3)
	for _, line := range runList() {
		inScenario, ok := match(parts[0], line["scenario"])
		inLabel, also := match(parts[1], line["label"])
		if !ok || !also {
			continue
		}
		s, err := r.find(line["scenario"] + "/" + line["label"] + "/" + parts[2])
		if err != nil {
			return nil, nil, err
		}
		matches, means = append(matches, inScenario+inLabel), append(means, estimate(s).Mean)
	}
	if means == nil {
		return nil, nil, fmt.Errorf("figures %q: not in data/runs.csv", pattern)
	}
	return matches, means, nil
}

// match compares a text with a pattern and returns what * stands for.
func match(pattern, text string) (string, bool) {
	prefix, suffix, wild := strings.Cut(pattern, "*")
	if !wild || len(text) < len(prefix)+len(suffix) {
		return "", text == pattern
	}
	inner, ok := strings.CutPrefix(text, prefix)
	inner, also := strings.CutSuffix(inner, suffix)
	return inner, ok && also
}
