package spark

import (
	"slices"

	"schedtune/internal/rng"
	"schedtune/simcore"
	"schedtune/simcore/internal/kernel"
)

// Tasks hands tasks to executors inside one application, after
// TaskSchedulerImpl, Pool and TaskSetManager of Spark 3.5.5: stages in the
// order of FIFO or FAIR pools, in each the tasks near their data first, with a
// wait per level of locality before one is run further away. Executors and
// nodes are named by number. Of tasks that are equal for it one put back goes
// first, the last of them before the others; then the one of lowest index.
type Tasks struct {
	fair           bool
	pools          []simcore.SparkPool
	waits          [levels]simcore.Time
	rackOf         []int32
	hashes         []uint32 // by node, of its host's name
	slots          []int32  // by profile: tasks an executor runs at a time
	key            rng.Key
	offers         uint64 // made so far, a counter of draws
	execs          []executor
	onNode, onRack []int32 // executors alive
	sets           []taskSet
	order          []int32 // sets under way, in order of submission
	status         []uint8
	free           int32   // free slots of all executors
	waiting        int32   // tasks not launched, of all sets
	idle, wants    []int32 // the same by profile
	copies         int32   // second copies not launched, of all sets; some may be needless by now
	list           []int32 // executors of an offer
	ranked         []int32
	out            []Launch
	following      bool // some set has runners
	poolRuns       []int32
}

type executor struct {
	node    int32
	free    int32
	profile int32
	alive   bool
}

// Level is a level of locality, nearest first.
type Level uint8

// Levels of locality (TaskLocality).
const (
	ProcessLocal Level = iota
	NodeLocal
	NoPref
	RackLocal
	AnyLevel
	levels
)

// Launch is a task given to an executor.
type Launch struct {
	Set, Task, Executor int32 // number of the stage attempt, of the task in it, and of the executor
	Level               Level // how near its data lie
	Copy                bool  // a second copy of a slow task
	Nth                 int32 // launches of the task before, if Stage.Runners was given
}

// status of a task
const (
	taskWaits uint8 = iota
	taskRuns
	taskTwice // runs, and a copy waits or runs too
	taskDone
)

// taskSet is a stage attempt.
type taskSet struct {
	job, stage, pool         int32
	profile                  int32
	n                        int32
	status                   int32 // index into Tasks.status
	waiting, running, cursor int32
	dead                     bool // takes no more tasks
	held                     bool // not offered yet
	kind                     prefKind
	uniform                  []int32         // nodes all tasks prefer
	wished                   int32           // tasks with a preferred node at submission
	preferred                int32           // waiting tasks with a preferred node
	exec                     []int32         // by task: preferred executor, -1
	execFrom                 int32           // place of executor 0
	at, of                   []int32         // tasks by place: of[at[p]:at[p+1]]
	next                     []int32         // by place: first that may wait
	lists                    [levels][]int32 // by level: places with a list, in the order in which they are read
	dropped                  []bool          // by place: its list was found empty
	taskAt, hosts            []int32         // preferred nodes by task
	again                    []int32         // tasks put back, a stack
	runners                  [][]Runner      // Stage.Runners
	launched                 []int32         // with runners: launches so far, by task
	level                    int8            // index into valid
	valid                    [levels]Level
	nValid                   int8
	reset                    simcore.Time
	attempts                 int        // launches so far
	rejected                 bool       // an offer was turned down since the last reset
	copies                   []copyTask // to run a second time
}

type prefKind uint8

const (
	noPreference prefKind = iota
	sameForAll
	byTask
)

// Stage describes a stage attempt to Submit. It runs on executors of its
// resource profile alone.
type Stage struct {
	Job, Stage, Pool, Tasks int32 // of Spark: numbers of the job, the stage and the pool, and how many tasks it has
	Profile                 int32 // number of its resource profile
	// Nodes all tasks prefer (behind a shuffle), or, by task, Hosts[HostAt[i]:
	// HostAt[i+1]] and an executor (-1 = none).
	Nodes         []int32
	HostAt, Hosts []int32
	Executors     []int32 // by task, -1 = none
	// Runners are by task the executors that ran its attempts in a recorded run, in order of launch:
	// of free executors they are offered to first, those of earlier launches before others.
	Runners [][]Runner
}

// Runner is an executor that ran an attempt of a task, the n-th of the stage attempt.
type Runner struct{ Executor, Nth int32 }

// Reset prepares for an application. slots is how many tasks an executor of each
// resource profile runs at a time; hashes are by node those of its host's name (String.hashCode),
// racks those of nodes; the order in which free executors are offered
// tasks is drawn from seed.
func (t *Tasks) Reset(s *simcore.SparkSettings, pools []simcore.SparkPool, slots []int32, rackOf []int32,
	hashes []uint32, seed uint64) {
	t.fair, t.pools, t.slots, t.rackOf, t.hashes, t.key = s.Fair, pools, slots, rackOf, hashes,
		rng.Key(seed)
	t.idle, t.wants = kernel.Zeroed(t.idle, len(slots)), kernel.Zeroed(t.wants, len(slots))
	t.waits = [levels]simcore.Time{ProcessLocal: s.WaitProcess, NodeLocal: s.WaitNode, RackLocal: s.WaitRack}
	t.offers, t.free, t.waiting, t.copies = 0, 0, 0, 0
	t.execs, t.sets, t.order = t.execs[:0], t.sets[:0], t.order[:0]
	t.onNode, t.onRack = t.onNode[:0], t.onRack[:0]
	t.status, t.out, t.following = t.status[:0], t.out[:0], false
}

// Waiting is the number of tasks not launched yet.
func (t *Tasks) Waiting() int32 { return t.waiting }

// Busy reports whether an executor runs a task.
func (t *Tasks) Busy(e int32) bool {
	return t.execs[e].alive && t.execs[e].free < t.slots[t.execs[e].profile]
}

// AddExecutor lets executor e of a resource profile on a node take tasks.
func (t *Tasks) AddExecutor(e, node, profile int32) {
	for int32(len(t.execs)) <= e {
		t.execs = append(t.execs, executor{})
	}
	t.execs[e] = executor{node: node, profile: profile, alive: true}
	t.release(&t.execs[e], t.slots[profile])
	count(&t.onNode, node, 1)
	count(&t.onRack, t.rackOf[node], 1)
	t.relevel()
}

// release frees, or with a negative number takes, slots of an executor.
func (t *Tasks) release(x *executor, slots int32) {
	x.free += slots
	t.free += slots
	t.idle[x.profile] += slots
}

// wait counts tasks of a set that wait.
func (t *Tasks) wait(s *taskSet, n int32) {
	s.waiting += n
	t.waiting += n
	t.wants[s.profile] += n
}

func count(s *[]int32, i, n int32) {
	for int32(len(*s)) <= i {
		*s = append(*s, 0)
	}
	(*s)[i] += n
}

// RemoveExecutor stops offering executor e. What it ran is reported by End.
func (t *Tasks) RemoveExecutor(e int32) {
	if int(e) >= len(t.execs) || !t.execs[e].alive {
		return
	}
	x := &t.execs[e]
	x.alive = false
	t.release(x, -x.free)
	t.onNode[x.node]--
	t.onRack[t.rackOf[x.node]]--
	t.relevel()
}

// Submit puts a stage attempt in; it returns its number. Tasks for which done
// is true have succeeded in an earlier attempt and are left out.
func (t *Tasks) Submit(now simcore.Time, st *Stage, done func(task int32) bool) int32 {
	id := int32(len(t.sets))
	s := taskSet{job: st.Job, stage: st.Stage, pool: st.Pool, profile: st.Profile, n: st.Tasks,
		status: int32(len(t.status)), waiting: st.Tasks, reset: now,
		runners: st.Runners, launched: make([]int32, len(st.Runners))}
	for i := range st.Tasks {
		state := taskWaits
		if done != nil && done(i) {
			state = taskDone
			s.waiting--
		}
		t.status = append(t.status, state)
	}
	t.following = t.following || st.Runners != nil
	t.waiting += s.waiting
	t.wants[s.profile] += s.waiting
	switch {
	case st.Executors != nil || st.HostAt != nil:
		s.kind = byTask
		t.buildLists(&s, st)
	case len(st.Nodes) > 0:
		s.kind, s.uniform, s.preferred = sameForAll, slices.Clone(st.Nodes), s.waiting
	}
	s.wished = s.preferred
	t.computeLevels(&s)
	t.sets = append(t.sets, s)
	t.order = append(t.order, id)
	return id
}

// Unlaunched is the number of tasks of a set that wait.
func (t *Tasks) Unlaunched(set int32) int32 { return t.sets[set].waiting }

// Launched is the number of launches of a set's tasks, second copies aside.
func (t *Tasks) Launched(set int32) int { return t.sets[set].attempts }

// Close ends a set: nothing of it is launched any more.
func (t *Tasks) Close(set int32) {
	s := &t.sets[set]
	if s.dead {
		return
	}
	s.dead = true
	t.wait(s, -s.waiting)
	t.copies -= int32(len(s.copies))
	s.copies = nil
	t.order = slices.DeleteFunc(t.order, func(i int32) bool { return i == set })
}

// Hold keeps a set just submitted from being offered, until Release.
func (t *Tasks) Hold(set int32) { t.sets[set].held = true }

// Release lets a set be offered.
func (t *Tasks) Release(set int32) { t.sets[set].held = false }

// Free frees a slot of an executor. The driver does so before it notes the end of the task there.
func (t *Tasks) Free(e int32) {
	if x := &t.execs[e]; x.alive {
		t.release(x, 1)
	}
}

// End tells that an attempt of a task is over; again says that the task has to run once more.
func (t *Tasks) End(set, task int32, again bool) {
	s := &t.sets[set]
	s.running--
	switch st := &t.status[s.status+task]; {
	case *st == taskDone: // by the other copy
	case *st == taskTwice && again && s.running > 0 && !t.dropCopy(s, task):
		*st = taskRuns // the other copy goes on
	case again:
		t.requeue(s, task)
	default:
		*st = taskDone
	}
}

// Lose puts a finished task back, since its output is gone.
func (t *Tasks) Lose(set, task int32) {
	if s := &t.sets[set]; t.status[s.status+task] == taskDone {
		t.requeue(s, task)
	}
}

// Skip takes a waiting task off a set: another attempt of the stage has
// finished it.
func (t *Tasks) Skip(set, task int32) {
	s := &t.sets[set]
	if t.status[s.status+task] != taskWaits {
		t.status[s.status+task] = taskDone
		return
	}
	t.status[s.status+task] = taskDone
	if s.dead {
		return
	}
	t.wait(s, -1)
	t.unlist(s, task)
}

// unlist takes a task that no longer waits off the counts of preferences.
func (t *Tasks) unlist(s *taskSet, task int32) {
	switch s.kind {
	case sameForAll:
		s.preferred--
	case byTask:
		if s.taskAt[task] < s.taskAt[task+1] {
			s.preferred--
		}
	}
}

func (t *Tasks) requeue(s *taskSet, task int32) {
	t.status[s.status+task] = taskWaits
	if s.dead {
		return
	}
	t.wait(s, 1)
	s.again = append(s.again, task)
	switch s.kind {
	case sameForAll:
		s.preferred++
	case byTask:
		t.listAgain(s, task)
	}
}

// take marks a task as launched.
func (t *Tasks) take(s *taskSet, task, e int32) {
	t.status[s.status+task] = taskRuns
	t.wait(s, -1)
	s.attempts++
	s.running++
	t.release(&t.execs[e], -1)
	t.unlist(s, task)
	if s.runners != nil {
		s.launched[task]++
	}
}

// first returns the waiting task that goes first at any place, -1 if none.
func (t *Tasks) first(s *taskSet) int32 {
	if s.waiting == 0 {
		return -1
	}
	if len(s.again) > 0 {
		if i := t.putBack(s, func(int32) bool { return true }); i >= 0 {
			return i
		}
	}
	for t.status[s.status+s.cursor] != taskWaits {
		s.cursor++
	}
	return s.cursor
}
