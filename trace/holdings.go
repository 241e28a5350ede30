package trace

import (
	"schedtune/simcore"
	"schedtune/trace/internal/history"
)

// Holding is what a job held for some time: one container, or the mean of
// several where they were not recorded singly.
type Holding struct {
	From, To Millis  // ascending, on the trace's clock
	MiB      float64 // memory as asked for; 0 = its size was not recorded
	VCores   float64 // 0 = not recorded
	// Derived says that From, To or the size were not recorded for this
	// container but follow from the job's figures.
	Derived bool
	Master  bool // an application master, or a Spark driver on YARN
	Kind    Kind
	Host    string // "/rack/host" or "host"; "" = not recorded
	Lost    bool   // it ended before its work did

	UsedMiB  float64 // physical memory of the process; 0 = not recorded
	CoreTime Millis  // processor time; 0 = not recorded
}

// Holdings lists what the job held: its recorded containers, a Spark
// application's driver and executors, else what its counts of tasks and their
// mean times come to, spread over the time from its launch (else its
// submission) to its finish. Tasks that ran in the master's container hold nothing of
// their own. Containers without both times are left out; lost counts them. The list is in no particular order of time.
func (j *Job) Holdings() (list []Holding, lost int) {
	if j.Spark != nil {
		return j.sparkHoldings()
	}
	if j.Tez != nil {
		return j.tezHoldings()
	}
	master, worked := false, false
	masters := j.masterContainers()
	for t, a := range j.Containers() {
		if t.Kind != AM && masters[a.Container] { // of an uber job
			worked = true
			continue
		}
		h, ok := j.holding(t, a)
		if !ok {
			lost++
			continue
		}
		master = master || h.Master
		worked = worked || !h.Master
		list = append(list, h)
	}
	from, to, whole := j.Span()
	if !whole {
		return list, lost
	}
	if !worked {
		for _, k := range []Kind{Map, Reduce} {
			if h := j.derived(k, from, to); h.MiB > 0 || h.VCores > 0 {
				list = append(list, h)
			}
		}
	}
	if !master && j.AMSize.MiB > 0 {
		list = append(list, Holding{From: from, To: to, MiB: float64(j.AMSize.MiB), VCores: float64(j.AMSize.VCores),
			Derived: true, Master: true, Kind: AM})
	}
	return list, lost
}

// FirstContainer is when the job had its first container, as far as it was recorded: its
// master's, else when it was launched.
func (j *Job) FirstContainer() Millis {
	first := j.MasterLaunch
	for _, a := range j.Containers() {
		first = history.Earlier(first, a.Allocated.Or(a.Start.Or(a.Up)))
	}
	return first.Or(j.Launch)
}

// masterContainers are the ids of its application masters' containers.
func (j *Job) masterContainers() map[string]bool {
	ids := map[string]bool{}
	for t, a := range j.Containers() {
		if t.Kind == AM && a.Container != "" {
			ids[a.Container] = true
		}
	}
	return ids
}

// Span is the time from the job's launch, else its submission, to its finish; ok
// where both are known and it is not empty.
func (j *Job) Span() (from, to Millis, ok bool) {
	from, to = j.Launch.Or(j.Submit), j.Finish
	return from, to, from.Known() && to > from
}

// holding is one recorded container. The ResourceManager's times come before
// the attempt's own.
func (j *Job) holding(t *Task, a *Attempt) (Holding, bool) {
	h := Holding{From: a.Allocated.Or(a.Start), To: a.Released.Or(a.Finish), Master: t.Kind == AM, Kind: t.Kind, Host: a.Host,
		Lost: a.Result == Failed || a.Result == Killed, UsedMiB: float64(a.UsedMiB), CoreTime: a.CoreTime}
	size := a.Size
	if size.MiB == 0 {
		size = j.sizeOf(t.Kind)
		h.Derived = size.MiB > 0
	}
	h.Derived = h.Derived || !a.Allocated.Known() && j.open(a)
	h.MiB, h.VCores = float64(size.MiB), float64(size.VCores)
	return h, h.From.Known() && h.To >= h.From
}

func (j *Job) sizeOf(k Kind) Size {
	switch k {
	case Reduce:
		return j.ReduceSize
	case AM:
		return j.AMSize
	}
	return j.MapSize
}

// derived is the mean of tasks of one kind that were not recorded singly.
func (j *Job) derived(k Kind, from, to Millis) Holding {
	n, each, size := j.Maps, j.MapTime, j.MapSize
	if k == Reduce {
		n, each, size = j.Reduces, j.ReduceTime, j.ReduceSize
		if each.Known() && j.ShuffleTime.Known() {
			each += j.ShuffleTime
		}
	}
	if n <= 0 || !each.Known() {
		return Holding{}
	}
	mean := float64(n) * float64(each) / float64(to-from)
	return Holding{From: from, To: to, MiB: mean * float64(size.MiB), VCores: mean * float64(size.VCores), Derived: true,
		Kind: k}
}

// sparkHoldings are executors from their request, else their registration, to
// their removal, else the end of the application, and the driver where it is
// an application master.
func (j *Job) sparkHoldings() (list []Holding, lost int) {
	app := j.Spark
	_, exec, driver, _ := sparkSettings(app)
	profiles, at := sparkExecutors(app, exec)
	from, to, whole := j.Span()
	if whole && driver != (simcore.Vec{}) {
		list = append(list, Holding{From: j.Submit.Or(from), To: to, MiB: float64(driver[simcore.Memory]),
			VCores: float64(driver[simcore.VCores]), Derived: true, Master: true, Kind: AM})
	}
	for e := range history.Pointers(app.Executors) {
		if e.ID == "driver" {
			continue
		}
		h := Holding{From: e.Added, To: e.Removed.Or(j.Finish), Derived: true, Kind: Container, Host: e.Host}
		if !h.From.Known() || h.To < h.From {
			lost++
			continue
		}
		size := profiles[at[e.Profile]].Container
		h.MiB, h.VCores = float64(size[simcore.Memory]), float64(size[simcore.VCores])
		list = append(list, h)
	}
	return list, lost
}
