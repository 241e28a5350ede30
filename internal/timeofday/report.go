package timeofday

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"schedtune/internal/study"
	"schedtune/internal/text"
	"schedtune/tune"
	"schedtune/yarnconf"
)

// Names of the configurations that are compared.
const (
	Present = "current configuration"
	Single  = "tuned configuration"
	Two     = "two configurations"
)

// Report is the outcome.
type Report struct {
	Schema      string  `json:"schema"`
	Verdict     string  `json:"verdict"`
	Recommended bool    `json:"recommended"` // two files are
	Objective   string  `json:"objective"`
	Zone        string  `json:"zone"`
	Days        int     `json:"days"`     // whole days of the trace
	HeldOut     int     `json:"held_out"` // of them, that no search has seen
	Rhythm      *Rhythm `json:"rhythm"`
	// Switches are those asked for or proposed; empty without a rhythm.
	Switches []SwitchOut `json:"switches"`
	// Gain is that of two files over the best single one, that of Against with the
	// least objective on the days held out; nil without two files.
	Gain *Gain `json:"gain"`
	// Against are the gains of two files over each single one.
	Against []Gain `json:"against"`
	// SingleGain is that of the recommended single file over the current one; nil where
	// the current file is recommended, or nothing better was found.
	SingleGain *Gain       `json:"single_gain"`
	Files      []FileOut   `json:"files"`  // every one under judgement, with its figures
	Limits     []Limit     `json:"limits"` // of two files, else of the single one
	Changes    []ChangeOut `json:"changes"`
	Runs       int         `json:"runs"` // of the searches, one day each
	Notes      []string    `json:"notes"`
}

// SwitchOut is one switch.
type SwitchOut struct {
	Days string `json:"days"` // empty: all
	Time string `json:"time"` // HH:MM
	File int    `json:"file"` // 0 is the first
}

func switchesOut(s *Schedule) []SwitchOut {
	var out []SwitchOut
	for _, w := range s.Switches {
		out = append(out, SwitchOut{w.Days.String(), w.Clock(), w.File})
	}
	return out
}

// Gain is the relative improvement of the objective on the days held out; positive is
// better.
type Gain struct {
	Over  string  `json:"over"`
	Keeps bool    `json:"keeps_limits"` // that file keeps the limits; against those that do not nothing has to be better
	Mean  float64 `json:"mean"`
	Low   float64 `json:"low"` // with the simulator's error about a change
	High  float64 `json:"high"`
	Level float64 `json:"level"`
	// DaysLow and DaysHigh are the interval over days alone.
	DaysLow  float64 `json:"days_low"`
	DaysHigh float64 `json:"days_high"`
	Days     int     `json:"days"`
	// Spread is the standard deviation between days of the logarithm of the ratio,
	// Model that of the simulator's error; Unknown: it is not known, nothing is recommended.
	Spread  float64 `json:"spread"`
	Model   float64 `json:"model"`
	Unknown bool    `json:"unknown"`
	// Decision says whether the change is recommended over that file.
	Decision tune.Decision `json:"decision"`
}

// recommends reports whether the change is better beyond doubt, and without a risk of harm.
func (g *Gain) recommends() bool { return g != nil && !g.Unknown && g.Decision.Recommended }

// FileOut is one file under judgement.
type FileOut struct {
	Name    string        `json:"name"`
	Keeps   bool          `json:"keeps_limits"`
	Lost    float64       `json:"lost_jobs"` // per run of the whole trace
	Metrics []MetricValue `json:"metrics"`   // means over the days held out
}

// MetricValue is a figure.
type MetricValue struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
}

// Limit is what becomes of a limit on the days held out.
type Limit struct {
	Text   string  `json:"text"`
	Value  float64 `json:"value"`
	Limit  float64 `json:"limit"`
	Beyond float64 `json:"beyond"` // as a part of the limit; negative is within
	Kept   bool    `json:"kept"`
}

// ChangeOut is a setting in which files differ: of the current file, the recommended
// single one, and each of the two. nil = not set.
type ChangeOut struct {
	Property string    `json:"property"`
	Present  *string   `json:"present"`
	Values   []*string `json:"values"` // of the two files, or of the single one
}

// decide fills the verdict.
func (f *finder) decide(all []*contestant, single *oneFile, two *twoFiles) {
	r, present := f.report, all[0]
	for _, c := range all {
		out := FileOut{Name: c.name, Keeps: f.keeps(c, present), Lost: c.lost}
		for m, name := range f.metrics {
			if v := meanOf(c.days[m]); !math.IsNaN(v) {
				out.Metrics = append(out.Metrics, MetricValue{name, v})
			}
		}
		r.Files = append(r.Files, out)
	}
	if single.moved {
		g := f.gain(present, all[1])
		r.SingleGain = &g
	}
	useSingle := r.SingleGain.recommends() && f.keeps(all[1], present)
	judged := present
	if useSingle {
		judged = all[1]
	} else {
		r.SingleGain = nil
	}
	if both := all[len(all)-1]; !both.single {
		f.decideTwo(all[:len(all)-1], both)
		if r.Recommended {
			judged = both
		}
	}
	for i := range f.limits {
		beyond, value, limit, ok := f.excess(&f.limits[i], judged, present)
		if ok {
			r.Limits = append(r.Limits, Limit{f.limits[i].Text, value, limit, beyond, beyond <= 1e-12})
		}
	}
	r.changes(f.c.Doc, single, two, useSingle)
	r.Verdict = r.verdict(useSingle)
}

// decideTwo compares two files with every single one.
func (f *finder) decideTwo(singles []*contestant, both *contestant) {
	r := f.report
	r.Recommended = f.keeps(both, singles[0])
	best, least := 0, math.Inf(1)
	for i, c := range singles {
		g := f.gain(c, both)
		g.Keeps = f.keeps(c, singles[0])
		r.Recommended = r.Recommended && (g.recommends() || !g.Keeps) // what breaks limits is no choice
		if m := c.mean(); g.Keeps && m < least {
			best, least = i, m
		}
		r.Against = append(r.Against, g)
	}
	g := r.Against[best]
	r.Gain = &g
}

// changes lists the settings that the recommendation changes.
func (r *Report) changes(present *yarnconf.Document, single *oneFile, two *twoFiles, useSingle bool) {
	var docs []*yarnconf.Document
	switch {
	case r.Recommended:
		docs = two.docs
	case useSingle:
		docs = append(docs, single.doc)
	}
	value := func(d *yarnconf.Document, key string) *string {
		if v, ok := d.Get(key); ok {
			v = strings.TrimSpace(v)
			return &v
		}
		return nil
	}
	r.Changes = []ChangeOut{}
	for _, d := range docs {
		for _, ch := range yarnconf.Changes(present, d) {
			if slices.ContainsFunc(r.Changes, func(c ChangeOut) bool { return c.Property == ch.Key }) {
				continue
			}
			out := ChangeOut{Property: ch.Key, Present: value(present, ch.Key)}
			for _, d := range docs {
				out.Values = append(out.Values, value(d, ch.Key))
			}
			r.Changes = append(r.Changes, out)
		}
	}
}

// verdict is the outcome in a sentence or two.
func (r *Report) verdict(useSingle bool) string {
	rest := "the current configuration stays"
	if useSingle {
		rest = fmt.Sprintf("one tuned configuration is recommended: %s over the current one", r.SingleGain.text())
	}
	switch {
	case r.Recommended:
		return fmt.Sprintf("two configurations are recommended: %s improves by %s over the best single one (%s)", r.Objective,
			r.Gain.text(), r.Gain.Over)
	case len(r.Switches) == 0:
		return fmt.Sprintf("demand has no daily pattern (p = %.3g), so there is no time to switch at; %s", r.Rhythm.Daily,
			rest)
	case r.Gain == nil:
		return "no two configurations did better than a single one on the days of the search; " + rest
	case !r.Gain.Unknown && r.Gain.Low > 0 && !r.weakest().recommends():
		return fmt.Sprintf("two configurations are not recommended over the %s: the gain of %s is not certain, or makes "+
			"periods or queues worse; %s", r.weakest().Over, r.weakest().text(), rest)
	case r.Gain.Unknown:
		return "two configurations are not recommended: the simulator's error about a change is not known; " + rest
	case r.Gain.Low > 0:
		return "two configurations exceed a limit, or lose jobs, on the held-out days; " + rest
	}
	return fmt.Sprintf("two configurations are not recommended: the gain over the %s is %s, an interval that contains "+
		"0; %s", r.Gain.Over, r.Gain.text(), rest)
}

// weakest is the gain whose interval reaches lowest.
func (r *Report) weakest() *Gain {
	w := &r.Against[0] // the current file keeps them
	for i := range r.Against {
		if r.Against[i].Keeps && r.Against[i].Low < w.Low {
			w = &r.Against[i]
		}
	}
	return w
}

func (g *Gain) text() string {
	return fmt.Sprintf("%.1f %% (%.0f %% interval %s to %s, %d days held out)", 100*g.Mean, 100*g.Level,
		text.Signed(100*g.Low, 1), text.Signed(100*g.High, 1), g.Days)
}

// Files are what to put in force.
type Files struct {
	Present  *yarnconf.Document
	Single   *yarnconf.Document // the recommended single file; nil: the current one
	Two      []*yarnconf.Document
	Switches []Switch
	Zone     string
	Beside   []study.Companion
}

// files are those of the recommendation.
func (f *finder) files(single *oneFile, two *twoFiles) *Files {
	out := &Files{Present: f.c.Doc, Zone: f.req.Zone.String()}
	if f.report.SingleGain != nil {
		out.Single = single.doc
	}
	if f.report.Recommended {
		out.Two, out.Switches = two.docs, two.schedule.Switches
	}
	if out.Single != nil || out.Two != nil {
		out.Beside = single.space.Companions(single.settings)
	}
	return out
}

// Value is a metric of a file; NaN where it has none.
func (f *FileOut) Value(name string) float64 {
	for _, m := range f.Metrics {
		if m.Name == name {
			return m.Value
		}
	}
	return math.NaN()
}
