package reproduce

import (
	"fmt"
	"math"

	"schedtune/datasets"
	"schedtune/internal/report/svg"
)

// Verdict of a row.
type Verdict string

// Verdicts. A row without a published figure to hold it against is shown only.
const (
	Met    Verdict = "met"
	Missed Verdict = "missed"
	Shown  Verdict = "shown"
)

func verdict(ok bool) Verdict {
	if ok {
		return Met
	}
	return Missed
}

// Row is one published figure beside ours.
type Row struct {
	What      string
	Unit      string
	Published float64 // NaN where the paper states a direction only
	Ours      Estimate
	Rule      string // what "met" means here
	Verdict   Verdict
	Note      string
}

// Section is one table or figure.
type Section struct {
	Paper, ID, Title string
	Source           string // where in the paper
	Setup            string // data sets, schedulers, replications
	Rows             []Row
	Notes            []string
	Charts           []Chart
	// Measured tells that rows depend on the machine (scheduling time).
	Measured bool
}

// Chart is a picture of a section.
type Chart struct {
	Name string // file name without paper and ending
	SVG  []byte
}

func (s *Section) add(r Row) { s.Rows = append(s.Rows, r) }

// near adds a row that is met when ours lies within tol (a share) of the
// published figure.
func (s *Section) near(what, unit string, published float64, ours Estimate, tol float64) {
	rule := fmt.Sprintf("within %g %%", 100*tol)
	s.judge(what, unit, published, ours, rule, math.Abs(ours.Mean-published) <= tol*math.Abs(published))
}

// gain adds a row for a published reduction in percent. It is met when our
// interval lies above zero and the mean reaches at least half of the figure.
func (s *Section) gain(what string, published float64, ours Estimate) {
	s.judge(what, "% lower", published, ours, "interval above 0, at least half", ours.Low > 0 && ours.Mean >= published/2)
}

// judge adds a row for a published figure with a rule of its own.
func (s *Section) judge(what, unit string, published float64, ours Estimate, rule string, ok bool) {
	s.add(Row{What: what, Unit: unit, Published: published, Ours: ours, Rule: rule, Verdict: verdict(ok)})
}

// holds adds a row for a statement that is true or not; ours is the figure it
// is about.
func (s *Section) holds(what, unit string, ours Estimate, rule string, ok bool) {
	s.judge(what, unit, math.NaN(), ours, rule, ok)
}

// show adds a row without a verdict.
func (s *Section) show(what, unit string, published float64, ours Estimate) {
	s.add(Row{What: what, Unit: unit, Published: published, Ours: ours, Verdict: Shown})
}

// absent adds a row for a published figure that the simulator does not give.
func (s *Section) absent(what, unit string, published float64, why string) {
	nan := math.NaN()
	s.add(Row{What: what, Unit: unit, Published: published, Ours: Estimate{Mean: nan, Low: nan, High: nan}, Verdict: Missed, Note: why})
}

// Count returns how many rows are met and how many have a verdict.
func (s *Section) Count() (met, judged int) {
	for _, r := range s.Rows {
		switch r.Verdict {
		case Met:
			met++
			judged++
		case Missed:
			judged++
		}
	}
	return met, judged
}

// claims reads a paper's figures stated in the text.
type claims struct{ t *datasets.Table }

func loadClaims(paper string) (*claims, error) {
	t, err := datasets.Published(paper, "claims")
	return &claims{t}, err
}

// value returns a stated figure; NaN if the key is unknown, which a test
// prevents.
func (c *claims) value(key string) float64 {
	v, err := c.t.Float(key, "value")
	if err != nil {
		return math.NaN()
	}
	return v
}

// exact is an estimate without spread.
func exact(v float64) Estimate { return Estimate{Mean: v, Low: v, High: v, N: 1} }

// curve is a chart of means with their intervals as bands.
func curve(title, x, y string, xs []float64, names []string, values [][]Estimate) []byte {
	c := svg.Chart{Title: title, X: svg.Axis{Label: x}, Y: svg.Axis{Label: y}}
	for i, n := range names {
		s := svg.Series{Name: n, Shape: svg.Line, Colour: i%svg.Colours + 1}
		b := svg.Band{Colour: s.Colour}
		if i == 0 { // one name for all in the legend
			b.Name = "95 % interval"
		}
		for k, e := range values[i] {
			s.Points = append(s.Points, svg.Point{X: xs[k], Y: e.Mean})
			b.Low = append(b.Low, svg.Point{X: xs[k], Y: e.Low})
			b.High = append(b.High, svg.Point{X: xs[k], Y: e.High})
		}
		c.Series, c.Bands = append(c.Series, s), append(c.Bands, b)
	}
	return c.File()
}

// bars is a chart of one bar per category and series.
func bars(title, x string, categories, names []string, values [][]Estimate) []byte {
	b := svg.Bars{Title: title, X: svg.Axis{Label: x}, Categories: categories}
	for i, n := range names {
		s := svg.BarSeries{Name: n, Colour: i%svg.Colours + 1}
		for _, e := range values[i] {
			s.Values, s.Low, s.High = append(s.Values, e.Mean), append(s.Low, e.Low), append(s.High, e.High)
		}
		b.Series = append(b.Series, s)
	}
	return b.File()
}
