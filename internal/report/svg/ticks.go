package svg

import (
	"math"
	"schedtune/internal/text"
	"slices"
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
		return logTimeTicks(lo, hi, n)
	}
	scale, suffix := 1.0, ""
	if a.Seconds {
		scale, suffix = text.TimeUnit(hi - lo)
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
		return text.Number(v)
	}
	d := 0
	if step < 1 {
		d = min(9, int(math.Ceil(-math.Log10(step)-1e-9)))
	}
	v = math.Round(v*math.Pow10(d)) / math.Pow10(d)
	if v == 0 {
		v = 0
	}
	return text.Minus(strconv.FormatFloat(v, 'f', d, 64))
}

// within returns the ticks in [lo, hi].
func within(ts []tick, lo, hi float64) []tick {
	return slices.DeleteFunc(ts, func(t tick) bool { return t.at < lo*(1-1e-9) || t.at > hi*(1+1e-9) })
}

// logTimes are round times over ten orders of magnitude.
func logTimes() []tick {
	return []tick{{1e-3, "1 ms"}, {1e-2, "10 ms"}, {0.1, "0.1 s"}, {1, "1 s"}, {3, "3 s"}, {10, "10 s"}, {30, "30 s"},
		{60, "1 min"}, {180, "3 min"}, {600, "10 min"}, {1800, "30 min"}, {3600, "1 h"}, {3 * 3600, "3 h"},
		{10 * 3600, "10 h"}, {86400, "1 d"}, {3 * 86400, "3 d"}, {10 * 86400, "10 d"}, {100 * 86400, "100 d"}}
}

// logTimeTicks returns round times in [lo, hi], every second or third where
// there are more than n.
func logTimeTicks(lo, hi float64, n int) (out []tick) {
	in := within(logTimes(), lo, hi)
	for i := 0; i < len(in); i += max(1, (len(in)+n-1)/max(1, n)) {
		out = append(out, in[i])
	}
	return out
}
