package yarn

import (
	"slices"

	"schedtune/simcore"
	"schedtune/simcore/internal/kernel"
)

// rows numbers the places for which masters request containers: of a MapReduce job, or of a vertex of a
// Tez application, which are groups here. The first rows of a group are for any place; the nodes and
// racks with the input of its tasks follow. Tasks are numbered over all groups.
type rows struct {
	rowBase []int32 // by group, one more at the end: its first row
	rowAt   []int32 // by row: node, or -2-rack, or anyRow

	local               bool           // some task has input hosts; the rest is for these
	rowOf               []kernel.Table // by group: row of a place as in rowAt, except "*"
	taskRowAt, taskRows []int32        // by task: its rows except "*"
	rowTaskAt, rowTasks []int32        // by row: the tasks that name it, ascending
}

// anyRow stands for "*" in rows.rowAt.
const anyRow = -1

// newRows returns rows without a group.
func newRows(w *simcore.Workload) rows {
	return rows{rowBase: []int32{0}, local: len(w.Tasks.HostAt) > 0, taskRowAt: []int32{0}}
}

// addGroup adds a group with rows for any place, and tasks of which the workload describes the first at
// an index, -1 if it describes none. Nodes that join later hold no input.
func (p *rows) addGroup(c *simcore.Cluster, w *simcore.Workload, anys int, first, tasks int32) {
	p.rowAt = append(p.rowAt, slices.Repeat([]int32{anyRow}, anys)...)
	var rowOf kernel.Table
	for t := int32(0); p.local && t < tasks; t++ {
		start := len(p.taskRows)
		for _, n := range hosts(w, first, t) {
			if n >= 0 && int(n) < len(c.Nodes)-len(c.Elastic.Spare) {
				p.addRow(&rowOf, n, start)
				p.addRow(&rowOf, -2-c.Nodes[n].Rack, start)
			}
		}
		p.taskRowAt = append(p.taskRowAt, int32(len(p.taskRows)))
	}
	if p.local {
		p.rowOf = append(p.rowOf, rowOf)
	}
	p.rowBase = append(p.rowBase, int32(len(p.rowAt)))
}

// addRow adds the place to the rows of the task that begin at start, once.
func (p *rows) addRow(rowOf *kernel.Table, at int32, start int) {
	r := int32(rowOf.Find(at))
	if r < 0 {
		r = int32(len(p.rowAt))
		rowOf.Add(at, int(r))
		p.rowAt = append(p.rowAt, at)
	}
	if !slices.Contains(p.taskRows[start:], r) {
		p.taskRows = append(p.taskRows, r)
	}
}

// invert lists, for each row, the tasks that name it.
func (p *rows) invert() {
	p.rowTaskAt = make([]int32, len(p.rowAt)+1)
	for _, r := range p.taskRows {
		p.rowTaskAt[r+1]++
	}
	for r := range p.rowAt {
		p.rowTaskAt[r+1] += p.rowTaskAt[r]
	}
	next := slices.Clone(p.rowTaskAt)
	p.rowTasks = make([]int32, len(p.taskRows))
	for t := range int32(len(p.taskRowAt) - 1) {
		for _, r := range p.rowsOf(t) {
			p.rowTasks[next[r]] = t
			next[r]++
		}
	}
}

// rowsOf returns the rows of a task, except "*".
func (p *rows) rowsOf(t int32) []int32 {
	if !p.local {
		return nil
	}
	return p.taskRows[p.taskRowAt[t]:p.taskRowAt[t+1]]
}

// tasksOf returns the tasks that name a row.
func (p *rows) tasksOf(r int32) []int32 { return p.rowTasks[p.rowTaskAt[r]:p.rowTaskAt[r+1]] }

// findRow returns the row of a node or rack, as in rowAt, of a group; -1 if it has none.
func (p *rows) findRow(group, at int32) int32 {
	if !p.local {
		return -1
	}
	return int32(p.rowOf[group].Find(at))
}

// hosts returns the nodes that hold a task's input.
func hosts(w *simcore.Workload, first, t int32) []int32 {
	if first < 0 || len(w.Tasks.HostAt) == 0 {
		return nil
	}
	return w.Tasks.Hosts[w.Tasks.HostAt[first+t]:w.Tasks.HostAt[first+t+1]]
}
