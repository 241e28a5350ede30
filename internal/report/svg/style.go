package svg

import (
	"fmt"
	"strings"
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

// Style returns the style sheet of the charts: variables for both themes on
// the given selector, and the classes.
func Style(root string) string {
	return root + "{" + variables(0) + "}" + dark + root + "{" + variables(1) + "}}" + classes()
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
