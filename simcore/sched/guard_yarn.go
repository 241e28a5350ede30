package sched

import (
	"math"

	"schedtune/classify"
	"schedtune/classify/modelfile"
	"schedtune/simcore"
)

// overloadGuard refuses containers on nodes that further ones would overload: the
// admission of the learning scheduler (Dhok and Varma, CCGRID 2010, figure 3) on the
// nodes of a cluster whose scheduler looks at sizes only.
//
// Every look of 5 s (figure 5's heartbeat) advances the node's load average and judges
// what the node took since by the overload rule, which teaches the classifier. A node
// takes containers while the classifier calls its state good; one that runs nothing
// always does.
//
// What differs: containers carry no hints of what their jobs use, so that the four job
// features are unknown; kind "limit" is the overload rule itself on the state before,
// without learning.
type overloadGuard struct {
	model classify.Model // nil: the rule alone
	rule  classify.Rule
	nodes []guardedNode
	x     []float64
	prob  []float64
	file  *fitted // the model is a saved one; nil = it begins untrained
}

type guardedNode struct {
	cores, load1 float64
	at           simcore.Time
	open         bool // took containers since the last look
	x            []float64
}

const guardPeriod = 5 * simcore.Second

// newGuard makes a guard of a kind: bayes, perceptron or limit, or of a saved model.
func newGuard(kind string, target float64, saved *modelfile.Model, learns bool) (*overloadGuard, error) {
	g := &overloadGuard{}
	schema := loadSchema("load", target)
	var err error
	switch {
	case saved != nil:
		if g.model, g.file, err = newFitted(saved, learns); err == nil {
			schema = g.model.Features()
		}
	case kind == "bayes":
		g.model, err = classify.NewCategorical(schema, classify.Binary())
	case kind == "perceptron":
		g.model, err = classify.NewPerceptron(schema, classify.Binary(), false)
	}
	if err != nil {
		return nil, err
	}
	if g.rule, err = classify.NewRule("load", target); err != nil {
		return nil, err
	}
	g.x, g.prob = make([]float64, len(schema)), make([]float64, 2)
	return g, nil
}

func (g *overloadGuard) Start(cores []float64) {
	g.nodes = make([]guardedNode, len(cores))
	for n := range g.nodes {
		g.nodes[n].cores, g.nodes[n].x = math.Max(cores[n], 1), make([]float64, len(g.x))
	}
}

func (g *overloadGuard) Period() simcore.Time { return guardPeriod }

// advance moves a node's load average to now; Linux's average of a minute.
func (n *guardedNode) advance(now simcore.Time, l *simcore.NodeLoad) {
	keep := math.Exp(-(now - n.at).Seconds() / 60)
	n.load1, n.at = float64(keep*n.load1)+float64((1-keep)*l.CPU*n.cores), now
}

func (n *guardedNode) state(l *simcore.NodeLoad) classify.NodeState {
	return classify.NodeState{Load1: n.load1, CPUs: n.cores, CPU: math.Min(l.CPU, 1), Memory: math.NaN(), Swap: math.NaN(),
		Disk: math.Min(l.Disk, 1), Network: math.Max(l.NetIn, l.NetOut), Tasks: float64(l.Maps + l.Reduces)}
}

// Look judges what a node took since the last look.
func (g *overloadGuard) Look(now simcore.Time, node int32, l simcore.NodeLoad) {
	n := &g.nodes[node]
	n.advance(now, &l)
	if n.open && g.model != nil && (g.file == nil || g.file.learns) {
		// The vector has the model's length and the label is one of its classes.
		_ = g.model.Learn(n.x, classify.Label(g.rule, n.state(&l)))
	}
	n.open = false
}

func (g *overloadGuard) Admits(now simcore.Time, node int32, l simcore.NodeLoad) bool {
	if l.Maps+l.Reduces == 0 {
		return true
	}
	n := &g.nodes[node]
	n.advance(now, &l)
	if g.model == nil {
		return !g.rule.Overloaded(n.state(&l))
	}
	g.features(node, n, &l)
	if g.file != nil {
		return g.file.good(g.model, g.x, g.prob)
	}
	_, good := classify.ExpectedUtility(g.model, g.x, 1, g.prob)
	return good
}

// Took keeps what the classifier is taught at the next look.
func (g *overloadGuard) Took(_ simcore.Time, node int32, l simcore.NodeLoad) {
	n := &g.nodes[node]
	if n.open {
		return // the first since the last look is judged
	}
	g.features(node, n, &l)
	n.open = true
	copy(n.x, g.x)
}

// unhinted are the job features of a container without hints.
var unhinted = []float64{math.NaN(), math.NaN(), math.NaN(), math.NaN()}

// features fills the vector of the paper's schema, or of the saved model's.
func (g *overloadGuard) features(node int32, n *guardedNode, l *simcore.NodeLoad) {
	st := n.state(l)
	if g.file != nil {
		copy(g.x, g.file.features(node, unhinted, st, *l))
		return
	}
	copy(g.x, unhinted)
	copy(g.x[4:], []float64{st.Load1 / n.cores, st.CPU, math.NaN(), st.Disk, st.Network, st.Tasks / n.cores, n.cores,
		math.NaN()})
}
