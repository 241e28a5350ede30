package svg

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"schedtune/internal/text"
)

// palette holds the series' colours in the light and in the dark theme. All
// have a contrast of at least 3 to 1 against the background (WCAG 2.1,
// 1.4.11), and neighbours differ in lightness, so that they part in grey too.
var palette = [Colours][2]string{
	{"#1f5fa8", "#7db4f0"}, {"#c05a00", "#f0a35e"}, {"#1d7a4c", "#6fd3a0"}, {"#7a4aa8", "#c3a0ee"},
	{"#b3304f", "#f28ba3"}, {"#0b7a85", "#62cdd6"}, {"#806000", "#dcc15a"}, {"#5b6270", "#aab3c2"},
}

// dashes part lines where colour does not, by position.
var dashes = [Colours]string{"", "6 3", "2 2", "8 2 2 2", "1 3", "10 4", "4 4", "3 1"}

// themes are the colours beside those of the series.
var themes = [2]string{"--bg:#fff;--ink:#1a1d21;--soft:#5a616b;--line:#d5d9df",
	"--bg:#14171b;--ink:#e8eaed;--soft:#a3abb6;--line:#363c44"}

// variables are a theme's colours, 0 light and 1 dark.
func variables(theme int) string {
	vars := themes[theme]
	for i, c := range palette {
		vars += fmt.Sprintf(";--c%d:%s", i+1, c[theme])
	}
	return vars
}

const dark = "@media screen and (prefers-color-scheme:dark){"

// Style returns the style sheet of the charts: the page's variables for both themes, and the classes.
func Style() string {
	return ":root{" + variables(0) + "}" + dark + ":root{" + variables(1) + "}}" + classes()
}

// literal is a style sheet without variables, which LaTeX's and Pandoc's converters do not know.
func literal(css string) string {
	var themed [2]string
	for theme := range themed {
		var pairs []string
		for _, v := range strings.Split(variables(theme), ";") {
			name, colour, _ := strings.Cut(v, ":")
			pairs = append(pairs, "var("+name+")", colour)
		}
		themed[theme] = strings.NewReplacer(pairs...).Replace(css)
	}
	return themed[0] + dark + themed[1] + "}"
}

// classes are the classes of the charts' parts.
func classes() string {
	var b strings.Builder
	b.WriteString(`.chart{font:12px system-ui,sans-serif;fill:var(--ink)}` +
		`.chart .tick{font-size:12px;fill:var(--soft)}.chart .label{font-size:12px;fill:var(--ink)}` +
		`.chart .grid{stroke:var(--line);fill:none}.chart .axis{stroke:var(--soft);fill:none}` +
		`.chart .l{fill:none;stroke-width:2;stroke-linejoin:round}.chart .a{fill-opacity:.2}.chart .as{fill-opacity:1}` +
		`.chart .d{fill-opacity:.55}.chart .mark{stroke:var(--soft);stroke-dasharray:4 4;fill:none}` +
		`.chart .halo{paint-order:stroke;stroke:var(--bg);stroke-width:4px;stroke-linejoin:round}` +
		`.chart .whisker{stroke:var(--ink);stroke-width:1.5;fill:none}`)
	for i := range Colours {
		fmt.Fprintf(&b, ".chart .s%d{stroke:var(--c%[1]d)", i+1)
		if dashes[i] != "" {
			fmt.Fprintf(&b, ";stroke-dasharray:%s", dashes[i])
		}
		fmt.Fprintf(&b, "}.chart .f%d{fill:var(--c%[1]d)}", i+1)
	}
	return b.String()
}

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
		scale, suffix = text.TimeUnit(max(hi, -lo))
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
