package accuracy

import (
	"math"
	"strings"

	"schedtune/internal/text"
	"schedtune/simcore"
)

// Matched compares jobs that ran in both periods as recorded, without any
// simulation: it is not adjusted for a load that differs.
type Matched struct {
	Classes int     `json:"classes"` // with jobs in both periods
	Before  int     `json:"jobs_before"`
	After   int     `json:"jobs_after"`
	Was     float64 `json:"mean_completion_before"` // of the classes' means, weighted as the jobs after
	Now     float64 `json:"mean_completion_after"`
}

// MarshalJSON writes null for the means of no jobs.
func (m Matched) MarshalJSON() ([]byte, error) {
	type plain Matched
	return text.WithNulls(plain(m), m.Before == 0 || m.After == 0, "mean_completion_before", "mean_completion_after")
}

// jobClass is what makes two jobs alike: name without its digits, user, queue, and
// the order of magnitude, to the base of four, of its task-seconds.
type jobClass struct {
	name, user, queue string
	size              int
}

func (p *Period) class(i int) jobClass {
	w := p.Case.Work
	j := &w.Jobs[i]
	name := strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, j.Name)
	return jobClass{name, w.Users[j.User], w.Queues[j.Queue], int(math.Floor(math.Log2(max(taskSeconds(w, i), 1)) / 2))}
}

// taskSeconds is the time of a job's tasks together.
func taskSeconds(w *simcore.Workload, i int) (sum float64) {
	j := &w.Jobs[i]
	add := func(first, tasks, dist int32) { // as a job of maps
		sum += w.StageSeconds(&simcore.Job{FirstTask: first, Maps: tasks, MapDist: dist}, simcore.Map)
	}
	switch {
	case j.Spark != nil:
		for _, s := range j.Spark.Stages {
			add(s.FirstTask, s.Tasks, s.Dist)
		}
	case j.Tez != nil:
		for _, v := range j.Tez.Vertices {
			add(v.FirstTask, v.Tasks, v.Dist)
		}
	default:
		sum = w.StageSeconds(j, simcore.Map) + w.StageSeconds(j, simcore.Reduce)
	}
	return sum
}

// match pairs the classes of both periods (direct standardisation by the jobs
// after).
func match(before, after *Period) (m Matched) {
	type sums struct{ n, sum float64 }
	gather := func(p *Period) (map[jobClass]sums, []jobClass) {
		all := map[jobClass]sums{}
		var order []jobClass
		for i, s := range p.Seen {
			if !s.Compared() {
				continue
			}
			c := p.class(i)
			v := all[c]
			if v.n == 0 {
				order = append(order, c)
			}
			all[c] = sums{v.n + 1, v.sum + (s.Finish - s.Submit).Seconds()}
		}
		return all, order
	}
	was, _ := gather(before)
	now, order := gather(after)
	for _, c := range order {
		b, a := was[c], now[c]
		if b.n == 0 {
			continue
		}
		m.Classes, m.Before, m.After = m.Classes+1, m.Before+int(b.n), m.After+int(a.n)
		m.Was, m.Now = m.Was+b.sum/b.n*a.n, m.Now+a.sum
	}
	if m.After > 0 {
		m.Was, m.Now = m.Was/float64(m.After), m.Now/float64(m.After)
	}
	return m
}
