package yarn

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"schedtune/simcore"
)

// tezPlan holds the parts that all runs of a Tez application share.
type tezPlan struct {
	app      *simcore.TezApp
	sizes    []Resource // by vertex: its containers
	priority []int32    // by vertex: of the request of a first attempt
	readers  [][]int32  // by vertex: those that read it
	above    [][]uint64 // by vertex: its sources, theirs and so on, as bits within its DAG
	kind     []tezKind  // by vertex
	order    []int32    // the vertices of each DAG by priority
	taskBase []int32    // by vertex: its first task within the application; one more at the end

	rows // of requests; groups are vertices, with a row of first attempts and one of those after a failure
}

// tezKind is the rule by which a vertex's tasks are wanted (VertexImpl.assignVertexManager).
type tezKind uint8

const (
	tezImmediate  tezKind = iota // all at once
	tezSlowStart                 // by the finished share of its shuffle sources
	tezInputReady                // each with its source tasks
)

// The first rows of a vertex.
const (
	rowFirst = iota
	rowFailed
	tezRows
)

// planTez prepares a Tez application, or returns an error if it cannot be simulated.
func planTez(c *simcore.Cluster, w *simcore.Workload, j *simcore.Job) (*tezPlan, error) {
	a := j.Tez
	n := len(a.Vertices)
	p := &tezPlan{app: a, sizes: make([]Resource, n), priority: make([]int32, n), readers: make([][]int32, n),
		above: make([][]uint64, n), kind: make([]tezKind, n), rows: newRows(w)}
	tasks := int64(0)
	for v := range a.Vertices {
		p.taskBase = append(p.taskBase, int32(tasks))
		if tasks += int64(a.Vertices[v].Tasks); tasks > math.MaxInt32 {
			return nil, fmt.Errorf("yarn: job %q: more than %d tasks", j.ID, math.MaxInt32)
		}
	}
	p.taskBase = append(p.taskBase, int32(tasks))
	for i := range a.DAGs {
		p.planDAG(&a.DAGs[i])
	}
	for v := range a.Vertices {
		p.sizes[v] = size(a.Vertices[v].Size, defaultTask)
		p.addGroup(c, w, tezRows, a.Vertices[v].FirstTask, a.Vertices[v].Tasks)
	}
	p.invert()
	return p, nil
}

// planDAG computes priorities (DAGSchedulerNaturalOrder), ancestors and rules of a DAG's vertices.
func (p *tezPlan) planDAG(d *simcore.TezDAG) {
	distance := make([]int32, d.Vertices)
	for i := range d.Vertices {
		v := d.FirstVertex + i
		shuffle, single := false, false
		p.above[v] = make([]uint64, (d.Vertices+63)/64)
		for _, s := range p.app.Vertices[v].Sources {
			from := s.Vertex - d.FirstVertex
			distance[i] = max(distance[i], distance[from]+1)
			shuffle, single = shuffle || s.Edge == simcore.TezShuffle, single || s.Edge == simcore.TezOneToOne
			for k, bits := range p.above[s.Vertex] {
				p.above[v][k] |= bits
			}
			p.above[v][from/64] |= 1 << (from % 64)
			if !slices.Contains(p.readers[s.Vertex], v) {
				p.readers[s.Vertex] = append(p.readers[s.Vertex], v)
			}
		}
		switch {
		case shuffle:
			p.kind[v] = tezSlowStart
		case single:
			p.kind[v] = tezInputReady
		}
		p.priority[v] = ((distance[i]+1)*d.Vertices+i)*3 - 1
		p.order = append(p.order, v)
	}
	slices.SortFunc(p.order[d.FirstVertex:], func(x, y int32) int { return cmp.Compare(p.priority[x], p.priority[y]) })
}

// vertexOf returns the vertex of a DAG with a request priority, and whether it is that of failed
// attempts; -1 if none has it.
func (p *tezPlan) vertexOf(d *simcore.TezDAG, priority int32) (v int32, row int32) {
	v = d.FirstVertex + (priority+2)/3%d.Vertices
	switch p.priority[v] - priority {
	case 0:
		return v, rowFirst
	case 1:
		return v, rowFailed
	}
	return -1, 0
}
