package sparklog

import "strings"

// newExecutor returns an executor of which no time is known.
func newExecutor(id string) Executor {
	return Executor{ID: id, Requested: Unknown, Added: Unknown, Storage: Unknown, Removed: Unknown}
}

// executor returns the place of an executor, a new one where the log has not
// told of its start, Unknown for no id.
func (r *Reader) executor(id []byte) int32 {
	if len(id) == 0 {
		return Unknown
	}
	i, ok := r.execs[string(id)]
	if !ok {
		i = int32(len(r.app.Executors))
		r.execs[string(id)] = i
		r.app.Executors = append(r.app.Executors, newExecutor(string(id)))
	}
	return i
}

func (r *Reader) executorAdded(s *scan) {
	e := newExecutor("")
	for k, ok := s.object(); ok; k, ok = s.member() {
		switch string(k) {
		case "Timestamp":
			e.Added = Millis(s.int(Unknown))
		case "Executor ID":
			e.ID = s.text()
		case "Executor Info":
			r.executorInfo(s, &e)
		}
	}
	if s.err != nil || e.ID == "" || e.ID == "driver" && e.Cores == 0 {
		return
	}
	e.Added = r.seen(e.Added)
	was := &r.app.Executors[r.executor([]byte(e.ID))]
	e.Storage, e.Removed, e.Why, e.End = was.Storage, was.Removed, was.Why, was.End
	*was = e
}

func (r *Reader) executorInfo(s *scan, e *Executor) {
	link := ""
	for k, ok := s.object(); ok; k, ok = s.member() {
		switch string(k) {
		case "Host":
			e.Host = r.shared([]byte(s.text()))
		case "Total Cores":
			e.Cores = int32(min(max(s.int(0), 0), 1<<20))
		case "Resource Profile Id":
			e.Profile = int32(s.int(0))
		case "Request Time":
			e.Requested = positive(s.int(Unknown))
		case "Attributes":
			e.Container = s.texts("CONTAINER_ID")[0]
		case "Log Urls":
			for _, ok := s.object(); ok; _, ok = s.member() {
				if link == "" {
					link = s.text()
				}
			}
		}
	}
	if i := strings.Index(link, "container_"); i >= 0 && e.Container == "" { // Spark before 3.0 has it in the links only
		e.Container, _, _ = strings.Cut(link[i:], "/")
	}
}

func positive(v int64) Millis {
	if v <= 0 || v > maxMillis {
		return Unknown
	}
	return Millis(v)
}

func (r *Reader) executorRemoved(s *scan) {
	v := s.texts("Timestamp", "Executor ID", "Removed Reason")
	t := s.number(v[0], Unknown)
	if s.err != nil || v[1] == "" || v[1] == "driver" {
		return
	}
	e := &r.app.Executors[r.executor([]byte(v[1]))]
	e.Removed, e.Why, e.End = r.seen(Millis(t)), r.shared([]byte(clip(v[2]))), endOf(v[2])
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

// blockManager notes when an executor can hold blocks; the driver's comes just
// before the application registers with the cluster manager.
func (r *Reader) blockManager(s *scan) {
	id, t := "", int64(Unknown)
	for k, ok := s.object(); ok; k, ok = s.member() {
		switch string(k) {
		case "Timestamp":
			t = s.int(Unknown)
		case "Block Manager ID":
			id = s.texts("Executor ID")[0]
		}
	}
	if s.err != nil {
		return
	}
	if id == "driver" {
		r.app.Ready = r.seen(Millis(t))
	} else if i, ok := r.execs[id]; ok {
		r.app.Executors[i].Storage = r.seen(Millis(t))
	}
}
