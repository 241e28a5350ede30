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
func taskSeconds(w *simcore.Workload, i int) float64 {
	sum := 0.0
	add := func(first, n, dist int32) {
		switch {
		case first >= 0:
			for t := range n {
				sum += w.Tasks.Duration[first+t].Seconds()
			}
		case dist >= 0:
			sum += float64(n) * w.Dists[dist].Mean()
		}
	}
	j := &w.Jobs[i]
	if j.Spark != nil {
		for s := range j.Spark.Stages {
			st := &j.Spark.Stages[s]
			add(st.FirstTask, st.Tasks, st.Dist)
		}
		return sum
	}
	if j.Tez != nil {
		for v := range j.Tez.Vertices {
			vx := &j.Tez.Vertices[v]
			add(vx.FirstTask, vx.Tasks, vx.Dist)
		}
		return sum
	}
	add(j.FirstTask, j.Maps, j.MapDist)
	reduces := j.FirstTask
	if reduces >= 0 {
		reduces += j.Maps
	}
	add(reduces, j.Reduces, j.ReduceDist)
	return sum
}

// match pairs the classes of both periods (direct standardisation by the jobs
// after).
func match(before, after *Period) Matched {
	type sums struct {
		n   int
		sum float64
	}
	gather := func(p *Period) (map[jobClass]sums, []jobClass) {
		all := map[jobClass]sums{}
		var order []jobClass
		for i, s := range p.Seen {
			if !s.Compared() {
				continue
			}
			c := p.class(i)
			v, ok := all[c]
			if !ok {
				order = append(order, c)
			}
			all[c] = sums{v.n + 1, v.sum + (s.Finish - s.Submit).Seconds()}
		}
		return all, order
	}
	was, _ := gather(before)
	now, order := gather(after)
	var m Matched
	for _, c := range order {
		b, a := was[c], now[c]
		if b.n == 0 {
			continue
		}
		m.Classes, m.Before, m.After = m.Classes+1, m.Before+b.n, m.After+a.n
		m.Was, m.Now = m.Was+b.sum/float64(b.n)*float64(a.n), m.Now+a.sum
	}
	if m.After > 0 {
		m.Was, m.Now = m.Was/float64(m.After), m.Now/float64(m.After)
	}
	return m
}
