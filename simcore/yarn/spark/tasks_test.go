package spark

import (
	"fmt"
	"testing"

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

// TestByText: executors are tried in the order of their numbers as text.
func TestByText(t *testing.T) {
	for _, c := range []struct {
		a, b int32
		want bool
	}{{1, 2, true}, {10, 2, true}, {1, 10, true}, {19, 2, true}, {100, 11, true}, {11, 100, false}, {99, 100, false},
		{3, 3, false}} {
		if got := byText(c.a, c.b) < 0; got != c.want || got != (fmt.Sprint(c.a) < fmt.Sprint(c.b)) {
			t.Errorf("%d before %d: %v", c.a, c.b, got)
		}
	}
}
