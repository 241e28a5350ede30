package simcore

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Refused names a job that the scheduler rejected, or of which it rejected a request.
type Refused struct {
	Job   JobID  // index into Workload.Jobs
	Limit string // that rejected it, equal for all jobs of one cause; may be empty
}

// Refusal counts the jobs of a queue and a user that one limit rejected.
type Refusal struct {
	Queue string  `json:"queue"` // path
	User  string  `json:"user"`  // who submitted
	Limit string  `json:"limit"` // that refused
	Jobs  float64 `json:"jobs"`  // per run
}

// Refusals counts the rejected jobs of runs of one workload by queue, user and limit, as means
// per run, in descending order.
func Refusals(runs ...*Result) []Refusal {
	count := map[Refusal]float64{}
	for _, r := range runs {
		for _, f := range r.Refused {
			j := &r.work.Jobs[f.Job]
			count[Refusal{Queue: r.work.Queues[j.Queue], User: r.work.Users[j.User], Limit: f.Limit}]++
		}
	}
	return ranked(count, len(runs))
}

// ranked returns the refusals with their counts, divided by the number of runs, in descending
// order.
func ranked(count map[Refusal]float64, runs int) (out []Refusal) {
	for k, n := range count {
		k.Jobs = n / float64(runs)
		out = append(out, k)
	}
	slices.SortFunc(out, func(a, b Refusal) int {
		return cmp.Or(cmp.Compare(b.Jobs, a.Jobs), cmp.Compare(a.Queue, b.Queue), cmp.Compare(a.User, b.User),
			cmp.Compare(a.Limit, b.Limit))
	})
	return out
}

// RefusalCauses describes in one phrase how many jobs of each queue were rejected by which
// limit, over all users of a queue, in descending order, with at most the given number of
// causes; empty without refusals.
func RefusalCauses(rs []Refusal, most int) string {
	count := map[Refusal]float64{}
	for _, r := range rs {
		if r.Jobs > 0 {
			count[Refusal{Queue: r.Queue, Limit: r.Limit}] += r.Jobs
		}
	}
	causes := ranked(count, 1)
	var parts []string
	for i, c := range causes {
		if i == most {
			parts = append(parts, fmt.Sprintf("%d more causes", len(causes)-most))
			break
		}
		parts = append(parts, fmt.Sprintf("%s in %s: %s", jobs(c.Jobs), c.Queue, c.limit()))
	}
	return strings.Join(parts, "; ")
}

// String describes the refusal in one line.
func (r Refusal) String() string {
	return fmt.Sprintf("refused: %s of %s in %s per run: %s", jobs(r.Jobs), r.User, r.Queue, r.limit())
}

func (r *Refusal) limit() string { return cmp.Or(r.Limit, "not admitted by the scheduler") }

// jobs returns a mean number of jobs with its noun.
func jobs(n float64) string {
	text := strings.TrimSuffix(strconv.FormatFloat(n, 'f', 1, 64), ".0")
	if text == "1" {
		return "1 job"
	}
	return text + " jobs"
}

// Lost lists the jobs that failed or were refused, in ascending order.
func (r *Result) Lost() []int32 {
	var out []int32
	for i := range r.Jobs {
		if r.Jobs[i].Failed {
			out = append(out, int32(r.Jobs[i].Job))
		}
	}
	return out
}
