package diagnose

import (
	_ "embed"
	"fmt"
	"io"
	"text/template"

	"schedtune/internal/text"
)

//go:embed why.tmpl
var whyText string

// optionText is an option with what it is compared with.
type optionText struct {
	*PendingDocument
	X optionJSON
}

var whyTemplate = template.Must(template.New("why").Funcs(template.FuncMap{
	"count": text.Count, "cores": plural[int64], "short": explainShort, "price": optionJSON.price,
	"inc":    func(i int) int { return i + 1 },
	"option": func(o *PendingDocument, x optionJSON) optionText { return optionText{o, x} },
	"later":  func(t, at *float64) bool { return at == nil || *t > *at },
	"helps": func(o *PendingDocument) bool {
		return len(o.Options) > 0 && (o.Options[0].Helps || o.Options[0].Starts)
	},
	"clock": text.Clock, "when": (*PendingDocument).when,
	"binding": func(all []causeJSON, binding bool) (out []causeJSON) {
		for _, c := range all {
			if c.Binding == binding {
				out = append(out, c)
			}
		}
		return out
	},
	// above is what a queue uses beyond its guarantee, told once, after its last holder.
	"above": func(list []holderJSON, i int) int64 {
		if i+1 < len(list) && list[i+1].Queue == list[i].Queue {
			return 0
		}
		return max(list[i].QueueUsed-list[i].Guaranteed, 0)
	},
	"unsettled": func(o *PendingDocument) bool {
		return len(o.Causes) > 0 && o.Causes[0].Binding && !Settled(o.Causes[0].Kind)
	},
}).Parse(whyText))

// Print writes the answer for people: what holds the application, who has the space, what
// would change that and what it brings.
func (o *PendingDocument) Print(w io.Writer) error { return whyTemplate.Execute(w, o) }

// when is an instant of the run, or how long after the download of a cluster it is.
func (o *PendingDocument) when(t *float64) string {
	if t == nil {
		return text.Clock(t)
	}
	if o.At == nil {
		return "in " + text.Clock(t)
	}
	return "at " + text.Clock(t)
}

// price says what a change costs the others.
func (x optionJSON) price() string {
	switch {
	case x.Slowed == "" && x.Others > -0.5:
		return "; no other application is slowed"
	case x.Slowed == "":
		return "; others " + text.Duration(-x.Others) + " earlier on average"
	case x.Others >= 0:
		return fmt.Sprintf(";\n    others %s later on average, %s by %s", text.Duration(x.Others), x.Slowed,
			text.Duration(x.SlowedBy))
	}
	return fmt.Sprintf(";\n    others %s earlier on average, %s later by %s", text.Duration(-x.Others), x.Slowed,
		text.Duration(x.SlowedBy))
}
