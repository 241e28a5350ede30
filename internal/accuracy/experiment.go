package accuracy

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sort"

	"schedtune/internal/scenario"
	"schedtune/internal/simulate"
	"schedtune/internal/stats"
	"schedtune/simcore"
	"schedtune/trace"
	"schedtune/yarnconf"
)

// samples is how many instants the courses of usage are compared at.
const samples = 200

// seen is the observed period with the memory that its containers held.
type seen struct {
	*Period
	end   float64     // last end of a simulated job, seconds
	usage [][]float64 // by queue of the workload: MiB held at each instant
	step  float64     // minimum allocation, MiB: containers are multiples of it
}

// observeUsage reads what was observed of the jobs that are simulated, and the memory held.
func observeUsage(t *trace.Trace, c *scenario.Case) *seen {
	conf, _ := yarnconf.Evaluate(c.Doc) // a file that does not load has been refused
	s := &seen{Period: Observe(c, t), step: float64(max(conf.MinAllocation.Memory, 1))}
	for i := range s.Seen {
		if at := s.Seen[i].Finish; at != simcore.Never {
			s.end = max(s.end, at.Seconds())
		}
	}
	at := since(t)
	s.hold(t, c, func(m trace.Millis) float64 { return at(m).Seconds() })
	return s
}

// hold adds up what was held, from allocation to release as the simulation counts it, in the sizes that
// containers have in both, so that only times make a difference.
func (s *seen) hold(t *trace.Trace, c *scenario.Case, sec func(trace.Millis) float64) {
	s.usage = newCourse(len(c.Work.Queues))
	queues := map[string]int32{} // of simulated jobs
	for i := range c.Work.Jobs {
		queues[c.Work.Jobs[i].ID] = c.Work.Jobs[i].Queue
	}
	for i := range t.Jobs {
		queue, simulated := queues[t.Jobs[i].ID]
		if !simulated {
			continue
		}
		list, _ := t.Jobs[i].Holdings()
		for _, h := range list {
			s.add(queue, sec(h.From), sec(h.To), s.size(h.MiB, h.Master))
		}
	}
}

// Hadoop's default sizes.
const (
	defaultAM   = 1536
	defaultTask = 1024
)

// size is what a container takes of the cluster, whose size may not be recorded (0).
func (s *seen) size(mib float64, master bool) float64 {
	if mib == 0 {
		mib = defaultTask
		if master {
			mib = defaultAM
		}
	}
	return math.Ceil(mib/s.step) * s.step
}

func newCourse(queues int) [][]float64 {
	u := make([][]float64, queues)
	for i := range u {
		u[i] = make([]float64, samples)
	}
	return u
}

// add adds a container's memory to every instant it was held at.
func (s *seen) add(queue int32, from, to, mib float64) {
	for k := max(0, int(math.Ceil(from/s.end*samples-0.5))); k < samples && instant(k, s.end) < to; k++ {
		s.usage[queue][k] += mib
	}
}

// instant k lies in the middle of the k-th of equal parts of the period.
func instant(k int, end float64) float64 { return (float64(k) + 0.5) * end / samples }

// experiment runs the replications.
type experiment struct {
	*seen
	o         ClusterOptions
	sample    *sample
	simulated [][]float64 // usage, the mean over replications
}

func (e *experiment) run(ctx context.Context) (err error) {
	w := e.Case.Work
	held, next := make([]float64, len(w.Queues)), 0
	e.simulated = newCourse(len(held))
	// The course is sampled as the run passes each instant.
	upTo := func(now float64) {
		for next < samples && instant(next, e.end) < now {
			for q := range held {
				e.simulated[q][next] += held[q] / float64(e.o.Replications)
			}
			next++
		}
	}
	e.sample, err = e.simulate(ctx, simulate.Item{Slowstart: -1, Watch: func(ch simulate.Change) {
		upTo(ch.At.Seconds())
		held[w.Jobs[ch.Job].Queue] += float64(ch.Delta) * e.size(float64(ch.Memory), ch.Master)
	}}, e.o.Seed, e.o.Replications, func(*simcore.Result) {
		upTo(math.Inf(1))
		clear(held)
		next = 0
	})
	return err
}

func (e *experiment) report() *Replay {
	s := e.sample
	r := &Replay{Jobs: len(s.jobs), Replications: e.o.Replications, Seed: e.o.Seed, Calibration: e.Case.Calibration.Source,
		PerJob: []JobCheck{}, Queues: e.queues()}
	var errs []float64
	started := &sample{}
	for i := range s.jobs {
		p := &s.jobs[i]
		j := &e.Case.Work.Jobs[p.job]
		ck := JobCheck{Job: j.ID, Name: j.Name, Queue: p.queue, User: e.Case.Work.Users[j.User],
			Completion: figure(&sample{s.jobs[i : i+1]}, completion)}
		ck.InRange = ck.Completion.Observed >= ck.Completion.Low && ck.Completion.Observed <= ck.Completion.High
		if p.started {
			ck.Wait = figure(&sample{s.jobs[i : i+1]}, wait)
			started.jobs = append(started.jobs, *p)
		}
		errs = append(errs, math.Abs(ck.Completion.Error))
		r.PerJob = append(r.PerJob, ck)
	}
	r.CompletionErrors = errorsOf(errs)
	r.Makespan, r.MeanCompletion, r.MeanWait = figure(s, nil), figure(s, completion), figure(started, wait)
	return r
}

// figure compares the mean of a figure over jobs, of nil their makespan, as observed with
// replications; zero without jobs.
func figure(s *sample, of func(value) float64) (f ClusterFigure) {
	if len(s.jobs) == 0 {
		return f
	}
	var runs []float64
	if of == nil {
		runs = s.spans()
	} else {
		runs = make([]float64, len(s.jobs[0].sim))
		for i := range s.jobs {
			for r, v := range s.jobs[i].sim {
				runs[r] += of(v) / float64(len(s.jobs))
			}
		}
	}
	sort.Float64s(runs)
	f.Observed, f.Predicted = s.values(metric{of: of})
	f.Rank = stats.Rank(runs, f.Observed)
	f.Low, f.High = stats.Quantile(runs, 0.05), stats.Quantile(runs, 0.95)
	if f.Observed > 0 {
		f.Error = (f.Predicted - f.Observed) / f.Observed
	}
	return f
}

func errorsOf(e []float64) Errors {
	if len(e) == 0 {
		return Errors{}
	}
	sort.Float64s(e)
	return Errors{Median: stats.Quantile(e, 0.5), Mean: stats.Mean(e), P90: stats.Quantile(e, 0.9), Worst: e[len(e)-1]}
}

func (e *experiment) queues() []Usage {
	out := []Usage{}
	total := float64(e.Case.Total().Memory)
	for q, name := range e.Case.Work.Queues {
		u := Usage{Queue: name}
		for k := 0; k < samples; k++ {
			a, b := e.usage[q][k]/total, e.simulated[q][k]/total
			u.Observed += a / samples
			u.Predicted += b / samples
			u.Apart += math.Abs(a-b) / samples
		}
		out = append(out, u)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Queue < out[j].Queue })
	return out
}

// unexplained lists what the simulation does not know or did not get right.
func (e *experiment) unexplained(t *trace.Trace, r *Replay) []string {
	var out []string
	add := func(n int, what string) {
		if n > 0 {
			out = append(out, fmt.Sprintf("%d of %d jobs %s", n, len(t.Jobs), what))
		}
	}
	outside, failed, again, open, idle := 0, 0, 0, 0, 0
	simulated := map[string]bool{}
	for i := range e.Case.Work.Jobs {
		simulated[e.Case.Work.Jobs[i].ID] = true
	}
	for _, j := range r.PerJob {
		if !j.InRange {
			outside++
		}
	}
	for i := range t.Jobs {
		j := &t.Jobs[i]
		if !simulated[j.ID] {
			idle++
			continue
		}
		if j.Result == trace.Failed || j.Result == trace.Killed {
			failed++
		}
		if !j.Finish.Known() {
			open++
		}
		if slices.ContainsFunc(j.Tasks, func(t trace.Task) bool { return len(t.Attempts) > 1 }) {
			again++
		}
	}
	add(outside, fmt.Sprintf("ended outside the range of %d replications", r.Replications))
	add(failed, "failed or were killed: their recorded tasks are replayed, the reason is not known")
	add(again, "had attempts that failed, were killed or were speculative: only the winning ones are replayed")
	add(open, "had not ended: they load the cluster in the replay, and are not compared")
	add(idle, "ran no recorded task, or were rejected: they are not in the replay")
	return out
}
