// Package html writes the evidence of a study as one self-contained HTML
// page and its figures as SVG files. It computes nothing about the search: it
// shows what it is given. Output depends on the input alone, byte for byte;
// the page loads nothing and runs no script.
package html

import (
	"schedtune/internal/report/svg"
	"schedtune/tune"
)

// Data is what a report shows. Empty parts are left out of the page.
type Data struct {
	Title string // such as "Capacity Scheduler tuning: p95-completion"
	// Verdict is the result in one or two sentences; Recommended colours it.
	Verdict     string
	Recommended bool
	AfterName   string // what is shown as "after": "recommended", "best found"; "" = "after"

	Command string // the command line that reproduces the page
	Version string
	Seed    uint64
	Inputs  []Pair // what was read: name, value

	// Lead is the opening picture; Costs what the recommendation makes worse, and
	// Lifted what keeping the limits costs.
	Lead   []Bar
	Costs  []string
	Lifted string
	// Terms are what queues are granted, those that stay left out: Same says how many
	// they are, "" = none.
	Terms     []Terms
	Same      string
	Slices    []Slice
	Stability []Kept
	Stable    string // one line about the repeated studies

	Headline []Metric // the objective first
	// Level is that of the headline's intervals; 0 reads as 0.95. Where before and after and the
	// gain are not of the same runs, On ("on the recorded trace") is where before and after were
	// measured, and Of ("on similar workloads") what the gain is expected of.
	Level  float64
	On, Of string
	Behind []string // on what the figures stand, and what would make them surer
	Groups []Group  // queues, users, classes
	// Constraints are the limits that were to be kept, judged on what “after” is.
	Constraints []tune.ConstraintResult
	Kept        []string // sentences on limits that are kept for all queues
	Front       *Front   // several objectives; nil = one

	Changes    []Change
	ShareNote  string // why no change has a share of the gain, "" where one has
	Diff       string // unified diff of the queue file
	Importance []tune.Importance

	Before, After *Run // nil = not shown
	Limits        []Limits

	Objective Objective
	Trials    []Trial
	Bound     *tune.BoundGap // of the objective; nil = none that leaves something to gain
	// Confirmed is the gain in the confirmation, shown beside the search's own figures, which
	// favour the winner; 0 = none.
	Confirmed float64

	// Reproduction compares the recorded period with its simulation: a sentence and
	// the lines of a table in text.
	Reproduction []string

	Warnings []string
	Notes    []string // what was assumed about the inputs
	Apply    []Step
	Rollback []Step
}

// Pair is a name with a value.
type Pair struct{ Name, Value string }

// Metric is one figure before and after. Unknown figures are NaN.
type Metric struct {
	Name, Unit    string  // a unit of "s" is shown as s, min, h; "share" as %
	Doc           string  // one line, shown below the table
	Before, After float64 // means over the confirmation's runs
	// Change is the relative change with its interval, 0.18 is 18 % more; Class is "better" or
	// "worse" where the interval excludes zero.
	Change, Low, High float64
	Class             string
}

// Front is the Pareto front of the first two objectives.
type Front struct {
	X, Y    Objective
	Points  [][2]float64
	Knee    int        // index of the recommended compromise, -1 = none
	Present [2]float64 // the current settings
}

// Group is a table of metrics of several queues, users or classes.
type Group struct {
	Kind    string   // "queue", "user", "class"
	Metrics []string // column names with units, such as "mean-completion"
	Units   []string
	Rows    []GroupRow
}

// GroupRow is one queue or user; Before and After are by metric.
type GroupRow struct {
	Name          string
	Before, After []float64
	Interval      string // 90 % of similar workloads change by this in the second metric, "" = not known
}

// Change is one setting that differs from the current one.
type Change struct {
	Name      string // property, or a short name with the queue
	File      string // capacity-scheduler.xml, mapred-site.xml
	From, To  string
	Share     float64 // part of the whole gain it carries, NaN = not measured
	Without   string  // what becomes of the gain if this change alone is left out, "-" = unknown
	Workloads int     // behind Without; 0 = not known
	Slower    string  // the queue that gets most slower without it, and by how much; "" = none
	Takes     string  // "refresh", "restart", "new jobs"
	Why       string  // which limit bound, "" = unknown
	Moves     string  // what it does, such as "a single user 80 → 140 GiB"
}

// Objective names what was searched for.
type Objective struct {
	Name, Unit string
}

// Trial is one configuration that was tried. The first is the current one.
type Trial struct {
	Runs   int     // runs spent when it ended
	Gain   float64 // over the current configuration on the same workloads, 0.1 = 10 % better; NaN = failed
	Pairs  int     // workloads and seeds behind Gain
	Steady bool    // these are enough to count as the best so far
	Best   float64 // best gain so far; it never gets smaller
}

// Step is one thing to do, with the command that does it.
type Step struct{ Text, Command string }

// Run is one simulated run, shown as timelines and distributions.
type Run struct {
	Timeline    Timeline
	Completions []Sample // completion times by queue, seconds
}

// Sample is a named set of values.
type Sample struct {
	Name   string
	Values []float64
}

// Timeline holds step functions over seconds since the first submission.
type Timeline struct {
	Unit     string       // of what queues hold: "GiB" or "slots"
	Queues   []svg.Series // what each holds
	Pending  []svg.Point  // requested and not allocated, in Unit
	Lost     []svg.Point  // containers that ended before their work did, each with what all held after it
	Capacity float64      // of the cluster, in Unit; 0 = not drawn
	Maps     []svg.Point  // running maps
	Reduces  []svg.Point  // running reduces
}

// Limits are the guaranteed and the maximum memory of a queue, before and after, in GiB.
type Limits struct {
	Queue               string
	Guaranteed, Maximum [2]float64
}
