package accuracy

import (
	"context"
	"fmt"
	"math"

	"schedtune/internal/simulate"
	"schedtune/internal/text"
	"schedtune/yarnconf"
)

// Run evaluates whether a change of the queue file brought what was
// expected: it compares the period before a change with the period after it, at
// equal load, and advises to keep the change, to roll it back, or to wait.
//
// Two periods never have equal loads, so what came is the difference of two
// differences of logarithms,
//
//	[ln recorded(after) - ln simulated(after, old file)] - [ln recorded(before) - ln simulated(before, old file)]
//
// (difference in differences: O. Ashenfelter and D. Card, "Using the
// longitudinal structure of earnings to estimate the effect of training
// programs", 1985). The simulation of a period knows its jobs, their arrivals and
// their task times, and so accounts for load and mix; what it gets wrong of the
// cluster is in both differences and cancels.
//
// Intervals come from a circular block bootstrap over the jobs of each period in
// the order of their submission (D. Politis and J. Romano, "A circular
// block-resampling procedure for stationary data", 1992), with Student's quantile
// for the number of blocks.

// Schema names the form of Report.
const Schema = text.SchemaVerify

// Level of all intervals.
const Level = 0.9

// Change is what was done to the cluster between the periods.
type Change struct {
	Settings []yarnconf.Change // of the queue file
	// Old and New are the cluster-wide slowstarts, negative where each job keeps
	// its own.
	Old, New float64
}

// Options of a comparison.
type ChangeOptions struct {
	Objective    string // a metric of completion or waiting times, or makespan; empty = mean-completion
	Seed         uint64
	Replications int      // simulated runs of each period, 0 = 10
	Promised     *Promise // nil where no improvement was stated
	// PromisedOf is what was promised of the mean completion of single queues, by path.
	PromisedOf map[string]Promise
}

// Promise is the gain that a study stated, positive is better.
type Promise struct {
	Gain  float64 `json:"gain"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
	Level float64 `json:"level"`
}

// Report is what came of a change; docs/json.md describes its fields. Times are
// seconds; gains are parts of the value without the change, positive is better.
type ChangeReport struct {
	Schema       string   `json:"schema"`
	Objective    string   `json:"objective"`
	Advice       Advice   `json:"advice"`
	Reason       string   `json:"reason"`
	WaitHours    *float64 `json:"wait_hours"` // null: not to wait, or nobody knows how long
	Gain         *Gain    `json:"gain"`       // null: too little data
	Promised     *Promise `json:"promised"`   // null: no improvement was stated
	Held         *bool    `json:"held"`       // whether the intervals of promise and gain overlap
	Seed         uint64   `json:"seed"`
	Replications int      `json:"replications"`
	Calibration  string   `json:"calibration"`
	// Factor is what task times are multiplied by so that the simulation meets the
	// period before.
	Factor float64 `json:"task_time_factor"`

	Before Side         `json:"before"`
	After  Side         `json:"after"`
	Match  Matched      `json:"matched"`
	Queues []QueueGain  `json:"queues"`
	Wrong  []Difference `json:"simulator"`
	Notes  []string     `json:"notes"`
}

// Gain with its interval.
type Gain struct {
	Mean  float64 `json:"mean"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
	Level float64 `json:"level"`

	log, before, after float64 // logarithm of the ratio, variances of its two parts
	quantile           float64 // Student's, for the interval
}

// Side is one period.
type Side struct {
	Jobs      int     `json:"jobs"`     // recorded
	Compared  int     `json:"compared"` // with a submission and an end, simulated too
	Lost      int     `json:"lost"`     // failed, killed or refused
	Hours     float64 `json:"hours"`    // from the first submission to the last end
	PerHour   float64 `json:"jobs_per_hour"`
	Work      float64 `json:"task_seconds_per_hour"`
	Recorded  float64 `json:"recorded"`      // the objective
	Simulated float64 `json:"simulated_old"` // with the old configuration
	New       float64 `json:"simulated_new"` // with the new configuration; null for the period before
}

// MarshalJSON writes null for what no job tells.
func (s Side) MarshalJSON() ([]byte, error) {
	type plain Side
	return text.WithNulls(plain(s), s.Compared == 0 || s.New == 0, "recorded", "simulated_old", "simulated_new",
		"jobs_per_hour", "task_seconds_per_hour")
}

// QueueGain is the gain in mean completion of a queue's jobs. The level of its
// interval is raised for the number of queues (Bonferroni), so that a queue that
// stands out is none by chance.
type QueueGain struct {
	Queue  string `json:"queue"`
	Before int    `json:"jobs_before"`
	After  int    `json:"jobs_after"`
	Gain   *Gain  `json:"gain"` // null: too little data
	Worse  bool   `json:"worse"`
	// Promised is what the study said of the queue, null if nothing; Held whether the intervals of
	// both overlap.
	Promised *Promise `json:"promised"`
	Held     *bool    `json:"held"`
}

// compare compares two periods on one cluster. The cases of both hold the old
// file.
func compare(ctx context.Context, before, after *Period, ch Change, o ChangeOptions) (*ChangeReport, error) {
	if o.Objective == "" {
		o.Objective = "mean-completion"
	}
	if o.Replications <= 0 {
		o.Replications = 10
	}
	m, err := parseMetric(o.Objective)
	if err != nil {
		return nil, err
	}
	r := &ChangeReport{Schema: Schema, Objective: o.Objective, Promised: o.Promised, Seed: o.Seed,
		Replications: o.Replications,
		Calibration:  after.Case.Calibration.Source, Queues: []QueueGain{}, Wrong: []Difference{}, Notes: []string{}}
	md, err := meet(ctx, before, after, ch.Old, o)
	if err != nil {
		return nil, fmt.Errorf("simulating with the old configuration: %w", err)
	}
	n, err := after.simulate(ctx, simulate.Item{Slowstart: ch.New, Changes: ch.Settings}, o.Seed, o.Replications, nil)
	if err != nil {
		return nil, fmt.Errorf("simulating the period after the change with the new configuration: %w", err)
	}
	r.Factor = math.Exp(md.factor)
	r.Before, r.After = before.side(md.raw, m), after.side(md.rawAfter, m)
	_, r.After.New = n.only(m.keep).values(m)
	r.Match = match(before, after)
	r.Gain = m.gain(md, o.Seed, Level)
	r.queues(md, o)
	r.Wrong = wrong(md.raw, n, m)
	r.decide(before, after, m.least())
	return r, nil
}

// queues compares each queue's mean completion.
func (r *ChangeReport) queues(md *model, o ChangeOptions) {
	names := md.after.queues()
	level := 1 - (1-Level)/float64(max(len(names), 1))
	for _, q := range names {
		m := metric{base: "mean-completion", of: completion, queue: q}
		g := QueueGain{Queue: q, Before: len(md.before.only(m.keep).jobs), After: len(md.after.only(m.keep).jobs),
			Gain: m.gain(md, o.Seed, level)}
		g.Worse = g.Gain != nil && g.Gain.High < 0
		if p, ok := o.PromisedOf[q]; ok {
			g.Promised, g.Held = &p, p.heldBy(g.Gain)
		}
		r.Queues = append(r.Queues, g)
	}
}

// gainOf turns the logarithm of a ratio into a gain.
func gainOf(log float64) float64 { return -math.Expm1(log) }
