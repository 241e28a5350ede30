// Package sparkreplay reads recorded runs of real Spark applications on a real
// YARN: folders with the scenario, tables of what the driver, the application
// master, the ResourceManager and the NodeManagers did, in milliseconds.
package sparkreplay

import (
	"schedtune/simcore"
	"schedtune/validation/replay"
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

	settled *replay.Settled // see Decisions
}

// Node is a NodeManager.
type Node struct {
	Name, Rack  string
	Host        string
	Port        int
	MiB, VCores int64
}

// Beat is a heartbeat of a node as the ResourceManager handles it.
type Beat struct {
	At   simcore.Time
	Node int32
}

// App is an application, of Spark or MapReduce.
type App struct {
	ID, Name, Kind, Queue, User            string
	Submit, Allocated, Registered, Context simcore.Time
	LastTask, Finish, Unregister, Released simcore.Time

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
}

// Task is a task attempt.
type Task struct {
	Kind                    string
	Stage, StageAttempt     int32
	Index, Executor         int32
	Status                  string
	Launch, Finish          simcore.Time
	Asked, Ran              simcore.Time
	Written                 int64
	Speculative, OutputLost bool
	Container               string
}

// Executor is one that the driver launched.
type Executor struct {
	ID, Node                                                     int32
	Allocated, Acquired, Started, Registered, Added              simcore.Time
	BlockManager, FirstTask                                      simcore.Time
	KillAsked, ReleaseAsked, ToldStop, Exited, Released, Removed simcore.Time
	Container, Status                                            string
}

// Target is a change of the number of executors wanted.
type Target struct {
	At     simcore.Time
	Source string // manager, timer, allocator
	Target int32
}

// Ask is one row of an application master's call, as the ResourceManager got it.
type Ask struct {
	Response  int32
	Kind      string
	Where     string
	Count     int32
	Container string

	Priority    int32
	Relax       bool // another place will do
	MiB, VCores int64
}

// Call is one heartbeat of an application master; its counts are those before
// the call's own changes.
type Call struct {
	At                                 simcore.Time
	Target, Pending, Running, Starting int32
	Response, Granted                  int32
}

// Container is one container of an application.
type Container struct {
	ID, Kind, End, Exit          string
	Node                         int32
	MiB                          int64
	Allocated, Acquired, ToldEnd simcore.Time
	Released                     simcore.Time
	Running, Exited              simcore.Time
	VCores                       int64
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
