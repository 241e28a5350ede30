package trace

import (
	"slices"

	"schedtune/simcore"
	"schedtune/trace/internal/history"
	"schedtune/trace/sparklog"
)

// stage appends a stage of a job with its tasks.
func (k *sparkConverter) stage(id, job int32) {
	attempts := k.attempts[id]
	st := attempts[0]
	winners := sparklog.Winners(attempts)
	if len(winners) == 0 {
		k.notes.add(Dropped, "stages without a task")
		return
	}
	if st.Result == sparklog.Unfinished {
		k.notes.add(Assumed, "stages that had not ended run all their tasks")
	}
	if len(attempts) > 1 {
		k.notes.addCount(len(attempts)-1, Dropped, "attempts of stages beyond the first: failures are not replayed")
	}
	out := simcore.SparkStage{Job: job, Tasks: int32(len(winners)), FirstTask: int32(len(k.w.Tasks.Duration)), Dist: -1,
		Profile: k.profiles[st.Profile], ShuffleWrite: st.Writes, Parents: k.parents(st)}
	out.Reads, out.Caches, out.OnDisk = k.cached(st)
	k.tasks(st, winners, len(out.Parents) == 0 && out.Reads < 0)
	k.keepBlocks(&out, winners)
	for i := range winners {
		out.OutputBytes += max(0, winners[i].ShuffleWrite)
	}
	n := int32(len(k.out.Stages))
	k.index[id] = n
	if st.Writes && st.RDD >= 0 {
		k.wrote[st.RDD] = n
	}
	k.out.Stages = append(k.out.Stages, out)
}

// block is one partition of a cached data set: where it lay, and how long its
// task ran, without the way to it and back.
type block struct {
	executor int32
	took     simcore.Time
}

// keepBlocks notes where a stage leaves the blocks it caches, and takes out of
// the time of a task that reads one what it took to compute the block again,
// where the executor that held it had gone before; the runtime adds that time
// where it happens.
func (k *sparkConverter) keepBlocks(out *simcore.SparkStage, winners []sparklog.Task) {
	times := k.w.Tasks.Duration[out.FirstTask:]
	for i := range k.blocks[out.Reads] {
		if i >= len(winners) {
			break
		}
		b, t := &k.blocks[out.Reads][i], &winners[i]
		if b.executor < 0 || !t.Launch.Known() {
			continue
		}
		if gone := k.app.Executors[b.executor].Removed; gone.Known() && gone < t.Launch {
			times[i] = max(simcore.Millisecond, times[i]-b.took)
			b.executor = t.Executor
		}
	}
	if out.Caches < 0 {
		return
	}
	made := make([]block, len(winners))
	for i := range winners {
		took := times[i]
		if r := winners[i].Run; r.Known() {
			took = min(took, toTime(r))
		}
		made[i] = block{winners[i].Executor, took}
	}
	k.blocks[out.Caches] = made
}

// parents are the stages whose output a stage reads. One that was skipped left
// its output when an earlier job computed the same data set.
func (k *sparkConverter) parents(st *sparklog.Stage) (list []int32) {
	for _, p := range st.Parents {
		n, ok := k.index[p]
		if !ok {
			for s := range history.Pointers(k.app.Skipped) {
				if s.ID == p && s.RDD >= 0 {
					n, ok = k.wrote[s.RDD]
				}
			}
		}
		if ok && !slices.Contains(list, n) {
			list = append(list, n)
		}
	}
	return list
}

// cached says which data set a stage reads from the executors' memory and
// which it leaves there. Of several on its way, the one computed last counts.
func (k *sparkConverter) cached(st *sparklog.Stage) (reads, caches int32, onDisk bool) {
	reads, caches = -1, -1
	newest := int32(-1)
	for _, rdd := range st.Cached { // ascending
		if n, made := k.sets[rdd]; made {
			reads, newest = n, rdd
		}
	}
	for _, rdd := range st.Cached {
		if _, made := k.sets[rdd]; made || rdd < newest {
			continue
		}
		caches = int32(len(k.sets))
		k.sets[rdd] = caches
		for c := range history.Pointers(k.app.Caches) {
			if c.RDD == rdd {
				onDisk = c.Disk && !c.Memory
			}
		}
		break // one at a time: a stage of several is rare, and the first holds its executors
	}
	return reads, caches, onDisk
}

// tasks appends a stage's tasks. The time of one is from its launch to its end
// without what the first tasks of an executor take longer (class loading,
// broadcasts), which the runtime adds where a task comes first there. Hosts
// of input are known of tasks that ran beside it.
func (k *sparkConverter) tasks(st *sparklog.Stage, winners []sparklog.Task, input bool) {
	typical := typicalTime(winners)
	for t := range history.Pointers(winners) {
		d := t.Time()
		if !d.Known() {
			d = typical
			k.notes.add(Assumed, "tasks of Spark stages without a recorded end take the median time of their stage")
		} else if t.Reason != sparklog.Success {
			k.notes.add(Assumed, "tasks of Spark stages that never succeeded take the time of their longest attempt")
		}
		if o := t.Overhead(); o.Known() && k.first(t) {
			d = max(1, d-max(0, o-k.usual))
		}
		host := ""
		if input && t.Locality == sparklog.NodeLocal && t.Executor >= 0 {
			host = k.app.Executors[t.Executor].Host
		}
		k.addTask(d, 0, max(0, t.Input)+max(0, t.ShuffleRead), t.ShuffleWrite, host)
	}
	failed := 0
	for x := range st.Attempts {
		if r := st.Attempts[x].Reason; r != sparklog.Success {
			failed++
		}
	}
	k.notes.addCount(failed, Dropped, "task attempts of Spark stages that failed or were killed: failures are not "+
		"replayed")
}

// typicalTime is the median time of a stage's tasks, 0 without any.
func typicalTime(winners []sparklog.Task) Millis {
	var all []Millis
	for i := range winners {
		if d := winners[i].Time(); d.Known() {
			all = append(all, d)
		}
	}
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[len(all)/2]
}

// sparkHosts calls see with the hosts beside whose executors tasks found their input.
func sparkHosts(app *sparklog.App, see func(host string)) {
	for _, a := range app.Tasks() {
		if a.Locality == sparklog.NodeLocal && a.Executor >= 0 {
			see(app.Executors[a.Executor].Host)
		}
	}
}
