package tezlog

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"

	"schedtune/trace/internal/history"
)

// Winners lists, by task, the attempt whose result a task took: the successful one, else the
// one that worked longest. Tasks of which no attempt has both its times are left out.
func (v *Vertex) Winners() (list []*Attempt) {
	better := func(a, b *Attempt) bool {
		if x, y := a.Result == Succeeded, b.Result == Succeeded; x != y {
			return x
		}
		return a.Span() > b.Span()
	}
	for a := range history.Pointers(v.Attempts) {
		if !a.Span().Known() {
			continue
		}
		if n := len(list); n > 0 && list[n-1].Task == a.Task {
			if better(a, list[n-1]) {
				list[n-1] = a
			}
			continue
		}
		list = append(list, a)
	}
	return list
}

// Vertices iterates over the vertices of all DAGs.
func (a *App) Vertices() iter.Seq2[*DAG, *Vertex] {
	return func(yield func(*DAG, *Vertex) bool) {
		for d := range history.Pointers(a.DAGs) {
			for v := range history.Pointers(d.Vertices) {
				if !yield(d, v) {
					return
				}
			}
		}
	}
}

// TaskCount returns how many tasks have an attempt that ended.
func (a *App) TaskCount() (n int) {
	for _, v := range a.Vertices() {
		n += len(v.Winners())
	}
	return n
}

// TaskTime returns the time of all attempts together.
func (a *App) TaskTime() (sum Millis) {
	for _, v := range a.Vertices() {
		for t := range history.Pointers(v.Attempts) {
			sum += max(0, t.Span())
		}
	}
	return sum
}

// Session reports whether the master took DAGs one after another.
func (a *App) Session() bool { return a.Conf["tez.am.mode.session"] == "true" || len(a.DAGs) > 1 }

// LLAP reports whether the tasks ran in the daemons of Hive's LLAP, not in containers of
// their own.
func (a *App) LLAP() bool { return a.Scheduler == "LlapTaskSchedulerService" }

// LastEnd is the end of the last DAG, Unknown where none ended.
func (a *App) LastEnd() Millis {
	end := Millis(Unknown)
	for d := range history.Pointers(a.DAGs) {
		end = max(end, d.End)
	}
	return end
}

// Lives lists when each container was there: from its launch to its stop, where that is not
// told to its last task's end or as long after it as idle waits. A container without a launch
// begins with its first task.
func (a *App) Lives(idle Millis) [][2]Millis {
	lives := make([][2]Millis, len(a.Containers))
	for i := range lives {
		lives[i] = [2]Millis{a.Containers[i].Launched, a.Containers[i].Stopped}
	}
	used := make([]Millis, len(lives))
	for _, v := range a.Vertices() {
		for t := range history.Pointers(v.Attempts) {
			if c := t.Container; c >= 0 {
				lives[c][0] = history.Earlier(lives[c][0], history.Earlier(t.Allocated, t.Start))
				used[c] = max(used[c], t.End)
			}
		}
	}
	for i := range lives {
		if to := &lives[i][1]; !to.Known() && used[i] > 0 {
			*to = used[i] + idle
			if a.Last.Known() {
				*to = min(*to, max(a.Last, used[i]))
			}
		}
	}
	return lives
}

// MarshalJSON writes an attempt as a row of figures in the order of its members.
func (a Attempt) MarshalJSON() ([]byte, error) { return history.Row(a) }

var errRow = errors.New("an attempt's row has numbers out of range")

// UnmarshalJSON reads what MarshalJSON writes.
func (a *Attempt) UnmarshalJSON(b []byte) error {
	if err := history.SetRow(b, a); err != nil {
		return err
	}
	if max(a.Task, a.Number, a.Container) > mostTasks || min(a.Task, a.Number) < 0 || a.Container < Unknown ||
		a.Result > Killed {
		return errRow
	}
	return nil
}

// Check reports what does not fit together, as in an application made by hand.
func (a *App) Check() error {
	for d, v := range a.Vertices() {
		where := fmt.Sprintf("DAG %d, vertex %d", d.ID, v.ID)
		if v.ID < 0 || v.ID >= mostVertices || v.Tasks < Unknown || v.Tasks > mostTasks {
			return fmt.Errorf("%s: vertex %d with %d tasks: must be below %d, with at most %d tasks", where, v.ID, v.Tasks, mostVertices,
				mostTasks)
		}
		for t := range history.Pointers(v.Attempts) {
			if t.Container < Unknown || int(t.Container) >= len(a.Containers) {
				return fmt.Errorf("%s: container number %d of an attempt: must be at most %d", where, t.Container,
					len(a.Containers)-1)
			}
		}
	}
	late := Millis(0)
	c := a.clone()
	c.eachTime(func(m *Millis) { late = max(late, *m, -*m) })
	if late > maxMillis {
		return fmt.Errorf("a time of %d ms: must be at most %d", late, int64(maxMillis))
	}
	return nil
}

// eachTime calls f with every instant.
func (a *App) eachTime(f func(*Millis)) {
	each := func(ts ...*Millis) {
		for _, t := range ts {
			f(t)
		}
	}
	each(&a.Submit, &a.Launched, &a.Ready, &a.Last)
	for c := range history.Pointers(a.Containers) {
		each(&c.Launched, &c.Stopped)
	}
	for d := range history.Pointers(a.DAGs) {
		each(&d.Submit, &d.Start, &d.End, &d.Arrival)
		for v := range history.Pointers(d.Vertices) {
			each(&v.Init, &v.Configured, &v.Start, &v.End)
			for t := range history.Pointers(v.Attempts) {
				each(&t.Scheduled, &t.Created, &t.Allocated, &t.Start, &t.End)
			}
		}
	}
}

// clone copies what the transforms change.
func (a *App) clone() *App {
	c := *a
	c.DAGs, c.Containers = slices.Clone(a.DAGs), slices.Clone(a.Containers)
	for d := range history.Pointers(c.DAGs) {
		d.Vertices = slices.Clone(d.Vertices)
		for v := range history.Pointers(d.Vertices) {
			v.Attempts = slices.Clone(v.Attempts)
		}
	}
	return &c
}

// Shift returns a copy with all times moved; unknown ones stay so.
func (a *App) Shift(by Millis) *App {
	c := a.clone()
	c.eachTime(func(t *Millis) {
		if t.Known() {
			*t = max(0, *t+by)
		}
	})
	return c
}

// Scale returns a copy whose vertices have factor times as many tasks, at least one, as long
// as before.
func (a *App) Scale(factor float64) *App {
	c := a.clone()
	count := func(n int) int { return min(max(1, int(math.Round(float64(n)*factor))), mostTasks) }
	for _, v := range c.Vertices() {
		old := v.Winners()
		scaled := make([]Attempt, 0, len(old))
		for n := count(len(old)); len(old) > 0 && len(scaled) < n; {
			t := *old[len(scaled)*len(old)/n]
			t.Task, t.Number = int32(len(scaled)), 0
			scaled = append(scaled, t)
		}
		if v.Attempts = scaled; v.Tasks > 0 {
			v.Tasks = int32(count(int(v.Tasks)))
		}
	}
	return c
}

// Anonymous returns a copy without names: of the application, users, hosts (host gives the
// new name of each) and containers. Queues stay, as they do for all jobs.
func (a *App) Anonymous(id, user string, host func(string) string) *App {
	c := a.clone()
	c.ID, c.User = id, user
	for x := range history.Pointers(c.Containers) {
		x.ID, x.Host = "", host(x.Host)
	}
	return c
}
