package sparklog

import (
	"fmt"
	"math"

	"schedtune/internal/fileio"
)

type logStart struct {
	Version text `json:"Spark Version"`
}

func (r *Reader) logStart(e *logStart) { // also at the head of each part of a rolling log
	r.app.Version = string(e.Version)
}

type appStart struct {
	Name    text `json:"App Name"`
	ID      text `json:"App ID"`
	User    text `json:"User"`
	Attempt text `json:"App Attempt ID"`
	At      num  `json:"Timestamp"`
	Driver  struct {
		Host      text `json:"NM_HOST"`
		Container text `json:"CONTAINER_ID"`
	} `json:"Driver Attributes"`
}

func (r *Reader) appStart(e *appStart) {
	if !r.begin(string(e.ID)) {
		return
	}
	a := &r.app
	a.ID, a.Name, a.User, a.Attempt = string(e.ID), string(e.Name), string(e.User), string(e.Attempt)
	a.DriverHost, a.DriverContainer, a.Start = string(e.Driver.Host), string(e.Driver.Container), r.at(e.At)
}

// begin notes the start of an application; false for a second one.
func (r *Reader) begin(id string) bool {
	if r.started {
		r.second = &fileio.FileError{File: r.name, Line: r.line,
			Reason: fmt.Sprintf("application %s starts in the log of %s: must be the log of one application, each in a file "+
				"or a rolling folder of its own", id, r.app.ID)}
		return false
	}
	r.started = true
	return true
}

type appEnd struct {
	At       num `json:"Timestamp"`
	ExitCode num `json:"ExitCode"`
}

func (r *Reader) appEnd(e *appEnd) {
	r.app.End, r.app.ExitCode = r.at(e.At), int32(min(max(e.ExitCode.V, math.MinInt32), math.MaxInt32))
}

type environment struct {
	Properties map[string]text `json:"Spark Properties"`
}

func (r *Reader) environment(e *environment) {
	if e.Properties == nil {
		return
	}
	r.app.Conf = map[string]string{}
	for name, v := range e.Properties {
		if keep(name) {
			r.app.Conf[name] = string(v)
		}
	}
}

type profileAdded struct {
	ID       num               `json:"Resource Profile Id"`
	Executor map[string]amount `json:"Executor Resource Requests"`
	Task     map[string]amount `json:"Task Resource Requests"`
}

// amount is what an executor has of a resource, or a task takes.
type amount struct{ Amount float64 }

func (r *Reader) profile(e *profileAdded) {
	p := newProfile(int32(e.ID.Or(0)), e.Executor, e.Task)
	if i, ok := r.profiles[p.ID]; ok {
		r.app.Profiles[i] = p
		return
	}
	r.profiles[p.ID] = int32(len(r.app.Profiles))
	r.app.Profiles = append(r.app.Profiles, p)
}

// newProfile returns the profile of these resources by their names.
func newProfile(id int32, executor, task map[string]amount) Profile {
	of := func(name string) int64 { return int64(min(max(executor[name].Amount, 0), 1<<40)) }
	p := Profile{ID: id, Cores: of("cores"), Memory: of("memory"), Overhead: Unknown, OffHeap: of("offHeap"),
		PySpark: of("pyspark.memory"), TaskCPUs: min(max(task["cpus"].Amount, 0), 1<<50)}
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
