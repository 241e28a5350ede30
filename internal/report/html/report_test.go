package html

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

	"schedtune/internal/report/svg"
	"schedtune/internal/rng"
	"schedtune/tune"
)

// sample makes a report with every part filled, from counter-based draws.
func sample() *Data {
	nan := math.NaN()
	k := rng.NewKey(1, 99)
	run := func(slow float64, id uint64) *Run {
		r := &Run{Timeline: Timeline{Unit: "GiB", Capacity: 40}}
		for q, name := range []string{"root.adhoc", "root.analytics.reporting", "root.prod"} {
			s := svg.Series{Name: name, Shape: svg.Area}
			sm := Sample{Name: name}
			for i := range 900 {
				level := 8 + 7*math.Sin(float64(i)/90+float64(q)) + 2*k.At(id).Float64(uint64(i*3+q))
				s.Points = append(s.Points, svg.Point{X: float64(i) * slow, Y: math.Floor(level)})
			}
			for i := range 60 {
				sm.Values = append(sm.Values, slow*40*k.At(id+7).Exp(uint64(q*100+i)))
			}
			r.Timeline.Queues = append(r.Timeline.Queues, s)
			r.Completions = append(r.Completions, sm)
		}
		for i := range 900 {
			x := float64(i) * slow
			r.Timeline.Maps = append(r.Timeline.Maps, svg.Point{X: x, Y: math.Floor(18 + 8*math.Sin(x/80))})
			r.Timeline.Pending = append(r.Timeline.Pending, svg.Point{X: x, Y: math.Max(0, 60*math.Sin(x/200))})
			if i%200 == 150 {
				r.Timeline.Lost = append(r.Timeline.Lost, svg.Point{X: x, Y: 20})
			}
			r.Timeline.Reduces = append(r.Timeline.Reduces, svg.Point{X: x, Y: math.Floor(6 + 5*math.Cos(x/60))})
		}
		return r
	}
	d := &Data{
		Title: "Queue tuning for p95-completion", Recommended: true, AfterName: "recommended",
		Verdict: "Proven: p95-completion falls from 431 s to 352 s (+18.3 %, 95 % interval +14.1 % to +22.4 %, 40 unused " +
			"seeds). Two of five changes carry the gain.",
		Command: "tune --config capacity-scheduler.xml --cluster nodes.json --trace history/ --objective p95-completion " +
			"--constraint 'queue.prod.p95-wait <= 60s' --seed 1 --out tuned",
		Version: "0.1.0", Seed: 1,
		Inputs: []Pair{{"Queue file", "capacity-scheduler.xml, 4 queues"}, {"Cluster", "nodes.json, 40 nodes in 2 racks"},
			{"Trace", "history/, 812 jobs of 14 users"}},
		Headline: []Metric{
			{"p95-completion", "s", "95th percentile of completion time", 431, 352, -.183, -.224, -.141, "better"},
			{"makespan", "s", "first submission to last completion", 9120, 9044, -.008, -.022, .006, ""},
			{"mean-wait", "s", "mean time from submission to a job's first task", 47.2, 52.9, .12, .05, .19, "worse"},
			{"utilisation", "share", "capacity-seconds in use", .71, .74, .04, .01, .07, "better"},
		},
		Changes: []Change{
			{"root.adhoc.maximum-capacity", "capacity-scheduler.xml", "60", "85", .71, "-74 %", 16, "adhoc +44 %",
				"refresh",
				"adhoc stood at its maximum of 60 GiB for 2 h", "maximum 60 → 85 GiB"},
			{"root.prod.user-limit-factor", "capacity-scheduler.xml", "1", "2.5", .24, "-20 %", 16, "", "refresh", "",
				""},
			{"mapreduce.job.reduce.slowstart.completedmaps", "mapred-site.xml", "0.05", "0.82", .05,
				"breaks a limit", 0, "", "new jobs", "", ""},
		},
		Diff: "--- capacity-scheduler.xml\n+++ tuned/capacity-scheduler.xml\n@@ -40,3 +40,3 @@\n " +
			"<name>yarn.scheduler.capacity.root.adhoc.maximum-capacity</name>\n-<value>60</value>\n+<value>85</value>\n",
		Importance: []tune.Importance{{Name: "root.adhoc.maximum-capacity", Share: .52}, {Name: "shares of root", Share: .21},
			{Name: "slowstart", Share: .12}, {Name: "root.prod.user-limit-factor", Share: .08}},
		Constraints: []tune.ConstraintResult{{Constraint: tune.Constraint{Text: "queue.prod.p95-wait <= 60s",
			Metric: "queue.prod.p95-wait", Limit: 60}, Value: tune.Interval{Mean: 41.5, Low: 38.2, High: 44.9}, Kept: true,
			Sure: true, Beyond: tune.Interval{Mean: -0.31, Low: -0.36, High: -0.25}},
			{Constraint: tune.Constraint{Text: "utilisation >= 0.8", Metric: "utilisation", Limit: 0.8},
				Value: tune.Interval{Mean: 0.74, Low: 0.7, High: 0.78}, Beyond: tune.Interval{Mean: 0.075, Low: 0.025,
					High: 0.125}}},
		Lead: []Bar{{"p95-completion", -.182, -.221, -.149}, {"root.prod", .031, math.NaN(), math.NaN()},
			{"root.production.reports.department-of-sales", -.254, math.NaN(), math.NaN()}},
		Costs: []string{"queue root.prod: mean completion 3.1 % longer (41.0 → 42.3 s)",
			"root.prod: guaranteed 64 → 60 GiB"}, Lifted: "Without the limits the search has seen -40 % of p95-completion",
		Terms: []Terms{{"root.production.reports.department-of-sales", []TermsCell{{"28311 → 3491 MiB", true},
			{"64 GiB", false}, {"29 → 5 GiB", true}, {"3 → 1", true}}}}, Same: "3 queues: limits unchanged.",
		Slices: []Slice{{"root.adhoc.maximum-capacity", []svg.Point{{X: 60}, {X: 70, Y: 0.04}, {X: 85, Y: 0.2}, {X: 90,
			Y: 0.1}}, 60, 85}},
		Stability: []Kept{{"root.adhoc.maximum-capacity", "3 of 3", "−52 % (−60 to −41)", "85, 80", true},
			{"slowstart", "1 of 3", "–", "0.5", false}}, Stable: "3 studies with other seeds and workloads, 3 with a proven " +
			"gain; they expect gains from 15 to 19 %.",
		Front: &Front{X: Objective{Name: "makespan", Unit: "s"}, Y: Objective{Name: "mean-completion", Unit: "s"},
			Points: [][2]float64{{8800, 610}, {8900, 560}, {9044, 540}, {9100, 538}}, Knee: 1, Present: [2]float64{9120, 640}},
		Objective: Objective{Name: "p95-completion", Unit: "s"},
		Bound:     &tune.BoundGap{Metric: "p95-completion", Bound: 301, Gap: .145},
		Warnings: []string{"capacity-scheduler.xml:57: root.prod.user-limit-factor: 1 keeps a single user at 60 % of an " +
			"idle cluster"},
		Notes: []string{"assumed: jobs without a queue go to root.default (12 times)",
			"missing: container size of reduces (3 times) <script>"},
		Apply: []Step{{"Copy the file and refresh the queues.", "cp tuned/capacity-scheduler.xml " +
			"/etc/hadoop/conf/\nyarn rmadmin -refreshQueues"}, {"Set slowstart for new jobs in mapred-site.xml.", ""}},
		Rollback: []Step{{"Put the old file back and refresh.",
			"cp tuned/rollback.xml /etc/hadoop/conf/capacity-scheduler.xml\nyarn rmadmin -refreshQueues"}},
		Before: run(10.2, 3), After: run(9.1, 5),
	}
	for _, kind := range []string{"queue", "user"} {
		g := Group{Kind: kind, Metrics: []string{"jobs", "mean-completion", "p95-completion", "mean-wait", "p95-wait"},
			Units: []string{"jobs", "s", "s", "s", "s"}}
		for i, n := range []string{"adhoc", "analytics.reporting", "prod"} {
			if i == 1 && kind == "user" { // somebody pays
				g.Rows = append(g.Rows, GroupRow{Name: "payer", Before: []float64{3, 60, 90, 4, 5},
					After: []float64{3, 90, 95, 4, 5}})
			}
			b := []float64{float64(100 + i), 200 + 40*float64(i), 431, 40, 90}
			a := []float64{float64(100 + i), 180 + 30*float64(i), 352, 44, nan}
			g.Rows = append(g.Rows, GroupRow{Name: kind + "-" + n, Before: b, After: a})
		}
		d.Groups = append(d.Groups, g)
	}
	best := 0.0
	for i := range 120 {
		gain := 0.17*(1-math.Exp(-float64(i)/40)) - 0.1*k.Exp(uint64(i)) + 0.02
		if i == 0 {
			gain = 0
		}
		if i%17 == 5 {
			best = max(best, gain)
		}
		d.Trials = append(d.Trials, Trial{Runs: 4 * (i + 1), Gain: gain, Best: best, Pairs: 1, Steady: i%17 == 5})
	}
	d.Confirmed = 0.15
	d.Limits = []Limits{{Queue: "root.prod", Guaranteed: [2]float64{10, 10}, Maximum: [2]float64{20, 30}}}
	return d
}

func render(t testing.TB, d *Data) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := HTML(&b, d); err != nil {
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
	page := string(render(t, &Data{Title: "t", Verdict: "No change is proven better."}))
	for _, id := range []string{"changes", "groups", "timeline", "search"} {
		if strings.Contains(page, `"`+id+`"`) || strings.Contains(page, "#"+id) {
			t.Errorf("section %s of an empty report", id)
		}
	}
}

// Every figure is well-formed XML with a title, and ids do not repeat.
func TestPlotsAreWellFormed(t *testing.T) {
	files := Plots(sample())
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
	for _, f := range Plots(sample()) {
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(f.Name)), f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	fmt.Fprintln(os.Stderr, "sample written to", dir)
}
