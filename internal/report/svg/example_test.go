package svg_test

import (
	"fmt"
	"strings"

	"schedtune/internal/report/svg"
)

// A chart is a value; Render draws it for a page, File for itself.
func ExampleChart() {
	c := svg.Chart{
		Title: "Running maps", X: svg.Axis{Label: "time", Seconds: true}, Y: svg.Axis{Label: "maps"},
		Series: []svg.Series{{Name: "maps", Shape: svg.Step, Points: []svg.Point{{X: 0, Y: 4}, {X: 30, Y: 2},
			{X: 60, Y: 0}}}},
	}
	out := string(c.File())
	fmt.Println(strings.Contains(out, "<title id=\"c-t\">Running maps</title>"),
		strings.Contains(out, "prefers-color-scheme:dark"))
	// Output: true true
}
