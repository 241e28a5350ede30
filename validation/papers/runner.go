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
func (r *runner) load(name string) *datasets.Set {
	if r.sets[name] == nil {
		r.sets[name] = must(datasets.Load(name))
	}
	return r.sets[name]
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
func (r *runner) trials(scenario string) (out []trial) {
	for _, line := range runList() {
		if line["scenario"] == scenario {
			t := trial{label: line["label"], set: r.load(line["set"]), reps: must(strconv.Atoi(line["reps"])),
				settings: strings.Fields(line["settings"])}
			t.scheduler = cmp.Or(specs()[line["scheduler"]], line["scheduler"])
			t.configure()
			out = append(out, t)
		}
	}
	if out == nil {
		check(fmt.Errorf("scenario %q: not in data/runs.csv", scenario))
	}
	return out
}

// configure applies the settings; those of queues apply to all queues.
func (t *trial) configure() {
	t.slots = must(simulate.SlotsOf(t.set))
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
			check(fmt.Errorf("setting %q: unknown", s))
		}
	}
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
		out.recording = newRecording()
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
func (r *runner) scenario(name string) measured {
	if m, ok := r.series[name]; ok {
		return m
	}
	if name == "computed" {
		return computed()
	}
	trials := r.trials(name)
	n := cmp.Or(r.opt.Replications, trials[0].reps)
	figures := make([]map[string]float64, len(trials)*n)
	check(simulate.Each(r.ctx, len(figures), r.opt.Workers, func(k int) error {
		t, rep := &trials[k%len(trials)], k/len(trials)
		o, err := r.run(t, r.opt.Seed+t.shift+uint64(rep))
		if err == nil {
			figures[k] = o.figures()
		}
		return err
	}))
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
	return m
}

// find returns the series "scenario/label/figure" by replication. The label "Fair best" is
// the slowstart of the Fair Scheduler with the smallest mean makespan.
func (r *runner) find(name string) []float64 {
	parts := strings.SplitN(name, "/", 3)
	m := r.scenario(parts[0])
	if parts[1] == "Fair best" {
		labels, spans := r.means(parts[0] + "/Fair-*/span")
		parts[1] = "Fair-" + labels[slices.Index(spans, slices.Min(spans))]
	}
	s, ok := m[parts[1]+"/"+parts[2]]
	if !ok {
		check(fmt.Errorf("figure %q: not measured", name))
	}
	return s
}

// means returns the means of all series that match a pattern with * in the scenario or the
// label, and what * stands for, in the order of data/runs.csv.
func (r *runner) means(pattern string) (matches []string, means []float64) {
	parts := strings.SplitN(pattern, "/", 3)
	for _, line := range runList() {
		inScenario, ok := match(parts[0], line["scenario"])
		inLabel, also := match(parts[1], line["label"])
		if ok && also {
			s := r.find(line["scenario"] + "/" + line["label"] + "/" + parts[2])
			matches, means = append(matches, inScenario+inLabel), append(means, estimate(s).Mean)
		}
	}
	if means == nil {
		check(fmt.Errorf("figures %q: not in data/runs.csv", pattern))
	}
	return matches, means
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
