package spark

import "slices"

// Second copies of slow tasks (spark.speculation).

// copyTask is a task to run a second time, on another node than its first.
type copyTask struct{ task, node int32 }

// Speculate asks for a second copy of a task that runs on a node. It reports
// whether there is none yet.
func (t *Tasks) Speculate(set, task, node int32) bool {
	s := &t.sets[set]
	if st := &t.status[s.status+task]; s.dead || *st != taskRuns {
		return false
	}
	t.status[s.status+task] = taskTwice
	s.copies = append(s.copies, copyTask{task, node})
	t.copies++
	return true
}

// Single reports whether one attempt of a task runs and no second is asked for.
func (t *Tasks) Single(set, task int32) bool {
	s := &t.sets[set]
	return !s.dead && t.status[s.status+task] == taskRuns
}

// dropCopy takes a task's copy that was not launched back; it reports whether
// there was one.
func (t *Tasks) dropCopy(s *taskSet, task int32) bool {
	i := slices.IndexFunc(s.copies, func(c copyTask) bool { return c.task == task })
	if i < 0 {
		return false
	}
	s.copies = slices.Delete(s.copies, i, i+1)
	t.copies--
	return true
}

// DropCopy takes back the copy of a task that has finished; it reports whether
// it had not been launched.
func (t *Tasks) DropCopy(set, task int32) bool { return t.dropCopy(&t.sets[set], task) }

// offerCopies gives second copies to what slots are left, away from the node of
// the first.
func (t *Tasks) offerCopies(id int32, s *taskSet) {
	for _, e := range t.list {
		for x := &t.execs[e]; x.alive && x.free > 0 && x.profile == s.profile; {
			i := slices.IndexFunc(s.copies, func(c copyTask) bool { return c.node != x.node })
			if i < 0 {
				break
			}
			task := s.copies[i].task
			s.copies = slices.Delete(s.copies, i, i+1)
			t.copies--
			s.running++
			t.release(x, -1)
			t.out = append(t.out, Launch{Set: id, Task: task, Executor: e, Level: NoPref, Copy: true})
		}
	}
}
