package timeofday

import (
	"fmt"
	"slices"
	"strings"

	"schedtune/internal/scenario"
	"schedtune/internal/simulate"
	"schedtune/simcore"
)

// lead is how much of the time before a day is simulated with it in the search, so
// that the day does not begin on an empty cluster.
const lead = 6 * simcore.Hour

// jobFigures end the names of the metrics that a part of a run's jobs has.
var jobFigures = []string{"-completion", "-wait", "-execution", "-response-ratio", "-bounded-slowdown"}

// ofJobs refuses metrics of a run as a whole: a day in the middle of weeks has none.
func ofJobs(metric string) error {
	if slices.ContainsFunc(jobFigures, func(f string) bool { return strings.HasSuffix(metric, f) }) {
		return nil
	}
	return fmt.Errorf("%s: describes a whole run and cannot be computed for the jobs of one day; use the "+
		"mean-, p50- or p95- metric of completion, wait, execution, response-ratio or bounded-slowdown, also of a queue, user or class", metric)
}

// span is the part of a workload that a run simulates, and what counts of it.
type span struct {
	work  *simcore.Workload
	begin simcore.Time // of the whole workload's clock, at its own time 0
	from  []int        // by counted day: its first job
	to    []int        // one after its last
}

// daySpan is one day with what leads to it.
func daySpan(w *simcore.Workload, d *Day) span {
	first := d.First
	for first > 0 && w.Jobs[first-1].Submit >= d.From-lead {
		first--
	}
	part := *w
	part.Jobs = append([]simcore.Job(nil), w.Jobs[first:d.Last]...)
	part.Alone = nil
	begin := part.Jobs[0].Submit
	for i := range part.Jobs {
		part.Jobs[i].Submit -= begin
	}
	return span{&part, begin, []int{d.First - first}, []int{d.Last - first}}
}

// wholeSpan is the whole workload with the days that count.
func wholeSpan(w *simcore.Workload, days []Day) span {
	s := span{work: w}
	for i := range days {
		s.from, s.to = append(s.from, days[i].First), append(s.to, days[i].Last)
	}
	return s
}

// of is the result of one counted day: its jobs alone.
func (s *span) of(res *simcore.Result, day int) *simcore.Result {
	part := *res
	part.Jobs = nil
	for i := range res.Jobs {
		if j := int(res.Jobs[i].Job); j >= s.from[day] && j < s.to[day] {
			part.Jobs = append(part.Jobs, res.Jobs[i])
		}
	}
	return &part
}

// values are metrics of one day; NaN where there is nothing of the kind.
func (s *span) values(res *simcore.Result, day int, metrics []string) ([]float64, error) {
	part := s.of(res, day)
	out := make([]float64, len(metrics))
	for i, m := range metrics {
		v, err := part.Value(m)
		if err != nil {
			return nil, err
		}
		out[i] = v
	}
	return out, nil
}

// runnerOf prepares runs of spans.
func runnerOf(c *scenario.Case, spans []span, metrics []string) (*simulate.Runner, error) {
	opt := simulate.Options{Jitter: simulate.Replications()}
	for _, s := range spans {
		opt.Windows = append(opt.Windows, s.work)
	}
	opt.Slowdowns = slices.ContainsFunc(metrics, func(m string) bool { return strings.HasSuffix(m, "bounded-slowdown") })
	return simulate.New(c, opt)
}
