package tezlog

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"schedtune/trace/internal/history"
)

// Apps closes the reading and returns the applications in the order of their first mention;
// the Reader must not be used again.
func (r *Reader) Apps() (apps []*App) {
	r.name, r.line = "", 0
	r.arrivals()
	for _, b := range r.order {
		for _, id := range slices.Sorted(maps.Keys(b.dags)) {
			r.close(b.dags[id])
			b.DAGs = append(b.DAGs, b.dags[id].DAG)
		}
		b.sortContainers()
		apps = append(apps, &b.App)
	}
	return apps
}

// close ties the edges of a DAG to its vertices, and orders these and their attempts.
func (r *Reader) close(d *dag) {
	d.Prewarm = strings.HasPrefix(d.plan.Name, "TezPreWarmDAG")
	for p := range history.Pointers(d.plan.Vertices) {
		v := d.vertex(d.names[p.Name])
		for _, in := range p.Inputs {
			v.Late = v.Late || in.Initializer != ""
		}
	}
	for _, e := range d.plan.Edges {
		from, ok := d.names[e.From]
		to, both := d.names[e.To]
		if !ok || !both {
			r.note(1, Dropped, "edges of vertices that the history does not name")
			continue
		}
		move, known := edges[e.Move]
		if !known {
			move = Custom
		}
		v := d.vertex(to)
		if s := (Source{from, move}); !slices.Contains(v.Sources, s) {
			v.Sources = append(v.Sources, s)
		}
	}
	if len(d.plan.Vertices) == 0 && len(d.vertices) > 0 {
		r.note(1, Missing, "plans of DAGs: their vertices are simulated as independent")
	}
	for _, id := range slices.Sorted(maps.Keys(d.vertices)) {
		v := d.vertices[id]
		for a := range history.Pointers(v.Attempts) {
			if t, ok := v.scheduled[a.Task]; ok {
				a.Scheduled = t
			}
		}
		slices.SortFunc(v.Attempts, func(a, b Attempt) int {
			return cmp.Or(cmp.Compare(a.Task, b.Task), cmp.Compare(a.Number, b.Number))
		})
		slices.SortFunc(v.Sources, func(a, b Source) int {
			return cmp.Or(cmp.Compare(a.Vertex, b.Vertex), cmp.Compare(a.Edge, b.Edge))
		})
		d.Vertices = append(d.Vertices, v.Vertex)
	}
}

// sortContainers brings the containers into the order of their launch, whichever file told of
// them first.
func (b *builder) sortContainers() {
	order := make([]int32, len(b.Containers))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(x, y int32) int {
		c, d := &b.Containers[x], &b.Containers[y]
		return cmp.Or(cmp.Compare(c.Launched, d.Launched), cmp.Compare(c.ID, d.ID))
	})
	sorted, at := make([]Container, len(order)), make([]int32, len(order))
	for to, from := range order {
		sorted[to], at[from] = b.Containers[from], int32(to)
	}
	b.Containers = sorted
	for _, v := range b.Vertices() {
		for a := range history.Pointers(v.Attempts) {
			if a.Container >= 0 {
				a.Container = at[a.Container]
			}
		}
	}
}
