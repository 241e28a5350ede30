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

// jobCounts are a job's tasks.
type jobCounts struct{ maps, begunMaps, doneMaps, reduces, begunReduces int }

// replay walks through a log and knows how far each job is, and which nodes have a free slot: fewer tasks
// than ever ran there at once, of the kind and of both kinds.
type replay struct {
	runs      []TaskRun
	order     []int // starts and ends in order of time: 2 run + 1 for a start
	most, now [slotKinds][]int
	free      [allSlots]int // nodes with a free slot
	jobs      []jobCounts
}

func newReplay(runs []TaskRun) *replay {
	r := &replay{runs: runs, order: make([]int, 2*len(runs))}
	nodes := 0
	for i := range r.order {
		r.order[i] = i
		t := &runs[i/2]
		nodes = max(nodes, t.Node+1, slices.Max(append(t.Input, 0))+1)
		for len(r.jobs) <= t.Job {
			r.jobs = append(r.jobs, jobCounts{})
		}
		if j := &r.jobs[t.Job]; i%2 == 0 && !t.Again && t.Reduce {
			j.reduces++
		} else if i%2 == 0 && !t.Again {
			j.maps++
		}
	}
	slices.SortFunc(r.order, func(a, b int) int { // an end before a start at the same time
		return cmp.Or(cmp.Compare(r.at(a), r.at(b)), a%2-b%2, a-b)
	})
	for k := range r.now {
		r.most[k], r.now[k] = make([]int, nodes), make([]int, nodes)
	}
	for _, e := range r.order {
		r.move(e)
		for n, k := runs[e/2].Node, 0; k < slotKinds; k++ {
			r.most[k][n] = max(r.most[k][n], r.now[k][n])
		}
	}
	r.free = [allSlots]int{}
	for n := range nodes {
		r.count(n, 1)
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

// count adds a node to those with free slots, or with -1 takes it out.
func (r *replay) count(node, n int) {
	for k := range r.free {
		if r.open(k, node) {
			r.free[k] += n
		}
	}
}

func (r *replay) move(event int) {
	t, kind := &r.runs[event/2], mapSlots
	if t.Reduce {
		kind = reduceSlots
	}
	r.count(t.Node, -1)
	for _, k := range []int{kind, allSlots} {
		r.now[k][t.Node] += 2*(event%2) - 1
	}
	r.count(t.Node, 1)
}

// each calls f with every start and end before it takes effect on slots, and with its job as it was and is.
func (r *replay) each(f func(t *TaskRun, start bool, at float64, before, after jobCounts)) {
	for _, e := range r.order {
		t, start := &r.runs[e/2], e%2 == 1
		j := &r.jobs[t.Job]
		before := *j
		switch {
		case start && !t.Again && t.Reduce:
			j.begunReduces++
		case start && !t.Again:
			j.begunMaps++
		case !start && t.Done && !t.Reduce:
			j.doneMaps++
		}
		f(t, start, r.at(e), before, *j)
		r.move(e)
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
