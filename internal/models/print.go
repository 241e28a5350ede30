package models

import (
	"cmp"
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"text/template"

	"schedtune/classify"
	"schedtune/classify/modelfile"
	"schedtune/internal/text"
	"schedtune/predict"
)

//go:embed print.tmpl
var page string

var printed = text.Table(page, template.FuncMap{
	"share": text.Percent, "three": text.Three, "plural": text.CountAs, "join": strings.Join, "classes": classify.Binary,
	"part":   func(v float64) string { return text.Percent(text.Num(v)) },
	"of":     func(v text.Num, whole float64) string { return text.Percent(v / text.Num(whole)) },
	"rows":   func(n int64, what string) string { return text.Count(int(n), what) },
	"passes": func() int { return shufflePasses },
	"deltas": func(threshold float64) map[int]float64 {
		out := map[int]float64{}
		for _, n := range []int{1, 3, 10, 30} {
			out[n] = predict.Delta(n, threshold)
		}
		return out
	},
	"shares": (*AllocationResult).shares, "bytes": bytesText, "duration": text.Duration,
	"next":  func(i int) int { return i + 1 },
	"asked": func(r *ClassesResult) int { return r.asked },
	"value": func(r *ClassesResult, c JobClass, column string) string {
		return fmt.Sprintf("%.4g", c.Values[slices.Index(r.Columns, column)])
	},
	"last": func(l LearnerScore) string {
		if n := len(l.Curve); n > 0 {
			return text.Percent(text.Num(l.Curve[n-1].Accuracy))
		}
		return "-"
	},
	"chosen": func(r *OverloadResult) LearnerScore {
		return r.Learners[slices.IndexFunc(r.Learners, func(l LearnerScore) bool { return l.Name == r.Saved })]
	},
	"sampled": func(curve []classify.CurvePoint) (out []classify.CurvePoint) {
		step := (len(curve) + 7) / 8
		for i, p := range curve {
			if (i+1)%step == 0 || i == len(curve)-1 {
				out = append(out, p)
			}
		}
		return out
	},
	"bar": func(accuracy float64) string { return strings.Repeat("#", max(0, int(50*accuracy+0.5))) },
	"unit": func(learner string) string {
		return cmp.Or(map[string]string{"naive-bayes": "mutual information with the outcome, bits",
			"gaussian": "share of variance between the outcomes"}[learner], "weight times root mean square")
	},
	"influential": func(features []modelfile.Feature) []modelfile.Feature {
		return slices.SortedStableFunc(slices.Values(features), func(a, b modelfile.Feature) int {
			return cmp.Compare(b.Influence, a.Influence)
		})
	},
})

// print writes what a part of the page makes of a result.
func print(w io.Writer, part string, result any) error {
	return text.PrintTable(w, printed.Lookup(part), result)
}

// Print writes the summary for people.
func (r *ReleaseResult) Print(w io.Writer) error { return print(w, "release", r) }

// Print writes the summary for people.
func (r *ContentionResult) Print(w io.Writer) error { return print(w, "contention", r) }

// Print writes the summary for people.
func (r *MismatchResult) Print(w io.Writer) error { return print(w, "mismatch", r) }

// Print writes the summary for people.
func (r *AllocationResult) Print(w io.Writer) error { return print(w, "allocation", r) }

// Print writes the summary for people.
func (r *ClassesResult) Print(w io.Writer) error {
	tw := tabwriter.NewWriter(w, 0, 4, 1, ' ', tabwriter.AlignRight)
	if err := printed.ExecuteTemplate(tw, "classes", r); err != nil {
		return err
	}
	return tw.Flush()
}

// Print writes the summary for people.
func (r *OverloadResult) Print(w io.Writer) error { return print(w, "overload", r) }
