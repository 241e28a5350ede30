// Package report prints and writes the results of studies and simulations: summary with
// the verdict, tables of the terminal, output folder with queue file, rollback and report
// page, scheduler comparisons, resource usage by queue and user, and a page that shows a
// running study.
package report

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"math"
	"slices"
	"strings"
	"time"

	"schedtune/internal/accuracy"
	"schedtune/internal/cli"
	"schedtune/internal/diagnose"
	"schedtune/internal/study"
	"schedtune/internal/text"
	"schedtune/simcore"
	"schedtune/trace"
	"schedtune/tune"
	"schedtune/yarnconf"
)

// Summary is the outcome of a study as --json and summary.json give it.
type Summary struct {
	Schema  string   `json:"schema"`
	Run     *cli.Run `json:"run,omitempty"`
	Version string   `json:"version"`
	Verdict string   `json:"verdict"` // one sentence
	// Decision says whether the best configuration found is recommended, and why it is not.
	tune.Decision
	// BestFound is that configuration; null where nothing found was better.
	BestFound *Found `json:"best_found"`

	Objectives  []string                `json:"objectives"`
	Gain        []tune.Gain             `json:"gain"`        // of BestFound; relative, positive is better
	Constraints []tune.ConstraintResult `json:"constraints"` // judged on Best
	Changes     []Change                `json:"changes"`
	Best        Configuration           `json:"best"` // BestFound, or Present where it is not recommended
	Present     Configuration           `json:"present"`

	// Several objectives: the Pareto front, the index of its point that was confirmed, the
	// knee point as a rule, and the present on the runs that the front was measured on.
	Front        []Configuration `json:"front"`
	Knee         *int            `json:"knee"` // nil without a front
	FrontPresent *Configuration  `json:"front_present"`

	Ablation   []tune.AblationStep `json:"ablation"`
	Importance []tune.Importance   `json:"importance"`
	Bounds     []tune.BoundGap     `json:"bounds"`

	Study  StudyFigures `json:"study"`
	Inputs InputFigures `json:"inputs"`
	Groups []GroupRow   `json:"groups"` // current and best found per queue and user
	// Terms are what the current file and the best found grant every queue.
	Terms []diagnose.TermsChange `json:"terms"`
	// Costs are what the best found makes worse.
	Costs []Cost `json:"costs"`
	// Lifted is what the search saw without the limits, and which would break.
	Lifted *tune.Lifted `json:"lifted"`
	// NotModelled is what the files ask for and the simulator does not do; the
	// verdict names it.
	NotModelled []string `json:"not_modelled"`
	// Finished says over how many jobs the means are, and which were refused.
	Finished JobFigures `json:"finished"`

	// Reproduction says how well the simulator reproduces the recorded period.
	Reproduction *accuracy.Report `json:"reproduction"`

	// Stability is there if it was asked for.
	Stability *study.Stability `json:"stability"`

	Notes    []string `json:"notes"`
	Warnings []string `json:"warnings"`
}

// Change is one setting of the recommendation.
type Change struct {
	Setting  string `json:"setting"`
	Property string `json:"property"`
	File     string `json:"file"`
	From     string `json:"from"`
	To       string `json:"to"`
	Needs    string `json:"needs,omitempty"` // "refresh", "restart", "new jobs" or "new applications"
	// Why says how long the present limit kept the queue from more while the
	// cluster had room, in one run with the current settings; "" if it did not.
	Why string `json:"why,omitempty"`

	// Of this change with its siblings' shares, on the objective's own scale: the
	// part of the gain it carries in the order of the ablation path, the part
	// lost and the mean objective when it alone is left out, the limits that
	// breaks, whether it loses jobs. Null where too few runs were left to measure
	// it.
	Share   *float64 `json:"share"`
	Without *float64 `json:"lost_without"`
	// The ends of the 90 % interval of Without.
	LostLow   *float64 `json:"lost_without_low"`
	LostHigh  *float64 `json:"lost_without_high"`
	Workloads int      `json:"workloads,omitempty"` // behind Without; 0 = not known
	// Serves is the queue whose jobs get most slower without the change, "" = none, and Slower by
	// how much, as a part.
	Serves    string   `json:"serves,omitempty"`
	Slower    *float64 `json:"slower,omitempty"`
	Objective *float64 `json:"objective_without"`
	Limits    []string `json:"limits"`
	Loses     bool     `json:"loses_jobs"`
}

// Found is the best configuration that a study has found, recommended or not.
type Found struct {
	Configuration
	Changes     []Change                `json:"changes"`
	Gain        []tune.Gain             `json:"gain"`
	Constraints []tune.ConstraintResult `json:"constraints"`
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
	FailedRuns    int         `json:"failed_runs"`
	FailedPresent int         `json:"failed_present,omitempty"` // of the current settings
	FailedBest    int         `json:"failed_best,omitempty"`    // of the recommended or best found
	FirstFailure  string      `json:"first_failure,omitempty"`
	VarianceRatio float64     `json:"variance_ratio,omitempty"` // what common seeds saved
}

// InputFigures say what the study was about.
type InputFigures struct {
	Config     string `json:"config"`
	ConfigHash string `json:"config_sha256"`
	Nodes      int    `json:"nodes"`
	MemoryMiB  int64  `json:"memory_mib"`
	VCores     int64  `json:"vcores"`
	Workload   string `json:"workload"`
	Jobs       int    `json:"jobs"`
	Tasks      int    `json:"tasks"`
	Parameters int    `json:"parameters"`
	// Recorded is the period of the trace, "" for embedded jobs and traces without dates.
	Recorded string `json:"recorded,omitempty"`
	// Store is how the cluster keeps its queues (mutable, file; empty: not known), RM the
	// ResourceManager that the queue file was pulled from.
	Store string `json:"configuration_store,omitempty"`
	RM    string `json:"rm,omitempty"`
}

// outline is what of the result needs no further runs.
func outline(s *study.Study, r *tune.Result) *Summary {
	sum := &Summary{
		Schema: text.SchemaTune, Version: text.Release, Decision: r.Decision,
		Gain: r.Gain, Constraints: r.Constraints,
		Best: configuration(r.Best), Present: configuration(r.Present),
		Ablation: r.Ablation, Importance: r.Importance,
		Bounds: r.Bounds, Lifted: r.Lifted, NotModelled: s.Case.Unmodelled,
		Notes: append(append([]string{}, s.Case.Notes...), s.Notes...), Warnings: s.Case.Warnings,
		Study: StudyFigures{Status: r.Status, Sampler: r.Sampler, Seed: r.Seed, Runs: r.Runs, Trials: r.Trials,
			Generations: r.Generations,
			Confirmed:   r.Confirmed, Windows: len(s.Runner.Windows()), FailedRuns: r.FailedRuns, FailedPresent: r.FailedPresent,
			FailedBest: r.FailedBest, FirstFailure: r.FirstFailure, VarianceRatio: r.VarianceRatio},
		Inputs: inputFigures(s), Changes: []Change{},
	}
	for _, o := range s.Problem.Objectives {
		sum.Objectives = append(sum.Objectives, o.Metric)
	}
	if r.Found != nil {
		sum.BestFound = &Found{configuration(*r.Found), changes(s, r), r.Gain, r.Constraints}
		if r.Decision.Recommended {
			sum.Changes = sum.BestFound.Changes
		} else {
			sum.Constraints = r.PresentConstraints
		}
	}
	for _, f := range r.Front {
		sum.Front = append(sum.Front, configuration(f))
		sum.Knee = &r.Knee
	}
	if r.FrontPresent != nil {
		c := configuration(*r.FrontPresent)
		sum.FrontPresent = &c
	}
	sum.Reproduction = s.Request.Present
	return sum
}

// Summarise turns a result into the documented form, which takes further runs. tell, if there
// is one, hears of each how many of them are over; its calls never overlap.
func Summarise(s *study.Study, r *tune.Result, tell func(done, total int)) (*Summary, error) {
	sum, shown := outline(s, r), r.Shown()
	sets := []tune.Settings{r.Present.Settings, shown.Settings}
	if shown.Settings.Equal(r.Present.Settings) {
		sets = sets[:1]
	}
	results, err := replicate(s, tell, sets...)
	if err != nil {
		return nil, err
	}
	before, after := results[0], results[len(results)-1]
	sum.Groups = groups(s, &r.Present, &shown, before, after, r.Constraints)
	if sum.Terms, err = terms(s, r); err != nil {
		return nil, err
	}
	found := sum.found().Changes
	if err := reasons(s, r.Present.Settings, found, sum.Terms); err != nil {
		return nil, err
	}
	sum.Costs = sum.costs()
	sum.Finished = jobFigures(s, r, before, after)
	sum.Verdict = reproductionVerdict(sum.Reproduction) + Verdict(r) + sum.Finished.causes(r) + sum.harm() +
		notModelled(sum.NotModelled)
	return sum, nil
}

// notModelled is what a verdict says of what was not simulated.
func notModelled(what []string) string {
	if len(what) == 0 {
		return ""
	}
	return "; NOT modelled, so not part of this: " + strings.Join(what, "; ")
}

func configuration(s tune.Summary) Configuration {
	metrics := slices.Clone(s.Metrics)
	for i := range metrics {
		metrics[i].Unit = simcore.MetricOf(metrics[i].Name).Unit
	}
	return Configuration{Settings: s.Settings, Metrics: metrics, Feasible: s.Feasible}
}

// changes lists what the best configuration found changes, with each change's share of the gain.
func changes(s *study.Study, r *tune.Result) []Change {
	steps := ablationSteps(r)
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
		if text, ok := s.Space.Vector(c.Name, r.Found.Settings); ok {
			ch.From, ch.To = s.Case.Doc.Value(key), text
		}
		if kind, _ := yarnconf.RefreshKindOf(key); kind == yarnconf.NeedsRestart {
			ch.Needs = "restart"
		}
		switch file {
		case study.FileMapred:
			ch.Needs = "new jobs"
		case study.FileSpark, study.FileTez:
			ch.Needs = newApplications
		}
		unit, ok := group[c.Name]
		if !ok {
			unit = c.Name
		}
		ch.measured(steps[unit])
		out = append(out, ch)
	}
	out = append(out, following(out, s.Space.Companions(r.Found.Settings))...)
	if tuned, _, err := s.Tuned(r.Found.Settings); err == nil { // else writing says so
		out = asWritten(out, s.Case.Doc, tuned)
	}
	slices.SortStableFunc(out, func(a, b Change) int { // what moves together has one share
		return byMeasured(a, b)
	})
	return out
}

// newApplications is what a default of Spark or Tez needs to take effect.
const newApplications = "new applications"

// following returns the changes in other files that follow from those of a list.
func following(list []Change, files []study.Companion) (out []Change) {
	for _, f := range files {
		for i, c := range f.Back {
			if !slices.ContainsFunc(list, func(l Change) bool { return l.Setting == c.Key }) {
				out = append(out, Change{Setting: c.Key, Property: c.Key, File: f.Name, From: c.Value, To: f.To[i].Value,
					Needs: newApplications})
			}
		}
	}
	return out
}

// unsetText stands for the value of a property that a file does not set.
const unsetText = "not set"

// asWritten has a list of changes agree with the two files: what follows from other changes,
// such as the maximum of a queue whose share passed it, is as the file has it and is in the
// list, and what stays as it was is not.
func asWritten(list []Change, present, tuned *yarnconf.Document) []Change {
	differs, listed := map[string]string{}, map[string]bool{}
	diff := yarnconf.SchedulerChanges(present, tuned)
	for _, d := range diff {
		differs[d.Key] = d.Value
	}
	list = slices.DeleteFunc(list, func(c Change) bool {
		_, ok := differs[c.Property]
		listed[c.Property] = true
		return c.File == study.FileConfig && !ok
	})
	for i := range list {
		c := &list[i]
		if c.File == study.FileConfig && yarnconf.Prefix+c.Setting == c.Property { // no part of a value
			c.To = differs[c.Property]
		}
		c.From = cmp.Or(c.From, unsetText)
	}
	for _, d := range diff {
		if !listed[d.Key] {
			list = append(list, Change{Setting: strings.TrimPrefix(d.Key, yarnconf.Prefix), Property: d.Key,
				File: study.FileConfig, From: cmp.Or(present.Value(d.Key), unsetText), To: d.Value, Needs: "refresh"})
		}
	}
	return list
}

// ablationSteps are what the ablation measured, by what was taken back.
func ablationSteps(r *tune.Result) map[string]tune.AblationStep {
	steps := map[string]tune.AblationStep{}
	for _, a := range r.Ablation {
		steps[a.Change] = a
	}
	return steps
}

// measured takes over what the ablation says of a change.
func (c *Change) measured(step tune.AblationStep) {
	c.Share, c.Without, c.Objective, c.Limits, c.Loses = step.Loss, step.Alone, step.Value, step.Limits, step.Loses
	if iv := step.Interval; iv != nil {
		c.LostLow, c.LostHigh, c.Workloads = &iv.Low, &iv.High, iv.N
	}
	if step.Serves != "" {
		_, c.Serves, _ = strings.Cut(protectedName(step.Serves), " ")
		c.Slower = step.Slower
	}
}

func inputFigures(s *study.Study) InputFigures {
	f := InputFigures{Config: s.Case.Doc.Name(), Nodes: len(s.Case.Cluster.Nodes), Workload: s.Case.Work.Name,
		Jobs: len(s.Case.Work.Jobs), Parameters: s.Space.Dim(), Recorded: recordedPeriod(s.Case.Recorded),
		Store: s.Case.Store, RM: s.Case.RM}
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

// recordedPeriod is from the first submission of a trace to its last record, in UTC; "" without dates.
func recordedPeriod(t *trace.Trace) string {
	if t == nil {
		return ""
	}
	first, last := int64(math.MaxInt64), int64(0)
	for i := range t.Jobs {
		if j := &t.Jobs[i]; j.Submit.Known() {
			first, last = min(first, int64(j.Submit)), max(last, int64(j.Submit), int64(j.Finish))
		}
	}
	if last == 0 || !dated(first) {
		return ""
	}
	const minute = "2006-01-02 15:04"
	return time.UnixMilli(first).UTC().Format(minute) + " to " + time.UnixMilli(last).UTC().Format(minute) + " UTC"
}
