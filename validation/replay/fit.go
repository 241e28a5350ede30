package replay

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/optimize"
	"gonum.org/v1/gonum/stat"

	"schedtune/internal/calibrate"
	"schedtune/internal/stats"
	"schedtune/simcore"
	"schedtune/simcore/yarn"
)

// Fit estimates a calibration from recorded runs of sleeping tasks, whose own
// time is known, so that all the rest is latency.
//
// Timers and waits are quantiles of what was recorded. The processor time of
// launches is estimated together with the number of cores: for trial values
// the launches of each run, at their recorded instants and after their recorded
// fetching of files, share the cores (yarn.ShareCores), and the squared error
// of their ends is minimised.
func Fit(runs []*Run) (*yarn.Calibration, error) {
	c := yarn.Default()
	c.Source = "fitted on"
	shared := len(runs) > 0
	l := latencies{c: c, of: Waits[any]{}}
	var bursts [][]launch
	for _, r := range runs {
		c.Source += " " + r.Name
		shared = shared && r.shared
		l.add(r)
		b := launches(r)
		l.addFetches(b)
		bursts = append(bursts, b)
	}
	if !shared {
		return nil, fmt.Errorf("fit: launches are fitted only on runs whose nodes are one machine")
	}
	if tasks, jobs := len(l.of[&c.TaskExit]), len(l.of[&c.Submit]); tasks < 20 || jobs < 5 {
		return nil, fmt.Errorf("fit: %d tasks in %d jobs: needs 20 tasks and 5 jobs", tasks, jobs)
	}
	l.fill()
	c.CPUScope = yarn.ScopeCluster
	fitWork(c, bursts)
	return c, c.Validate()
}

// Waits are recorded waits in milliseconds, by what they are of.
type Waits[K comparable] map[K][]float64

// Take takes the time between two known instants. Where the clocks of two processes have the second one
// earlier there was no wait: the simulator has none below zero.
func (w Waits[K]) Take(of K, from, to simcore.Time) {
	if from != simcore.Never && to != simcore.Never {
		w[of] = append(w[of], float64(max(to-from, 0))/float64(simcore.Millisecond))
	}
}

// Fill replaces figures by the distributions of their waits, where five or more were recorded.
func (w Waits[K]) Fill(figure func(K) *yarn.Latency) {
	for of, list := range w {
		if to := figure(of); to != nil && len(list) >= 5 {
			*to = calibrate.Quantiles(slices.Sorted(slices.Values(list)), 0)
		}
	}
}

// latencies collects waits by the figures of a calibration that they are of.
type latencies struct {
	c  *yarn.Calibration
	of Waits[any]
}

func (l *latencies) take(figure any, b, a simcore.Time) { l.of.Take(figure, a, b) }

// gap takes the time between two heartbeats that should be a second apart.
func (l *latencies) gap(figure *float64, b, a simcore.Time, least simcore.Time) {
	if gap := b - a; a != simcore.Never && gap > least && gap < 1200*simcore.Millisecond {
		l.take(figure, b, a)
	}
}

func (l *latencies) add(r *Run) {
	last := slices.Repeat([]simcore.Time{simcore.Never}, len(r.Nodes))
	for _, b := range r.Beats {
		l.gap(&l.c.NodeBeat, b.At, last[b.Node], 950*simcore.Millisecond)
		last[b.Node] = b.At
	}
	for _, j := range r.Jobs {
		l.take(&l.c.Submit, j.Submit, j.Planned)
		l.take(&l.c.Commit, j.Finish, j.LastTask)
		l.take(&l.c.Unregister, j.Unregistered, j.Finish)
		l.take(&l.c.Linger, j.Released, j.Unregistered)
		l.addContainers(r, j)
	}
}

func (l *latencies) addFetches(b []launch) {
	for _, x := range b {
		if x.fetch > 0 {
			l.take(&l.c.Localise, x.fetch, 0)
		}
	}
}

func (l *latencies) addContainers(r *Run, j *Job) {
	var acquired []simcore.Time
	for _, c := range j.Containers {
		l.take(&l.c.NodeDone, c.Released, c.Exited)
		if c.Kind == "AM" || c.Task < 0 {
			continue
		}
		acquired = append(acquired, c.Acquired)
		l.take(&l.c.StartRequest, c.StartRequest, c.Acquired)
		l.take(&l.c.TaskExit, c.Exited, c.Finished)
		if s := r.scenario(j.Name); s != nil && c.Kind == "REDUCE" && c.Sorted != simcore.Never {
			l.take(&l.c.ReduceEnd, c.Finished, c.Sorted+simcore.Time(s.RedTime*float64(simcore.Millisecond)))
		}
	}
	slices.Sort(acquired)
	for k := 1; k < len(acquired); k++ {
		l.gap(&l.c.AMBeat, acquired[k], acquired[k-1], 900*simcore.Millisecond)
	}
}

// fill sets the figures of which enough was recorded. Of submissions the work is fitted.
func (l *latencies) fill() {
	for figure, list := range l.of {
		switch to := figure.(type) {
		case *yarn.Latency:
			if len(list) >= 5 && to != &l.c.Submit {
				*to = quantiles(list)
			}
		case *float64:
			if len(list) > 20 {
				*to = stats.Median(list)
			}
		}
	}
}

// quantiles returns 11 quantiles, the ends taken at 1 and 99 %, so that one
// outlier does not stretch the last step.
func quantiles(x []float64) yarn.Latency {
	slices.Sort(x)
	var q yarn.Latency
	for i := range 11 {
		u := min(max(float64(i)/10, 0.01), 0.99)
		q = append(q, math.Round(Nearest(x, u)*10)/10)
	}
	return q
}

// launch is a process that was started.
type launch struct {
	at    simcore.Time
	kind  launchKind
	end   simcore.Time
	where int32        // job and node, -1 = nowhere
	ready simcore.Time // its files are on the node

	first bool         // the job's first task on its node: its files are fetched
	fetch simcore.Time // how long that took, 0 = nothing was fetched or it is unknown
}

// took is how long the launch is recorded to have taken, ms; NaN = unknown.
func (l *launch) took() float64 {
	if l.end == simcore.Never || l.end <= l.at {
		return math.NaN()
	}
	return float64(l.end-l.at) / float64(simcore.Millisecond)
}

type launchKind int

const (
	aSubmission launchKind = iota
	aMaster
	aMap
	aReduce
	launchKinds
)

// launches are the processes whose start is recorded, in the order of their starts.
func launches(r *Run) []launch {
	var items []launch
	for i, j := range r.Jobs {
		s := r.scenario(j.Name)
		if s == nil || r.readsFiles(j) {
			continue
		}
		items = append(items, launch{at: j.Planned, kind: aSubmission, end: j.Submit, where: -1, ready: simcore.Never},
			launch{at: j.AMAllocated, kind: aMaster, end: j.Registered, where: r.masterWhere(i), ready: simcore.Never})
		for _, c := range j.Containers {
			if c.Task < 0 {
				continue
			}
			if c.Kind == "MAP" && c.Finished != simcore.Never {
				items = append(items, launch{at: c.StartRequest, kind: aMap, end: c.Finished - millis(s.MapTime),
					where: where(i, c.Node), ready: c.Localised})
			} else if c.Kind == "REDUCE" {
				items = append(items, launch{at: c.StartRequest, kind: aReduce, end: c.known(c.Up), where: where(i, c.Node),
					ready: c.Localised})
			}
		}
	}
	items = slices.DeleteFunc(items, func(x launch) bool { return x.at == simcore.Never })
	slices.SortStableFunc(items, func(a, b launch) int { return int(a.at - b.at) })
	seen := map[int32]bool{}
	for i := range items {
		x := &items[i]
		x.first = x.where >= 0 && x.kind != aMaster && !seen[x.where]
		if x.first && x.ready != simcore.Never {
			x.fetch = max(x.ready-x.at, 0)
		}
		seen[x.where] = true
	}
	return items
}

// known returns an instant of the task's process, Never if it lies before the
// process: where an AM's log is missing, tasks.csv has the attempt's start there.
func (c *Container) known(at simcore.Time) simcore.Time {
	if c.Exec != simcore.Never && at < c.Exec {
		return simcore.Never
	}
	return at
}

// where numbers a job's place on a node.
func where(job int, node int32) int32 { return int32(job)<<16 | node }

func (r *Run) masterWhere(job int) int32 {
	if c := r.Jobs[job].Master(); c != nil {
		return where(job, c.Node)
	}
	return -1
}

// trial is one set of works (ms, by launchKind) and the number of cores.
type trial struct {
	work    [launchKinds]float64
	cores   float64
	threads float64 // of a starting AM
	fetch   float64 // extra work of a job's first task on a node, ms
	wait    float64 // and its extra wait where none is recorded, ms
}

// logs are the logarithms of what is fitted; at reads them back.
func (t *trial) logs() []float64 {
	x := make([]float64, 0, launchKinds+3)
	for _, w := range t.work {
		x = append(x, math.Log(w))
	}
	return append(x, math.Log(t.cores), math.Log(t.threads), math.Log(t.fetch))
}

func (t *trial) at(x []float64) trial {
	next := *t
	for k := range next.work {
		next.work[k] = math.Exp(x[k])
	}
	next.cores, next.threads, next.fetch = math.Exp(x[launchKinds]), math.Exp(x[launchKinds+1]), math.Exp(x[launchKinds+2])
	return next
}

// loss is the mean squared error of the launches' ends in s².
func (t *trial) loss(bursts [][]launch, fixed [launchKinds]float64,
	each func(kind launchKind, want, got float64)) float64 {
	sum, n := 0.0, 0
	for _, b := range bursts {
		start, work, threads := make([]simcore.Time, len(b)), make([]simcore.Time, len(b)), make([]float64, len(b))
		for i, x := range b {
			start[i] = x.at + simcore.Seconds(fixed[x.kind]/1000)
			if x.fetch > 0 {
				start[i] += x.fetch
			} else if x.first {
				start[i] += simcore.Seconds(t.wait / 1000)
			}
			ms := t.work[x.kind]
			if x.first {
				ms += t.fetch
			}
			work[i] = simcore.Seconds(ms / 1000)
			if threads[i] = 1; x.kind == aMaster {
				threads[i] = t.threads
			}
		}
		for i, end := range yarn.ShareCores(t.cores, start, work, threads) {
			took := b[i].took()
			if math.IsNaN(took) {
				continue
			}
			got := float64(end-b[i].at) / float64(simcore.Millisecond)
			sum += (got - took) * (got - took) / 1e6
			n++
			if each != nil {
				each(b[i].kind, took, got)
			}
		}
	}
	return sum / float64(max(n, 1))
}

// fitWork estimates works, cores, threads and the fetching of files by the
// simplex method of Nelder and Mead on their logarithms, restarted once from
// its own result, since work, cores and threads trade off along a valley.
func fitWork(c *yarn.Calibration, bursts [][]launch) {
	fixed := [launchKinds]float64{c.Submit.At(0.5), c.AMStart.At(0.5), 0, 0}
	t := trial{[launchKinds]float64{c.SubmitWork, c.AMWork, c.MapWork, c.ReduceWork}, 1.7, c.AMThreads, c.LocaliseWork,
		c.Localise.At(0.5)}
	for range 2 {
		problem := optimize.Problem{Func: func(x []float64) float64 {
			next := t.at(x)
			return next.loss(bursts, fixed, nil)
		}}
		settings := &optimize.Settings{FuncEvaluations: 400, Converger: &optimize.FunctionConverge{Relative: 1e-5,
			Iterations: 80}}
		if r, err := optimize.Minimize(problem, t.logs(), settings, &optimize.NelderMead{SimplexSize: 0.3}); r != nil &&
			(err == nil || len(r.X) > 0) {
			t = t.at(r.X)
		}
	}
	round := func(x float64) float64 { return math.Round(x*10) / 10 }
	c.SubmitWork, c.AMWork, c.MapWork, c.ReduceWork = round(t.work[aSubmission]), round(t.work[aMaster]),
		round(t.work[aMap]), round(t.work[aReduce])
	c.LocaliseWork = round(t.fetch)
	c.Cores, c.AMThreads = math.Round(t.cores*1000)/1000, math.Round(t.threads*1000)/1000
	var logs []float64
	t.loss(bursts, fixed, func(k launchKind, want, got float64) {
		if k == aMap {
			logs = append(logs, math.Log(want/got))
		}
	})
	if len(logs) > 0 {
		c.WorkSpread = math.Round(stat.PopStdDev(logs, nil)*1000) / 1000
	}
}
