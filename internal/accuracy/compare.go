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
)

// Report is a comparison of the recorded period with its simulation.
type Report struct {
	Latencies calibrate.Latencies `json:"latencies"`
	Nothing   string              `json:"nothing,omitempty"` // why nothing could be compared
	Embedded  bool                `json:"-"`                 // the jobs are embedded ones, which nobody recorded
	// Before says by which transformations of the record a what-if study's trace differs from what is compared.
	Before       []string `json:"before_transformation,omitempty"`
	Jobs         int      `json:"jobs"` // compared
	Replications int      `json:"replications"`

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
	Forbidden []string `json:"forbidden"`
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
	p := Observe(c, c.Recorded)
	if p.compared() == 0 {
		r.Nothing = "no job has a recorded submission and end"
		return nil
	}
	tasks := 0
	for i := range c.Work.Jobs {
		tasks += int(c.Work.Jobs[i].Tasks())
	}
	r.Replications = min(mostReplication, max(leastReplication, mostTasks/max(tasks, 1)))
	n := len(c.Work.Jobs)
	s := sums{done: make([]float64, n), wait: make([]float64, n), n: make([]int, n)}
	err := p.replay(ctx, simulate.Item{Slowstart: -1}, seed, r.Replications, func(res *simcore.Result) {
		s.add(p, res, r.Replications)
	})
	if err != nil {
		return err
	}
	r.fill(p, &s)
	if len(c.Resized) == 0 { // the record is of other sizes than the limits are held against
		r.Forbidden = diagnose.Forbidden(c)
	}
	r.judge(c.Resized, simcore.RefusalCauses(s.refused, 3))
	return nil
}

// sums adds up replications.
type sums struct {
	done, wait []float64 // by job of the workload
	n          []int
	span       float64
	refused    []simcore.Refusal // of jobs that ended in the record
}

func (s *sums) add(p *Period, res *simcore.Result, runs int) {
	first, last := math.Inf(1), 0.0
	for i := range res.Jobs {
		j := &res.Jobs[i]
		if !p.Seen[j.Job].Compared() || j.Failed {
			continue
		}
		s.done[j.Job] += j.Completion().Seconds()
		s.wait[j.Job] += j.Wait().Seconds()
		s.n[j.Job]++
		first, last = min(first, j.Submit.Seconds()), max(last, j.Finish.Seconds())
	}
	s.span += max(0, last-first)
	for _, f := range res.Refused {
		if w := p.Case.Work; p.Seen[f.Job].Compared() {
			s.refused = append(s.refused, simcore.Refusal{Queue: w.Queues[w.Jobs[f.Job].Queue], Limit: f.Limit,
				Jobs: 1 / float64(runs)})
		}
	}
}

// fill sums up the jobs that ended in every replication.
func (r *Report) fill(p *Period, s *sums) {
	first, last := math.Inf(1), 0.0
	var abs []float64
	at := map[int32]int{} // places in r.Queues, by queue of the workload
	waits := 0
	w := p.Case.Work
	for i := range w.Jobs {
		j, o := &w.Jobs[i], &p.Seen[i]
		if !o.Compared() {
			continue
		}
		if s.n[i] < r.Replications {
			r.Lost++
			continue
		}
		n := float64(s.n[i])
		f := Figure{(o.Finish - o.Submit).Seconds(), s.done[i] / n}
		first, last = min(first, o.Submit.Seconds()), max(last, o.Finish.Seconds())
		r.PerJob = append(r.PerJob, Job{j.ID, w.Queues[j.Queue], f})
		r.Completion.Recorded, r.Completion.Simulated = r.Completion.Recorded+f.Recorded, r.Completion.Simulated+f.Simulated
		if o.Start != simcore.Never {
			r.Wait.Recorded, r.Wait.Simulated = r.Wait.Recorded+(o.Start-o.Submit).Seconds(), r.Wait.Simulated+s.wait[i]/n
			waits++
		}
		q, known := at[j.Queue]
		if !known {
			q = len(r.Queues)
			at[j.Queue] = q
			r.Queues = append(r.Queues, Queue{Name: w.Queues[j.Queue]})
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
