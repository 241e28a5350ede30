package models

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"schedtune/internal/fileio"
	"schedtune/internal/stats"
	"schedtune/internal/text"
)

// How much longer tasks run beside others on their node, from histories:
//
//	log d_i = job + node + log(1 + sum over classes k of a_k n_ik) + e_i
//
// d_i is the time of a task, n_ik the mean number of tasks of class k that ran beside it, job
// the effect of its job's maps, reduces or stage. A long task outlives its neighbours, so that
// n depends on d: the instrument is how many there were when it began. Newton's steps solve
// the instrumented equations (two-stage least squares); job and node effects come by taking
// means in turn. The uncertainty is that of leaving out each of 32 stretches of time
// (jackknife, Student's distribution); for the cross-validation every fifth task is predicted, with its
// neighbours at the beginning, which do not depend on d, and without.

const (
	contentionParts   = 32
	contentionClasses = 5      // of neighbours, by their task time; the rest is one more
	contentionTasks   = 200000 // of more every n-th is fitted
	contentionLeast   = 200    // tasks
	// notable is the smallest effect that matters: where less than it cannot be excluded, a
	// history cannot tell.
	notable = 0.05
)

// ContentionResult is what a fit of contention found.
type ContentionResult struct {
	Schema string `json:"schema"`
	Source string `json:"source"`
	Tasks  int    `json:"tasks"` // fitted
	Nodes  int    `json:"nodes"`
	// Slopes are the effects by class of neighbour, the one with most task time first.
	Slopes []Slope  `json:"slopes"`
	Error  text.Num `json:"error"`           // root mean square of log times, cross-validated
	Plain  text.Num `json:"error_no_effect"` // the same without neighbours
	Found  bool     `json:"found"`           // of any class
	Reason string   `json:"reason,omitempty"`
}

// Slope is the effect of one more neighbour of a class: 0.1 = 10 % longer.
type Slope struct {
	Class      string   `json:"class"`
	Neighbours text.Num `json:"neighbours"` // mean number
	Value      text.Num `json:"value"`
	Low        text.Num `json:"low"` // 90 % interval
	High       text.Num `json:"high"`
	P          text.Num `json:"p"` // of such an effect where there is none, times the number of classes
	Verdict    string   `json:"verdict"`
}

// Mean returns the slope of a neighbour of any class, 0 where none was found, and the mean number of
// neighbours: yarn.Calibration's TaskSlowdown and TaskNeighbours.
func (r *ContentionResult) Mean() (slope, neighbours float64) {
	for _, s := range r.Slopes {
		neighbours += float64(s.Neighbours)
		if s.Verdict == "found" {
			slope += float64(s.Value * s.Neighbours)
		}
	}
	if !r.Found {
		return 0, neighbours
	}
	return math.Max(slope/neighbours, 0), neighbours
}

// contention is a fit under way; slices are by task.
type contention struct {
	y           []float64 // log of the time
	job, node   []int32   // effects
	jobs, nodes int
	beside, at  [][]float64 // by class: mean neighbours, and those at the beginning
}

// FitContention fits the effect of neighbours on the tasks of histories.
func FitContention(source string, tasks []NodeTask) *ContentionResult {
	r := &ContentionResult{Schema: text.SchemaFitContention, Source: source}
	classes, f := prepare(tasks)
	r.Tasks, r.Nodes = len(f.y), f.nodes
	if len(f.y) < contentionLeast {
		r.Reason = fmt.Sprintf("%s beside others of the same job, with node and times: must be at least %d",
			text.Count(len(f.y), "task"), contentionLeast)
		return r
	}
	slope := f.fit(nil, nil)
	others := make([][]float64, len(classes)) // slopes by class, each without a part
	for part := range contentionParts {
		for c, s := range f.fit(func(i int) bool { return i*contentionParts/len(f.y) == part }, slope) {
			others[c] = append(others[c], s)
		}
	}
	parts := float64(len(others[0]))
	with, without := f.predicted()
	if slope == nil || parts < contentionParts/2 || math.IsNaN(with) {
		r.Reason = "tasks begin always beside equally many others, or too few beside any"
		return r
	}
	r.Error, r.Plain = text.Num(with), text.Num(without)
	student := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: parts - 1}
	for c, name := range classes {
		se := math.Sqrt((parts - 1) * stat.PopVariance(others[c], nil))
		p, wide := math.Min(1, float64(len(classes))*student.Survival(slope[c]/se)), se*student.Quantile(0.95)
		s := Slope{Class: name, Neighbours: text.Num(stats.Mean(f.beside[c])), Value: text.Num(slope[c]),
			Low: text.Num(slope[c] - wide), High: text.Num(slope[c] + wide), P: text.Num(p), Verdict: "none"}
		switch {
		case p < 0.05 && with < without:
			s.Verdict, r.Found = "found", true
		case float64(s.High) > notable:
			s.Verdict = cannotTell
		}
		r.Slopes = append(r.Slopes, s)
	}
	return r
}

// prepare counts neighbours and numbers classes, jobs and nodes. Tasks without another of
// their effect tell nothing and are left out.
func prepare(tasks []NodeTask) (classes []string, f *contention) {
	weight, alike := map[string]float64{}, map[string]int{}
	for _, t := range tasks {
		weight[t.Class] += t.End - t.Start
		alike[t.Effect]++
	}
	for c := range weight {
		classes = append(classes, c)
	}
	slices.SortFunc(classes, func(a, b string) int { return cmp.Or(cmp.Compare(weight[b], weight[a]), cmp.Compare(a, b)) })
	if len(classes) > contentionClasses {
		classes = append(classes[:contentionClasses:contentionClasses], "others")
	}
	number := map[string]int{}
	for c := range weight {
		if number[c] = slices.Index(classes, c); number[c] < 0 {
			number[c] = len(classes) - 1
		}
	}
	beside, at := neighbours(tasks, number, len(classes))
	var use []int
	for i, t := range tasks {
		if t.Effect != "" && alike[t.Effect] > 1 {
			use = append(use, i)
		}
	}
	slices.SortStableFunc(use, func(a, b int) int { return cmp.Compare(tasks[a].From, tasks[b].From) })
	step := (len(use) + contentionTasks - 1) / contentionTasks
	f = &contention{beside: make([][]float64, len(classes)), at: make([][]float64, len(classes))}
	var jobs, nodes []string
	jobAt, nodeAt := fileio.Index{}, fileio.Index{}
	for n := 0; n < len(use); n += step {
		t := &tasks[use[n]]
		f.y = append(f.y, math.Log(t.End-t.From))
		f.job, f.node = append(f.job, jobAt.ID(&jobs, t.Effect)), append(f.node, nodeAt.ID(&nodes, t.Node))
		for c := range classes {
			f.beside[c] = append(f.beside[c], beside[use[n]*len(classes)+c])
			f.at[c] = append(f.at[c], at[use[n]*len(classes)+c])
		}
	}
	f.jobs, f.nodes = len(jobs), len(nodes)
	return classes, f
}

// neighbours returns for each task and class the mean number of others on its node while it
// worked, and the number when its work began.
func neighbours(tasks []NodeTask, number map[string]int, classes int) (mean, at []float64) {
	type event struct {
		time float64
		what int // 0 a task ends, 1 one starts, 2 work begins
		task int
	}
	events := map[string][]event{}
	var nodes []string
	for i, t := range tasks {
		if events[t.Node] == nil {
			nodes = append(nodes, t.Node)
		}
		events[t.Node] = append(events[t.Node], event{t.Start, 1, i}, event{t.From, 2, i}, event{t.End, 0, i})
	}
	mean, at = make([]float64, len(tasks)*classes), make([]float64, len(tasks)*classes)
	for _, n := range nodes {
		list := events[n]
		slices.SortFunc(list, func(a, b event) int {
			return cmp.Or(cmp.Compare(a.time, b.time), a.what-b.what, a.task-b.task)
		})
		count, sum, last := make([]float64, classes), make([]float64, classes), 0.0
		for _, e := range list {
			for c := range sum {
				sum[c] += count[c] * (e.time - last)
			}
			last = e.time
			t := &tasks[e.task]
			own, m := number[t.Class], mean[e.task*classes:(e.task+1)*classes]
			switch e.what {
			case 1:
				count[own]++
			case 2:
				copy(at[e.task*classes:], count)
				at[e.task*classes+own]--
				for c := range m {
					m[c] = -sum[c]
				}
			default:
				count[own]--
				for c := range m {
					m[c] = (m[c] + sum[c]) / (t.End - t.From)
				}
				m[own]--
			}
		}
	}
	return mean, at
}

// factor is how much longer a task runs beside neighbours.
func (f *contention) factor(slope []float64, neighbours [][]float64, i int) float64 {
	s := 1.0
	for c, b := range slope {
		s += b * neighbours[c][i]
	}
	return math.Max(s, 0.1)
}

// predicted returns the root mean square errors of tasks, of which every fifth in turn is left
// out and predicted, with its neighbours at the beginning and without.
func (f *contention) predicted() (with, without float64) {
	n, early := 0.0, *f
	early.beside = f.at
	for fold := range 5 {
		out := func(i int) bool { return i%5 == fold }
		s := early.fit(out, nil)
		if s == nil {
			return math.NaN(), math.NaN()
		}
		a := f.effects(early.rest(s), out)
		b := f.effects(f.y, out)
		for i := fold; i < len(f.y); i += 5 {
			if a[i] == a[i] { // else without another of its job or node
				with, without, n = with+a[i]*a[i], without+b[i]*b[i], n+1
			}
		}
	}
	return math.Sqrt(with / n), math.Sqrt(without / n)
}

// rest is the logarithm of times less the effect of neighbours.
func (f *contention) rest(slope []float64) []float64 {
	out := slices.Clone(f.y)
	for i := range out {
		out[i] -= math.Log(f.factor(slope, f.beside, i))
	}
	return out
}

// fit returns the slopes without some of the tasks, beginning at others; nil where the
// equations have no solution.
func (f *contention) fit(out func(i int) bool, from []float64) []float64 {
	k, n := len(f.beside), len(f.y)
	slope := slices.Clone(from)
	if from == nil {
		slope = make([]float64, k)
	}
	for range 8 {
		residual := f.effects(f.rest(slope), out)
		a, b := mat.NewDense(k, k, nil), mat.NewVecDense(k, nil)
		for c := range k {
			z := make([]float64, n)
			for i := range z {
				z[i] = f.at[c][i] / f.factor(slope, f.at, i)
			}
			for i, z := range f.effects(z, out) {
				if out != nil && out(i) {
					continue
				}
				b.SetVec(c, b.AtVec(c)+z*residual[i])
				for d := range k {
					a.Set(c, d, a.At(c, d)+z*f.beside[d][i]/f.factor(slope, f.beside, i))
				}
			}
		}
		var step mat.VecDense
		if err := step.SolveVec(a, b); err != nil {
			return nil
		}
		floats.Add(slope, step.RawVector().Data)
		if mat.Norm(&step, math.Inf(1)) < 1e-4 {
			break
		}
	}
	return slope
}

// effects returns values less the effects of jobs and nodes, the means over the tasks that are
// not left out, taken in turn until they settle; NaN for a task without another of its job or
// node.
func (f *contention) effects(v []float64, out func(i int) bool) (residual []float64) {
	residual = slices.Clone(v)
	for range 50 {
		most := 0.0
		for _, of := range [][]int32{f.job, f.node} {
			sum, n := make([]float64, max(f.jobs, f.nodes)), make([]float64, max(f.jobs, f.nodes))
			for i, r := range residual {
				if out == nil || !out(i) {
					sum[of[i]] += r
					n[of[i]]++
				}
			}
			for k := range sum {
				if sum[k] /= n[k]; n[k] > 0 {
					most = math.Max(most, math.Abs(sum[k]))
				}
			}
			for i := range residual {
				residual[i] -= sum[of[i]]
			}
		}
		if most < 1e-6 {
			break
		}
	}
	return residual
}
