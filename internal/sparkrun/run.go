// Package sparkrun reads recorded runs of real Spark applications on a real
// YARN: folders with the scenario, tables of what the driver, the application
// master, the ResourceManager and the NodeManagers did, in milliseconds.
package sparkrun

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"schedtune/internal/recorded"
	"schedtune/simcore"
	"schedtune/yarnconf"
)

// Run is one recorded run. Times count from its time zero; Never where nothing
// is recorded.
type Run struct {
	Name, Dir string
	Nodes     []Node
	Apps      []App // by time of submission
	Beats     []Beat
	Plan      Plan
	Queues    *yarnconf.Document // the queue file, with the cluster's other settings behind it
}

// Node is a NodeManager.
type Node struct {
	Name, Rack  string
	MiB, VCores int64
}

// Beat is a heartbeat of a node as the ResourceManager handles it.
type Beat struct {
	At   simcore.Time
	Node int32
}

// App is an application, of Spark or MapReduce.
type App struct {
	ID, Name, Kind, Queue, User                                 string
	Submit, Allocated, Registered, Context                      simcore.Time
	FirstTask, LastTask, Finish, Unregister, RMFinish, Released simcore.Time
	AMNode                                                      int32

	Settings simcore.SparkSettings
	Executor simcore.SparkExecutor
	Driver   simcore.Vec

	Jobs       []Job
	Stages     []Stage
	Tasks      []Task
	Executors  []Executor
	Targets    []Target
	Asks       []Ask
	Calls      []Call
	Containers []Container
}

// Job is a job of a Spark application.
type Job struct {
	ID          int32
	Group       string
	Submit, End simcore.Time
	Stages      []int32
}

// Stage is a stage attempt.
type Stage struct {
	ID, Attempt, Job int32
	Plan             string // place in the scenario
	Parents          []int32
	Tasks            int32
	Submit, Complete simcore.Time
	OutputsLost      int32
	ShuffleWritten   int64
}

// Task is a task attempt.
type Task struct {
	Kind                     string
	Stage, StageAttempt      int32
	Index, Attempt, Executor int32
	Node                     int32
	Locality, Status         string
	Launch, Finish           simcore.Time
	Asked, Ran               simcore.Time
	Written                  int64
	Speculative, OutputLost  bool
	Container                string
}

// Executor is one that the driver launched.
type Executor struct {
	ID, Node                                                     int32
	MiB                                                          int64
	Cores                                                        int32
	Allocated, Acquired, Launch, Started, Registered, Added      simcore.Time
	BlockManager, FirstTask, LastTask                            simcore.Time
	KillAsked, ReleaseAsked, ToldStop, Exited, Released, Removed simcore.Time
	Container, Reason, Status                                    string
}

// Target is a change of the number of executors wanted.
type Target struct {
	At     simcore.Time
	Source string // manager, timer, allocator
	Target int32
	Reason string
}

// Ask is one row of an application master's call, as the ResourceManager got it.
type Ask struct {
	At        simcore.Time
	Response  int32
	Kind      string
	Where     string
	Count     int32
	Container string
}

// Call is one heartbeat of an application master; its counts are those before
// the call's own changes.
type Call struct {
	At                                 simcore.Time
	Target, Pending, Running, Starting int32
	Response, Asks, Releases           int32
	Granted, Completed                 int32
}

// Container is one container of an application.
type Container struct {
	ID, Kind, Of, End                      string
	Node                                   int32
	MiB                                    int64
	Reserved, Allocated, Acquired, ToldEnd simcore.Time
	ReleaseAsked, Released, Preempted      simcore.Time
}

// Plan is the scenario: what was asked for.
type Plan struct {
	Run  string            `json:"run"`
	Note string            `json:"note"`
	Conf map[string]string `json:"spark_conf"`
	Jobs []PlanJob         `json:"jobs"`
}

// PlanJob is an application of the scenario.
type PlanJob struct {
	Name, Kind, Queue, User string
	SubmitMS                int64             `json:"submit_ms"`
	Conf                    map[string]string `json:"conf"`
	Steps                   []Step            `json:"steps"`

	Maps      int32   `json:"maps"`
	Reduces   int32   `json:"reduces"`
	MapMS     int64   `json:"map_ms"`
	ReduceMS  int64   `json:"reduce_ms"`
	Slowstart float64 `json:"slowstart"`
	MapMiB    int64   `json:"map_mib"`
	ReduceMiB int64   `json:"reduce_mib"`
	AMMiB     int64   `json:"am_mib"`
}

// Step is one step of an application's program: jobs side by side, a pause, or
// the end of a cached data set.
type Step struct {
	Jobs []struct {
		AfterMS int64  `json:"after_ms"`
		From    string `json:"from"`
		Stages  []struct {
			TaskMS []int64 `json:"task_ms"`
			KB     int64   `json:"kb"`
			Cache  string  `json:"cache"`
		} `json:"stages"`
	} `json:"jobs"`
	WaitMS    int64  `json:"wait_ms"`
	Unpersist string `json:"unpersist"`
}

// Load reads a run's folder.
func Load(dir string) (*Run, error) {
	r := &Run{Name: filepath.Base(dir), Dir: dir}
	if err := recorded.JSON(dir, "scenario.json", &r.Plan); err != nil {
		return nil, err
	}
	l := &loader{r: r, nodes: map[string]int32{}, apps: map[string]int32{}}
	for _, t := range []struct {
		name string
		f    func(row)
	}{
		{"nodes.csv", l.node}, {"jobs.csv", l.app}, {"sparkjobs.csv", l.job}, {"stages.csv", l.stage}, {"tasks.csv", l.task},
		{"executors.csv", l.executor}, {"targets.csv", l.target}, {"asks.csv", l.ask}, {"am-heartbeats.csv", l.call},
		{"containers.csv", l.container}, {"heartbeats.csv", l.beat},
	} {
		err := recorded.Table(dir, t.name, recorded.Every, func(w *recorded.Row) error { t.f(row{w}); return nil })
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	if err := l.settle(); err != nil {
		return nil, err
	}
	return r, r.loadQueues()
}

// loadQueues reads the queue file and the cluster's other settings.
func (r *Run) loadQueues() error {
	doc, err := yarnconf.Load(filepath.Join(r.Dir, "capacity-scheduler.xml"))
	if err != nil {
		return err
	}
	site, err := yarnconf.Load(filepath.Join(r.Dir, "settings.xml"))
	if err != nil {
		return err
	}
	r.Queues = doc.WithSite(site)
	return nil
}

// settle orders what was read and applies the scenario's settings.
func (l *loader) settle() error {
	r := l.r
	slices.SortStableFunc(r.Apps, func(a, b App) int { return cmp.Compare(a.Submit, b.Submit) })
	slices.SortStableFunc(r.Beats, func(a, b Beat) int { return cmp.Compare(a.At, b.At) })
	for i := range r.Apps {
		a := &r.Apps[i]
		if a.Kind != "spark" {
			continue
		}
		props := map[string]string{}
		for k, v := range r.Plan.Conf {
			props[k] = v
		}
		if p := r.Planned(a.Name); p != nil {
			for k, v := range p.Conf {
				props[k] = v
			}
		}
		var err error
		if a.Settings, a.Executor, a.Driver, err = simcore.SparkProperties(props); err != nil {
			return fmt.Errorf("%s: application %q: %w", filepath.Join(r.Dir, "scenario.json"), a.Name, err)
		}
	}
	return nil
}

// Planned returns the scenario's application of a name, nil if it has none.
func (r *Run) Planned(name string) *PlanJob {
	for i := range r.Plan.Jobs {
		if r.Plan.Jobs[i].Name == name {
			return &r.Plan.Jobs[i]
		}
	}
	return nil
}

type loader struct {
	r     *Run
	nodes map[string]int32
	apps  map[string]int32
	lost  App // rows of applications that jobs.csv does not have
}

func (l *loader) of(w row) *App {
	if i, ok := l.apps[w.Str("app")]; ok {
		return &l.r.Apps[i]
	}
	return &l.lost
}

func (l *loader) nodeOf(w row, col string) int32 {
	if n, ok := l.nodes[w.Str(col)]; ok {
		return n
	}
	return -1
}

func (l *loader) node(w row) {
	l.nodes[w.Str("node")] = int32(len(l.r.Nodes))
	l.r.Nodes = append(l.r.Nodes, Node{w.Str("node"), w.Str("rack"), w.Int("mib", 0), w.Int("vcores", 0)})
}

func (l *loader) app(w row) {
	l.apps[w.Str("app")] = int32(len(l.r.Apps))
	l.r.Apps = append(l.r.Apps, App{
		ID: w.Str("app"), Name: w.Str("name"), Kind: w.Str("kind"), Queue: w.Str("queue"), User: w.Str("user"),
		Submit: w.At("submit_ms"), Allocated: w.At("am_allocated_ms"), Registered: w.At("am_registered_ms"), Context: w.At("context_ms"),
		FirstTask: w.At("first_task_ms"), LastTask: w.At("last_task_finish_ms"), Finish: w.At("finish_ms"),
		Unregister: w.At("unregister_ms"), RMFinish: w.At("rm_finish_ms"), Released: w.At("am_released_ms"), AMNode: l.nodeOf(w, "am_node"),
	})
}

func (l *loader) job(w row) {
	a := l.of(w)
	a.Jobs = append(a.Jobs, Job{w.int32("spark_job"), w.Str("group"), w.At("submit_ms"), w.At("end_ms"), ids(w, "stages")})
}

// row is a line of a table.
type row struct{ *recorded.Row }

// int32 reads a whole number, -1 where the cell is empty.
func (w row) int32(col string) int32 { return int32(w.Int(col, -1)) }

// ids reads numbers with blanks between them.
func ids(w row, col string) (list []int32) {
	for f := range strings.FieldsSeq(w.Str(col)) {
		n, err := strconv.Atoi(f)
		if err != nil {
			w.Fail(fmt.Errorf("%s: %w", col, err))
			return nil
		}
		list = append(list, int32(n))
	}
	return list
}

func (l *loader) stage(w row) {
	a := l.of(w)
	a.Stages = append(a.Stages, Stage{
		ID: w.int32("stage"), Attempt: w.int32("stage_attempt"), Job: w.int32("spark_job"), Plan: w.Str("plan"), Parents: ids(w, "parents"),
		Tasks: w.int32("tasks"), Submit: w.At("submit_ms"), Complete: w.At("complete_ms"), OutputsLost: w.int32("outputs_lost"),
		ShuffleWritten: w.Int("shuffle_written_bytes", 0),
	})
}

func (l *loader) task(w row) {
	a := l.of(w)
	a.Tasks = append(a.Tasks, Task{
		Kind: w.Str("kind"), Stage: w.int32("stage"), StageAttempt: w.int32("stage_attempt"), Index: w.int32("task"), Attempt: w.int32("attempt"),
		Executor: w.int32("executor"), Node: l.nodeOf(w, "node"), Locality: w.Str("locality"), Status: w.Str("status"),
		Launch: w.At("launch_ms"), Finish: w.At("finish_ms"), Asked: w.At("asked_ms"), Ran: w.At("run_ms"),
		Written: w.Int("shuffle_written_bytes", 0), Speculative: w.Int("speculative", 0) != 0, OutputLost: w.Int("output_lost", 0) != 0, Container: w.Str("container"),
	})
}

func (l *loader) executor(w row) {
	a := l.of(w)
	a.Executors = append(a.Executors, Executor{
		ID: w.int32("executor"), Node: l.nodeOf(w, "node"), MiB: w.Int("mib", 0), Cores: w.int32("cores"),
		Allocated: w.At("rm_allocated_ms"), Acquired: w.At("rm_acquired_ms"), Launch: w.At("am_launch_ms"), Started: w.At("nm_start_request_ms"),
		Registered: w.At("registered_ms"), Added: w.At("added_ms"), BlockManager: w.At("block_manager_ms"),
		FirstTask: w.At("first_task_ms"), LastTask: w.At("last_task_ms"), KillAsked: w.At("kill_asked_ms"), ReleaseAsked: w.At("release_asked_ms"),
		ToldStop: w.At("told_stop_ms"), Exited: w.At("nm_exited_ms"), Released: w.At("rm_released_ms"), Removed: w.At("removed_ms"),
		Container: w.Str("container"), Reason: w.Str("removed_reason"), Status: w.Str("exit_status"),
	})
}

func (l *loader) target(w row) {
	a := l.of(w)
	a.Targets = append(a.Targets, Target{w.At("t_ms"), w.Str("source"), w.int32("target"), w.Str("reason")})
}

func (l *loader) ask(w row) {
	a := l.of(w)
	a.Asks = append(a.Asks, Ask{w.At("t_ms"), w.int32("response_id"), w.Str("kind"), w.Str("where"), w.int32("count"), w.Str("container")})
}

func (l *loader) call(w row) {
	a := l.of(w)
	a.Calls = append(a.Calls, Call{w.At("t_ms"), w.int32("target"), w.int32("pending"), w.int32("running"), w.int32("starting"),
		w.int32("response_id"), w.int32("asks"), w.int32("releases"), w.int32("granted"), w.int32("completed")})
}

func (l *loader) container(w row) {
	a := l.of(w)
	a.Containers = append(a.Containers, Container{
		ID: w.Str("container"), Kind: w.Str("kind"), Of: w.Str("id"), End: w.Str("rm_end"), Node: l.nodeOf(w, "node"), MiB: w.Int("mib", 0),
		Reserved: w.At("rm_reserved_ms"), Allocated: w.At("rm_allocated_ms"), Acquired: w.At("rm_acquired_ms"), ToldEnd: w.At("am_told_end_ms"),
		ReleaseAsked: w.At("release_asked_ms"), Released: w.At("rm_released_ms"), Preempted: w.At("preempt_told_ms"),
	})
}

func (l *loader) beat(w row) {
	l.r.Beats = append(l.r.Beats, Beat{w.At("t_ms"), l.nodeOf(w, "node")})
}
