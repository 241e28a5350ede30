package predict

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// TaskRun is an attempt of a task that a log recorded. Jobs and nodes are numbered from 0, times are in
// seconds on one clock.
type TaskRun struct {
	Job, Node  int
	Reduce     bool
	Again      bool // not the first attempt of its task
	Done       bool // it succeeded
	Start, End float64
	Input      []int // nodes that hold the input of a map; nil where it is not known
}

// slotKinds are those of which a node has slots; tasks of any kind share its memory.
const (
	mapSlots = iota
	reduceSlots
	allSlots
	slotKinds
)

// replay walks through a log and knows which nodes have a free slot: fewer tasks than ever ran there at
// once, of the kind and of both kinds.
type replay struct {
	runs      []TaskRun
	order     []int // starts and ends in order of time: 2 run + 1 for a start
	most, now [slotKinds][]int
	free      [allSlots]int // nodes with a free slot
}

func newReplay(runs []TaskRun) *replay {
	r := &replay{runs: runs, order: make([]int, 2*len(runs))}
	nodes := 0
	for i := range r.order {
		r.order[i] = i
		nodes = max(nodes, runs[i/2].Node+1, slices.Max(append(runs[i/2].Input, 0))+1)
	}
	slices.SortFunc(r.order, func(a, b int) int { // an end before a start at the same time
		return cmp.Or(cmp.Compare(r.at(a), r.at(b)), a%2-b%2, a-b)
	})
	for k := range r.now {
		r.most[k], r.now[k] = make([]int, nodes), make([]int, nodes)
	}
	for _, e := range r.order {
		r.move(e)
		n := runs[e/2].Node
		for k := range r.most {
			r.most[k][n] = max(r.most[k][n], r.now[k][n])
		}
	}
	for k := range r.free {
		r.free[k] = 0
		for n := range nodes {
			if r.open(k, n) {
				r.free[k]++
			}
		}
	}
	return r
}

func (r *replay) at(event int) float64 {
	if event%2 == 1 {
		return r.runs[event/2].Start
	}
	return r.runs[event/2].End
}

// open reports whether a node has a free slot of the kind.
func (r *replay) open(kind, node int) bool {
	return r.now[kind][node] < r.most[kind][node] && r.now[allSlots][node] < r.most[allSlots][node]
}

func (r *replay) move(event int) {
	t := &r.runs[event/2]
	kind := mapSlots
	if t.Reduce {
		kind = reduceSlots
	}
	r.count(t.Node, -1)
	for _, k := range []int{kind, allSlots} {
		r.now[k][t.Node] += 2*(event%2) - 1
	}
	r.count(t.Node, 1)
}

// count adds a node to those with free slots, or with -1 takes it out.
func (r *replay) count(node, n int) {
	for k := range r.free {
		if r.open(k, node) {
			r.free[k] += n
		}
	}
}

// each calls f with every start and end before it takes effect, and the time since the one before.
func (r *replay) each(f func(t *TaskRun, start bool, since float64)) {
	last := 0.0
	for i, e := range r.order {
		if i == 0 {
			last = r.at(e)
		}
		f(&r.runs[e/2], e%2 == 1, r.at(e)-last)
		last = r.at(e)
		r.move(e)
	}
}

// jobCounts are a job's tasks.
type jobCounts struct{ maps, begunMaps, doneMaps, reduces, begunReduces int }

// countJobs numbers the tasks of each job.
func countJobs(runs []TaskRun) []jobCounts {
	var jobs []jobCounts
	for i := range runs {
		t := &runs[i]
		for len(jobs) <= t.Job {
			jobs = append(jobs, jobCounts{})
		}
		switch {
		case t.Again:
		case t.Reduce:
			jobs[t.Job].reduces++
		default:
			jobs[t.Job].maps++
		}
	}
	return jobs
}

// pass counts a start or an end.
func (j *jobCounts) pass(t *TaskRun, start bool) {
	switch {
	case start && !t.Again && t.Reduce:
		j.begunReduces++
	case start && !t.Again:
		j.begunMaps++
	case !start && t.Done && !t.Reduce:
		j.doneMaps++
	}
}

// leadP is the probability of such a mean or a larger one by chance, of values that are 0 on average; 1
// for fewer than two.
func leadP(values []float64) float64 {
	n := float64(len(values))
	mean, sd := stat.MeanStdDev(values, nil)
	if n < 2 || !(sd > 0) {
		return 1
	}
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Survival(mean / sd * math.Sqrt(n))
}
