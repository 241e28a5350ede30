package accuracy

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"

	"schedtune/internal/calibrate"
	"schedtune/internal/fileio"
	"schedtune/internal/rm"
	"schedtune/internal/scenario"
	"schedtune/internal/text"
	"schedtune/simcore"
	"schedtune/simcore/yarn"
	"schedtune/trace"
	"schedtune/yarnconf"
)

// Options of an examination.
type ClusterOptions struct {
	Calibration  string // file of latencies; empty = built in
	QueueMap     string // rules for jobs whose queue the file does not have
	Seed         uint64
	Replications int // default 20
}

// Report is the outcome; the schema is schedtune/doctor/v1.
type ClusterReport struct {
	Schema      string         `json:"schema"`
	Dir         string         `json:"dir"`
	Evaluation  *rm.Comparison `json:"evaluation"` // null: no queues to compare with
	Replay      *Replay        `json:"replay"`     // null: nothing to replay
	Missing     []string       `json:"missing"`    // parts that could not be examined, and why
	Unexplained []string       `json:"unexplained"`
	Notes       []string       `json:"notes"`
	Verdict     string         `json:"verdict"`
}

// Replay compares the observed period with its simulation. Times in seconds.
type Replay struct {
	Jobs             int           `json:"jobs"`
	Replications     int           `json:"replications"`
	Seed             uint64        `json:"seed"`
	Calibration      string        `json:"calibration"`
	Makespan         ClusterFigure `json:"makespan"`
	MeanCompletion   ClusterFigure `json:"mean_completion"`
	MeanWait         ClusterFigure `json:"mean_wait"`
	CompletionErrors Errors        `json:"completion_errors"`
	PerJob           []JobCheck    `json:"per_job"`
	Queues           []Usage       `json:"queues"`
}

// Figure is one observed figure and its prediction: the mean and the 5 to 95 %
// range over replications.
type ClusterFigure struct {
	Observed  float64 `json:"observed"`
	Predicted float64 `json:"predicted"`
	Low       float64 `json:"low"`
	High      float64 `json:"high"`
	Error     float64 `json:"error"` // (predicted − observed) / observed
	Rank      float64 `json:"rank"`  // share of replications below the observed figure, equal ones by half
}

// Errors are relative errors of completion times, unsigned.
type Errors struct {
	Median float64 `json:"median"`
	Mean   float64 `json:"mean"`
	P90    float64 `json:"p90"`
	Worst  float64 `json:"worst"`
}

// JobCheck is one job.
type JobCheck struct {
	Job        string        `json:"job"`
	Name       string        `json:"name"`
	Queue      string        `json:"queue"`
	User       string        `json:"user"`
	Completion ClusterFigure `json:"completion"`
	Wait       ClusterFigure `json:"wait"`
	InRange    bool          `json:"in_range"` // observed completion lies within the predicted range
}

// Usage is the memory a queue held over time, as shares of the cluster.
type Usage struct {
	Queue     string  `json:"queue"`
	Observed  float64 `json:"observed_mean"`
	Predicted float64 `json:"predicted_mean"`
	Apart     float64 `json:"mean_absolute_difference"` // over time, of the replications' mean course
}

// Examine looks at a folder that tune pull wrote. Errors: files that can't be
// read, or a folder in which nothing can be examined.
func Examine(ctx context.Context, dir string, o ClusterOptions) (*ClusterReport, error) {
	if o.Replications <= 0 {
		o.Replications = 20
	}
	in := scenario.Files{QueueMap: o.QueueMap, Calibration: o.Calibration}
	rm.Fill(&in, dir)
	r := &ClusterReport{Schema: text.SchemaDoctor, Dir: dir, Missing: []string{}, Unexplained: []string{},
		Notes: []string{}}
	if in.Config == "" || in.Cluster == "" {
		return nil, fmt.Errorf("%s: no %s or no %s in it; use a folder written by tune pull, with the configuration", dir,
			rm.FileConfig, rm.FileNodes)
	}
	r.Missing = append(r.Missing, scenario.MissingFrom(dir)...)
	c, err := doctorLoad(&in, r)
	if err != nil {
		return nil, err
	}
	r.Notes = append(r.Notes, c.Notes...)
	if err := r.evaluation(filepath.Join(dir, rm.FileScheduler), c); err != nil {
		return nil, err
	}
	if err := r.replayed(ctx, &in, c, o); err != nil {
		return nil, err
	}
	r.verdict()
	return r, nil
}

// load reads the folder's files. Without a job that ran a task there is nothing to
// replay, which r.Missing then says; the configuration can be examined all the same.
func doctorLoad(in *scenario.Files, r *ClusterReport) (*scenario.Case, error) {
	if len(in.Traces) == 0 {
		r.Missing = append(r.Missing, "replay: no applications were pulled")
		return in.LoadIdle()
	}
	c, err := in.Load()
	if errors.Is(err, trace.ErrEmpty) {
		r.Missing = append(r.Missing, "replay: "+err.Error())
		in.Traces = nil
		return in.LoadIdle()
	}
	return c, err
}

// evaluation compares queue by queue.
func (r *ClusterReport) evaluation(scheduler string, c *scenario.Case) error {
	data, err := fileio.ReadFile(scheduler, fileio.Table)
	if errors.Is(err, fs.ErrNotExist) {
		r.Missing = append(r.Missing, "evaluation: no "+rm.FileScheduler)
		return nil
	}
	if err != nil {
		return err
	}
	queues, err := rm.ParseScheduler(data)
	if err != nil {
		return fmt.Errorf("%s: %w", scheduler, err)
	}
	total := unlabelled(c.Cluster)
	if root := queues[0].EffectiveMax; root.Memory > 0 && root.Memory != total.Memory {
		r.Notes = append(r.Notes, fmt.Sprintf("the scheduler counts %d MiB, the running nodes have %d: evaluated with the "+
			"scheduler's figure", root.Memory, total.Memory))
		total = yarnconf.Resource{Memory: root.Memory, VCores: root.VCores}
	}
	r.Evaluation, err = rm.Compare(c.Doc, total, queues)
	return err
}

// unlabelled is the size of the nodes without a label, which is what the scheduler tells
// of root's.
func unlabelled(c *simcore.Cluster) yarnconf.Resource {
	var t yarnconf.Resource
	for i := range c.Nodes {
		if n := &c.Nodes[i]; n.Label == "" {
			t = t.Add(yarnconf.Resource{Memory: n.Capacity[simcore.Memory], VCores: n.Capacity[simcore.VCores]})
		}
	}
	return t
}

// replayed simulates the observed period, with the latencies that its history tells, as a
// study of it has them.
func (r *ClusterReport) replayed(ctx context.Context, in *scenario.Files, c *scenario.Case, o ClusterOptions) error {
	if len(in.Traces) == 0 {
		return nil
	}
	t, err := trace.Open(in.Traces[0], trace.Options{})
	if err != nil {
		return err
	}
	builtIn := c.Calibration.Source
	latencies := calibrate.Fit(c, in)
	if o.Calibration == "" && scenario.OneMachine(c.Cluster) {
		r.Notes = append(r.Notes, yarn.OneMachineNote)
	}
	e := &experiment{seen: observeUsage(t, c), o: o}
	if e.compared() == 0 {
		r.Missing = append(r.Missing, "replay: no job of the trace has both a submission and an end")
		return nil
	}
	if err := e.run(ctx); err != nil {
		r.Missing = append(r.Missing, "replay: "+err.Error())
		return nil
	}
	r.Replay = e.report()
	if len(latencies.Fitted) > 0 {
		r.Replay.Calibration = fmt.Sprintf("%d figures fitted on the history, the rest: %s", len(latencies.Fitted), builtIn)
	}
	r.Unexplained = append(r.Unexplained, e.unexplained(t, r.Replay)...)
	return nil
}

// verdict says in a sentence what the figures mean for predictions.
func (r *ClusterReport) verdict() {
	switch {
	case r.Evaluation != nil && len(r.Evaluation.Diffs) > 0:
		r.Verdict = fmt.Sprintf("the file is not what the cluster runs, or is evaluated wrongly: %d of %d figures differ; "+
			"do not trust predictions", len(r.Evaluation.Diffs), r.Evaluation.Figures)
	case r.Evaluation == nil && r.Replay == nil:
		r.Verdict = "nothing could be compared: neither the configuration nor how well times are predicted is known"
	case r.Replay == nil:
		r.Verdict = "the configuration agrees as far as it could be compared; how well times are predicted is not known"
	default:
		e := r.Replay.CompletionErrors
		r.Verdict = fmt.Sprintf("half of the completion times are predicted within %s, nine in ten within %s, the "+
			"makespan within %s: an expected gain below %s may be none",
			pct(e.Median), pct(e.P90), pct(math.Abs(r.Replay.Makespan.Error)),
			pct(max(e.Median, math.Abs(r.Replay.MeanCompletion.Error))))
	}
}

func pct(x float64) string { return text.Fixed(100*x, 1) + " %" }
