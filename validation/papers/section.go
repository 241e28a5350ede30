package papers

import (
	"math"

	"schedtune/datasets"
	"schedtune/internal/report/svg"
)

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
	// Seen names the choices of the set-up that were made after looking at rows
	// like these (datasets.Choice.Seen).
	Seen []string
}

// Chart is a picture of a section.
type Chart struct {
	Name string // file name without paper and ending
	SVG  []byte
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
	if c.t == nil {
		return math.NaN()
	}
	v, err := c.t.Float(key, "value")
	if err != nil {
		return math.NaN()
	}
	return v
}

// exact is an estimate without spread.
func exact(v float64) Estimate { return Estimate{Mean: v, Low: v, High: v, N: 1} }

func nan() float64 { return math.NaN() }

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
