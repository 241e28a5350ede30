package svg

import (
	"math"
	"strconv"
)

// tick is one labelled place of an axis.
type tick struct {
	at   float64
	text string
}

// ticks returns about n round places in [lo, hi].
func ticks(lo, hi float64, a *Axis, n int) []tick {
	if a.Log {
		return logTicks(lo, hi, a, n)
	}
	scale, suffix := 1.0, ""
	if a.Seconds {
		scale, suffix = timeUnit(hi - lo)
	}
	if a.Percent {
		scale, suffix = 0.01, " %"
	}
	step := niceStep((hi-lo)/scale/float64(n)) * scale
	if !(step > 0) || math.IsInf(step, 0) {
		return nil
	}
	var out []tick
	for i := math.Ceil(lo/step - 1e-9); i*step <= hi+step*1e-9 && len(out) < 100; i++ {
		at := i * step
		out = append(out, tick{at, axisNumber(at/scale, step/scale) + suffix})
	}
	return out
}

// timeUnit returns the seconds of a unit in which a span is readable.
func timeUnit(span float64) (float64, string) {
	switch {
	case span >= 3*86400:
		return 86400, " d"
	case span >= 3*3600:
		return 3600, " h"
	case span >= 600:
		return 60, " min"
	}
	return 1, " s"
}

// niceStep is the least of 1, 2, 5 times a power of ten that is not below v.
func niceStep(v float64) float64 {
	p := math.Pow(10, math.Floor(math.Log10(v)))
	for _, m := range []float64{1, 2, 5} {
		if m*p >= v*(1-1e-9) {
			return m * p
		}
	}
	return 10 * p
}

// axisNumber prints a tick with the decimals its step needs.
func axisNumber(v, step float64) string {
	if math.Abs(v) >= 1e4 && step >= 1e3 {
		return Number(v)
	}
	d := 0
	if step < 1 {
		d = min(9, int(math.Ceil(-math.Log10(step)-1e-9)))
	}
	v = math.Round(v*math.Pow10(d)) / math.Pow10(d)
	if v == 0 {
		v = 0
	}
	return minus(strconv.FormatFloat(v, 'f', d, 64))
}

// logTicks returns powers of ten, with 2 and 5 in between where there is room.
func logTicks(lo, hi float64, a *Axis, n int) []tick {
	from, to := math.Floor(math.Log10(lo)), math.Ceil(math.Log10(hi))
	every := max(1, math.Ceil((to-from)/float64(max(1, n))))
	between := []float64{1}
	if (to-from)*3 <= float64(n)+2 {
		between = []float64{1, 2, 5}
	}
	var out []tick
	for e := from; e <= to && len(out) < 100; e += every {
		for _, m := range between {
			v := m * math.Pow(10, e)
			if v < lo*(1-1e-9) || v > hi*(1+1e-9) {
				continue
			}
			text := Number(v)
			if a.Seconds {
				text = Duration(v)
			}
			out = append(out, tick{v, text})
		}
	}
	return out
}
