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

// writeReport writes report.html and plots/. The page is complete without plots/: it holds the same
// charts inline, so that one file can be sent by mail and opened without a network. The files are for
// those who put a chart into a document of their own.
func writeReport(dir *fileio.Dir, s *study.Study, sum *Summary, r *tune.Result) error {
	var b, tracks bytes.Buffer
	p, err := perfetto.New(&tracks, FileTracks)
	if err != nil {
		return err
	}
	// A trace of millions of tasks would make a file that no browser opens; the page does without it.
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
	Diff   string     // unified diff of the queue file; "" = none
	Runs   []shownRun // one of each configuration; none = not shown
	Trials []scored   // the first is the current configuration
}

// newPage simulates both configurations once; p, if not nil, gets their tracks. The study keeps only
// the metrics of its runs, not what happened in them, so the runs that are shown are made here anew.
// An empty trials means that the study has no log, and the progress of the search is not shown.
func newPage(s *study.Study, sum *Summary, r *tune.Result, trials string, p *perfetto.Writer) (*page, error) {
	d := &page{Summary: sum}
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
		// Of what was found rather than of the files written: where nothing is recommended these are the
		// current ones, and the reader wants to see what was rejected.
		d.Diff = yarnconf.Diff("current/"+study.FileConfig, study.FileConfig, s.Case.Doc.Bytes(), tuned.Bytes())
	}
	// Colour 8 is grey: in all charts the current configuration stands back and the found one stands out.
	before := shownRun{id: "before", name: "current", colour: 8}
	if err := d.simulate(s, before, r.Present.Settings, p); err != nil {
		return nil, err
	}
	if after := r.Shown().Settings; !after.Equal(r.Present.Settings) {
		err = d.simulate(s, shownRun{id: "after", name: sum.foundTitle(), colour: 1}, after, p)
	}
	return d, err
}

// simulate runs settings once and records what is shown of it. The window is the first of the
// recorded trace and not a resampled one, since readers look for jobs that they know; the seed is the first of the tables by queue, so
// that the charts show a run which those figures contain, and is the same for both configurations:
// what differs between the charts comes from the settings.
func (d *page) simulate(s *study.Study, run shownRun, set tune.Settings, p *perfetto.Writer) error {
	w := s.Runner.Windows()[0]
	rec := timeline.New(w)
	watch, finish := rec.Watch, func(*simcore.Result) {}
	if p != nil {
		t := timeline.NewTracks(p, s.Case.Cluster, w, run.name)
		watch, finish = func(c simulate.Change) { rec.Watch(c); t.Watch(c) }, t.Finish
	}
	res, err := s.Runner.Simulate(context.Background(), set, groupSeedBase, 0, watch)
	if err != nil {
		return err
	}
	finish(res)
	run.timeline, run.completions = timelineOf(rec, s.Case.Total().Memory), completions(w, res)
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

// write writes the page. Verdict, limits and reasons come from methods of Summary that the text
// output uses too, and the template has structure only: page and terminal cannot contradict each
// other.
func (d *page) write(w io.Writer) error {
	figs := d.figures()
	t, err := template.New("report").Funcs(template.FuncMap{
		"figures":      func(section string) template.HTML { return drawSection(figs[section]) },
		"style":        func() template.CSS { return template.CSS(svg.Style() + pageCSS) },
		"number":       unitNumber,
		"gain":         changeOf,
		"interval":     intervalText,
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
		"windows":      d.windows,
		"confirmation": d.confirmation,
		"others":       func() int { return d.Study.Trials - len(d.Trials) },
		"warnings":     func() []string { return slices.Concat(d.Warnings, d.Finished.lines()) },
		"headline":     d.headline,
		"behind":       d.behind,
		"limits":       d.limits,
		"limitLine":    func(l limit) string { return d.limitLine(&l) },
		"bound":        d.bound,
		"measured":     d.measuredCells,
		"moves":        func(c Change) string { return d.moves(&c) },
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
	var b bytes.Buffer // not w: half a page must not reach a reader if the template fails
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

// gib converts MiB to GiB, the unit of the charts.
func gib(mib int64) float64 { return float64(mib) / 1024 }

// gainOf is the relative improvement in the metric's own direction.
func gainOf(name string, before, after float64) float64 {
	return upwards(name) * (after - before) / math.Abs(before)
}

// importance are the settings by the share of the gain that they carry, the others
// after them by what they explain. Settings that move together, such as the shares of
// siblings, are one bar: the model cannot tell them apart.
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

// hyphened are numbers with a hyphen before them. The blank or bracket keeps dates, versions and
// intervals such as 10-20 as they are.
var hyphened = regexp.MustCompile(`(^|[ (])-(\d)`)

// minusSigns sets the minus signs of a sentence of the page.
func minusSigns(text string) string { return hyphened.ReplaceAllString(text, "${1}−${2}") }

// typographic sets the minus signs of a cell of the page: nothing measured is a dash.
func typographic(cell string) string {
	if cell == "-" {
		return "–"
	}
	return minusSigns(cell)
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
