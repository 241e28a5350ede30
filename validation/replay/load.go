// Package replay holds the simulator against what was recorded: a real YARN
// run in a folder of tables (decisions, replay, prediction), or a job trace
// with its recorded completion times.
package replay

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"schedtune/internal/fileio"
	"schedtune/simcore"
	"schedtune/trace/runlog"
	"schedtune/yarnconf"
)

// Run is one recorded run. Times are from the run's time zero; missing ones
// are simcore.Never.
type Run struct {
	Dir, Name string
	Scenario  Scenario
	Nodes     []Node
	Jobs      []*Job
	Beats     []Beat // node heartbeats at the ResourceManager, ascending
	Queues    *yarnconf.Document
	Notes     []string // files that are missing and what replaces them
	shared    bool     // all nodes are one machine
	located   bool     // some job reads files
	calls     *Settled // once decisions have been compared
}

// Scenario is what was asked of the cluster.
type Scenario struct {
	Name   string          `json:"run"`
	Nodes  []ScenarioNode  `json:"nodes"`
	Jobs   []ScenarioJob   `json:"jobs"`
	Events []ScenarioEvent `json:"events"` // nodes that come and go, as planned
}

// Node is a NodeManager.
type Node struct {
	Name, Host string
	Port       int
	MiB        int64
	VCores     int64
	Rack       string
	Stays      runlog.Stays // nil = there all the time
}

// Beat is a heartbeat of a node.
type Beat struct {
	At   simcore.Time
	Node int32
}

// Job is a recorded job.
type Job struct {
	ID, Name, Queue, User        string
	Maps, Reduces                int32
	Slowstart                    float64
	Planned, Submit, AMAllocated simcore.Time
	Registered, LastTask, Finish simcore.Time
	Unregistered, Released       simcore.Time
	Containers                   []*Container // by attempt and ordinal (AM = 0)
	Tries                        []Try        // application attempts; nil = one
	oneOf                        bool         // only one of them, see views
	MapMiB, ReduceMiB, AMMiB     int64
	Executors                    bool  // containers besides the AM's are EXECUTOR, not MAP and REDUCE
	stamp, number                int64 // in its id; 0 where that is not job_STAMP_NUMBER
}

// Container is a recorded container and, if it ran one, its attempt.
type Container struct {
	ID                                          string
	Ordinal, Try                                int32  // Try: the application attempt, from 0
	Kind                                        string // AM, MAP, REDUCE, UNUSED
	Node                                        int32
	Task                                        int32 // index among the job's tasks of the kind, -1 = none
	Status                                      string
	MiB                                         int64
	Allocated, Acquired, StartRequest, Released simcore.Time
	Localised, Exec, Exited                     simcore.Time
	Up, Shuffled, Sorted, Finished              simcore.Time
	// Of a container that may end without its node: when the node said that its
	// process had started, and when it was gone. Never = its space is free at its end.
	Running, Gone simcore.Time
	Over          simcore.Time // when it ended without its node, which tells later that its process is gone; 0 = not
	VCores        int64
	End, Exit     string       // of Spark's runs: how the ResourceManager had it end, and with what exit status
	ToldEnd       simcore.Time // likewise: when the master heard of its end
	attempt       string
	rmRunning     simcore.Time // when the ResourceManager heard of its process
	nmDone        simcore.Time // when the node had cleared up behind it
}

// Load reads a run's folder. scenario.json, jobs.csv, tasks.csv,
// containers.csv and capacity-scheduler.xml are required; for the rest Notes
// says what is missing and what follows.
func Load(dir string) (*Run, error) {
	r := &Run{Dir: dir, Name: filepath.Base(filepath.Clean(dir))}
	steps := []func() error{r.loadScenario, r.loadNodes, r.loadStays, r.loadJobs, r.loadContainers, r.loadTasks,
		r.validate, r.loadBeats, r.loadQueues}
	for _, f := range steps {
		if err := f(); err != nil {
			return nil, err
		}
	}
	r.located = r.shared && slices.ContainsFunc(r.Jobs, r.readsFiles)
	return r, nil
}

func (r *Run) note(format string, args ...any) {
	r.Notes = append(r.Notes, fmt.Sprintf(format, args...))
}

func (r *Run) path(name string) string { return filepath.Join(r.Dir, name) }

// LoadCluster reads what runs of every kind have: nodes, their heartbeats, and the queue
// file with the cluster's other settings.
func (r *Run) LoadCluster() error {
	for _, f := range []func() error{r.loadNodes, r.validateNodes, r.loadBeats, r.loadQueues} {
		if err := f(); err != nil {
			return err
		}
	}
	return nil
}

func (r *Run) loadScenario() error { return runlog.JSON(r.Dir, "scenario.json", &r.Scenario) }

// containers yields those of all jobs.
func (r *Run) containers() iter.Seq2[*Job, *Container] {
	return func(yield func(*Job, *Container) bool) {
		for _, j := range r.Jobs {
			for _, c := range j.Containers {
				if !yield(j, c) {
					return
				}
			}
		}
	}
}

// table calls f for each row of a table; which columns there are is up to the
// recorder.
func (r *Run) table(name string, f func(*runlog.Row) error) error {
	return runlog.Table(r.Dir, name, nil, f)
}

func (r *Run) loadNodes() error {
	err := r.table("nodes.csv", func(w *runlog.Row) error {
		host, port, _ := strings.Cut(w.Str("node_id"), ":")
		p, _ := strconv.Atoi(port)
		rack := w.Str("rack")
		if rack == "" {
			rack = "/default-rack"
		}
		r.Nodes = append(r.Nodes, Node{w.Str("node"), host, p, w.Int("mib", 0), max(w.Int("vcores", 0), 1), rack, nil})
		return nil
	})
	if err == nil && len(r.Nodes) == 0 {
		err = fmt.Errorf("%s: no nodes", r.path("nodes.csv"))
	}
	r.shared = !slices.ContainsFunc(r.Nodes, func(n Node) bool { return n.Host != r.Nodes[0].Host })
	return err
}

// NodeIndex returns the index of a node, -1 if there is none of that name.
func (r *Run) NodeIndex(name string) int32 {
	return int32(slices.IndexFunc(r.Nodes, func(n Node) bool { return n.Name == name }))
}

func (r *Run) loadJobs() error {
	err := r.table("jobs.csv", func(w *runlog.Row) error {
		slow, err := strconv.ParseFloat(w.Str("slowstart"), 64)
		if err != nil {
			slow = -1
		}
		r.Jobs = append(r.Jobs, &Job{ID: w.Str("job"), Name: w.Str("name"), Queue: w.Str("queue"), User: w.Str("user"),
			Maps: int32(w.Int("maps", 0)), Reduces: int32(w.Int("reduces", 0)), Slowstart: slow,
			Planned: w.At("planned_submit_ms"), Submit: w.At("submit_ms"), AMAllocated: w.At("am_allocated_ms"),
			Registered: w.At("am_registered_ms"), LastTask: w.At("last_task_finish_ms"),
			Finish: w.At("finish_ms"), Unregistered: w.At("rm_finish_ms"), Released: w.At("am_released_ms")})
		return nil
	})
	if err != nil {
		return err
	}
	slices.SortStableFunc(r.Jobs, func(a, b *Job) int { return int(a.Submit - b.Submit) })
	for _, j := range r.Jobs {
		if j.Finish == simcore.Never {
			j.Finish = j.Unregistered
		}
		if j.Submit == simcore.Never || j.Finish == simcore.Never {
			return fmt.Errorf("%s: job %s has no submission or no end", r.path("jobs.csv"), j.ID)
		}
		j.stamp, j.number = jobNumber(j.ID)
		if s := r.scenario(j.Name); s != nil {
			j.MapMiB, j.ReduceMiB, j.AMMiB = s.MapMiB, s.ReduceMiB, s.AMMiB
			if s.Maps > 0 { // the table may count attempts
				j.Maps, j.Reduces = s.Maps, s.Reduces
			}
		}
	}
	if len(r.Jobs) == 0 {
		return fmt.Errorf("%s: no jobs", r.path("jobs.csv"))
	}
	return nil
}

// jobNumber reads job_STAMP_NUMBER, 0 and 0 where the id has another form. The
// ResourceManager gives numbers out before jobs are submitted, and goes by them
// where it takes first what came first.
func jobNumber(id string) (stamp, number int64) {
	f := strings.Split(id, "_")
	if len(f) != 3 || f[0] != "job" {
		return 0, 0
	}
	stamp, err := strconv.ParseInt(f[1], 10, 64)
	if err != nil || stamp <= 0 {
		return 0, 0
	}
	if number, err = strconv.ParseInt(f[2], 10, 64); err != nil || number <= 0 {
		return 0, 0
	}
	return stamp, number
}

func (r *Run) scenario(name string) *ScenarioJob {
	if i := slices.IndexFunc(r.Scenario.Jobs, func(s ScenarioJob) bool { return s.Name == name }); i >= 0 {
		return &r.Scenario.Jobs[i]
	}
	return nil
}

// Find returns the first element of a list that satisfies is, nil if there is none.
func Find[T any](list []*T, is func(*T) bool) *T {
	if i := slices.IndexFunc(list, is); i >= 0 {
		return list[i]
	}
	return nil
}

func (r *Run) job(id string) *Job { return Find(r.Jobs, func(j *Job) bool { return j.ID == id }) }

// Master returns the container of the job's first application master, nil if it is not recorded.
func (j *Job) Master() *Container {
	return Find(j.Containers, func(c *Container) bool { return c.Kind == "AM" })
}

// Container returns an allocated container of the job by its id, nil if there is none.
func (j *Job) Container(id string) *Container {
	return Find(j.Containers, func(c *Container) bool { return c.ID == id })
}

func (r *Run) loadBeats() error {
	err := r.table("heartbeats.csv", func(w *runlog.Row) error {
		if n := r.NodeIndex(w.Str("node")); n >= 0 {
			r.Beats = append(r.Beats, Beat{w.At("t_ms"), n})
		}
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		r.note("no heartbeats.csv: heartbeat phases are drawn, decisions cannot be compared")
		return nil
	}
	slices.SortStableFunc(r.Beats, func(a, b Beat) int { return int(a.At - b.At) })
	for i := 1; i < len(r.Beats); i++ { // equal milliseconds keep the record's order
		r.Beats[i].At = max(r.Beats[i].At, r.Beats[i-1].At+simcore.Microsecond)
	}
	r.lastSigns()
	return err
}

// loadQueues reads the queue file, with the cluster's other settings behind it.
func (r *Run) loadQueues() error {
	doc, err := yarnconf.Load(r.path("capacity-scheduler.xml"))
	if err != nil {
		return err
	}
	site, err := r.settings()
	if err != nil {
		return err
	}
	r.Queues = doc.WithSite(site)
	return nil
}

func (r *Run) settings() (*yarnconf.Document, error) {
	for _, name := range []string{"settings.xml", "settings-effective.xml"} {
		in, err := runlog.Open(r.Dir, name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		b, err := fileio.ReadAll(in, fileio.Small)
		in.Close()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.path(name), err)
		}
		return yarnconf.Parse(r.path(name), b)
	}
	unit := r.unit()
	r.note("no settings.xml: the minimum allocation is taken as %d MiB, the largest that divides all container sizes, "+
		"the maximum as a node", unit)
	return yarnconf.Parse("inferred", fmt.Appendf(nil, `<configuration>
<property><name>yarn.scheduler.minimum-allocation-mb</name><value>%d</value></property>
<property><name>yarn.scheduler.maximum-allocation-mb</name><value>%d</value></property>
</configuration>`, unit, r.Nodes[0].MiB))
}

func (r *Run) unit() int64 {
	unit := int64(0)
	for _, c := range r.containers() {
		for b := c.MiB; b > 0; {
			unit, b = b, unit%b
		}
	}
	return max(unit, 1)
}
