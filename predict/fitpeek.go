package predict

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Random peeking (Coupling, equation 3) from a log. A map that ends while one job alone has maps to launch
// leaves a slot to it. Where the node holds input of one of them, the next heartbeat of the node starts
// it; elsewhere one starts then with a probability p, or at a later heartbeat. Whatever the interval of
// heartbeats is, and whether ends are told with them or come between them, for a time q up to that
// interval
//
//	P(wait <= q, no input) = p P(wait <= q, input)
//
// where q is the median of the waits for nodes with input. The uncertainty is that of leaving out each of
// 32 stretches of the log (jackknife). A scheduler that lets maps wait for their input (delay scheduling)
// has a small p, too.

// PeekFit is what a log shows of maps far from their input.
type PeekFit struct {
	Near        int     `json:"near"`        // map slots that came free for one job alone, on nodes with its input
	Far         int     `json:"far"`         // on others
	Probability float64 `json:"probability"` // of a start at the first heartbeat of a node without input
	Low         float64 `json:"low"`         // 90 % interval
	High        float64 `json:"high"`
	Formula     float64 `json:"formula"` // the mean of equation 3's for the same slots, all nodes being of one rack
	P           float64 `json:"p"`       // of a probability as far below 1 by chance
}

const peekParts = 32

// opening is a map slot that came free.
type opening struct {
	far     bool
	began   float64 // when
	wait    float64 // until a map started there
	cut     bool    // none did before another job had maps to launch, or the job had none
	formula float64
}

// FitPeek estimates the probabilities of random peeking from the tasks of logs; see PeekFit. It is false
// with fewer than 32 slots of both kinds.
func FitPeek(logs ...[]TaskRun) (f PeekFit, ok bool) {
	f.P = 1
	var all []opening
	for _, runs := range logs {
		all = append(all, openings(runs)...)
	}
	var near []float64
	sum := 0.0
	for _, o := range all {
		if o.far {
			f.Far++
			sum += o.formula
		} else if !o.cut {
			near = append(near, o.wait)
		}
	}
	if f.Near = len(near); f.Near < peekParts || f.Far < peekParts {
		return f, false
	}
	slices.Sort(near)
	soon := near[(len(near)-1)/2]
	all = slices.DeleteFunc(all, func(o opening) bool { return o.cut && o.wait <= soon })
	probability := func(but int) float64 {
		var n, started [2]float64
		for i, o := range all {
			if i*peekParts/len(all) != but {
				k := 0
				if o.far {
					k = 1
				}
				if n[k]++; o.wait <= soon {
					started[k]++
				}
			}
		}
		return started[1] / n[1] * n[0] / started[0]
	}
	var without []float64
	for part := range peekParts {
		if p := probability(part); p-p == 0 {
			without = append(without, p)
		}
	}
	n := float64(len(without))
	if n <= peekParts/2 {
		return f, false
	}
	p, se := probability(-1), math.Sqrt((n-1)*stat.PopVariance(without, nil))
	student := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}
	wide := se * student.Quantile(0.95)
	f.Probability, f.Formula = math.Min(p, 1), sum/float64(f.Far)
	f.Low, f.High = math.Max(p-wide, 0), math.Min(p+wide, 1)
	switch {
	case se > 0:
		f.P = student.CDF((p - 1) / se)
	case p < 1: // the same in every stretch
		f.P = math.Pow(0.5, n)
	}
	return f, true
}

// peeking follows the job that alone has maps to launch.
type peeking struct {
	*replay
	maps    [][]*TaskRun // first attempts by job, in order of their starts
	waiting map[int]bool // jobs that have begun and have maps to launch
	alone   int          // the only one of them, -1 = none
	input   []int        // by node, maps of it to be launched that have input there
	holders int          // nodes with such
	idle    [][]int      // by node, openings without a start
	out     []opening
}

func openings(runs []TaskRun) []opening {
	p := &peeking{replay: newReplay(runs), waiting: map[int]bool{}, alone: -1}
	p.input, p.idle = make([]int, len(p.most[mapSlots])), make([][]int, len(p.most[mapSlots]))
	p.maps = make([][]*TaskRun, len(p.jobs))
	for _, e := range p.order {
		if t := &runs[e/2]; e%2 == 1 && !t.Reduce && !t.Again {
			p.maps[t.Job] = append(p.maps[t.Job], t)
		}
	}
	p.each(func(t *TaskRun, start bool, at float64, before, after jobCounts) {
		switch list := p.idle[t.Node]; {
		case t.Reduce:
		case !start && p.alone >= 0:
			p.offer(t.Node, at)
		case start && len(list) > 0:
			o := &p.out[list[0]]
			o.wait, p.idle[t.Node] = at-o.began, list[1:]
		}
		if after.begunMaps > before.begunMaps {
			p.launched(t, at)
		}
	})
	return p.out
}

// offer notes a slot that comes free.
func (p *peeking) offer(node int, at float64) {
	free := p.free[mapSlots]
	if !p.open(mapSlots, node) {
		free++
	}
	j := p.jobs[p.alone]
	peek := Peek{RackLocal: p.holders > 0, Pending: j.maps - j.begunMaps,
		LocalShare: float64(p.holders) / float64(len(p.input)), FreeNodes: float64(free)}
	p.idle[node] = append(p.idle[node], len(p.out))
	p.out = append(p.out, opening{far: p.input[node] == 0, began: at, formula: peek.Probability()})
}

// launched notes the first start of a map.
func (p *peeking) launched(t *TaskRun, at float64) {
	if t.Job == p.alone {
		p.hold(t.Input, -1)
	}
	j := p.jobs[t.Job]
	if p.waiting[t.Job] == (j.begunMaps < j.maps) {
		return
	}
	if p.waiting[t.Job] = true; j.begunMaps == j.maps {
		delete(p.waiting, t.Job)
	}
	p.alone, p.holders = -1, 0
	clear(p.input)
	for n, list := range p.idle {
		for _, i := range list {
			p.out[i].wait, p.out[i].cut = at-p.out[i].began, true
		}
		p.idle[n] = nil
	}
	for job := range p.waiting {
		list := p.maps[job][p.jobs[job].begunMaps:]
		if len(p.waiting) == 1 && !slices.ContainsFunc(list, func(t *TaskRun) bool { return t.Input == nil }) {
			p.alone = job
			for _, t := range list {
				p.hold(t.Input, 1)
			}
		}
	}
}

// hold adds n maps with input on the nodes.
func (p *peeking) hold(nodes []int, n int) {
	for _, node := range nodes {
		before := p.input[node] > 0
		if p.input[node] += n; before != (p.input[node] > 0) {
			p.holders += n
		}
	}
}
