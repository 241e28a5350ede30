package sparkrun

import (
	"cmp"
	"slices"

	"schedtune/simcore"
	"schedtune/simcore/yarn/spark"
)

// Where a stage's tasks would like to run, worked out at its submission as
// DAGScheduler.getPreferredLocs does: tasks on cached data at its blocks, tasks
// behind a shuffle where executors wrote at least a fifth of the input.

// hint is one stage's wish.
type hint struct {
	stage int // index into app.Stages
	tasks int32
	hosts []spark.HostTasks
}

// hint works out the wish of the i-th stage attempt.
func (s *steps) hint(i int) hint {
	st := &s.app.Stages[i]
	h := hint{stage: i}
	if s.reads[i] >= 0 {
		count := map[int32]int32{}
		for _, node := range s.blocks(s.reads[i], st.Submit) {
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
	for _, p := range st.Parents {
		for _, node := range s.writers(p, st.Submit) {
			count[node] = st.Tasks
		}
	}
	if len(count) > 0 {
		h.tasks, h.hosts = st.Tasks, byNode(count)
	}
	return h
}

func byNode(count map[int32]int32) (list []spark.HostTasks) {
	for node, n := range count {
		list = append(list, spark.HostTasks{Node: node, Tasks: n})
	}
	slices.SortFunc(list, func(a, b spark.HostTasks) int { return cmp.Compare(a.Node, b.Node) })
	return list
}

// writers returns the nodes of executors that wrote at least a fifth of a
// stage's output.
func (s *steps) writers(stage int32, now simcore.Time) (nodes []int32) {
	for node, share := range s.shares(stage, now) {
		if share >= s.app.Settings.ReducePreferredShare {
			nodes = append(nodes, node)
		}
	}
	return nodes
}

// shares returns by node the largest share of a stage's output that one of its
// executors wrote.
func (s *steps) shares(stage int32, now simcore.Time) map[int32]float64 {
	by, total := map[int32]int64{}, int64(0)
	for i := range s.app.Tasks {
		t := &s.app.Tasks[i]
		if t.Stage != stage || t.Status != "SUCCEEDED" || t.Finish > now+listenerDelay || t.OutputLost {
			continue
		}
		by[t.Executor] += t.Written
		total += t.Written
	}
	shares := map[int32]float64{}
	for e, n := range by {
		if ex := s.executor(e); ex != nil {
			shares[ex.Node] = max(shares[ex.Node], float64(n)/float64(total))
		}
	}
	return shares
}

func (s *steps) executor(id int32) *Executor {
	for k := range s.app.Executors {
		if s.app.Executors[k].ID == id {
			return &s.app.Executors[k]
		}
	}
	return nil
}

// blocks returns by block of a data set the node that holds it, -1 = none.
func (s *steps) blocks(set int32, now simcore.Time) (nodes []int32) {
	for i := range s.app.Stages {
		if st := &s.app.Stages[i]; s.sets[i] == set && int(st.Tasks) > len(nodes) {
			nodes = make([]int32, st.Tasks)
		}
	}
	for b := range nodes {
		nodes[b] = -1
	}
	for k := range s.app.Tasks {
		t := &s.app.Tasks[k]
		i := s.stage[stageKey{t.Stage, t.StageAttempt}]
		if t.Status != "SUCCEEDED" || t.Finish > now || int(t.Index) >= len(nodes) || s.sets[i] != set && s.reads[i] != set {
			continue
		}
		if e := s.executor(t.Executor); e != nil && e.Removed > now && nodes[t.Index] < 0 {
			nodes[t.Index] = e.Node
		}
	}
	return nodes
}
