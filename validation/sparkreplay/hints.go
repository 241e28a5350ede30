package sparkreplay

import (
	"cmp"
	"math"
	"slices"

	"schedtune/simcore"
	"schedtune/simcore/yarn/spark"
)

// Where a stage's tasks would like to run, worked out at its submission as
// DAGScheduler.getPreferredLocs does: tasks on cached data at its blocks, tasks
// behind a shuffle where executors wrote at least a fifth of the input.

// hint is one stage's wish.
type hint struct {
	stage *Stage
	tasks int32
	hosts []spark.HostTasks
}

// hint works out the wish of a stage attempt.
func (s *steps) hint(st *Stage) hint {
	h := hint{stage: st}
	if st.reads >= 0 {
		count := map[int32]int32{}
		for _, node := range s.blocks(st.reads, st.Submit) {
			if node >= 0 {
				count[node]++
				h.tasks++
			}
		}
		h.hosts = byNode(count)
		return h
	}
	if len(st.Parents) == 0 || !s.app.Settings.ReducePreference {
		return h
	}
	count := map[int32]int32{}
	for r := range st.Tasks {
		nodes := map[int32]bool{}
		for _, p := range st.Parents {
			s.writers(p, st.Tasks, r, st.Submit, nodes)
		}
		for node := range nodes {
			count[node]++
		}
		h.tasks += int32(one(len(nodes) > 0))
	}
	h.hosts = byNode(count)
	return h
}

func byNode(count map[int32]int32) (list []spark.HostTasks) {
	for node, n := range count {
		list = append(list, spark.HostTasks{Node: node, Tasks: n})
	}
	slices.SortFunc(list, func(a, b spark.HostTasks) int { return cmp.Compare(a.Node, b.Node) })
	return list
}

// writers adds the nodes of executors that wrote at least a fifth of what a
// reducer reads of a stage.
func (s *steps) writers(stage, reducers, r int32, now simcore.Time, nodes map[int32]bool) {
	by, total := map[int32]int64{}, int64(0)
	part := s.parts(stage, reducers)
	for _, t := range s.app.Tasks {
		if t.Stage != stage || t.Status != "SUCCEEDED" || t.Finish > now+listenerDelay || t.OutputLost {
			continue
		}
		n := int64(part[t.Index*reducers+r])
		by[t.Executor] += n
		total += n
	}
	for e, n := range by {
		if ex := s.app.executor(e); ex != nil && n > 0 && float64(n) >= s.app.Settings.ReducePreferredShare*float64(total) {
			nodes[ex.Node] = true
		}
	}
}

// parts are what a stage's tasks write for each reducer.
func (s *steps) parts(id, reducers int32) []int32 {
	st := s.app.stage(id, 0)
	return parts(st.Tasks, s.written[st.Plan], reducers)
}

// parts follows the recorded program: task p writes kb records of a KiB with the
// keys 131 p, 131 p + 1, …, shared out over the reducers by key; the driver knows
// the sizes as MapStatus keeps them, rounded up to powers of 1.1.
func parts(tasks int32, kb int64, reducers int32) []int32 {
	list := make([]int32, tasks*reducers)
	for p := range tasks {
		row := list[p*reducers : (p+1)*reducers]
		for k := range int32(kb) {
			row[(131*p+k)%reducers]++
		}
		for r := range row {
			if row[r] > 0 {
				size := float64(row[r])*recordBytes + blockBytes
				row[r] = int32(math.Pow(1.1, math.Ceil(math.Log(size)/math.Log(1.1))))
			}
		}
	}
	return list
}

// Bytes of a record, and of a block beside its records, as they are written.
const (
	recordBytes = 1024 + 8
	blockBytes  = 40
)

// blocks returns by block of a data set the node that holds it, -1 = none.
func (s *steps) blocks(set int32, now simcore.Time) (nodes []int32) {
	for _, st := range s.app.Stages {
		if st.caches == set && int(st.Tasks) > len(nodes) {
			nodes = make([]int32, st.Tasks)
		}
	}
	for b := range nodes {
		nodes[b] = -1
	}
	for _, t := range s.app.Tasks {
		st := s.app.stageOf(t)
		if t.Status != "SUCCEEDED" || t.Finish > now || int(t.Index) >= len(nodes) || st.caches != set && st.reads != set {
			continue
		}
		if e := s.app.executor(t.Executor); e != nil && e.Removed > now && nodes[t.Index] < 0 {
			nodes[t.Index] = e.Node
		}
	}
	return nodes
}
