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

	// Defaults are the relative changes of the jobs' mean completion if the latencies that are not
	// fitted were half and twice the defaults; 0 where a calibration is given.
	Defaults [2]float64 `json:"defaults_halved_doubled"`

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
	var refused []simcore.Refusal // of jobs that ended in the record
	s, err := p.simulate(ctx, simulate.Item{Slowstart: -1}, seed, r.Replications, func(res *simcore.Result) {
		for _, f := range res.Refused {
			if w := c.Work; p.Seen[f.Job].Compared() {
				refused = append(refused, simcore.Refusal{Queue: w.Queues[w.Jobs[f.Job].Queue], Limit: f.Limit,
					Jobs: 1 / float64(r.Replications)})
			}
		}
	})
	if err != nil {
		return err
	}
	r.fill(p, s)
	if len(c.Resized) == 0 { // the record is of other sizes than the limits are held against
		r.Forbidden = diagnose.Forbidden(c)
	}
	if err := r.moveDefaults(ctx, p, seed); err != nil {
		return err
	}
	r.judge(c.Resized, simcore.RefusalCauses(refused, 3))
	return nil
}

// moveDefaults simulates with half and twice the latencies that nothing is known of.
func (r *Report) moveDefaults(ctx context.Context, p *Period, seed uint64) error {
	if r.Latencies.Given() || p.Case.Calibration == nil {
		return nil
	}
	var mean [3]float64
	for i, factor := range []float64{1, 0.5, 2} {
		own := *p.Case
		own.Calibration = own.Calibration.Scaled(factor, r.Latencies.Fitted)
		q := *p
		q.Case = &own
		s, err := q.simulate(ctx, simulate.Item{Slowstart: -1}, seed, 1, nil)
		if err != nil {
			return err
		}
		_, mean[i] = s.values(metric{of: completion})
	}
	for i := range r.Defaults {
		r.Defaults[i] = Figure{mean[0], mean[i+1]}.Error()
	}
	return nil
}

// fill sums up the jobs that ended in every replication.
func (r *Report) fill(p *Period, s *sample) {
	r.Jobs, r.Lost = len(s.jobs), p.compared()-len(s.jobs)
	if r.Jobs == 0 {
		return
	}
	var abs []float64
	waits := 0
	for i := range s.jobs {
		j := &s.jobs[i]
		f := Figure{j.rec.completion, j.mean(completion)}
		r.PerJob = append(r.PerJob, Job{p.Case.Work.Jobs[j.job].ID, j.queue, f})
		r.Completion.add(f)
		if j.started {
			r.Wait.add(Figure{j.rec.wait, j.mean(wait)})
			waits++
		}
		q := slices.IndexFunc(r.Queues, func(q Queue) bool { return q.Name == j.queue })
		if q < 0 {
			q, r.Queues = len(r.Queues), append(r.Queues, Queue{Name: j.queue})
		}
		r.Queues[q].Jobs++
		r.Queues[q].add(f)
		abs = append(abs, math.Abs(f.Error()))
		r.Bias += f.Error()
		r.Apart += math.Abs(f.Simulated - f.Recorded)
		r.Distance += f.Recorded * math.Abs(math.Log(max(f.Simulated, 1e-3)/f.Recorded))
	}
	r.Median, r.Mean = stats.Median(abs), stats.Mean(abs)
	r.Makespan.Recorded, r.Makespan.Simulated = s.values(metric{})
	r.Bias /= float64(r.Jobs)
	r.Apart /= r.Completion.Recorded
	r.Distance /= r.Completion.Recorded
	r.Completion.scale(1 / float64(r.Jobs))
	r.Wait.scale(1 / float64(max(waits, 1)))
	for q := range r.Queues {
		r.Queues[q].scale(1 / float64(r.Queues[q].Jobs))
	}
	slices.SortFunc(r.Queues, func(a, b Queue) int { return strings.Compare(a.Name, b.Name) })
}

func (f *Figure) add(o Figure) {
	f.Recorded, f.Simulated = f.Recorded+o.Recorded, f.Simulated+o.Simulated
}

func (f *Figure) scale(by float64) { f.Recorded, f.Simulated = f.Recorded*by, f.Simulated*by }
