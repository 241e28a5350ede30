package sched

import (
	"math"

	"schedtune/classify"
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
	judge
	nodes []guardedNode
}

type guardedNode struct {
	loadAverage
	cores float64
	open  bool // took containers since the last look
	x     []float64
}

const guardPeriod = 5 * simcore.Second

func (g *overloadGuard) Start(cores []float64) {
	g.nodes = make([]guardedNode, len(cores))
	for n := range g.nodes {
		g.nodes[n].cores, g.nodes[n].x = math.Max(cores[n], 1), make([]float64, len(g.x))
	}
}

func (g *overloadGuard) Period() simcore.Time { return guardPeriod }

func (n *guardedNode) state(l *simcore.NodeLoad) classify.NodeState {
	return classify.NodeState{Load1: n.load1, CPUs: n.cores, CPU: math.Min(l.CPU, 1), Memory: math.NaN(), Swap: math.NaN(),
		Disk: math.Min(l.Disk, 1), Network: math.Max(l.NetIn, l.NetOut), Tasks: float64(l.Maps + l.Reduces)}
}

// Look judges what a node took since the last look.
func (g *overloadGuard) Look(now simcore.Time, node int32, l simcore.NodeLoad) {
	n := &g.nodes[node]
	n.advance(now, l.CPU*n.cores)
	if n.open {
		g.learn(n.x, classify.Label(g.rule, n.state(&l)))
	}
	n.open = false
}

func (g *overloadGuard) Admits(now simcore.Time, node int32, l simcore.NodeLoad) bool {
	if l.Maps+l.Reduces == 0 {
		return true
	}
	n := &g.nodes[node]
	n.advance(now, l.CPU*n.cores)
	if g.model == nil {
		return !g.rule.Overloaded(n.state(&l))
	}
	g.features(node, unhinted, n.state(&l), l)
	return g.good()
}

// Took keeps what the classifier is taught at the next look.
func (g *overloadGuard) Took(_ simcore.Time, node int32, l simcore.NodeLoad) {
	n := &g.nodes[node]
	if n.open {
		return // the first since the last look is judged
	}
	g.features(node, unhinted, n.state(&l), l)
	n.open = true
	copy(n.x, g.x)
}
