package report

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"regexp"
	"slices"
	"strings"

	"schedtune/internal/diagnose"
	"schedtune/internal/fileio"
	"schedtune/internal/report/perfetto"
	"schedtune/internal/report/svg"
	"schedtune/internal/report/timeline"
	"schedtune/internal/simulate"
	"schedtune/internal/study"
	"schedtune/internal/text"
	"schedtune/simcore"
	"schedtune/tune"
	"schedtune/yarnconf"
)

// writeReport writes report.html and plots/.
func writeReport(dir *fileio.Dir, s *study.Study, sum *Summary, r *tune.Result) error {
	var b, tracks bytes.Buffer
	p, err := perfetto.New(&tracks, FileTracks)
	if err != nil {
		return err
	}
	if study.TasksOf(s.Runner.Windows()[0]) > tracksLimit {
		p = nil
	}
	d, err := newPage(s, sum, r, dir.Path(FileTrials), p)
	if err != nil {
		return err
	}
	if err := d.write(&b); err != nil {
		return err
	}
	if err := dir.WriteFile(FileReport, b.Bytes()); err != nil {
		return err
	}
	if err := dir.WriteAll(d.plots()); err != nil || p == nil {
		return err
	}
	if err := p.Close(); err != nil {
		return err
	}
	return dir.WriteFile(FileTracks, tracks.Bytes())
}

// Page is report.html of a study that has no folder, and so no log of its trials.
func Page(s *study.Study, sum *Summary, r *tune.Result) ([]byte, error) {
	var b bytes.Buffer
	d, err := newPage(s, sum, r, "", nil)
	if err == nil {
		err = d.write(&b)
	}
	return b.Bytes(), err
}

// page is what report.html shows: the summary, and what the simulations and the log of the study
// give beside it.
type page struct {
	*Summary
	Command string     // the command line that reproduces the page
	Diff    string     // unified diff of the queue file; "" = none
	Runs    []shownRun // one of each configuration; none = not shown
	Trials  []scored   // the first is the current configuration
}

// newPage simulates both configurations once; p, if not nil, gets their tracks.
func newPage(s *study.Study, sum *Summary, r *tune.Result, trials string, p *perfetto.Writer) (*page, error) {
	d := &page{Summary: sum, Command: commandLine(&s.Request)}
	var err error
	if trials != "" {
		if d.Trials, err = readTrials(trials, s.Problem.Objectives[0]); err != nil {
			return nil, err
		}
	}
	if r.Found != nil {
		tuned, _, err := s.Tuned(r.Found.Settings)
		if err != nil {
			return nil, err
		}
		d.Diff = yarnconf.Diff("present/"+study.FileConfig, study.FileConfig, s.Case.Doc.Bytes(), tuned.Bytes())
	}
	if err := d.simulate(s, shownRun{id: "before", name: "current", tracks: "present", colour: 8}, r.Present.Settings, p); err != nil {
		return nil, err
	}
	if after := r.Shown().Settings; !after.Equal(r.Present.Settings) {
		err = d.simulate(s, shownRun{id: "after", name: sum.foundTitle(), tracks: "tuned", colour: 1}, after, p)
	}
	return d, err
}

// simulate runs settings once and records what is shown of it.
func (d *page) simulate(s *study.Study, run shownRun, set tune.Settings, p *perfetto.Writer) error {
	w := s.Runner.Windows()[0]
	rec := timeline.New(w)
	watch, finish := rec.Watch, func(*simcore.Result) {}
	if p != nil {
		t := timeline.NewTracks(p, s.Case.Cluster, w, run.tracks)
		watch, finish = func(c simulate.Change) { rec.Watch(c); t.Watch(c) }, t.Finish
	}
	res, err := s.Runner.Simulate(context.Background(), set, groupSeedBase, 0, watch)
	if err != nil {
		return err
	}
	finish(res)
	run.timeline, run.completions = timelineOf(rec), completions(w, res)
	run.timeline.capacity = gib(s.Case.Total().Memory)
	d.Runs = append(d.Runs, run)
	return nil
}

// FileTracks is a trace for ui.perfetto.dev of one run with the current settings
// and one with those found, side by side; it is written for at most tracksLimit tasks.
const (
	FileTracks  = "plots/present-and-tuned.json.gz"
	tracksLimit = 200_000 // so that it stays a few MB
)

//go:embed report.html
var pageText string

//go:embed report.css
var pageCSS string

// write writes the page.
func (d *page) write(w io.Writer) error {
	figs := d.figures()
	t, err := template.New("report").Funcs(template.FuncMap{
		"figures":      func(section string) template.HTML { return drawSection(figs[section]) },
		"style":        func() template.CSS { return template.CSS(svg.Style(":root") + pageCSS) },
		"number":       unitNumber,
		"gain":         changeOf,
		"interval":     intervalText,
		"scaled":       scaledText,
		"span":         spanText,
		"beyond":       beyondText,
		"unit":         func(metric string) string { return simcore.MetricOf(metric).Unit },
		"percent":      percentText,
		"pair":         pairText,
		"delta":        deltaText,
		"diff":         diffHTML,
		"gib":          gib,
		"count":        text.Count,
		"join":         func(list []string) string { return strings.Join(list, ", ") },
		"sentence":     func(line string) string { return upperFirst(minusSigns(line)) },
		"minus":        minusSigns,
		"found":        d.found,
		"name":         d.foundTitle,
		"on":           d.on,
		"pairsName":    d.pairsName,
		"changesName":  d.changesName,
		"warnings":     func() []string { return slices.Concat(d.Warnings, d.Finished.lines()) },
		"headline":     d.headline,
		"behind":       d.behind,
		"limits":       d.limits,
		"single":       func() []limit { return slices.DeleteFunc(d.limits(), limit.ForAll) },
		"limitLine":    func(l limit) string { return d.limitLine(&l) },
		"bound":        d.bound,
		"leads":        leads,
		"moves":        func(c Change) string { return d.moves(&c) },
		"without":      func(c Change) string { return typographic(c.withoutText()) },
		"slower":       func(c Change) string { return typographic(c.slowerText()) },
		"sharesText":   d.sharesText,
		"stable":       stabilityText,
		"lost":         func(c study.StabilityChange) string { return typographic(stableText(&c)) },
		"values":       valuesText,
		"lifted":       d.liftedText,
		"terms":        func() []diagnose.TermsChange { return changedTerms(d.Terms) },
		"termsRows":    func(c diagnose.TermsChange) []termsRow { return termsRows(&c) },
		"unchanged":    func() string { return unchangedText(d.Terms) },
		"reproduction": d.reproductionLines,
		"instructions": d.instructions,
		"groups":       d.groupTables,
		"cells":        func(g GroupRow, similar bool) []groupCell { return g.cells(similar) },
	}).Parse(pageText)
	var b bytes.Buffer
	if err == nil {
		err = t.Execute(&b, d)
	}
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	_, err = w.Write(b.Bytes())
	return err
}

// on tells where figures before and after were measured, "" where the gain is of the same runs.
func (sum *Summary) on() string {
	if sum.apart() {
		return "on the recorded trace"
	}
	return ""
}

// pairsName heads the column of figures before and after.
func (sum *Summary) pairsName() string {
	return strings.TrimSpace("Current → " + sum.foundTitle() + " " + sum.on())
}

// changesName heads the column of changes with their intervals.
func (sum *Summary) changesName() string {
	name, level := "Change", 0.0
	if len(sum.Gain) > 0 {
		level = sum.Gain[0].Level
	}
	if sum.apart() && !sum.Gain[0].Unknown {
		name = "Expected change on similar workloads"
	}
	return fmt.Sprintf("%s (%.0f %% interval)", name, 100*cmp.Or(level, 0.95))
}

// gib converts MiB.
func gib(mib int64) float64 { return float64(mib) / 1024 }

// headlineRow is one metric before and after. Unknown figures are NaN.
type headlineRow struct {
	Name string
	simcore.Metric
	Before, After float64 // means over the confirmation's runs
	// Change is the relative change with its interval, 0.18 is 18 % more; Class is "better" or
	// "worse" where the interval excludes zero.
	Change, Low, High float64
	Class             string
}

// headline are the metrics, the objectives first with their expected changes.
func (sum *Summary) headline() (out []headlineRow) {
	add := func(name string) {
		b, ok := metric(sum.Present.Metrics, name)
		if !ok {
			return
		}
		a, ok := metric(sum.found().Metrics, name)
		if !ok {
			a = math.NaN()
		}
		m := headlineRow{Name: name, Metric: simcore.MetricOf(name), Before: b, After: a, Change: math.NaN(), Low: math.NaN(),
			High: math.NaN()}
		i := slices.IndexFunc(sum.Gain, func(g tune.Gain) bool { return g.Metric == name })
		switch {
		case i >= 0:
			g := &sum.Gain[i]
			m.Change, m.Low, m.High = gainEnds(g)
			if g.Unknown {
				break
			}
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

// gainEnds is a gain as the change of its metric, 0.18 is 18 % more, with the ends of its interval,
// NaN where they are not known.
func gainEnds(g *tune.Gain) (mean, low, high float64) {
	a, b := change(g.Metric, g.Low)/100, change(g.Metric, g.High)/100
	if g.Unknown {
		a, b = math.NaN(), math.NaN()
	}
	return change(g.Metric, g.Mean) / 100, min(a, b), max(a, b)
}

// gainOf is the relative improvement in the metric's own direction.
func gainOf(name string, before, after float64) float64 {
	return upwards(name) * (after - before) / math.Abs(before)
}

// importance are the settings by the share of the gain that they carry, the others
// after them by the spread that they explain.
func (sum *Summary) importance() (out []tune.Importance) {
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

// groupTable is the table of the queues or of the users: jobs, mean completion on similar workloads
// where it was measured, and figures of the recorded trace.
type groupTable struct {
	Kind    string // "queue" or "user"
	Columns []string
	Similar bool // some row has the mean completion on similar workloads
	Rows    []GroupRow
}

// groupMetrics are shown of each queue and user beside the number of jobs.
var groupMetrics = []string{"mean-completion", "p95-completion", "mean-wait", "p95-wait"}

func (sum *Summary) groupTables() (out []groupTable) {
	for _, kind := range []string{"queue", "user"} {
		g := groupTable{Kind: kind, Columns: []string{"jobs finished"}, Rows: slices.DeleteFunc(slices.Clone(sum.Groups),
			func(r GroupRow) bool { return r.Dimension != kind })}
		g.Similar = slices.ContainsFunc(g.Rows, func(r GroupRow) bool { return r.Drawn != nil })
		if g.Similar {
			g.Columns = append(g.Columns, "mean-completion on similar workloads")
		}
		g.Columns = append(g.Columns, groupMetrics...)
		if len(g.Rows) > 0 {
			out = append(out, g)
		}
	}
	return out
}

// groupCell is a figure before and after, NaN = unknown, with the interval of its change.
type groupCell struct {
	Unit          string
	Before, After float64
	Interval      string // 90 % of similar workloads change by this, "" = not known
}

// cells are the figures of a row of the page's tables; there is no mean over no jobs.
func (g *GroupRow) cells(similar bool) []groupCell {
	out := []groupCell{{"jobs", g.Before.Jobs, g.After.Jobs, ""}}
	switch {
	case similar && g.Drawn != nil:
		c := groupCell{"s", g.Drawn.Before, g.Drawn.After, ""}
		if text := g.Drawn.interval(); text != "" {
			c.Interval = typographic(text) + " %"
		}
		out = append(out, c)
	case similar:
		out = append(out, groupCell{"s", math.NaN(), math.NaN(), ""})
	}
	of := func(f GroupFigure, name string) float64 {
		if f.Jobs == 0 {
			return math.NaN()
		}
		return *f.byMetric()[name]
	}
	for _, name := range groupMetrics {
		out = append(out, groupCell{"s", of(g.Before, name), of(g.After, name), ""})
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

func upperFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// bound is the bound of the objective, nil if it leaves nothing to gain.
func (sum *Summary) bound() *tune.BoundGap {
	for i, b := range sum.Bounds {
		if b.Metric == sum.Objectives[0] && b.Gap > 0 {
			return &sum.Bounds[i]
		}
	}
	return nil
}
