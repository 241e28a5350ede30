package sched

import (
	"schedtune/cluster"
	"schedtune/simcore"
	"schedtune/simcore/mr1"
)

// jobHistory estimates execution times as COSHH's task scheduling process does (section
// 2.2, Chronos): by a table of the times that tasks of a class took on a resource, by
// input and by the cluster's utilisation when they ended. It begins empty: while nothing
// is known of a resource, the times of all resources stand for it, and before any task
// has ended all jobs take as long as they have tasks. Equal nodes are one resource.
type jobHistory struct {
	kind  []int                   // of node: which resource it is
	table [][2]*cluster.Predictor // by resource and kind of task
	all   [2]*cluster.Predictor
	none  int // class of a job without one
}

func newJobHistory(v *mr1.View) (*jobHistory, error) {
	classes := len(v.ClassNames()) + 1 // the last: jobs without a class
	h := &jobHistory{kind: make([]int, v.Nodes()), none: classes - 1}
	resources := h.resources(v)
	if resources*classes > historyTables {
		resources = 0 // one table for all nodes
	}
	h.table = make([][2]*cluster.Predictor, resources)
	var err error
	for k := range h.all {
		if h.all[k], err = cluster.NewPredictor(classes); err != nil {
			return nil, err
		}
		for i := range h.table {
			if h.table[i][k], err = cluster.NewPredictor(classes); err != nil {
				return nil, err
			}
		}
	}
	return h, nil
}

// historyTables bounds resources times classes, of 23 kB each.
const historyTables = 4096

// resources numbers the kinds of nodes and returns how many there are.
func (h *jobHistory) resources(v *mr1.View) int {
	type features struct {
		slots      simcore.Vec
		speed      float64
		cores      int32
		disks      int32
		disk, link float64
	}
	at := map[features]int{}
	for i := range h.kind {
		n := v.Node(simcore.NodeID(i))
		f := features{n.Slots, n.Speed, n.Cores, n.Disks, n.DiskRate, n.NICRate}
		if _, ok := at[f]; !ok {
			at[f] = len(at)
		}
		h.kind[i] = at[f]
	}
	return len(at)
}

// observe takes a task that ended.
func (h *jobHistory) observe(v *mr1.View, e mr1.Event) {
	j, k := e.Task.Job, e.Task.Kind
	class, bytes, used := h.key(v, j, k)
	// Times are those of tasks that ended: no error is possible.
	if i := h.kind[e.Node]; i < len(h.table) {
		_ = h.table[i][k].Observe(class, bytes, used, e.Took.Seconds())
	}
	_ = h.all[k].Observe(class, bytes, used, e.Took.Seconds())
}

// time estimates mean_execTime of a job on a node: its tasks over the node's slots.
func (h *jobHistory) time(v *mr1.View, j simcore.JobID, n simcore.NodeID) float64 {
	var sum float64
	for _, k := range kinds {
		tasks, slots := float64(v.Tasks(j, k)), float64(v.Slots(n, k))
		if tasks == 0 || slots == 0 {
			continue
		}
		class, bytes, used := h.key(v, j, k)
		took, known := 0.0, 0
		if i := h.kind[n]; i < len(h.table) {
			took, known = h.table[i][k].Predict(class, bytes, used)
		}
		if known == 0 {
			took, known = h.all[k].Predict(class, bytes, used)
		}
		if known == 0 {
			took = 1
		}
		sum += tasks * took / slots
	}
	return sum
}

// key is by what times are looked up: class, bytes of a task's input and the
// share of the slots of the kind in use.
func (h *jobHistory) key(v *mr1.View, j simcore.JobID, k simcore.Kind) (class int, bytes, used float64) {
	job := v.Job(j)
	total := job.InputBytes
	if k == simcore.Reduce {
		total = job.ShuffleBytes
	}
	if class = int(job.Class); class < 0 {
		class = h.none
	}
	return class, float64(total) / float64(max(v.Tasks(j, k), 1)), float64(v.TotalRunning(k)) /
		float64(max(v.TotalSlots(k), 1))
}
