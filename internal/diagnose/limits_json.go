package diagnose

import (
	_ "embed"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/template"
	"unicode/utf8"

	"schedtune/internal/text"
	"schedtune/yarnconf"
)

// LimitsDocument is the document of tune explain.
type LimitsDocument struct {
	Schema string `json:"schema"`
	File   string `json:"file"`
	*LimitsAnswer
	Memory     int64             `json:"memory_mib"`
	VCores     int64             `json:"vcores"`
	Guaranteed int64             `json:"guaranteed_mib"`
	Maximum    int64             `json:"maximum_mib"`
	Container  int64             `json:"container_mib"`
	AM         int64             `json:"am_mib"`
	Advice     []adviceJSON      `json:"advice"`
	Template   map[string]string `json:"template"`
	Beside     *int64            `json:"room_for_a_container"` // of the applications that run at a time; null: no limit
}

// MarshalJSON writes null for a limit that is not set.
func (l Limit) MarshalJSON() ([]byte, error) {
	type plain Limit
	unlimited := l.Count == Unlimited
	if unlimited {
		l.Count = 0
	}
	return text.WithNulls(plain(l), unlimited, "count")
}

type adviceJSON struct {
	For     string        `json:"for"`
	Changes []advisedJSON `json:"changes"`
	After   Limit         `json:"after"`
}

// advisedJSON is a Step under the names of this document.
type advisedJSON struct {
	Property string `json:"property"`
	Present  string `json:"present"`
	Value    string `json:"value"`
	Restart  string `json:"restart,omitempty"`
}

// Document returns the document of tune explain for a file.
func (a *LimitsAnswer) Document(path string) LimitsDocument {
	out := LimitsDocument{Schema: text.SchemaExplain, File: path, LimitsAnswer: a, Memory: a.Total.Memory,
		VCores: a.Total.VCores, Guaranteed: a.Guaranteed.Memory, Maximum: a.Most.Memory, Container: a.Container.Memory,
		AM: a.AM.Memory, Advice: []adviceJSON{}}
	if a.Beside != Unlimited {
		out.Beside = &a.Beside
	}
	if a.Made {
		out.Template = ChangeMap(a.Template)
	}
	for i := range a.Advice {
		ad := &a.Advice[i]
		j := adviceJSON{For: ad.For, After: ad.After}
		for _, c := range ad.Changes {
			j.Changes = append(j.Changes, advisedJSON{c.Key, c.Present, c.Value, c.Restart})
		}
		out.Advice = append(out.Advice, j)
	}
	return out
}

// ChangeMap returns the values of changes by property.
func ChangeMap(changes []yarnconf.Change) map[string]string {
	m := map[string]string{}
	for _, ch := range changes {
		m[ch.Key] = ch.Value
	}
	return m
}

//go:embed limits.tmpl
var limitsText string

var limitsTemplate = text.Table(limitsText, template.FuncMap{
	"count": count, "percent": percent, "origin": Limit.origin, "short": explainShort, "step": stepText,
	"size":      func(cores bool, r yarnconf.Resource) string { return amount(r, cores) },
	"row":       func(a *LimitsAnswer, l Limit) limitRow { return limitRow{l, a.Dominant} },
	"unlimited": func(n int64) bool { return n == Unlimited },
	"plural":    plural[int64], "number": plural[int],
})

// limitRow is a row of a table of limits, with a column of cores if they are scheduled.
type limitRow struct {
	L        Limit
	Dominant bool
}

// Print writes the answer for people, within 100 columns but for long names.
func (a *LimitsAnswer) Print(w io.Writer) error { return printPage(w, limitsTemplate, a) }

// columns is the width to which sentences are broken.
const columns = 100

// printPage writes what a template makes of a value: sentences are broken, rows of tables are not.
func printPage(w io.Writer, t *template.Template, v any) error {
	var page, out strings.Builder
	if err := text.PrintTable(&page, t, v); err != nil {
		return err
	}
	for line := range strings.Lines(page.String()) {
		said := strings.TrimSpace(line)
		indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
		if utf8.RuneCountInString(line) > columns && !strings.Contains(said, "  ") {
			more := indent + "    "
			line = indent + strings.ReplaceAll(text.Wrap(said, columns-len(more)), "\n", "\n"+more) + "\n"
		}
		out.WriteString(line)
	}
	_, err := io.WriteString(w, out.String())
	return err
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
