package report

import (
	"fmt"
	"strconv"
	"strings"

	"schedtune/internal/study"
	"schedtune/internal/text"
	"schedtune/simcore"
	"schedtune/tune"
)

// JobFigures say over how many jobs the means are: jobs finished per run.
type JobFigures struct {
	Jobs    float64 `json:"jobs"` // submitted per run
	Present float64 `json:"present"`
	Best    float64 `json:"best"` // of the recommendation, or else of the best found
	// Refused are submissions that a limit turned down, of the present
	// configuration and of the recommended one.
	Refused []RefusalRow `json:"refused"`
}

// RefusalRow counts refused submissions per run by queue, user and limit.
type RefusalRow struct {
	Queue   string  `json:"queue"`
	User    string  `json:"user"`
	Limit   string  `json:"limit"`
	Present float64 `json:"present"`
	Best    float64 `json:"best"`
}

// jobFigures counts jobs in the confirmation, and refusals in runs of before and
// after.
func jobFigures(s *study.Study, r *tune.Result, before, after []*simcore.Result) JobFigures {
	best := r.Shown()
	jobs := 0
	for _, w := range s.Runner.Windows() {
		jobs += len(w.Jobs)
	}
	f := JobFigures{Jobs: float64(jobs) / float64(len(s.Runner.Windows()))}
	f.Present, f.Best = f.Jobs-r.Present.Lost, f.Jobs-best.Lost
	at := map[simcore.Refusal]int{}
	add := func(rs []*simcore.Result, to func(*RefusalRow) *float64) {
		for _, x := range simcore.Refusals(rs...) {
			n := x.Jobs
			x.Jobs = 0
			i, seen := at[x]
			if !seen {
				i = len(f.Refused)
				at[x] = i
				f.Refused = append(f.Refused, RefusalRow{Queue: x.Queue, User: x.User, Limit: x.Limit})
			}
			*to(&f.Refused[i]) = n
		}
	}
	add(before, func(r *RefusalRow) *float64 { return &r.Present })
	add(after, func(r *RefusalRow) *float64 { return &r.Best })
	return f
}

// causesShown bounds the causes of refusals in a sentence.
const causesShown = 3

// causes are what the headline says of why jobs are lost, "" if none are: how many of
// which queue each limit refuses, of the settings whose losses the headline counts.
func (f *JobFigures) causes(r *tune.Result) string {
	if lossVerdict(r) == "" {
		return ""
	}
	ofBest := r.Decision.Recommended || r.Found != nil && r.Found.NewlyLost > 0
	var rs []simcore.Refusal
	for _, row := range f.Refused {
		n := row.Present
		if ofBest {
			n = row.Best
		}
		rs = append(rs, simcore.Refusal{Queue: row.Queue, Limit: row.Limit, Jobs: n})
	}
	if why := simcore.RefusalCauses(rs, causesShown); why != "" {
		return " (refused: " + why + ")"
	}
	return " (none is refused: they fail)"
}

// lossVerdict is what the headline says of jobs that are lost, "" if none are.
func lossVerdict(r *tune.Result) string {
	switch {
	case r.Found != nil && r.Found.NewlyLost > 0:
		return fmt.Sprintf("; it loses %s a run that the current configuration finishes", jobsText(r.Found.NewlyLost))
	case r.Present.Lost > 0 && r.Decision.Recommended:
		return fmt.Sprintf("; %s of a run are refused or fail, with the current configuration %s", jobsText(r.Best.Lost),
			jobsText(r.Present.Lost))
	case r.Present.Lost > 0:
		return fmt.Sprintf("; %s of a run are refused or fail with it", jobsText(r.Present.Lost))
	}
	return ""
}

// jobsText is a mean number of jobs with its noun.
func jobsText(n float64) string {
	if n == 1 {
		return "1 job"
	}
	return trimmed(n) + " jobs"
}

// lines describe the refusals, most first; nil if there are none.
func (f *JobFigures) lines() []string {
	var out []string
	for i, r := range f.Refused {
		if i == refusalsShown {
			out = append(out, fmt.Sprintf("and %d more kinds of rejected submissions in --json", len(f.Refused)-i))
			break
		}
		out = append(out, fmt.Sprintf("refused per run: submissions of %s to %s: %s now, %s tuned (%s)",
			r.User, r.Queue, trimmed(r.Present), trimmed(r.Best), r.Limit))
	}
	return out
}

// failedOf says whose settings the runs without a result had.
func (f *StudyFigures) failedOf() string {
	if f.FailedPresent == 0 && f.FailedBest == 0 {
		return "all of settings that were tried and dropped"
	}
	var of []string
	for _, x := range []struct {
		n    int
		what string
	}{{f.FailedPresent, "the current settings"}, {f.FailedBest, "the best found"},
		{f.FailedRuns - f.FailedPresent - f.FailedBest, "settings that were tried and dropped"}} {
		if x.n > 0 {
			of = append(of, fmt.Sprintf("%d of %s", x.n, x.what))
		}
	}
	return strings.Join(of, ", ")
}

// refusalsShown bounds the lines; summary.json holds all.
const refusalsShown = 8

func trimmed(n float64) string { return strings.TrimSuffix(strconv.FormatFloat(n, 'f', 1, 64), ".0") }

// limit is a constraint as it is shown: one that is kept for several queues stands for all of these.
type limit struct {
	tune.ConstraintResult
	queues int // for all of which it is kept; 0 = of one constraint
}

// limits are the constraints of the best found, the broken ones first; those that hold for every queue and
// are kept are one, kept surely if all of them are.
func (sum *Summary) limits() []limit {
	var broken, kept []limit
	at := map[string]int{}
	for _, c := range sum.found().Constraints {
		says := forQueues(c)
		i, seen := at[says]
		switch {
		case !c.Kept:
			broken = append(broken, limit{ConstraintResult: c})
		case says == "":
			kept = append(kept, limit{ConstraintResult: c})
		case seen:
			kept[i].queues++
			kept[i].Sure = kept[i].Sure && c.Sure
		default:
			at[says] = len(kept)
			c.Text = says
			kept = append(kept, limit{c, 1})
		}
	}
	return append(broken, kept...)
}

// forQueues is what a limit relative to the present says of any queue, "" for
// other limits.
func forQueues(c tune.ConstraintResult) string {
	if !strings.HasPrefix(c.Metric, "queue.") || !strings.Contains(c.Text, "present") {
		return ""
	}
	i := strings.IndexAny(c.Text, "<>")
	return "queue.*" + c.Metric[strings.LastIndexByte(c.Metric, '.'):] + " " + c.Text[max(i, 0):]
}

// limitLine tells whether a limit is kept.
func (sum *Summary) limitLine(l *limit) string {
	if l.queues > 0 { // the table by queue has its figures
		on := ""
		if sum.apart() {
			on = " at the median of similar workloads"
		}
		return fmt.Sprintf("limit %s: kept for %s%s (--protect off removes it)", l.Text,
			text.CountAs(l.queues, "queue with jobs", "queues with jobs"), on)
	}
	unit := simcore.MetricOf(l.Metric).Unit
	state, of := "kept", ""
	switch {
	case !l.Kept:
		state = "NOT kept"
		now, ok := metric(sum.Present.Metrics, l.Metric)
		if l.Factor != 0 { // on the workloads of the limit
			now, ok = l.Limit/l.Factor, true
		}
		if ok {
			state += ", now " + text.Amount(now, unit)
		}
	case !l.Sure:
		state = "met on average, not at 90 % confidence"
	}
	if strings.Contains(l.Text, "present") { // the number behind a relative limit
		of = " = " + text.Amount(l.Limit, unit)
	}
	low, high := text.Pair(l.Value.Low, l.Value.High, unit)
	return fmt.Sprintf("limit %s%s: %s (%s, interval %s)", l.Text, of, state, text.Amount(l.Value.Mean, unit),
		strings.Replace(text.Arrow(low, high), " → ", " to ", 1))
}
