package sparklog

import (
	"fmt"
	"math"

	"schedtune/internal/fileio"
)

func (r *Reader) logStart(s *scan) {
	if v := s.texts("Spark Version"); s.err == nil { // also at the head of each part of a rolling log
		r.app.Version = v[0]
	}
}

func (r *Reader) appStart(s *scan) {
	a := App{Start: Unknown}
	for k, ok := s.object(); ok; k, ok = s.member() {
		switch string(k) {
		case "App Name":
			a.Name = s.text()
		case "App ID":
			a.ID = s.text()
		case "User":
			a.User = s.text()
		case "App Attempt ID":
			a.Attempt = s.text()
		case "Timestamp":
			a.Start = Millis(s.int(Unknown))
		case "Driver Attributes":
			v := s.texts("NM_HOST", "CONTAINER_ID")
			a.DriverHost, a.DriverContainer = v[0], v[1]
		}
	}
	b := &r.app
	switch {
	case s.err != nil:
		return
	case r.started:
		r.second = &fileio.FileError{File: r.name, Line: r.line,
			Reason: fmt.Sprintf("application %s starts in the log of %s: must be the log of one application, each in a file "+
				"or a rolling folder of its own", a.ID, b.ID)}
		return
	}
	r.started = true
	b.ID, b.Name, b.User, b.Attempt, b.DriverHost, b.DriverContainer = a.ID, a.Name, a.User, a.Attempt, a.DriverHost,
		a.DriverContainer
	b.Start = r.seen(a.Start)
}

func (r *Reader) appEnd(s *scan) {
	v := s.texts("Timestamp", "ExitCode")
	t, exit := s.number(v[0], Unknown), s.number(v[1], 0)
	if s.err == nil {
		r.app.End, r.app.ExitCode = r.seen(Millis(t)), int32(min(max(exit, math.MinInt32), math.MaxInt32))
	}
}

func (r *Reader) environment(s *scan) {
	var conf map[string]string
	for k, ok := s.object(); ok; k, ok = s.member() {
		if string(k) != "Spark Properties" || !s.enter('{') {
			continue
		}
		conf = map[string]string{}
		for name, ok := s.member(); ok; name, ok = s.member() {
			if keep(name) {
				conf[string(name)] = s.text()
			}
		}
	}
	if s.err == nil && conf != nil {
		r.app.Conf = conf
	}
}

func (r *Reader) profile(s *scan) {
	id := int32(0)
	var executor, task map[string]amount
	for k, ok := s.object(); ok; k, ok = s.member() {
		switch string(k) {
		case "Resource Profile Id":
			id = int32(s.int(0))
		case "Executor Resource Requests":
			executor = amounts(s)
		case "Task Resource Requests":
			task = amounts(s)
		}
	}
	if s.err != nil {
		return
	}
	p := newProfile(id, executor, task)
	if i, ok := r.profiles[id]; ok {
		r.app.Profiles[i] = p
		return
	}
	r.profiles[id] = int32(len(r.app.Profiles))
	r.app.Profiles = append(r.app.Profiles, p)
}

// amount is what an executor has of a resource, or a task takes.
type amount struct{ Amount float64 }

func amounts(s *scan) map[string]amount {
	list := map[string]amount{}
	for name, ok := s.object(); ok; name, ok = s.member() {
		var a amount
		for k, ok := s.object(); ok; k, ok = s.member() {
			if string(k) == "Amount" {
				a.Amount = min(max(s.float(), 0), 1<<50)
			}
		}
		list[string(name)] = a
	}
	return list
}

// newProfile returns the profile of these resources by their names.
func newProfile(id int32, executor, task map[string]amount) Profile {
	of := func(name string) int64 { return int64(min(max(executor[name].Amount, 0), 1<<40)) }
	p := Profile{ID: id, Cores: of("cores"), Memory: of("memory"), Overhead: Unknown, OffHeap: of("offHeap"),
		PySpark: of("pyspark.memory"), TaskCPUs: task["cpus"].Amount}
	if _, ok := executor["memoryOverhead"]; ok {
		p.Overhead = of("memoryOverhead")
	}
	for name, t := range task {
		if e, ok := executor[name]; ok && name != "cpus" && t.Amount > 0 {
			n := max(1, int64(min(e.Amount/t.Amount+1e-9, 1<<30)))
			if p.TasksByOther == 0 || n < p.TasksByOther { // the scarcest bounds the tasks
				p.TasksByOther = n
			}
		}
	}
	return p
}
