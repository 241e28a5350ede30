package accuracy

import (
	"context"
	"math"
	"slices"
	"strings"

	"schedtune/internal/calibrate"
	"schedtune/internal/diagnose"
	"schedtune/internal/scenario"
	"schedtune/internal/simulate"
	"schedtune/internal/stats"
	"schedtune/simcore"
	"schedtune/simcore/yarn"
	"schedtune/trace"
)

// Report is a comparison of the recorded period with its simulation.
type Report struct {
	Latencies    calibrate.Latencies `json:"latencies"`
	Nothing      string              `json:"nothing,omitempty"` // why nothing could be compared
	Embedded     bool                `json:"-"`                 // the jobs are embedded ones, which nobody recorded
	Jobs         int                 `json:"jobs"`              // compared
	Replications int                 `json:"replications"`

	Makespan   Figure `json:"makespan"`
	Completion Figure `json:"mean_completion"`
	Wait       Figure `json:"mean_wait"` // to the first task's launch
	// Of the jobs' completion times: median and mean of the absolute errors, and
	// the mean of the signed ones, as parts of the recorded times; Apart is the sum
	// of the absolute differences as a part of the sum of the recorded times.
	Median float64 `json:"median_error"`
	Mean   float64 `json:"mean_error"`
	Bias   float64 `json:"bias"`
	Apart  float64 `json:"apart"`
	// Distance is the sum of the absolute logarithms of simulated over recorded,
	// weighted as in Apart: a factor of two too long and one too short are as far.
	Distance float64 `json:"log_distance"`
	Queues   []Queue `json:"queues"`
	PerJob   []Job   `json:"per_job"`
	Lost     int     `json:"lost,omitempty"` // jobs that ended and do not in the simulation

	// Reproduces says that the errors are within what the simulator has where it is
	// known to be right; Why tells what is not.
	Reproduces bool   `json:"reproduces"`
	Why        string `json:"why,omitempty"`
	// Forbidden is what the record holds and the current file does not allow.
	Forbidden []string `json:"forbidden,omitempty"`
}

// Figure is a recorded value beside the mean over replications, in seconds.
type Figure struct {
	Recorded  float64 `json:"recorded"`
	Simulated float64 `json:"simulated"`
}

// Error is the relative error of the simulated value; 0 where nothing is recorded.
func (f Figure) Error() float64 {
	if f.Recorded <= 0 {
		return 0
	}
	return f.Simulated/f.Recorded - 1
}

// Queue holds mean completion times of a queue's jobs.
type Queue struct {
	Name string `json:"queue"`
	Jobs int    `json:"jobs"`
	Figure
}

// Job holds a job's completion times.
type Job struct {
	ID    string `json:"job"`
	Queue string `json:"queue"`
	Figure
}

// Bounds on the replications: their tasks together, and their number.
const (
	mostTasks        = 400000
	leastReplication = 3
	mostReplication  = 20
)

// Compare simulates the recorded period under the current file. Where the
// simulation gives no run, Nothing says so.
func Compare(ctx context.Context, c *scenario.Case, l calibrate.Latencies, seed uint64) *Report {
	r := &Report{Latencies: l, Queues: []Queue{}, PerJob: []Job{}}
	if err := r.compare(ctx, c, seed); err != nil {
		*r = Report{Latencies: l, Queues: []Queue{}, PerJob: []Job{}, Nothing: "no simulated run: " + err.Error()}
	}
	return r
}

func (r *Report) compare(ctx context.Context, c *scenario.Case, seed uint64) error {
	if c.Recorded == nil {
		r.Nothing, r.Embedded = "the jobs are embedded ones", true
		return nil
	}
	seen := observe(c.Recorded)
	if len(seen) == 0 {
		r.Nothing = "no job has a recorded submission and end"
		return nil
	}
	tasks := 0
	for i := range c.Work.Jobs {
		tasks += int(c.Work.Jobs[i].Tasks())
	}
	r.Replications = min(mostReplication, max(leastReplication, mostTasks/max(tasks, 1)))
	// Submissions were recorded, so they do not vary.
	runs, err := simulate.New(c, simulate.Options{Jitter: yarn.Jitter{Launch: true, Phases: true}})
	if err != nil {
		return err
	}
	s := sums{done: make([]float64, len(c.Work.Jobs)), wait: make([]float64, len(c.Work.Jobs)), n: make([]int, len(c.Work.Jobs))}
	for i := range r.Replications {
		res, err := runs.Run(ctx, simulate.Item{Slowstart: -1, Seed: seed + uint64(i)})
		if err != nil {
			return err
		}
		s.add(c, res, seen, r.Replications)
	}
	r.fill(c, &s, seen)
	if len(c.Resized) == 0 { // the record is of other sizes than the limits are held against
		r.Forbidden = diagnose.Forbidden(c)
	}
	r.judge(c.Resized, simcore.RefusalCauses(s.refused, 3))
	return nil
}

// observed is what was observed of a job, in seconds; wait is negative where it is
// not known.
type observed struct{ submit, finish, wait float64 }

// observe reads the jobs that succeeded.
func observe(t *trace.Trace) map[string]observed {
	out := map[string]observed{}
	if t == nil {
		return out
	}
	for i := range t.Jobs {
		j := &t.Jobs[i]
		if j.Result != trace.Succeeded || !j.Submit.Known() || j.Finish <= j.Submit {
			continue
		}
		out[j.ID] = observed{submit: float64(j.Submit) / 1000, finish: float64(j.Finish) / 1000, wait: recordedWait(j)}
	}
	return out
}

// recordedWait is how long a job waited for the start of its first map or reduce,
// in seconds; -1 where no start is recorded.
func recordedWait(j *trace.Job) float64 {
	wait := -1.0
	for k := range j.Tasks {
		t := &j.Tasks[k]
		if t.Kind != trace.Map && t.Kind != trace.Reduce {
			continue
		}
		for a := range t.Attempts {
			at := t.Attempts[a].Start
			if !at.Known() {
				continue
			}
			if w := float64(at-j.Submit) / 1000; wait < 0 || w < wait {
				wait = max(w, 0)
			}
		}
	}
	return wait
}

// sums adds up replications.
type sums struct {
	done, wait []float64 // by job of the workload
	n          []int
	span       float64
	refused    []simcore.Refusal // of jobs that ended in the record
}

func (s *sums) add(c *scenario.Case, res *simcore.Result, seen map[string]observed, runs int) {
	first, last := math.Inf(1), 0.0
	for i := range res.Jobs {
		j := &res.Jobs[i]
		if _, ok := seen[c.Work.Jobs[j.Job].ID]; !ok || j.Failed {
			continue
		}
		s.done[j.Job] += j.Completion().Seconds()
		s.wait[j.Job] += j.Wait().Seconds()
		s.n[j.Job]++
		first, last = min(first, j.Submit.Seconds()), max(last, j.Finish.Seconds())
	}
	s.span += max(0, last-first)
	for _, f := range res.Refused {
		if j := &c.Work.Jobs[f.Job]; seen[j.ID] != (observed{}) {
			s.refused = append(s.refused, simcore.Refusal{Queue: c.Work.Queues[j.Queue], Limit: f.Limit, Jobs: 1 / float64(runs)})
		}
	}
}

// fill sums up the jobs that ended in every replication.
func (r *Report) fill(c *scenario.Case, s *sums, seen map[string]observed) {
	first, last := math.Inf(1), 0.0
	var abs []float64
	at := map[int32]int{} // places in r.Queues, by queue of the workload
	waits := 0
	for i := range c.Work.Jobs {
		j := &c.Work.Jobs[i]
		o, ok := seen[j.ID]
		if !ok {
			continue
		}
		if s.n[i] < r.Replications {
			r.Lost++
			continue
		}
		n := float64(s.n[i])
		f := Figure{o.finish - o.submit, s.done[i] / n}
		first, last = min(first, o.submit), max(last, o.finish)
		r.PerJob = append(r.PerJob, Job{j.ID, c.Work.Queues[j.Queue], f})
		r.Completion.Recorded, r.Completion.Simulated = r.Completion.Recorded+f.Recorded, r.Completion.Simulated+f.Simulated
		if o.wait >= 0 {
			r.Wait.Recorded, r.Wait.Simulated = r.Wait.Recorded+o.wait, r.Wait.Simulated+s.wait[i]/n
			waits++
		}
		q, known := at[j.Queue]
		if !known {
			q = len(r.Queues)
			at[j.Queue] = q
			r.Queues = append(r.Queues, Queue{Name: c.Work.Queues[j.Queue]})
		}
		r.Queues[q].Jobs++
		r.Queues[q].Recorded += f.Recorded
		r.Queues[q].Simulated += f.Simulated
		abs = append(abs, math.Abs(f.Error()))
		r.Bias += f.Error()
		r.Apart += math.Abs(f.Simulated - f.Recorded)
		r.Distance += f.Recorded * math.Abs(math.Log(max(f.Simulated, 1e-3)/f.Recorded))
	}
	if r.Jobs = len(r.PerJob); r.Jobs == 0 {
		return
	}
	r.Median, r.Mean = stats.Median(abs), stats.Mean(abs)
	r.Makespan = Figure{last - first, s.span / float64(r.Replications)}
	r.average(waits)
}

// average turns sums over jobs into means; waits counts the jobs with a known wait.
func (r *Report) average(waits int) {
	n := float64(r.Jobs)
	r.Bias /= n
	r.Apart /= r.Completion.Recorded
	r.Distance /= r.Completion.Recorded
	r.Completion.scale(1 / n)
	r.Wait.scale(1 / float64(max(waits, 1)))
	for q := range r.Queues {
		r.Queues[q].scale(1 / float64(r.Queues[q].Jobs))
	}
	slices.SortFunc(r.Queues, func(a, b Queue) int { return strings.Compare(a.Name, b.Name) })
}

func (f *Figure) scale(by float64) { f.Recorded, f.Simulated = f.Recorded*by, f.Simulated*by }
