package tune

import (
	"math"
	"strconv"
)

// ceiling is a percentage between a share and 100.
type ceiling struct {
	p, of *Param // the ceiling and its share
	i, j  int    // their places in settings
	at    float64
}

func newCeiling(s *Space, i int) (*ceiling, error) {
	c := &ceiling{p: &s.params[i], i: i, j: s.index[s.params[i].Of]}
	c.of = &s.params[c.j]
	at, err := c.coordinate(c.p.Present, c.of.Present)
	c.at = at
	return c, err
}

// number reads a ceiling; -1 stands for 100 as in the Capacity
// Scheduler's maximum-capacity.
func (c *ceiling) number(text string) (float64, error) {
	v, err := number(c.p, "value", text)
	if v == -1 {
		v = 100
	}
	return v, err
}

// coordinate returns that of a ceiling above a share.
func (c *ceiling) coordinate(ceil, share string) (float64, error) {
	v, err := c.number(ceil)
	if err != nil {
		return 0, err
	}
	least, err := number(c.p, "share", share)
	if err != nil || least >= 100 {
		return 1, err
	}
	t := (v - least) / (100 - least)
	return math.Min(1, math.Max(0, (t-c.p.Min)/(c.p.Max-c.p.Min))), nil
}

// current implements axis.
func (c *ceiling) current() []float64 { return []float64{c.at} }

// decode implements axis.
func (c *ceiling) decode(u []float64, out Settings) {
	if u[0] == c.at && out[c.j].Value == c.of.Present {
		return
	}
	share, _ := strconv.ParseFloat(out[c.j].Value, 64)
	current, _ := c.number(c.p.Present)
	v := share + (c.p.Min+u[0]*(c.p.Max-c.p.Min))*(100-share)
	if math.Abs(v-current) <= c.p.Step/2 && current >= share && current <= 100 {
		return
	}
	out[c.i].Value = formatNumber(math.Min(100, math.Max(share, math.Round(v/c.p.Step)*c.p.Step)))
}

// encode implements axis.
func (c *ceiling) encode(set Settings, u []float64) (err error) {
	if set[c.i].Value != c.p.Present || set[c.j].Value != c.of.Present {
		u[0], err = c.coordinate(set[c.i].Value, set[c.j].Value)
	}
	return err
}

// settle lifts a ceiling that would be below its share to it, unless both are the current ones.
func (c *ceiling) settle(out Settings) {
	ceil, share := &out[c.i].Value, out[c.j].Value
	v, err1 := strconv.ParseFloat(*ceil, 64)
	least, err2 := strconv.ParseFloat(share, 64)
	if err1 == nil && err2 == nil && v != -1 && v < least && (*ceil != c.p.Present || share != c.of.Present) {
		*ceil = share
	}
}
