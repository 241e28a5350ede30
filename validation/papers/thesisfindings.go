package papers

import (
	"fmt"
	"math"
	"strconv"

	"schedtune/datasets"
)

// The thesis's answers to its three questions (section 6.5), as claims on its own
// tables: every effect is published as a quotient of two figures.

// chapter6 are the figures of chapter 6 by table: ours or the published.
type chapter6 struct {
	ratio, rack map[[2]int]float64 // by experiment and type
	large       map[[2]int]float64 // response ratios of queue 1 of experiments 9 to 16
	makespan    map[[2]int]float64 // by experiment and queue
}

func (f *chapter6) mean(m map[[2]int]float64, n int, types ...int) float64 {
	var s float64
	for _, t := range types {
		s += m[[2]int{n, t}] / float64(len(types))
	}
	return s
}

// whole is the makespan of an experiment.
func (f *chapter6) whole(n int) float64 {
	most := 0.0
	for q := 1; q <= 4; q++ {
		most = math.Max(most, f.makespan[[2]int{n, q}])
	}
	return most
}

// thesisPublished reads the published figures.
func thesisPublished() (*chapter6, error) {
	f := &chapter6{map[[2]int]float64{}, map[[2]int]float64{}, map[[2]int]float64{}, map[[2]int]float64{}}
	for _, t := range thesisTables {
		to := map[byte]map[[2]int]float64{'r': f.ratio, 'l': f.rack, 'm': f.makespan}[t.kind]
		if t.id == "6.8" {
			to = f.large
		}
		if to == nil || t.id == "6.9" || t.id == "6.7" {
			continue
		}
		pub, err := datasets.Published("thesis", t.id)
		if err != nil {
			return nil, err
		}
		for _, row := range pub.Rows {
			for c := 1; c < len(row); c++ {
				cell, err := thesisCell(pub, row, t.kind, t.half, c, nil)
				if err != nil {
					return nil, err
				}
				to[[2]int{cell.experiment, cell.item}] = cell.published
			}
		}
	}
	return f, nil
}

// thesisOwn are ours in the same places.
func thesisOwn(runs map[int]*thesisRun) *chapter6 {
	f := &chapter6{map[[2]int]float64{}, map[[2]int]float64{}, map[[2]int]float64{}, map[[2]int]float64{}}
	for n, run := range runs {
		for ty := 1; ty <= 7; ty++ {
			at := [2]int{n, ty}
			f.ratio[at], f.rack[at], f.large[at] = run.ratio[2][ty].Mean, run.rack[0][ty].Mean, run.ratio[0][ty].Mean
		}
		for q, e := range run.makespan {
			if !math.IsNaN(e.Mean) {
				f.makespan[[2]int{n, q + 1}] = e.Mean
			}
		}
	}
	return f
}

// thesisQuestions tests the findings of section 6.5.
func thesisQuestions(runs map[int]*thesisRun) ([]Section, error) {
	pub, err := thesisPublished()
	if err != nil {
		return nil, err
	}
	f := findings{pub: pub, own: thesisOwn(runs)}
	list := []Section{f.shortAfterLong(), f.interleaved(), f.separate()}
	for i := range list {
		s := &list[i]
		s.Paper, s.ID, s.Source = "thesis", fmt.Sprintf("question %d", i+1), fmt.Sprintf("Chauhan, thesis, section 6.5.%d", i+1)
		s.Setup = fmt.Sprintf("experiments 1 to 32, %d replications; response ratios are means over types", thesisReps)
	}
	return list, nil
}

// Types of the thesis's jobs (table 6.1) by length.
var (
	thesisLong  = []int{1, 2, 3, 4}
	thesisShort = []int{5, 6, 7}
	thesisAll   = []int{1, 2, 3, 4, 5, 6, 7}
)

// findings holds chapter 6 as published against ours.
type findings struct{ pub, own *chapter6 }

// effect judges the reduction of a figure from one experiment to another.
func (x *findings) effect(s *Section, what string, of func(f *chapter6) (to, from float64)) {
	share := func(f *chapter6) float64 { a, b := of(f); return 100 * (1 - a/b) }
	s.gain(what, share(x.pub), exact(share(x.own)))
}

// steady judges that two experiments have the same makespan.
func (x *findings) steady(s *Section, to, from int) {
	q := x.own.whole(to) / x.own.whole(from)
	s.claim("makespan, "+strconv.Itoa(to)+" over "+strconv.Itoa(from), "ratio", x.pub.whole(to)/x.pub.whole(from), exact(q), noChange, "within 10 %",
		func(e Estimate) bool { return math.Abs(e.Mean-1) <= 0.1 })
}

// ratios are the mean response ratios of job types in two experiments.
func ratios(to, from int, types []int) func(*chapter6) (float64, float64) {
	return func(f *chapter6) (float64, float64) {
		return f.mean(f.ratio, to, types...), f.mean(f.ratio, from, types...)
	}
}

// makespans are those of a queue in two experiments.
func makespans(to, from, queue int) func(*chapter6) (float64, float64) {
	return func(f *chapter6) (float64, float64) {
		return f.makespan[[2]int{to, queue}], f.makespan[[2]int{from, queue}]
	}
}

// shortAfterLong tests question 1.
func (x *findings) shortAfterLong() Section {
	q1 := Section{Title: "Short jobs after long ones"}
	for _, n := range []int{4, 6, 7, 8} {
		for _, t := range []struct {
			name  string
			types []int
		}{{"short", thesisShort}, {"long", thesisLong}} {
			x.effect(&q1, fmt.Sprintf("%s jobs' response ratio, %d below 2 (user limit 25 %%)", t.name, n), ratios(n, 2, t.types))
			q1.calibrates("tables 6.2 and 6.3 served it")
			if n > 6 {
				q1.apart("experiments 7 and 8 repeat 4 and 6: only the User-Limit-Factor differs")
			}
		}
	}
	x.steady(&q1, 4, 2)
	q1.calibrates("table 6.5 served it")
	x.effect(&q1, "large queue's response ratio with limits, short jobs (14 below 12)", func(f *chapter6) (float64, float64) {
		return f.mean(f.large, 14, thesisShort...), f.mean(f.large, 12, thesisShort...)
	})
	x.effect(&q1, "large queue's makespan with limits (10 below 9)", makespans(10, 9, 1))
	x.effect(&q1, "small queue's makespan without limits (9 below 10)", makespans(9, 10, 2))
	x.effect(&q1, "rack-local share, 800 maps below 1 map (experiment 1)", func(f *chapter6) (float64, float64) { return f.rack[[2]int{1, 4}], f.rack[[2]int{1, 5}] })
	return q1
}

// interleaved tests question 2.
func (x *findings) interleaved() Section {
	q2 := Section{Title: "Interleaved jobs"}
	for _, n := range []int{20, 22, 23, 24} {
		x.effect(&q2, fmt.Sprintf("all types' response ratio, %d below 18", n), ratios(n, 18, thesisAll))
		if n > 22 {
			q2.apart("experiments 23 and 24 repeat 20 and 22: only the User-Limit-Factor differs")
		}
	}
	x.steady(&q2, 20, 18)
	return q2
}

// separate tests question 3.
func (x *findings) separate() Section {
	q3 := Section{Title: "Separate queues"}
	x.effect(&q3, "short jobs' response ratio with limits (26 below 25)", ratios(26, 25, thesisShort))
	x.effect(&q3, "short queue's makespan with limits (26 below 25)", makespans(26, 25, 1))
	x.effect(&q3, "long jobs' response ratio without limits (25 below 26)", ratios(25, 26, thesisLong))
	x.effect(&q3, "long jobs' response ratio with a user limit (30 below 26)", ratios(30, 26, thesisLong))
	x.effect(&q3, "short jobs: limits help more than the user limit (26 below 28)", ratios(26, 28, thesisShort))
	x.effect(&q3, "short jobs: separate queues with both (30) below one queue with a user limit (20)", func(f *chapter6) (float64, float64) {
		return f.mean(f.ratio, 30, thesisShort...), f.mean(f.ratio, 20, thesisShort...)
	})
	return q3
}
