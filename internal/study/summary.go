package study

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"strconv"
	"strings"

	"schedtune/internal/version"
	"schedtune/tune"
	"schedtune/yarnconf"
)

// Schema names the form of Summary; docs/json.md describes it.
const Schema = "schedtune/tune/v1"

// Summary is the outcome of a study as --json and summary.json give it.
type Summary struct {
	Schema  string `json:"schema"`
	Version string `json:"version"`
	Verdict string `json:"verdict"` // one sentence
	Proven  bool   `json:"proven"`  // the gain's interval excludes zero and no constraint suffers

	Objectives  []string                `json:"objectives"`
	Gain        []tune.Gain             `json:"gain"` // relative, positive is better, on seeds the search did not use
	Constraints []tune.ConstraintResult `json:"constraints,omitempty"`
	Changes     []Change                `json:"changes"`
	Best        Configuration           `json:"best"`
	Present     Configuration           `json:"present"`
	Unproven    *Configuration          `json:"unproven,omitempty"` // best found, not recommended
	Front       []Configuration         `json:"front,omitempty"`    // several objectives: the Pareto front
	Knee        int                     `json:"knee,omitempty"`     // index of its knee point

	Ablation   []tune.AblationStep `json:"ablation,omitempty"`
	Importance []tune.Importance   `json:"importance,omitempty"`
	Bounds     []tune.BoundGap     `json:"bounds,omitempty"`

	Study  StudyFigures `json:"study"`
	Inputs InputFigures `json:"inputs"`
	Groups []GroupRow   `json:"groups,omitempty"` // before and after per queue and user
	// Finished says over how many jobs the means are, and which were refused.
	Finished JobFigures `json:"finished"`

	// Stability is there if it was asked for.
	Stability *Stability `json:"stability,omitempty"`

	Notes    []string `json:"notes,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
}

// Change is one setting of the recommendation.
type Change struct {
	Setting  string `json:"setting"`
	Property string `json:"property"`
	File     string `json:"file"`
	From     string `json:"from"`
	To       string `json:"to"`
	Needs    string `json:"needs,omitempty"` // "refresh", "restart", "new jobs" or "new applications"

	// Of this change with its siblings' shares, on the objective's own scale: the
	// part of the gain it carries in the order of the ablation path, the part
	// lost and the mean objective when it alone is left out, the limits that
	// breaks, whether it loses jobs. Null where too few runs were left to measure
	// it.
	Share     *float64 `json:"share"`
	Without   *float64 `json:"lostWithout"`
	Objective *float64 `json:"objectiveWithout"`
	Limits    []string `json:"limits,omitempty"`
	Loses     bool     `json:"losesJobs,omitempty"`
}

// Configuration is one set of settings and what it measured.
type Configuration struct {
	Settings tune.Settings `json:"settings"`
	Metrics  []tune.Metric `json:"metrics"`
	Feasible bool          `json:"feasible"`
}

// StudyFigures say how the search went.
type StudyFigures struct {
	Status        tune.Status `json:"status"`
	Sampler       string      `json:"sampler"`
	Seed          uint64      `json:"seed"`
	Runs          int         `json:"runs"`
	Trials        int         `json:"trials"`
	Generations   int         `json:"generations"`
	Confirmed     int         `json:"confirmed"` // paired seeds behind the gain
	Windows       int         `json:"windows"`
	FailedRuns    int         `json:"failedRuns"`
	FirstFailure  string      `json:"firstFailure,omitempty"`
	VarianceRatio float64     `json:"varianceRatio,omitempty"` // what common seeds saved
}

// InputFigures say what the study was about.
type InputFigures struct {
	Config     string `json:"config"`
	ConfigHash string `json:"configSha256"`
	Nodes      int    `json:"nodes"`
	MemoryMiB  int64  `json:"memoryMiB"`
	VCores     int64  `json:"vcores"`
	Workload   string `json:"workload"`
	Jobs       int    `json:"jobs"`
	Tasks      int    `json:"tasks"`
	Parameters int    `json:"parameters"`
}

// Summarise turns a result into the documented form.
func (s *Study) Summarise(r *tune.Result) (*Summary, error) {
	sum := &Summary{
		Schema: Schema, Version: version.Number, Proven: r.Proven,
		Gain: r.Gain, Constraints: r.Constraints,
		Best: configuration(r.Best), Present: configuration(r.Present),
		Ablation: r.Ablation, Importance: r.Importance, Bounds: r.Bounds, Knee: r.Knee,
		Notes: append(append([]string{}, s.Case.Notes...), s.Notes...), Warnings: s.Case.Warnings,
		Study: StudyFigures{Status: r.Status, Sampler: r.Sampler, Seed: r.Seed, Runs: r.Runs, Trials: r.Trials, Generations: r.Generations,
			Confirmed: r.Confirmed, Windows: len(s.Runner.Windows()), FailedRuns: r.FailedRuns, FirstFailure: r.FirstFailure, VarianceRatio: r.VarianceRatio},
		Inputs: s.inputFigures(), Changes: []Change{},
	}
	for _, o := range s.Problem.Objectives {
		sum.Objectives = append(sum.Objectives, o.Metric)
	}
	if r.Unproven != nil {
		c := configuration(*r.Unproven)
		sum.Unproven = &c
	}
	for _, f := range r.Front {
		sum.Front = append(sum.Front, configuration(f))
	}
	if r.Unproven == nil {
		sum.Changes = s.changes(r)
	}
	sum.Verdict = Verdict(r)
	before, after, err := s.bothReplicated(r.Present.Settings, r.Best.Settings)
	if err != nil {
		return nil, err
	}
	sum.Groups = s.groups(&r.Present, &r.Best, before, after)
	if r.Unproven != nil { // the figures beside the present ones are its own
		if after, err = s.replicate(r.Unproven.Settings); err != nil {
			return nil, err
		}
	}
	sum.Finished = s.jobFigures(r, before, after)
	return sum, nil
}

func configuration(s tune.Summary) Configuration {
	return Configuration{Settings: s.Settings, Metrics: s.Metrics, Feasible: s.Feasible}
}

// changes lists what the recommendation changes with each change's share of
// the gain.
func (s *Study) changes(r *tune.Result) []Change {
	steps := map[string]tune.AblationStep{}
	for _, a := range r.Ablation {
		steps[a.Change] = a
	}
	group := map[string]string{}
	for _, p := range s.Space.Params() {
		if p.Kind == tune.Share {
			group[p.Name] = "shares of " + p.Group
		}
	}
	out := []Change{}
	for _, c := range r.Changes {
		key, file := s.Space.Property(c.Name)
		ch := Change{Setting: c.Name, Property: key, File: file, From: c.From, To: c.To, Needs: "refresh"}
		if text, ok := s.Space.vector(c.Name, r.Best.Settings); ok {
			ch.From, ch.To = s.Case.Doc.Value(key), text
		}
		if kind, _ := yarnconf.RefreshKindOf(key); kind == yarnconf.NeedsRestart {
			ch.Needs = "restart"
		}
		switch file {
		case FileMapred:
			ch.Needs = "new jobs"
		case FileSpark:
			ch.Needs = "new applications"
		}
		unit, ok := group[c.Name]
		if !ok {
			unit = c.Name
		}
		step := steps[unit]
		ch.Share, ch.Without, ch.Objective, ch.Limits, ch.Loses = step.Loss, step.Alone, step.Value, step.Limits, step.Loses
		out = append(out, ch)
	}
	return out
}

func (s *Study) inputFigures() InputFigures {
	f := InputFigures{Config: s.Case.Doc.Name(), Nodes: len(s.Case.Cluster.Nodes), Workload: s.Case.Work.Name,
		Jobs: len(s.Case.Work.Jobs), Parameters: s.Space.Dim()}
	sha := sha256.Sum256(s.Case.Doc.Bytes())
	f.ConfigHash = hex.EncodeToString(sha[:])
	for i := range s.Case.Cluster.Nodes {
		f.MemoryMiB += s.Case.Cluster.Nodes[i].Capacity[0]
		f.VCores += s.Case.Cluster.Nodes[i].Capacity[1]
	}
	for i := range s.Case.Work.Jobs {
		f.Tasks += int(s.Case.Work.Jobs[i].Tasks())
	}
	return f
}

// Verdict is the outcome of a search in one sentence.
func Verdict(r *tune.Result) string {
	return verdict(r) + lossVerdict(r)
}

func verdict(r *tune.Result) string {
	if len(r.Gain) == 0 {
		stopped := ""
		if r.Status == tune.Cancelled {
			stopped = "stopped before confirmation: "
		}
		return stopped + "no proven improvement: the present configuration stays"
	}
	// A gain or loss in the first objective; in every one where there are several.
	var gains []string
	for _, g := range r.Gain {
		gains = append(gains, gainText(g))
	}
	gain := strings.Join(gains, "; ")
	switch {
	case r.Status == tune.Cancelled:
		return "stopped before confirmation, nothing is proven: with the best so far " + gain
	case r.Proven:
		return limitsVerdict(r) + gain
	case r.Unproven == nil && len(r.Changes) == 0:
		return "no proven improvement: nothing tried was better than the present configuration"
	}
	return "no proven improvement: with the best found " + gain
}

// limitsVerdict is what the headline says of constraints before the gain.
func limitsVerdict(r *tune.Result) string {
	broken := 0
	for _, c := range r.Constraints {
		if !c.Kept {
			broken++
		}
	}
	switch {
	case broken > 0 && len(r.Constraints) == 1:
		return "the constraint is NOT kept; "
	case broken > 0:
		return fmt.Sprintf("%d of %d constraints NOT kept; ", broken, len(r.Constraints))
	case len(r.Constraints) > 0 && !r.Present.Feasible:
		return "the constraints are kept, which the present configuration breaks; "
	}
	return ""
}

// gainText says how a metric changes, with the interval behind it: what is to be
// expected of a workload like the recorded one, and what the recorded one shows.
func gainText(g tune.Gain) string {
	verb, figures := improvement(g.Interval)
	if g.Again == nil {
		return fmt.Sprintf("%s %s by %s %% (%.0f %% interval %s to %s, %d unused seeds)", g.Metric, verb, figures[0], 100*g.Level, figures[1], figures[2], g.N)
	}
	text := fmt.Sprintf("%s %s by %s %% on a workload like this (%.0f %% interval %s to %s)", g.Metric, verb, figures[0], 100*g.Level, figures[1], figures[2])
	then, again := improvement(*g.Again)
	if then == verb {
		return fmt.Sprintf("%s, by %s %% on this trace again", text, again[0])
	}
	return fmt.Sprintf("%s; on this trace again it %s by %s %%", text, then, again[0])
}

// improvement is a relative gain in words and figures: mean, low and high in
// percent of what the verb says.
func improvement(iv tune.Interval) (verb string, figures [3]string) {
	mean, low, high := 100*iv.Mean, 100*iv.Low, 100*iv.High
	digits := 1
	if a := math.Abs(mean); a > 0 && a < 0.05 { // not “improves by 0.0 %”
		digits = min(1-int(math.Floor(math.Log10(a))), 6)
	}
	verb = "improves"
	if mean < 0 {
		verb, mean, low, high = "gets worse", -mean, -high, -low
	}
	for i, v := range []float64{mean, low, high} {
		figures[i] = strconv.FormatFloat(v, 'f', digits, 64)
	}
	return verb, figures
}
