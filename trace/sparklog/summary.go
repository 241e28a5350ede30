package sparklog

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"schedtune/trace/internal/history"
)

// From is the first time the log reports, Unknown if it tells none.
func (a *App) From() Millis {
	if a.Start.Known() {
		return a.Start
	}
	first := Millis(Unknown)
	for i := range a.Executors {
		first = history.Earlier(first, a.Executors[i].Added)
	}
	for i := range a.Jobs {
		first = history.Earlier(first, a.Jobs[i].Submit)
	}
	for i := range a.Stages {
		first = history.Earlier(first, a.Stages[i].Submit)
	}
	for _, t := range a.Tasks() {
		first = history.Earlier(first, t.Launch)
	}
	return first
}

// To is the end of the application, or of its log.
func (a *App) To() Millis {
	return a.End.Or(a.Last)
}

// Tasks returns an iterator over all task attempts with their stages.
func (a *App) Tasks() iter.Seq2[*Stage, *Task] {
	return func(yield func(*Stage, *Task) bool) {
		for i := range a.Stages {
			for k := range a.Stages[i].Attempts {
				if !yield(&a.Stages[i], &a.Stages[i].Attempts[k]) {
					return
				}
			}
		}
	}
}

// TaskTime sums the time that attempts held their cores.
func (a *App) TaskTime() (sum Millis) {
	for _, t := range a.Tasks() {
		sum += max(0, t.Span())
	}
	return sum
}

// TaskCount is the number of task attempts that ended.
func (a *App) TaskCount() (n int) {
	for i := range a.Stages {
		n += len(a.Stages[i].Attempts)
	}
	return n
}

// Life is the time from an executor's registration to its end, the
// application's where the log has no own. false where neither is known.
func (a *App) Life(e *Executor) (from, to Millis, ok bool) {
	from, to = e.Added, e.Removed.Or(a.To())
	return from, to, e.ID != "driver" && from.Known() && to >= from
}

// ExecutorTime sums the lives of executors, and their cores' times, in
// milliseconds.
func (a *App) ExecutorTime() (executors, cores Millis) {
	for i := range a.Executors {
		if from, to, ok := a.Life(&a.Executors[i]); ok {
			executors += to - from
			cores += (to - from) * Millis(a.Executors[i].Cores)
		}
	}
	return executors, cores
}

// MostExecutors is the largest number registered at a time.
func (a *App) MostExecutors() (most int) {
	type step struct {
		at Millis
		by int
	}
	var steps []step
	for i := range a.Executors {
		if from, to, ok := a.Life(&a.Executors[i]); ok {
			steps = append(steps, step{from, 1}, step{to, -1})
		}
	}
	slices.SortFunc(steps, func(x, y step) int { return cmp.Or(cmp.Compare(x.at, y.at), cmp.Compare(x.by, y.by)) })
	n := 0
	for _, s := range steps {
		n += s.by
		most = max(most, n)
	}
	return most
}

// SlowReady is a ReadyDelay from which on something starts in the executors of an
// application (plugins, files to fetch) and not only the driver's messages take time.
const SlowReady Millis = 1000

// ReadyDelays are by executor the times from its registration, or the submission of the
// stage of its first task if that was later, to that task, ascending, and beside them the
// times from the registration. Executors whose first task came after a wait for a nearer
// one are left out.
func (a *App) ReadyDelays() (delays, since []Millis) {
	type start struct {
		task  *Task
		stage *Stage
	}
	first := map[int32]start{}
	for st, t := range a.Tasks() {
		if f, seen := first[t.Executor]; t.Launch.Known() && (!seen || t.Launch < f.task.Launch) {
			first[t.Executor] = start{t, st}
		}
	}
	for i := range a.Executors {
		e, f := &a.Executors[i], first[int32(i)]
		if f.task != nil && e.Added.Known() && f.stage.Submit.Known() && f.task.Locality <= NoPreference && e.ID != "driver" {
			delays = append(delays, max(0, f.task.Launch-max(e.Added, f.stage.Submit)))
			since = append(since, max(0, f.task.Launch-e.Added))
		}
	}
	slices.Sort(delays)
	slices.Sort(since)
	return delays, since
}

// MarshalJSON writes a task as a row of figures in the order of its members.
func (t Task) MarshalJSON() ([]byte, error) { return history.Row(t) }

// UnmarshalJSON reads what MarshalJSON writes.
func (t *Task) UnmarshalJSON(b []byte) error { return history.SetRow(b, t) }

// Check names the first figure that cannot be meant, of an application that
// was not read by a Reader (which lets none pass).
func (a *App) Check() error {
	for st := range history.Pointers(a.Stages) {
		if st.Tasks < 0 || st.Tasks > mostTasks {
			return fmt.Errorf("stage %d: %d tasks: must be between 0 and %d", st.ID, st.Tasks, mostTasks)
		}
	}
	for st, t := range a.Tasks() {
		switch {
		case t.Executor < Unknown || int(t.Executor) >= len(a.Executors):
			return fmt.Errorf("stage %d: a task on executor number %d: must be at most %d", st.ID, t.Executor,
				len(a.Executors)-1)
		case t.Index < 0 || t.Index > mostTasks:
			return fmt.Errorf("stage %d: task %d: must be between 0 and %d", st.ID, t.Index, mostTasks)
		case t.Launch > maxMillis || t.Finish > maxMillis || t.Launch < Unknown || t.Finish < Unknown:
			return fmt.Errorf("stage %d: a task from %d to %d ms: must be between -1 and %d", st.ID, t.Launch, t.Finish,
				int64(maxMillis))
		case max(t.Input, t.Output, t.ShuffleRead, t.ShuffleWrite) > mostBytes:
			return fmt.Errorf("stage %d: a task of more than %d bytes", st.ID, int64(mostBytes))
		}
	}
	for e := range history.Pointers(a.Executors) {
		if e.Cores < 0 || e.Cores > 1<<20 || e.Added > maxMillis || e.Removed > maxMillis {
			return fmt.Errorf("executor %s: %d cores, from %d to %d ms: must be at most %d cores and %d ms", e.ID, e.Cores,
				e.Added, e.Removed, 1<<20, int64(maxMillis))
		}
	}
	for j := range history.Pointers(a.Jobs) {
		if j.Submit > maxMillis || j.End > maxMillis {
			return fmt.Errorf("job %d: from %d to %d ms: must be at most %d", j.ID, j.Submit, j.End, int64(maxMillis))
		}
	}
	return nil
}

// Shift returns a copy with all times moved; unknown ones stay so.
func (a *App) Shift(by Millis) *App {
	c := a.clone()
	move := func(ts ...*Millis) {
		for _, t := range ts {
			if t.Known() {
				*t = max(0, *t+by)
			}
		}
	}
	move(&c.Start, &c.Ready, &c.End, &c.Last)
	for e := range history.Pointers(c.Executors) {
		move(&e.Requested, &e.Added, &e.Storage, &e.Removed)
	}
	for i := range c.Jobs {
		move(&c.Jobs[i].Submit, &c.Jobs[i].End)
	}
	for i := range c.Stages {
		move(&c.Stages[i].Submit, &c.Stages[i].End)
	}
	for _, t := range c.Tasks() {
		move(&t.Launch, &t.Finish, &t.Getting)
	}
	return c
}

// clone copies what the transforms change.
func (a *App) clone() *App {
	c := *a
	c.Executors, c.Jobs, c.Stages, c.Caches = slices.Clone(a.Executors), slices.Clone(a.Jobs), slices.Clone(a.Stages),
		slices.Clone(a.Caches)
	for i := range c.Stages {
		c.Stages[i].Attempts = slices.Clone(a.Stages[i].Attempts)
	}
	return &c
}

// Anonymous returns a copy without names: of the application, users, hosts
// (host gives the new name of each), containers, stages, data sets, pools and
// job groups.
func (a *App) Anonymous(id, user string, host func(string) string) *App {
	c := a.clone()
	c.ID, c.Name, c.User, c.DriverContainer = id, "", user, ""
	c.DriverHost = host(a.DriverHost)
	c.Conf = map[string]string{}
	maps.Copy(c.Conf, a.Conf)
	maps.DeleteFunc(c.Conf, func(k, _ string) bool {
		return strings.HasPrefix(k, "spark.kubernetes.namespace") || strings.HasSuffix(k, ".file") || k == "spark.yarn.tags"
	})
	if _, ok := a.Conf["spark.master"]; ok { // may name a host
		c.Conf["spark.master"] = string(a.Manager())
	}
	for e := range history.Pointers(c.Executors) {
		e.Host, e.Container, e.Why = host(e.Host), "", ""
	}
	groups, pools := map[string]string{}, map[string]string{}
	number := func(m map[string]string, prefix, name string) string {
		if name == "" {
			return ""
		}
		if _, ok := m[name]; !ok {
			m[name] = fmt.Sprintf("%s%d", prefix, len(m)+1)
		}
		return m[name]
	}
	for i := range c.Jobs {
		c.Jobs[i].Group, c.Jobs[i].Pool = number(groups, "group", c.Jobs[i].Group), number(pools, "pool", c.Jobs[i].Pool)
	}
	for i := range c.Stages {
		c.Stages[i].Name = ""
	}
	for i := range c.Caches {
		c.Caches[i].Name = ""
	}
	c.Notes = nil
	return c
}
