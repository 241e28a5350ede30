package snapshot

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"schedtune/internal/fileio"
	"schedtune/internal/rm"
	"schedtune/simcore/yarn"
	"schedtune/trace/sparklog"
)

// State is what the web services told. Times are milliseconds since the epoch.
type State struct {
	Now  int64
	Gone int   // applications that run and whose containers are not known
	Apps []App // by the number in their ids
}

// App is an application that waits or runs.
type App struct {
	ID, Name, User, Queue, Type string
	Stamp, Number               int64 // of its id
	Priority                    int32
	Label, TaskLabel            string // of its master, and of what it asks for next
	Started                     int64  // submitted
	Asked                       int64  // when its containers were listed; 0: not known
	Registered                  bool   // its master asks
	Ending                      bool   // its master is done
	Activated                   bool   // without a master, past the limits on masters
	Diagnostics                 string // the ResourceManager's words on what it waits for
	Containers                  []Container
	Asks                        []Ask
	Master                      *Master            // what a MapReduce master tells; nil: nothing
	Driver                      *sparklog.Progress // what a Spark driver tells; nil: nothing
}

// Waits reports whether the application has no container.
func (a *App) Waits() bool { return len(a.Containers) == 0 }

// Container is a running container.
type Container struct {
	Node     string // host:port
	Number   int64  // within its application; the master's is the lowest
	Size     yarn.Resource
	Priority int32
	Since    int64 // allocated
}

// Ask is a pending request for any node.
type Ask struct {
	Priority int32
	Size     yarn.Resource
	Count    int32
}

// Master is what the master of a MapReduce job tells. Entries are by simcore.Kind.
type Master struct {
	Total     [2]int32
	Size      [2]yarn.Resource // zero: not told
	Slowstart float64          // negative: not told
	Tasks     [2][]Task
}

// Task is a task that began; Finish is 0 while it runs.
type Task struct {
	Start, Finish int64
}

type containerAnswer struct {
	ID       string      `json:"containerId"`
	MiB      json.Number `json:"allocatedMB"`
	VCores   json.Number `json:"allocatedVCores"`
	Node     string      `json:"nodeId"`
	Assigned string      `json:"assignedNodeId"`
	Priority json.Number `json:"priority"`
	Started  json.Number `json:"startedTime"` // a string where the list has one entry
	Elapsed  json.Number `json:"elapsedTime"` // likewise
}

type masterAnswer struct {
	Job struct {
		Maps    int32 `json:"mapsTotal"`
		Reduces int32 `json:"reducesTotal"`
	} `json:"job"`
	Tasks []struct {
		Type   string `json:"type"`
		State  string `json:"state"`
		Start  int64  `json:"startTime"`
		Finish int64  `json:"finishTime"`
	} `json:"tasks"`
	Conf map[string]string `json:"conf"`
}

// errNone is a folder that does not hold what ran at the moment of the pull.
var errNone = errors.New("the folder does not tell what ran at the moment of the pull; use one that tune pull of " +
	"this version wrote")

// read reads a pulled folder. Errors name the file; errNone where the folder has none.
func read(dir string) (*State, error) {
	if _, err := os.Stat(dir); err != nil {
		return nil, fileio.OpenError(dir, err, "a folder of tune pull")
	}
	var data [3][]byte
	var names [3]string
	for i, name := range [3]string{rm.FileNowApps, rm.FileNowContainers, rm.FileNowMasters} {
		var err error
		names[i] = filepath.Join(dir, name)
		data[i], err = fileio.ReadFile(names[i], fileio.Table)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s: %w", names[i], errNone)
		}
		if err != nil {
			return nil, err
		}
	}
	s, err := parse(names, data)
	if err != nil {
		return nil, err
	}
	return s, s.withDrivers(filepath.Join(dir, rm.FileNowDrivers))
}

// parse reads the three files.
func parse(names [3]string, data [3][]byte) (*State, error) {
	apps, err := rm.ParseApps(data[0])
	if err != nil {
		return nil, fmt.Errorf("%s: %w", names[0], err)
	}
	var containers map[string][]containerAnswer
	var masters map[string]*masterAnswer
	for i, into := range [...]any{&containers, &masters} {
		if err := json.Unmarshal(data[i+1], into); err != nil {
			return nil, fmt.Errorf("%s: %w", names[i+1], err)
		}
	}
	s := &State{}
	tasks := int64(0)
	for i := range apps {
		a := &apps[i]
		app, err := readApp(a, containers[a.ID], masters[a.ID])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", names[0], err)
		}
		if app.Registered && app.Waits() {
			s.Gone++
			continue
		}
		tasks += app.tasks()
		s.Now = max(s.Now, a.Started+a.Elapsed)
		s.Apps = append(s.Apps, app)
	}
	if tasks > mostTasks {
		return nil, fmt.Errorf("%s: the applications have %d tasks: must be at most %d", names[0], tasks, mostTasks)
	}
	slices.SortStableFunc(s.Apps, func(a, b App) int {
		return cmp.Or(cmp.Compare(a.Stamp, b.Stamp), cmp.Compare(a.Number, b.Number))
	})
	for i := 1; i < len(s.Apps); i++ {
		if s.Apps[i].ID == s.Apps[i-1].ID {
			return nil, fmt.Errorf("%s: application %s is there twice: must be once", names[0], s.Apps[i].ID)
		}
	}
	return s, nil
}

// mostTasks bounds the tasks of all applications.
const mostTasks = 1 << 24

// tasks counts what an application has and asks for.
func (a *App) tasks() int64 {
	n := int64(len(a.Containers))
	for _, x := range a.Asks {
		n += int64(x.Count)
	}
	if a.Master != nil {
		n += int64(a.Master.Total[0]) + int64(a.Master.Total[1])
	}
	return n
}

// maxTime bounds times of answers: the year 2200.
const maxTime = 7_258_118_400_000

func readApp(a *rm.App, containers []containerAnswer, m *masterAnswer) (App, error) {
	out := App{ID: a.ID, Name: a.Name, User: a.User, Queue: a.Queue, Type: a.Type, Priority: a.Priority,
		Started: a.Started}
	f := strings.Split(a.ID, "_")
	if len(f) != 3 || f[0] != "application" {
		return out, fmt.Errorf("application %q; use an id application_TIME_NUMBER", a.ID)
	}
	out.Stamp, _ = strconv.ParseInt(f[1], 10, 64)
	out.Number, _ = strconv.ParseInt(f[2], 10, 64)
	if a.Started <= 0 || a.Started > maxTime || a.Elapsed < 0 || a.Elapsed > maxTime {
		return out, fmt.Errorf("%s: startedTime %d, elapsedTime %d; use milliseconds since 1970", a.ID, a.Started, a.Elapsed)
	}
	out.Label, out.TaskLabel, out.Diagnostics = rm.Partition(a.AMLabel), rm.Partition(a.AMLabel), a.Diagnostics
	out.Registered = a.State == "RUNNING"
	out.Ending = a.Final != "" && a.Final != "UNDEFINED"
	out.Activated = strings.Contains(a.Diagnostics, "is Activated")
	for _, x := range a.Asks {
		if x.Where == "*" && x.Count > 0 {
			if out.TaskLabel = rm.Partition(x.Label); !out.Registered {
				out.TaskLabel = out.Label
			}
			out.Asks = append(out.Asks, Ask{x.Priority, yarn.Resource(x.Capability), min(x.Count, maxAsked)})
		}
	}
	for i := range containers {
		c, err := readContainer(&containers[i], a.Started)
		if err != nil {
			return out, fmt.Errorf("%s: %w", a.ID, err)
		}
		out.Containers = append(out.Containers, c)
		if elapsed, _ := containers[i].Elapsed.Int64(); elapsed > 0 && elapsed <= maxTime {
			out.Asked = max(out.Asked, c.Since+elapsed)
		}
	}
	slices.SortFunc(out.Containers, func(x, y Container) int { return cmp.Compare(x.Number, y.Number) })
	out.granted(a.Started + a.Elapsed)
	out.Master = readMaster(m)
	return out, nil
}

// granted takes off the requests, which were read at an instant, what containers that
// came after it have met.
func (a *App) granted(told int64) {
	for _, c := range a.Containers {
		for k := range a.Asks {
			if x := &a.Asks[k]; c.Since > told && x.Priority == c.Priority && x.Size == c.Size && x.Count > 0 {
				x.Count--
				break
			}
		}
	}
	a.Asks = slices.DeleteFunc(a.Asks, func(x Ask) bool { return x.Count == 0 })
}

// maxAsked bounds the containers that one application is taken to ask for.
const maxAsked = 1 << 20

func readContainer(c *containerAnswer, submitted int64) (Container, error) {
	number, err := strconv.ParseInt(c.ID[strings.LastIndexByte(c.ID, '_')+1:], 10, 64)
	mib, errM := c.MiB.Int64()
	cores, errC := c.VCores.Int64()
	if err != nil || errM != nil || errC != nil || mib <= 0 || cores < 0 {
		return Container{}, fmt.Errorf("container %q of %s MiB and %s cores; use an id that ends in _NUMBER, and sizes "+
			"above 0", c.ID, c.MiB, c.VCores)
	}
	priority, _ := c.Priority.Int64()
	started, _ := c.Started.Int64()
	return Container{Node: cmp.Or(c.Assigned, c.Node), Number: number, Size: yarn.Resource{Memory: mib, VCores: cores},
		Priority: int32(priority), Since: min(max(started, submitted), maxTime)}, nil
}

func readMaster(m *masterAnswer) *Master {
	if m == nil {
		return nil
	}
	out := &Master{Total: [2]int32{min(max(m.Job.Maps, 0), maxAsked), min(max(m.Job.Reduces, 0), maxAsked)}, Slowstart: -1}
	if v, err := strconv.ParseFloat(m.Conf["mapreduce.job.reduce.slowstart.completedmaps"], 64); err == nil && v >= 0 &&
		v <= 1 {
		out.Slowstart = v
	}
	for k, kind := range [2]string{"map", "reduce"} {
		mib, _ := strconv.ParseInt(m.Conf["mapreduce."+kind+".memory.mb"], 10, 64)
		cores, _ := strconv.ParseInt(m.Conf["mapreduce."+kind+".cpu.vcores"], 10, 64)
		if mib > 0 {
			out.Size[k] = yarn.Resource{Memory: mib, VCores: max(cores, 1)}
		}
	}
	for _, t := range m.Tasks {
		k := 0
		if t.Type == "REDUCE" {
			k = 1
		}
		switch {
		case t.State == "SUCCEEDED" && t.Start > 0 && t.Finish >= t.Start:
			out.Tasks[k] = append(out.Tasks[k], Task{t.Start, t.Finish})
		case t.State == "RUNNING" && t.Start > 0:
			out.Tasks[k] = append(out.Tasks[k], Task{Start: t.Start})
		}
	}
	return out
}
