package diagnose

import (
	_ "embed"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/template"

	"schedtune/internal/text"
	"schedtune/yarnconf"
)

//go:embed limits.tmpl
var limitsText string

var limitsTemplate = template.Must(template.New("limits").Funcs(template.FuncMap{
	"count": count, "percent": percent, "origin": Limit.origin, "short": explainShort, "step": stepText,
	"size": func(dominant bool, r yarnconf.Resource) string {
		c := yarnconf.Config{Calculator: yarnconf.Calculator{Dominant: dominant}}
		return show(&c, r)
	},
	"row":       func(a *LimitsAnswer, l Limit) limitRow { return limitRow{l, a.Dominant} },
	"unlimited": func(n int64) bool { return n == Unlimited },
	"plural":    plural[int64], "number": plural[int],
}).Parse(limitsText))

// limitRow is a row of a table of limits, with a column of cores if they are scheduled.
type limitRow struct {
	L        Limit
	Dominant bool
}

// Print writes the answer for people, within 100 columns but for long names.
func (a *LimitsAnswer) Print(w io.Writer) error {
	tw := text.New(w)
	if err := limitsTemplate.Execute(tw, a); err != nil {
		return err
	}
	return tw.Flush()
}

// refused returns why the queue refuses every submission, "" where it does not.
func (a *LimitsAnswer) refused() string {
	ad := a.Admission[0]
	switch {
	case ad.Count > 0:
		return ""
	case !strings.HasPrefix(explainShort(ad.Key), a.Queue+".") || ad.Line == 0:
		return "its part of maximum-applications, by its capacity, is 0"
	}
	return ad.origin()
}

// Excess returns how many applications of the user wait at the peak of the trace.
func (a *LimitsAnswer) Excess() int64 {
	if a.Load == nil {
		return 0
	}
	return max(int64(a.Load.UserPeak)-a.Running[0].Count, 0)
}

// First returns what the application does that the ordering policy serves first.
func (a *LimitsAnswer) First() string {
	if a.Order == yarnconf.Fair {
		return "holds least"
	}
	return "came first"
}

// origin is the property behind a limit, its value and its line.
func (l Limit) origin() string {
	s := explainShort(l.Key) + " = " + l.Value
	switch {
	case l.Line > 0:
		return fmt.Sprintf("%s (line %d)", s, l.Line)
	case l.Key == "nodes":
		return s
	}
	return s + " (default)"
}

func explainShort(key string) string { return strings.TrimPrefix(key, yarnconf.Prefix) }

func percent(f float64) string { return strconv.FormatFloat(f*100, 'f', 1, 64) + " %" }

func count(n int64) string {
	if n == Unlimited {
		return "no limit"
	}
	return strconv.FormatInt(n, 10)
}

func plural[T int | int64](n T, word string) string { return text.Count(int(n), word) }
