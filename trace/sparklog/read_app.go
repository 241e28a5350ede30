package sparklog

import (
	"strconv"
	"strings"
)

// appEvent takes in LogStart, ApplicationStart and ApplicationEnd.
func (r *Reader) appEvent(e event, s *scan) {
	var version, name, id, user, attempt, host, container string
	t := int64(Unknown)
	for k, ok := objectMember(s); ok; k, ok = s.member() {
		switch string(k) {
		case "Spark Version":
			version = s.text()
		case "App Name":
			name = s.text()
		case "App ID":
			id = s.text()
		case "User":
			user = s.text()
		case "App Attempt ID":
			attempt = s.text()
		case "Timestamp":
			t = s.int(Unknown)
		case "Driver Attributes":
			host, container = attributes(s)
		default:
			s.skip()
		}
	}
	if s.err != nil {
		return
	}
	switch e {
	case evLogStart: // also at the head of each part of a rolling log
		r.app.Version = version
	case evAppEnd:
		r.app.End = r.seen(Millis(t))
	case evAppStart:
		if r.app.ID != "" && r.app.ID != id {
			r.note(Dropped, "starts of a second application in the log of the first")
			return
		}
		a := &r.app
		a.ID, a.Name, a.User, a.Attempt, a.DriverHost, a.DriverContainer = id, name, user, attempt, host, container
		a.Start = r.seen(Millis(t))
	}
}

// objectMember enters the line's object and returns its first member.
func objectMember(s *scan) ([]byte, bool) {
	if !s.object() {
		return nil, false
	}
	return s.member()
}

// attributes reads the host and the container of a driver's or an executor's
// attributes, which YARN gives.
func attributes(s *scan) (host, container string) {
	if !s.object() {
		return
	}
	for k, ok := s.member(); ok; k, ok = s.member() {
		switch string(k) {
		case "NM_HOST":
			host = s.text()
		case "CONTAINER_ID":
			container = s.text()
		default:
			s.skip()
		}
	}
	return host, container
}

func (r *Reader) environment(s *scan) {
	conf := map[string]string{}
	found := false
	for k, ok := objectMember(s); ok; k, ok = s.member() {
		if string(k) != "Spark Properties" {
			s.skip()
			continue
		}
		if !s.object() {
			continue
		}
		found = true
		for name, ok := s.member(); ok; name, ok = s.member() {
			if keep(name) {
				conf[string(name)] = s.text()
			} else {
				s.skip()
			}
		}
	}
	if s.err == nil && found {
		r.app.Conf = conf
	}
}

func (r *Reader) profile(s *scan) {
	p := Profile{Overhead: Unknown}
	var others, perTask []resource
	for k, ok := objectMember(s); ok; k, ok = s.member() {
		switch string(k) {
		case "Resource Profile Id":
			p.ID = int32(s.int(0))
		case "Executor Resource Requests":
			for _, q := range resources(s) {
				switch q.name {
				case "cores":
					p.Cores = int64(q.amount)
				case "memory":
					p.Memory = int64(q.amount)
				case "memoryOverhead":
					p.Overhead = int64(q.amount)
				case "offHeap":
					p.OffHeap = int64(q.amount)
				case "pyspark.memory":
					p.PySpark = int64(q.amount)
				default:
					others = append(others, q)
				}
			}
		case "Task Resource Requests":
			for _, q := range resources(s) {
				if q.name == "cpus" {
					p.TaskCPUs = q.amount
				} else {
					perTask = append(perTask, q)
				}
			}
		default:
			s.skip()
		}
	}
	if s.err != nil {
		return
	}
	for _, t := range perTask {
		for _, q := range others {
			if q.name == t.name && t.amount > 0 {
				n := max(1, int64(q.amount/t.amount+1e-9))
				if p.TasksByOther == 0 || n < p.TasksByOther {
					p.TasksByOther = n
				}
			}
		}
	}
	if i, ok := r.profiles[p.ID]; ok {
		r.app.Profiles[i] = p
		return
	}
	r.profiles[p.ID] = int32(len(r.app.Profiles))
	r.app.Profiles = append(r.app.Profiles, p)
}

// resource is an amount that an executor has or a task takes.
type resource struct {
	name   string
	amount float64
}

func resources(s *scan) (list []resource) {
	if !s.object() {
		return nil
	}
	for name, ok := s.member(); ok; name, ok = s.member() {
		q := resource{name: string(name)}
		if !s.object() {
			continue
		}
		for k, ok := s.member(); ok; k, ok = s.member() {
			if string(k) == "Amount" {
				q.amount = min(max(s.float(), 0), 1<<50)
			} else {
				s.skip()
			}
		}
		list = append(list, q)
	}
	return list
}

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
	e.Storage, e.Removed = r.app.Executors[i].Storage, r.app.Executors[i].Removed
	r.app.Executors[i] = e
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
			_, e.Container = attributes(s)
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
			id, _ = blockManagerID(s)
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

func blockManagerID(s *scan) (executor, host string) {
	if !s.object() {
		return
	}
	for k, ok := s.member(); ok; k, ok = s.member() {
		switch string(k) {
		case "Executor ID":
			executor = s.text()
		case "Host":
			host = s.text()
		default:
			s.skip()
		}
	}
	return executor, host
}

// unpersist notes that a data set was dropped. The event has no time; it lies
// between the jobs around it.
func (r *Reader) unpersist(s *scan) {
	id := int64(Unknown)
	for k, ok := objectMember(s); ok; k, ok = s.member() {
		if string(k) == "RDD ID" {
			id = s.int(Unknown)
		} else {
			s.skip()
		}
	}
	if _, known := r.caches[int32(id)]; s.err == nil && known {
		r.dropped = append(r.dropped, int32(id))
	}
}

// blockUpdated counts the blocks of data sets that were kept. Broadcasts and
// shuffle blocks are passed over.
func (r *Reader) blockUpdated(s *scan) {
	rdd, bytes, replicas := int64(Unknown), int64(0), int64(0)
	for k, ok := objectMember(s); ok; k, ok = s.member() {
		if string(k) != "Block Updated Info" {
			s.skip()
			continue
		}
		if !s.object() {
			continue
		}
		for k, ok := s.member(); ok; k, ok = s.member() {
			switch string(k) {
			case "Block ID":
				rdd = rddOf(s.text())
			case "Memory Size", "Disk Size":
				bytes += s.int(0)
			case "Storage Level":
				_, _, replicas = storageLevel(s)
			default:
				s.skip()
			}
		}
	}
	if s.err != nil || rdd < 0 || replicas == 0 {
		return
	}
	if i, ok := r.caches[int32(rdd)]; ok {
		r.app.Caches[i].Blocks++
		r.app.Caches[i].Bytes += bytes
	}
}

// rddOf returns the data set of block rdd_SET_PARTITION.
func rddOf(block string) int64 {
	rest, ok := strings.CutPrefix(block, "rdd_")
	if !ok {
		return Unknown
	}
	id, _, _ := strings.Cut(rest, "_")
	v, err := strconv.ParseInt(id, 10, 32)
	if err != nil {
		return Unknown
	}
	return v
}

func storageLevel(s *scan) (memory, disk bool, replicas int64) {
	if !s.object() {
		return
	}
	for k, ok := s.member(); ok; k, ok = s.member() {
		switch string(k) {
		case "Use Memory":
			memory = s.bool()
		case "Use Disk":
			disk = s.bool()
		case "Use Off Heap":
			if s.bool() {
				memory = true
			}
		case "Replication":
			replicas = s.int(0)
		default:
			s.skip()
		}
	}
	return memory, disk, replicas
}
