package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"schedtune/internal/report/html"
	"schedtune/internal/report/svg"
	"schedtune/internal/study"
	"schedtune/tune"
)

// leadQueues bounds the queues of the opening picture.
const leadQueues = 12

// reportLead fills what the page opens with, and what stands among the costs.
func reportLead(d *html.Data, sum *Summary) {
	if sum.apart() {
		d.On = "on the recorded trace"
		if !sum.Gain[0].Unknown {
			d.Of = "on similar workloads"
		}
	}
	if len(sum.Gain) > 0 {
		d.Level = sum.Gain[0].Level
	}
	if sum.BestFound == nil {
		return
	}
	d.Lead = leadBars(sum)
	d.ShareNote = upperFirst(sum.sharesText())
	for _, c := range sum.Costs {
		d.Costs = append(d.Costs, minusSigns(c.Text))
	}
	d.Lifted = upperFirst(minusSigns(sum.liftedText()))
	rows, same := changedTerms(sum.Terms)
	if same > 0 {
		d.Same = upperFirst(unchangedText(same, len(sum.Terms))) + "."
	}
	for i := range rows {
		t := html.Terms{Queue: rows[i].Queue}
		for _, r := range termsRows(&rows[i]) {
			t.Cells = append(t.Cells, html.TermsCell{Text: r.text(), Less: r.after < r.before})
		}
		d.Terms = append(d.Terms, t)
	}
}

// leadBars are the changes of the opening picture: of the objectives with their intervals,
// and of the mean completion time by queue.
func leadBars(sum *Summary) []html.Bar {
	var out []html.Bar
	for _, g := range sum.Gain {
		a, b := change(g.Metric, g.Low)/100, change(g.Metric, g.High)/100
		if g.Unknown {
			a, b = math.NaN(), math.NaN()
		}
		out = append(out, html.Bar{Name: g.Metric, Change: change(g.Metric, g.Mean) / 100, Low: min(a, b), High: max(a, b)})
	}
	queues := 0
	for _, g := range sum.Groups {
		before, after := g.completions()
		if g.Dimension != "queue" || queues == leadQueues || !(before > 0) || g.After.Jobs == 0 {
			continue
		}
		queues++
		bar := html.Bar{Name: g.Name, Change: after/before - 1, Low: math.NaN(), High: math.NaN()}
		if g.Drawn != nil && g.Drawn.Low != nil {
			bar.Low, bar.High = *g.Drawn.Low, *g.Drawn.High
		}
		out = append(out, bar)
	}
	return out
}

// apart reports whether before and after are of the trace again and gains of similar workloads.
func (sum *Summary) apart() bool {
	return slices.ContainsFunc(sum.Gain, func(g tune.Gain) bool { return g.Again != nil })
}

// reportStability shows what studies with other seeds recommend, where they were
// made.
func reportStability(d *html.Data, st *study.Stability) {
	if st == nil {
		return
	}
	d.Stable = stabilityText(st) + "."
	for _, c := range st.Changes {
		d.Stability = append(d.Stability, html.Kept{Setting: c.Setting, Kept: keptText(&c, st),
			Lost: typographic(stableText(&c)), Values: strings.Join(slices.Compact(slices.Clone(c.Values)), ", "), Here: c.Here})
	}
}

// Bounds of the slices: parameters, and dots of each.
const (
	slicesShown = 6
	sliceDots   = 400
)

// sliceData are the gains over the values of the settings that carry most of the gain, where
// the values are numbers.
func sliceData(sum *Summary, tried []scored) []html.Slice {
	var out []html.Slice
	for _, name := range sum.byShare() {
		s := html.Slice{Name: name, Present: valueOf(sum.Present, name), Best: valueOf(sum.found().Configuration, name)}
		values := map[float64]bool{}
		for i := 0; i < len(tried); i += 1 + len(tried)/sliceDots {
			t := &tried[i]
			x, err := strconv.ParseFloat(t.settings[name], 64)
			if err != nil || math.IsNaN(t.Gain) {
				continue
			}
			values[x] = true
			s.Points = append(s.Points, svg.Point{X: x, Y: t.Gain})
		}
		slices.SortStableFunc(s.Points, func(a, b svg.Point) int { return cmp.Compare(a.X, b.X) })
		if len(values) > 2 && len(out) < slicesShown {
			out = append(out, s)
		}
	}
	return out
}

// byShare lists the changed settings by the share of the gain that they carry, those of which
// it was not measured by the spread of scores that they explain; then the other settings.
func (sum *Summary) byShare() (names []string) {
	spread := map[string]float64{}
	for _, i := range sum.Importance {
		spread[i.Name] = i.Share
	}
	changed := slices.Clone(sum.found().Changes)
	slices.SortStableFunc(changed, func(a, b Change) int {
		return cmp.Or(byMeasured(a, b), cmp.Compare(spread[unitOf(b)], spread[unitOf(a)]))
	})
	for _, c := range changed {
		names = append(names, c.Setting)
	}
	for _, i := range sum.Importance {
		if !slices.Contains(names, i.Name) {
			names = append(names, i.Name)
		}
	}
	return names
}

// byMeasured orders changes by the share of the gain that they carry, those of which it was not
// measured last.
func byMeasured(a, b Change) int {
	none := new(float64)
	return cmp.Compare(*cmp.Or(b.Share, none), *cmp.Or(a.Share, none))
}

// valueOf is a setting's value as a number, NaN if it is none.
func valueOf(c Configuration, name string) float64 {
	text, _ := c.Settings.Get(name)
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return math.NaN()
	}
	return v
}

// moves says what a change does to what its queue is granted, as far as that is
// one figure; "" where it is not.
func (sum *Summary) moves(c *Change) string {
	if c.Setting == study.Slowstart {
		return fmt.Sprintf("reduces start at %s of the maps done, not at %s", share(c.To), share(c.From))
	}
	at := strings.LastIndexByte(c.Setting, '.')
	row, ok := map[string]int{"capacity": 0, "maximum-capacity": 1, "user-limit-factor": 2,
		"minimum-user-limit-percent": 2, "maximum-am-resource-percent": 3}[c.Setting[at+1:]]
	if !ok || at < 0 {
		return ""
	}
	for i := range sum.Terms {
		if rows := termsRows(&sum.Terms[i]); sum.Terms[i].Queue == c.Setting[:at] && row < len(rows) &&
			rows[row].before != rows[row].after {
			return rows[row].name + " " + rows[row].text()
		}
	}
	return ""
}

// share is a fraction in percent.
func share(text string) string {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return text
	}
	return strconv.FormatFloat(math.Round(1000*v)/10, 'f', -1, 64) + " %"
}
