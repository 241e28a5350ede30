package sparklog

import "strings"

// executor returns the place of an executor, a new one where the log has not
// told of its start.
func (r *Reader) executor(id []byte) int32 {
	if i, ok := r.execs[string(id)]; ok {
		return i
	}
	i := int32(len(r.app.Executors))
	name := string(id)
	r.execs[name] = i
	r.app.Executors = append(r.app.Executors, Executor{ID: name, Requested: Unknown, Added: Unknown, Storage: Unknown, Removed: Unknown})
	return i
}

func (r *Reader) executorAdded(s *scan) {
	e := Executor{Requested: Unknown, Added: Unknown, Storage: Unknown, Removed: Unknown}
	for k, ok := objectMember(s); ok; k, ok = s.member() {
		switch string(k) {
		case "Timestamp":
			e.Added = Millis(s.int(Unknown))
		case "Executor ID":
			e.ID = s.text()
		case "Executor Info":
			r.executorInfo(s, &e)
		default:
			s.skip()
		}
	}
	if s.err != nil || e.ID == "driver" && e.Cores == 0 {
		return
	}
	e.Added = r.seen(e.Added)
	i := r.executor([]byte(e.ID))
	was := &r.app.Executors[i]
	e.Storage, e.Removed, e.Why, e.End = was.Storage, was.Removed, was.Why, was.End
	*was = e
}

func (r *Reader) executorInfo(s *scan, e *Executor) {
	if !s.object() {
		return
	}
	logs := ""
	for k, ok := s.member(); ok; k, ok = s.member() {
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
			_, e.Container = texts(s, "NM_HOST", "CONTAINER_ID")
		case "Log Urls":
			logs = anyText(s)
		default:
			s.skip()
		}
	}
	if e.Container == "" { // before Spark 3.0 the container stands in the links only
		e.Container = containerIn(logs)
	}
}

func positive(v int64) Millis {
	if v <= 0 || v > maxMillis {
		return Unknown
	}
	return Millis(v)
}

// anyText returns the first value of an object of strings.
func anyText(s *scan) (first string) {
	if !s.object() {
		return ""
	}
	for _, ok := s.member(); ok; _, ok = s.member() {
		if first == "" {
			first = s.text()
		} else {
			s.skip()
		}
	}
	return first
}

// containerIn finds a YARN container id in a link to its log.
func containerIn(link string) string {
	i := strings.Index(link, "container_")
	if i < 0 {
		return ""
	}
	id, _, _ := strings.Cut(link[i:], "/")
	return id
}

func (r *Reader) executorRemoved(s *scan) {
	id, why, t := "", "", int64(Unknown)
	for k, ok := objectMember(s); ok; k, ok = s.member() {
		switch string(k) {
		case "Timestamp":
			t = s.int(Unknown)
		case "Executor ID":
			id = s.text()
		case "Removed Reason":
			why = s.text()
		default:
			s.skip()
		}
	}
	if s.err != nil || id == "driver" {
		return
	}
	e := &r.app.Executors[r.executor([]byte(id))]
	e.Removed, e.Why, e.End = r.seen(Millis(t)), r.shared([]byte(clip(why))), endOf(why)
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
	for k, ok := objectMember(s); ok; k, ok = s.member() {
		switch string(k) {
		case "Timestamp":
			t = s.int(Unknown)
		case "Block Manager ID":
			id, _ = texts(s, "Executor ID", "Host")
		default:
			s.skip()
		}
	}
	if s.err != nil {
		return
	}
	if id == "driver" {
		r.app.Ready = r.seen(Millis(t))
		return
	}
	if i, ok := r.execs[id]; ok {
		r.app.Executors[i].Storage = r.seen(Millis(t))
	}
}
