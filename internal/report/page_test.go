package report

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"schedtune/internal/cli"
	"schedtune/internal/diagnose"
	"schedtune/internal/report/svg"
	"schedtune/internal/rng"
	"schedtune/internal/scenario"
	"schedtune/internal/study"
	"schedtune/tune"
)

// sampleRun is a run from counter-based draws.
func sampleRun(id, name string, colour int, slow float64, draw uint64) shownRun {
	k := rng.NewKey(1, 99)
	r := shownRun{id: id, name: name, colour: colour, completions: map[string][]float64{},
		timeline: runTimeline{unit: "GiB", capacity: 40}}
	t := &r.timeline
	for q, name := range []string{"root.adhoc", "root.analytics.reporting", "root.prod"} {
		s := svg.Series{Name: name, Shape: svg.Area}
		for i := range 900 {
			level := 8 + 7*math.Sin(float64(i)/90+float64(q)) + 2*k.At(draw).Float64(uint64(i*3+q))
			s.Points = append(s.Points, svg.Point{X: float64(i) * slow, Y: math.Floor(level)})
		}
		for i := range 60 {
			r.completions[name] = append(r.completions[name], slow*40*k.At(draw+7).Exp(uint64(q*100+i)))
		}
		t.queues = append(t.queues, s)
	}
	var maps, reduces []svg.Point
	for i := range 900 {
		x := float64(i) * slow
		maps = append(maps, svg.Point{X: x, Y: math.Floor(18 + 8*math.Sin(x/80))})
		t.pending = append(t.pending, svg.Point{X: x, Y: math.Max(0, 60*math.Sin(x/200))})
		if i%200 == 150 {
			t.lost = append(t.lost, svg.Point{X: x, Y: 20})
		}
		reduces = append(reduces, svg.Point{X: x, Y: math.Floor(6 + 5*math.Cos(x/60))})
	}
	t.tasks = []svg.Series{{Name: "maps", Points: maps, Shape: svg.Step},
		{Name: "reduces", Points: reduces, Shape: svg.Step}}
	return r
}

// sampleMetrics are the metrics of a configuration of the sample.
func sampleMetrics(p95, makespan, wait, mean, used float64) (out []tune.Metric) {
	means := []float64{p95, makespan, wait, mean, used}
	for i, name := range []string{"p95-completion", "makespan", "mean-wait", "mean-completion", "utilisation"} {
		out = append(out, tune.Metric{Name: name, Interval: tune.Interval{Mean: means[i]}})
	}
	return out
}

// sample makes a page with every part filled.
func sample() *page {
	part := func(v float64) *float64 { return &v }
	settings := func(maximum, slowstart string) tune.Settings {
		return tune.Settings{{Name: "root.adhoc.maximum-capacity", Value: maximum}, {Name: "slowstart", Value: slowstart}}
	}
	present := Configuration{Settings: settings("60", "0.05"), Metrics: sampleMetrics(431, 9120, 47.2, 201, .71)}
	best := Configuration{Settings: settings("85", "0.82"), Metrics: sampleMetrics(352, 9044, 52.9, 190, .74)}
	limit := func(text, metric string, limit float64, kept bool, value, beyond tune.Interval) tune.ConstraintResult {
		return tune.ConstraintResult{Constraint: tune.Constraint{Text: text, Metric: metric, Limit: limit}, Value: value,
			Kept: kept, Sure: kept, Beyond: beyond}
	}
	limits := []tune.ConstraintResult{limit("queue.prod.p95-wait <= 60s", "queue.prod.p95-wait", 60, true,
		tune.Interval{Mean: 41.5, Low: 38.2, High: 44.9}, tune.Interval{Mean: -0.31, Low: -0.36, High: -0.25}),
		limit("utilisation >= 0.8", "utilisation", 0.8, false, tune.Interval{Mean: 0.74, Low: 0.7, High: 0.78},
			tune.Interval{Mean: 0.075, Low: 0.025, High: 0.125})}
	knee := 1
	d := &page{Diff: "--- capacity-scheduler.xml\n+++ tuned/capacity-scheduler.xml\n@@ -40,3 +40,3 @@\n " +
		"<name>yarn.scheduler.capacity.root.adhoc.maximum-capacity</name>\n-<value>60</value>\n+<value>85</value>\n",
		Runs: []shownRun{sampleRun("before", "current", 8, 10.2, 3), sampleRun("after", "recommended", 1, 9.1, 5)}}
	d.Summary = &Summary{Run: &cli.Run{Command: "tune", Options: map[string][]string{"trace": {"history/"},
		"constraint": {"queue.prod.p95-wait <= 60s"}}}, Verdict: "p95-completion falls from 431 s to 352 s (90 % interval -22.4 to -14.1 %)",
		Decision: tune.Decision{Recommended: true}, Version: "0.1.0", Objectives: []string{"p95-completion", "makespan"},
		Present: present,
		Gain: []tune.Gain{{Metric: "p95-completion", Interval: tune.Interval{Mean: .183, Low: .141, High: .224}},
			{Metric: "makespan", Interval: tune.Interval{Mean: .008, Low: -.006, High: .022}}},
		Inputs: InputFigures{Config: "capacity-scheduler.xml", Nodes: 40, Workload: "history/", Jobs: 812,
			Store: scenario.StoreFile},
		Study: StudyFigures{Seed: 1, Confirmed: 40},
		Front: []Configuration{{Metrics: sampleMetrics(610, 8800, 0, 0, 0)}, {Metrics: sampleMetrics(560, 8900, 0, 0, 0)},
			{Metrics: sampleMetrics(540, 9044, 0, 0, 0)}, {Metrics: sampleMetrics(538, 9100, 0, 0, 0)}}, Knee: &knee,
		FrontPresent: &Configuration{Metrics: sampleMetrics(640, 9120, 0, 0, 0)},
		Importance: []tune.Importance{{Name: "root.adhoc.maximum-capacity", Share: .52}, {Name: "shares of root", Share: .21},
			{Name: "slowstart", Share: .12}, {Name: "root.prod.user-limit-factor", Share: .08}},
		Bounds: []tune.BoundGap{{Metric: "p95-completion", Bound: 301, Gap: .145}},
		Terms: []diagnose.TermsChange{{Queue: "root.prod", Leaf: true, Before: diagnose.Terms{Guaranteed: 28311,
			Maximum: 65536, LoneUser: 29696, Running: 3, Accepted: 9}, After: diagnose.Terms{Guaranteed: 3491, Maximum: 65536,
			LoneUser: 5120, Running: 1, Accepted: 9}}, {Queue: "root.adhoc", Leaf: true}},
		Lifted: &tune.Lifted{Gain: tune.Interval{Mean: 0.4, N: 8}, With: tune.Interval{Mean: 0.2}},
		Stability: &study.Stability{Studies: 3, Wanted: 3, Recommended: 3, Gains: []float64{.15, .19, .17},
			Changes: []study.StabilityChange{{Setting: "root.adhoc.maximum-capacity", Kept: 3, Here: true, Mean: part(.52),
				Low: part(.41), High: part(.6), Values: []string{"85", "80"}}, {Setting: "slowstart", Kept: 1,
				Values: []string{"0.5"}}}},
		Warnings: []string{"capacity-scheduler.xml:57: root.prod.user-limit-factor: 1 keeps a single user at 60 % of an " +
			"idle cluster"},
		Notes: []string{"assumed: jobs without a queue go to root.default (12 times)",
			"missing: container size of reduces (3 times) <script>"}}
	d.BestFound = &Found{Configuration: best, Gain: d.Gain, Constraints: limits, Changes: []Change{
		{Setting: "root.adhoc.maximum-capacity", File: "capacity-scheduler.xml", From: "60", To: "85", Share: part(.71),
			Without: part(-.74), Workloads: 16, Serves: "root.adhoc", Slower: part(.44), Needs: "refresh",
			Why: "adhoc stood at its maximum of 60 GiB for 2 h"},
		{Setting: "root.prod.user-limit-factor", File: "capacity-scheduler.xml", From: "1", To: "2.5", Share: part(.24),
			Without: part(-.2), Workloads: 16, Needs: "refresh"},
		{Setting: "slowstart", File: "mapred-site.xml", From: "0.05", To: "0.82", Share: part(.05),
			Limits: []string{"utilisation >= 0.8"}, Needs: "new jobs"}}}
	d.Best, d.Changes = best, d.BestFound.Changes
	for _, kind := range []string{"queue", "user"} {
		for i, n := range []string{"adhoc", "analytics.reporting", "prod"} {
			figures := func(mean, p95, wait float64) GroupFigure {
				return GroupFigure{Jobs: float64(100 + i), MeanCompletion: mean, P95Completion: p95, MeanWait: wait, P95Wait: 90}
			}
			if i == 1 && kind == "user" { // somebody pays
				d.Groups = append(d.Groups, GroupRow{Dimension: kind, Name: "payer", Before: figures(60, 90, 4),
					After: GroupFigure{}})
			}
			d.Groups = append(d.Groups, GroupRow{Dimension: kind, Name: kind + "-" + n,
				Before: figures(200+40*float64(i), 431, 40), After: figures(180+30*float64(i), 352, 44)})
		}
	}
	d.Costs = d.costs()
	d.Trials = sampleTrials()
	return d
}

// sampleTrials are trials with three values of a setting.
func sampleTrials() (out []scored) {
	k := rng.NewKey(1, 99)
	best := 0.0
	for i := range 120 {
		gain := 0.17*(1-math.Exp(-float64(i)/40)) - 0.1*k.Exp(uint64(i)) + 0.02
		if i == 0 {
			gain = 0
		}
		if i%17 == 5 {
			best = max(best, gain)
		}
		out = append(out, scored{settings: map[string]string{"root.adhoc.maximum-capacity": []string{"60", "70", "85"}[i%3]},
			trial: trial{Runs: 4 * (i + 1), Gain: gain, Best: best, Pairs: 1, Steady: i%17 == 5}})
	}
	return out
}

func render(t testing.TB, d *page) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := d.write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Equal data give equal bytes, text is escaped, and nothing is loaded from
// anywhere: a page that works without a network has no addresses but those of
// its own sections and of the SVG name space.
func TestPageIsSelfContained(t *testing.T) {
	page := render(t, sample())
	if !bytes.Equal(page, render(t, sample())) {
		t.Error("two renderings of equal data differ")
	}
	text := string(page)
	if strings.Contains(text, "<script") || !strings.Contains(text, "&lt;script&gt;") {
		t.Error("text is not escaped, or the page has a script")
	}
	for _, bad := range []string{"src=", "@import", "url(", "NaN", "%!", "ZgotmplZ"} {
		if strings.Contains(text, bad) {
			t.Errorf("page contains %q", bad)
		}
	}
	for _, part := range strings.Split(text, "href=\"")[1:] {
		if !strings.HasPrefix(part, "#") && !strings.HasPrefix(part, "data:,") {
			t.Errorf("link to %.40q", part)
		}
	}
	rest := strings.ReplaceAll(text, "http://www.w3.org/2000/svg", "")
	if strings.Contains(rest, "://") {
		t.Error("page names an address outside itself")
	}
	for _, id := range []string{"result", "changes", "warnings", "apply", "groups", "timeline", "distribution", "search"} {
		if !strings.Contains(text, `<section id="`+id+`"`) || !strings.Contains(text, `href="#`+id+`"`) {
			t.Errorf("section %s or the link to it is missing", id)
		}
	}
}

// Pairs have one unit where both figures have it, else each in its own.
func TestPairs(t *testing.T) {
	for _, c := range []struct {
		before, after float64
		unit, want    string
	}{{660, 366, "s", "11 → 6.1 min"}, {726, 19.02, "s", "12.1 min → 19 s"}, {18, 18, "jobs", "18"},
		{0.614, 0.634, "share", "61.4 → 63.4\u00a0%"}, {math.NaN(), math.NaN(), "s", "–"}, {5, math.NaN(), "s", "5 s → –"}} {
		if got := pairText(c.before, c.after, c.unit); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// The smallest report: no improvement, nothing to show but the verdict.
func TestEmptyReport(t *testing.T) {
	page := string(render(t, &page{Summary: &Summary{Verdict: "no change is proven better",
		Objectives: []string{"makespan"}}}))
	for _, id := range []string{"changes", "groups", "timeline", "search"} {
		if strings.Contains(page, `"`+id+`"`) || strings.Contains(page, "#"+id) {
			t.Errorf("section %s of an empty report", id)
		}
	}
}

// Every figure is well-formed XML with a title, and ids do not repeat.
func TestPlotsAreWellFormed(t *testing.T) {
	files := sample().plots()
	names := map[string]bool{}
	for _, f := range files {
		if names[f.Name] {
			t.Errorf("%s twice", f.Name)
		}
		names[f.Name] = true
		dec := xml.NewDecoder(bytes.NewReader(f.Data))
		titled := false
		for {
			tok, err := dec.Token()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", f.Name, err)
			}
			if el, ok := tok.(xml.StartElement); ok && el.Name.Local == "title" {
				titled = true
			}
		}
		if !titled {
			t.Errorf("%s has no title", f.Name)
		}
	}
	for _, want := range []string{"memory-before.svg", "memory-after.svg", "memory-queue-1.svg", "tasks-after.svg",
		"completion.svg", "front.svg", "search.svg", "importance.svg", "changes.svg"} {
		if !names["plots/"+want] {
			t.Errorf("no %s among %d files", want, len(files))
		}
	}
	ids := map[string]bool{}
	for _, part := range strings.Split(string(render(t, sample())), ` id="`)[1:] {
		id, _, _ := strings.Cut(part, `"`)
		if ids[id] {
			t.Errorf("id %q twice", id)
		}
		ids[id] = true
	}
}

// -update style output for people who want to look: SCHEDTUNE_REPORT_DIR.
func TestWriteSample(t *testing.T) {
	dir := os.Getenv("SCHEDTUNE_REPORT_DIR")
	if dir == "" {
		t.Skip("set SCHEDTUNE_REPORT_DIR to keep the sample page")
	}
	if err := os.WriteFile(filepath.Join(dir, "report.html"), render(t, sample()), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, f := range sample().plots() {
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(f.Name)), f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	fmt.Fprintln(os.Stderr, "sample written to", dir)
}
