package spark

import (
	"fmt"
	"testing"

	"schedtune/internal/java"
	"schedtune/simcore"
)

func newTasks(slots int32, racks []int32, change func(*simcore.SparkSettings), pools ...simcore.SparkPool) *Tasks {
	s := simcore.DefaultSparkSettings()
	if change != nil {
		change(&s)
	}
	t := &Tasks{}
	t.Reset(&s, pools, []int32{slots, 1}, racks, make([]uint32, len(racks)), 1)
	return t
}

func launched(list []Launch) string {
	s := ""
	for _, l := range list {
		s += fmt.Sprintf("%d.%d@%d/%d ", l.Set, l.Task, l.Executor, l.Level)
	}
	return s
}

// TestTasksInOrder: without preferences tasks go in order of index, one to an
// executor in turn, and lost ones go first again, the last one put back before the others.
func TestTasksInOrder(t *testing.T) {
	k := newTasks(2, []int32{0, 0}, nil)
	k.AddExecutor(1, 0, 0)
	k.Submit(0, &Stage{Tasks: 5}, nil)
	want(t, "two slots", launched(k.Offer(0, 1)), "0.0@1/0 0.1@1/0 ")
	k.AddExecutor(2, 1, 0)
	want(t, "a new executor", launched(k.Offer(0, 2)), "0.2@2/0 0.3@2/0 ")
	k.RemoveExecutor(1)
	k.End(0, 0, true)
	k.End(0, 1, true)
	k.End(0, 2, false)
	k.Free(2)
	want(t, "the lost ones first", launched(k.Offer(0, 2)), "0.1@2/0 ")
	if k.Waiting() != 2 || k.free != 0 {
		t.Errorf("%d wait, %d free", k.Waiting(), k.free)
	}
}

// TestTasksWaitForLocality: tasks prefer node 0; the executor on node 1, of the
// same rack, is turned down for three seconds since the last nearer launch, and
// offers after that take it.
func TestTasksWaitForLocality(t *testing.T) {
	k := newTasks(1, []int32{0, 0}, nil)
	k.AddExecutor(1, 0, 0)
	k.AddExecutor(2, 1, 0)
	k.Submit(0, &Stage{Tasks: 4, Nodes: []int32{0}}, nil)
	if got := launched(k.OfferAll(0)); got != "0.0@1/1 " {
		t.Errorf("at once %q, want task 0 on executor 1, node-local", got)
	}
	want(t, "before the wait is over", launched(k.Offer(2900*simcore.Millisecond, 2)), "")
	want(t, "after it", launched(k.OfferAll(3*simcore.Second)), "0.1@2/3 ")
}

// TestTasksOnCachedBlocks: a task goes to the executor that holds its block, and
// when that executor is lost, to another of its node.
func TestTasksOnCachedBlocks(t *testing.T) {
	k := newTasks(1, []int32{0, 0, 1}, nil)
	for e := range int32(3) {
		k.AddExecutor(e+1, e, 0)
	}
	k.AddExecutor(4, 2, 0)
	k.Submit(0, &Stage{Tasks: 3, Executors: []int32{3, 1, -1}}, nil)
	want(t, "executor 1 takes its block's task", launched(k.Offer(0, 1)), "0.1@1/0 ")
	want(t, "executor 2 the one without", launched(k.Offer(0, 2)), "0.2@2/0 ")
	k.RemoveExecutor(3)
	want(t, "executor 4 that of its node", launched(k.Offer(0, 4)), "0.0@4/1 ")
}

// TestTasksFair: two pools of weights 1 and 3 share 8 slots two to six once
// stages of both wait; FIFO gives all to the earlier job.
func TestTasksFair(t *testing.T) {
	for _, fair := range []bool{false, true} {
		k := newTasks(1, []int32{0}, func(s *simcore.SparkSettings) { s.Fair = fair },
			simcore.SparkPool{Name: "a", Weight: 1}, simcore.SparkPool{Name: "b", Weight: 3})
		k.Submit(0, &Stage{Job: 0, Stage: 0, Pool: 0, Tasks: 20}, nil)
		k.Submit(0, &Stage{Job: 1, Stage: 1, Pool: 1, Tasks: 20}, nil)
		for e := range int32(8) {
			k.AddExecutor(e+1, 0, 0)
			k.Offer(0, e+1)
		}
		got := fmt.Sprint(k.sets[0].running, k.sets[1].running)
		if expected := map[bool]string{false: "8 0", true: "2 6"}[fair]; got != expected {
			t.Errorf("fair %v: %s tasks run, want %s", fair, got, expected)
		}
	}
}

// TestExpireByText: executors that have timed out are given up in the order of their numbers as text.
func TestExpireByText(t *testing.T) {
	var m Monitor
	s := simcore.DefaultSparkSettings()
	m.Reset(&s, 0, 0, 1)
	for e := range int32(12) {
		m.Add(0, e+1, 0)
	}
	if got, want := fmt.Sprint(m.Expire(s.Idle, []int32{1})), "[1 10 11 12 2 3 4 5 6 7 8]"; got != want {
		t.Errorf("given up: %s, want %s", got, want)
	}
}

// TestTasksOfRack: an executor on a node that no task prefers takes rack-local tasks in the order of
// the nodes' lists, those of the original's hash table of host names from its end, each by index.
func TestTasksOfRack(t *testing.T) {
	s := simcore.DefaultSparkSettings()
	s.WaitNode = 0
	k := &Tasks{}
	hosts := []string{"n1", "n2", "n3"}
	var hashes []uint32
	for _, h := range hosts {
		hashes = append(hashes, java.HashString(h))
	}
	k.Reset(&s, nil, []int32{4}, []int32{0, 0, 0}, hashes, 1)
	k.AddExecutor(1, 2, 0)
	k.Submit(0, &Stage{Tasks: 4, HostAt: []int32{0, 1, 2, 3, 4}, Hosts: []int32{0, 1, 0, 1}}, nil)
	first, second := int32(0), int32(1) // tasks 0 and 2 prefer n1, tasks 1 and 3 prefer n2
	if java.ScalaBucket(hashes[0], 2) > java.ScalaBucket(hashes[1], 2) {
		first, second = second, first
	}
	want(t, "by node, then by index", launched(k.Offer(0, 1)),
		fmt.Sprintf("0.%d@1/3 0.%d@1/3 0.%d@1/3 0.%d@1/3 ", first, first+2, second, second+2))
}

// TestTasksKeepLevel: a level stays valid while the list of one of its nodes has not been found
// empty, even if all its tasks run, so that one put back is waited for there.
func TestTasksKeepLevel(t *testing.T) {
	k := newTasks(1, []int32{0, 0}, nil)
	k.AddExecutor(1, 0, 0)
	k.Submit(0, &Stage{Tasks: 2, HostAt: []int32{0, 1, 1}, Hosts: []int32{0}}, nil)
	want(t, "its own task first", launched(k.Offer(0, 1)), "0.0@1/1 ")
	k.AddExecutor(2, 1, 0)
	if l := k.sets[0].valid[0]; l != NodeLocal {
		t.Errorf("nearest level %d, want %d: the list of node 0 has not been looked at", l, NodeLocal)
	}
}
