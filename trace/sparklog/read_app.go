package sparklog

import "math"

// appEvent takes in LogStart, ApplicationStart and ApplicationEnd.
func (r *Reader) appEvent(e event, s *scan) {
	var version, name, id, user, attempt, host, container string
	t, exit := int64(Unknown), int64(0)
	for k, ok := objectMember(s); ok; k, ok = s.member() {
		switch string(k) {
		case "ExitCode":
			exit = s.int(0)
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
			host, container = texts(s, "NM_HOST", "CONTAINER_ID")
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
		r.app.End, r.app.ExitCode = r.seen(Millis(t)), int32(min(max(exit, math.MinInt32), math.MaxInt32))
	case evAppStart:
		a := &r.app
		if r.started {
			r.second = &SecondStartError{File: r.name, Line: r.line, First: a.ID, Second: id}
			return
		}
		r.started = true
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

// texts reads two members of an object by their names: the host and the container of a
// driver's or an executor's attributes, which YARN gives, or who a block manager is.
func texts(s *scan, first, second string) (a, b string) {
	if !s.object() {
		return
	}
	for k, ok := s.member(); ok; k, ok = s.member() {
		switch string(k) {
		case first:
			a = s.text()
		case second:
			b = s.text()
		default:
			s.skip()
		}
	}
	return a, b
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
			others = append(others, p.executor(resources(s))...)
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
	p.TasksByOther = tasksBy(others, perTask)
	if i, ok := r.profiles[p.ID]; ok {
		r.app.Profiles[i] = p
		return
	}
	r.profiles[p.ID] = int32(len(r.app.Profiles))
	r.app.Profiles = append(r.app.Profiles, p)
}

// executor takes in what an executor of the profile asks for and returns the
// resources that have no field.
func (p *Profile) executor(asked []resource) (others []resource) {
	for _, q := range asked {
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
	return others
}

// tasksBy returns how many tasks of an executor run at a time by the scarcest of
// its resources beside cores and memory; 0 where none is shared by tasks.
func tasksBy(executor, task []resource) int64 {
	var least int64
	for _, t := range task {
		for _, q := range executor {
			if q.name == t.name && t.amount > 0 {
				n := max(1, int64(q.amount/t.amount+1e-9))
				if least == 0 || n < least {
					least = n
				}
			}
		}
	}
	return least
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
