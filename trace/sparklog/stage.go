package sparklog

import (
	"math"
	"slices"
	"strconv"

	"schedtune/trace/internal/history"
)

// Winners returns, by index, the attempt that gave each task of a stage its
// result: the first that succeeded, else the longest. Later attempts of the
// stage, which run again what was lost, fill in for tasks without success.
// Tasks that no attempt has come with a Launch of Unknown.
func Winners(attempts []*Stage) []Task {
	if len(attempts) == 0 {
		return nil
	}
	n := int(attempts[0].Tasks)
	for k := range attempts[0].Attempts {
		n = max(n, int(attempts[0].Attempts[k].Index)+1)
	}
	n = min(n, 2*len(attempts[0].Attempts)+int(attempts[0].Tasks)) // an index out of range is no reason to hold memory
	best := make([]Task, n)
	for i := range best {
		best[i] = Task{Index: int32(i), Executor: Unknown, Launch: Unknown, Finish: Unknown, Reason: OtherReason}
	}
	for t := range history.Pointers(attempts[0].Attempts) {
		if int(t.Index) < n && better(t, &best[t.Index]) {
			best[t.Index] = *t
		}
	}
	for _, st := range attempts[1:] {
		next := 0
		for t := range history.Pointers(st.Attempts) {
			if t.Reason != Success {
				continue
			}
			for next < n && best[next].Reason == Success {
				next++
			}
			if next == n {
				break
			}
			best[next] = *t
			best[next].Index = int32(next)
		}
	}
	return best
}

// better reports whether a stands for its task rather than b.
func better(a, b *Task) bool {
	if a.Reason == Resubmitted { // marks that a success was lost, and is none itself
		return false
	}
	if b.Reason == Success || a.Reason == Success {
		return b.Reason != Success
	}
	return !b.Launch.Known() || a.Span() > b.Span()
}

// Time is how long an attempt held its cores: from launch to finish, or where
// one is unknown the executor's run time; Unknown without both.
func (t *Task) Time() Millis {
	return t.Span().Or(t.Run)
}

// Overhead is what an attempt took beside its run time on the executor: the
// way to it, deserialisation, the way of its result. Unknown without both.
func (t *Task) Overhead() Millis {
	if s := t.Span(); s.Known() && t.Run.Known() {
		return max(0, s-t.Run)
	}
	return Unknown
}

// Scale returns a copy with factor times as many tasks in every stage (at
// least one), each as long as before, and factor times as many executors
// allowed. Tasks are repeated or left out evenly, and only the attempts that
// gave their results are kept.
func (a *App) Scale(factor float64) *App {
	c := a.clone()
	count := func(n int) int { return min(max(1, int(math.Round(float64(n)*factor))), mostTasks) }
	for i := range c.Stages {
		st := &c.Stages[i]
		old := slices.DeleteFunc(Winners([]*Stage{&a.Stages[i]}), func(t Task) bool { return !t.Launch.Known() })
		n := 0
		if len(old) > 0 {
			n = count(len(old))
		}
		st.Attempts = make([]Task, n)
		for k := range st.Attempts {
			st.Attempts[k] = old[k*len(old)/n]
			st.Attempts[k].Index = int32(k)
		}
		st.Tasks, st.Started = int32(count(int(st.Tasks))), int32(n)
	}
	c.Conf = map[string]string{}
	for k, v := range a.Conf {
		switch k {
		case "spark.executor.instances", "spark.dynamicAllocation.minExecutors", "spark.dynamicAllocation.initialExecutors",
			"spark.dynamicAllocation.maxExecutors":
			if n, err := strconv.Atoi(v); err == nil && n > 0 && n < math.MaxInt32/2 {
				v = strconv.Itoa(count(n))
			}
		}
		c.Conf[k] = v
	}
	return c
}
