package report

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"schedtune/internal/fileio"
	"schedtune/internal/report/html"
	"schedtune/internal/report/timeline"
	"schedtune/internal/study"
	"schedtune/internal/text"
	"schedtune/simcore"
	"schedtune/tune"
	"schedtune/yarnconf"
)

// writeReport writes report.html and plots/.
func writeReport(dir *fileio.Dir, s *study.Study, sum *Summary, r *tune.Result) error {
	d, page, err := reportPage(s, sum, r, dir.Path(FileTrials))
	if err != nil {
		return err
	}
	if err := dir.WriteFile(FileReport, page); err != nil {
		return err
	}
	if err := dir.WriteAll(html.Plots(d)); err != nil {
		return err
	}
	tracks, err := tracksOf(s, r.Present.Settings, r.Shown().Settings)
	if err != nil || tracks == nil {
		return err
	}
	return dir.WriteFile(FileTracks, tracks)
}

// Page is report.html of a study; trials is the path of its log, "" = none.
func Page(s *study.Study, sum *Summary, r *tune.Result, trials string) ([]byte, error) {
	_, page, err := reportPage(s, sum, r, trials)
	return page, err
}

func reportPage(s *study.Study, sum *Summary, r *tune.Result, trials string) (*html.Data, []byte, error) {
	d, err := reportData(s, sum, r)
	if err != nil {
		return nil, nil, err
	}
	if trials != "" {
		tried, err := readTrials(trials, s.Problem.Objectives[0])
		if err != nil {
			return nil, nil, err
		}
		for i := range tried {
			d.Trials = append(d.Trials, tried[i].Trial)
		}
		d.Slices = sliceData(sum, tried)
	}
	var page bytes.Buffer
	err = html.HTML(&page, d)
	return d, page.Bytes(), err
}

// reportData fills everything but the trials.
func reportData(s *study.Study, sum *Summary, r *tune.Result) (*html.Data, error) {
	after := r.Shown()
	d := &html.Data{
		Title:   "Capacity Scheduler tuning: " + strings.Join(sum.Objectives, ", "),
		Verdict: upperFirst(minusSigns(sum.Verdict)) + ".", Recommended: sum.Recommended, AfterName: sum.foundTitle(),
		Command: commandLine(&s.Request), Version: sum.Version, Seed: sum.Study.Seed, Inputs: reportInputs(sum),
		Headline: headline(sum, r, &after), Groups: reportGroups(sum.Groups), Changes: reportChanges(sum),
		Objective: objectiveOf(s.Problem.Objectives[0]),
		Notes:     sum.Notes, Reproduction: sum.reproductionLines(),
	}
	for _, line := range sum.behind() {
		d.Behind = append(d.Behind, upperFirst(minusSigns(line))+".")
	}
	d.Warnings = append(append([]string{}, sum.Warnings...), sum.Finished.lines()...)
	reportLimits(d, sum)
	reportLead(d, sum)
	reportStability(d, sum.Stability)
	d.Front, d.Limits = reportFront(s, sum), queueLimits(sum)
	d.Importance = reportImportance(sum)
	d.Bound = reportBound(sum)
	if r.Confirmed > 0 && len(sum.Gain) > 0 {
		d.Confirmed = sum.Gain[0].Mean
	}
	if err := reportFiles(s, d, sum, r); err != nil {
		return nil, err
	}
	var err error
	if d.Before, err = reportRun(s, r.Present.Settings); err != nil {
		return nil, err
	}
	if !after.Settings.Equal(r.Present.Settings) {
		d.After, err = reportRun(s, after.Settings)
	}
	return d, err
}

// reportFiles adds the diff and the way there and back.
func reportFiles(s *study.Study, d *html.Data, sum *Summary, r *tune.Result) error {
	if r.Found == nil {
		return nil
	}
	tuned, _, err := s.Tuned(r.Found.Settings)
	if err != nil {
		return err
	}
	d.Diff = yarnconf.Diff("present/"+study.FileConfig, study.FileConfig, s.Case.Doc.Bytes(), tuned.Bytes())
	if !sum.Recommended {
		return nil
	}
	d.Apply, d.Rollback = sum.steps(ApplyLines(sum, "."), FileMutation), sum.steps(RollbackLines(sum, "."), FileUnmutate)
	return nil
}

// reportRun simulates settings once and records what is shown of it.
func reportRun(s *study.Study, set tune.Settings) (*html.Run, error) {
	w := s.Runner.Windows()[0]
	rec := timeline.New(w)
	res, err := s.Runner.Simulate(context.Background(), set, groupSeedBase, 0, rec.Watch)
	if err != nil {
		return nil, err
	}
	run := &html.Run{Timeline: html.TimelineOf(rec), Completions: html.Completions(w, res)}
	run.Timeline.Capacity = gib(s.Case.Total().Memory)
	return run, nil
}

// gib converts MiB.
func gib(mib int64) float64 { return float64(mib) / 1024 }

// queueLimits are the memory limits of the queues whose charts are drawn, those whose limits
// change first.
func queueLimits(sum *Summary) []html.Limits {
	var changed, same []html.Limits
	for _, t := range sum.Terms {
		l := html.Limits{Queue: t.Queue, Guaranteed: [2]float64{gib(t.Before.Guaranteed), gib(t.After.Guaranteed)},
			Maximum: [2]float64{gib(t.Before.Maximum), gib(t.After.Maximum)}}
		switch {
		case !t.Leaf:
		case t.Same():
			same = append(same, l)
		default:
			changed = append(changed, l)
		}
	}
	return append(changed, same...)
}

// headline are the metrics, the objectives first with their expected changes.
func headline(sum *Summary, r *tune.Result, after *tune.Summary) (out []html.Metric) {
	add := func(name string) {
		b, ok := metric(sum.Present.Metrics, name)
		if !ok {
			return
		}
		a, ok := metric(after.Metrics, name)
		if !ok {
			a = math.NaN()
		}
		def := simcore.MetricOf(name)
		m := html.Metric{Name: name, Unit: def.Unit, Doc: def.Doc, Before: b, After: a, Change: math.NaN(), Low: math.NaN(),
			High: math.NaN()}
		i := slices.IndexFunc(r.Gain, func(g tune.Gain) bool { return g.Metric == name })
		switch {
		case i >= 0:
			g := &r.Gain[i]
			m.Change = change(name, g.Mean) / 100
			if g.Unknown {
				break
			}
			low, high := change(name, g.Low)/100, change(name, g.High)/100
			m.Low, m.High = min(low, high), max(low, high)
			if g.Low > 0 {
				m.Class = "better"
			} else if g.High < 0 {
				m.Class = "worse"
			}
		case b != 0 && !sum.apart():
			m.Change = a/b - 1
		}
		out = append(out, m)
	}
	for _, o := range sum.Objectives {
		add(o)
	}
	for _, m := range sum.Present.Metrics {
		if !slices.Contains(sum.Objectives, m.Name) && !sum.limitOnly(m.Name) {
			add(m.Name)
		}
	}
	return out
}

// gainOf is the relative improvement in the metric's own direction.
func gainOf(name string, before, after float64) float64 {
	g := (before - after) / math.Abs(before)
	if dir, err := simcore.Direction(name); err == nil && dir == simcore.Higher {
		return -g
	}
	return g
}

func objectiveOf(o tune.Objective) html.Objective {
	return html.Objective{Name: o.Metric, Unit: simcore.MetricOf(o.Metric).Unit}
}

// reportImportance are the settings by the share of the gain that they carry, the others
// after them by the spread that they explain.
func reportImportance(sum *Summary) (out []tune.Importance) {
	spread := map[string]float64{}
	for _, i := range sum.Importance {
		spread[i.Name] = i.Share
	}
	for _, name := range sum.byShare() {
		unit := unitOf(Change{Setting: name})
		if share, ok := spread[unit]; ok {
			out = append(out, tune.Importance{Name: unit, Share: share})
			delete(spread, unit)
		}
	}
	return out
}

// reportGroups are the tables by queue and by user: jobs, mean completion on similar workloads
// where it was measured, and figures of the recorded trace.
func reportGroups(shown []GroupRow) (out []html.Group) {
	for _, kind := range []string{"queue", "user"} {
		rows := slices.DeleteFunc(slices.Clone(shown), func(r GroupRow) bool { return r.Dimension != kind })
		g := html.Group{Kind: kind, Metrics: []string{"jobs finished"}, Units: []string{"jobs", "s", "s", "s", "s", "s"}}
		similar := slices.ContainsFunc(rows, func(r GroupRow) bool { return r.Drawn != nil })
		if similar {
			g.Metrics = append(g.Metrics, "mean-completion on similar workloads")
		}
		g.Metrics = append(g.Metrics, "mean-completion", "p95-completion", "mean-wait", "p95-wait")
		for _, row := range rows {
			drawn := DrawnFigure{Before: math.NaN(), After: math.NaN()}
			if row.Drawn != nil {
				drawn = *row.Drawn
			}
			r := html.GroupRow{Name: row.Name, Before: row.Before.columns(similar, drawn.Before),
				After: row.After.columns(similar, drawn.After)}
			if text := row.Drawn.interval(); text != "" {
				r.Interval = typographic(text) + " %"
			}
			g.Rows = append(g.Rows, r)
		}
		if len(g.Rows) > 0 {
			out = append(out, g)
		}
	}
	return out
}

// columns are the figures of a row of the page's tables; there is no mean over no jobs.
func (f GroupFigure) columns(similar bool, drawn float64) []float64 {
	out := []float64{f.Jobs}
	if similar {
		out = append(out, drawn)
	}
	if f.Jobs == 0 {
		return append(out, math.NaN(), math.NaN(), math.NaN(), math.NaN())
	}
	return append(out, f.MeanCompletion, f.P95Completion, f.MeanWait, f.P95Wait)
}

// reportChanges gives what moves together (siblings' shares) its part once.
func reportChanges(sum *Summary) []html.Change {
	var out []html.Change
	changes := sum.found().Changes
	for i, c := range changes {
		ch := html.Change{Name: c.Setting, File: c.File, From: c.From, To: c.To, Share: math.NaN(),
			Without: "with the above", Takes: c.Needs, Moves: sum.moves(&c), Why: c.Why}
		if leads(changes, i) {
			ch.Without, ch.Workloads, ch.Slower = typographic(c.withoutText()), c.Workloads, typographic(c.slowerText())
			if c.Share != nil {
				ch.Share = *c.Share
			}
		}
		out = append(out, ch)
	}
	return out
}

// hyphened are numbers with a hyphen before them.
var hyphened = regexp.MustCompile(`(^|[ (])-(\d)`)

// minusSigns sets the minus signs of a sentence of the page.
func minusSigns(text string) string { return hyphened.ReplaceAllString(text, "${1}−${2}") }

// typographic sets the minus signs of the page: nothing measured is a dash.
func typographic(figure string) string {
	if figure == "-" {
		return "–"
	}
	return strings.ReplaceAll(figure, "-", "−")
}

func reportInputs(sum *Summary) (pairs []html.Pair) {
	add := func(name, format string, args ...any) {
		pairs = append(pairs, html.Pair{Name: name, Value: fmt.Sprintf(format, args...)})
	}
	in := sum.Inputs
	add("Queue file", "%s, SHA-256 %.12s…", in.Config, in.ConfigHash)
	add("Cluster", "%s, %.4g GiB, %d vcores", text.Count(in.Nodes, "node"), gib(in.MemoryMiB), in.VCores)
	add("Workload", "%s, %d jobs, %d tasks", in.Workload, in.Jobs, in.Tasks)
	if in.Recorded != "" {
		add("Recorded", "%s", in.Recorded)
	}
	add("Search", "%s, %d parameters, %d runs of %d configurations, %d unused seeds for the confirmation",
		sum.Study.Sampler,
		in.Parameters, sum.Study.Runs, sum.Study.Trials, sum.Study.Confirmed)
	return pairs
}

func upperFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// reportBound is the bound of the objective, nil if it leaves nothing to gain.
func reportBound(sum *Summary) *tune.BoundGap {
	for i, b := range sum.Bounds {
		if b.Metric == sum.Objectives[0] && b.Gap > 0 {
			return &sum.Bounds[i]
		}
	}
	return nil
}
