package sparklog

import "strings"

// executor returns the place of an executor, a new one where the log has not
// told of its start, Unknown for no id.
func (r *Reader) executor(id string) int32 {
	if id == "" {
		return Unknown
	}
	i, ok := r.execs[id]
	if !ok {
		i = int32(len(r.app.Executors))
		r.execs[id] = i
		r.app.Executors = append(r.app.Executors, Executor{ID: id, Requested: Unknown, Added: Unknown, Storage: Unknown,
			Removed: Unknown})
	}
	return i
}

type executorAdded struct {
	At   num  `json:"Timestamp"`
	ID   text `json:"Executor ID"`
	Info struct {
		Host       text `json:"Host"`
		Cores      num  `json:"Total Cores"`
		Profile    num  `json:"Resource Profile Id"`
		Requested  num  `json:"Request Time"`
		Attributes struct {
			Container text `json:"CONTAINER_ID"`
		} `json:"Attributes"`
		Links map[string]text `json:"Log Urls"`
	} `json:"Executor Info"`
}

func (r *Reader) executorAdded(e *executorAdded) {
	in := &e.Info
	if e.ID == "" || e.ID == "driver" && in.Cores.Or(0) == 0 {
		return
	}
	x := &r.app.Executors[r.executor(string(e.ID))]
	x.Host, x.Container, x.Cores = r.strings.Get(string(in.Host)), string(in.Attributes.Container), within(in.Cores, 1<<20)
	x.Profile, x.Requested, x.Added = int32(in.Profile.V), positive(in.Requested.V), r.at(e.At)
	for _, link := range in.Links { // Spark before 3.0 has it in the links only
		if i := strings.Index(string(link), "container_"); i >= 0 && x.Container == "" {
			x.Container, _, _ = strings.Cut(string(link[i:]), "/")
		}
	}
}

// within is a number from 0 to most.
func within(n num, most int64) int32 { return int32(min(n.Or(0), most)) }

func positive(v int64) Millis {
	if v <= 0 || v > maxMillis {
		return Unknown
	}
	return Millis(v)
}

type executorRemoved struct {
	At  num  `json:"Timestamp"`
	ID  text `json:"Executor ID"`
	Why text `json:"Removed Reason"`
}

func (r *Reader) executorRemoved(e *executorRemoved) {
	if e.ID == "" || e.ID == "driver" {
		return
	}
	x := &r.app.Executors[r.executor(string(e.ID))]
	x.Removed, x.Why, x.End = r.at(e.At), r.strings.Get(clip(string(e.Why))), endOf(string(e.Why))
}

// mostWhy bounds a reason: some hold whole reports of a container's processes.
const mostWhy = 200

func clip(s string) string {
	s = strings.ToValidUTF8(s, "")
	if len(s) > mostWhy {
		return strings.ToValidUTF8(s[:mostWhy], "")
	}
	return s
}

// endOf reads the reason of an ExecutorRemoved event (CoarseGrainedSchedulerBackend,
// YarnAllocator.processCompletedContainers, ExecutorPodsLifecycleManager).
func endOf(why string) End {
	switch {
	case strings.Contains(why, "killed by driver"), strings.Contains(why, "explicit termination request"):
		return Killed
	case strings.Contains(why, "preempted"):
		return Preempted
	case strings.Contains(why, "decommission"):
		return Decommissioned
	}
	return Lost
}

type blockManagerAdded struct {
	At      num `json:"Timestamp"`
	Manager struct {
		ID text `json:"Executor ID"`
	} `json:"Block Manager ID"`
}

// blockManager notes when an executor can hold blocks; the driver's comes just
// before the application registers with the cluster manager.
func (r *Reader) blockManager(e *blockManagerAdded) {
	if e.Manager.ID == "driver" {
		r.app.Ready = r.at(e.At)
	} else if i, ok := r.execs[string(e.Manager.ID)]; ok {
		r.app.Executors[i].Storage = r.at(e.At)
	}
}
