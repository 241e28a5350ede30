// Package sparkreplay reads recorded runs of real Spark applications on a real
// YARN: folders with the scenario, tables of what the driver, the application
// master, the ResourceManager and the NodeManagers did, in milliseconds.
package sparkreplay

import (
	"schedtune/simcore"
	"schedtune/validation/replay"
)

// Run is one recorded run. Times count from its time zero; Never where nothing
// is recorded.
type Run struct {
	replay.Run        // its Jobs are those of Apps
	Apps       []*App // by time of submission
	Plan       Plan

	settled *replay.Settled // see Decisions
	beside  bool            // applications of Spark are beside those of Tez: no table has their stages
}

// App is an application, of Spark or MapReduce, with the containers that it was given.
type App struct {
	replay.Job
	Kind    string
	Context simcore.Time
	Closed  map[int32]simcore.Time // by executor: when the driver saw its connection close
	Revive  simcore.Time           // an instant of the driver's offers to all executors once a second; 0 = not known

	Settings simcore.SparkSettings
	Executor simcore.SparkExecutor
	Driver   simcore.Vec

	Jobs      []*Job
	Stages    []*Stage
	Tasks     []*Task
	Executors []*Executor
	Targets   []*Target
	Turns     []simcore.Time // of the allocation manager's loop, as far as recorded
	Asks      []*Ask
	Calls     []*Call

	// Of a Tez application: when the AM began its end, when its services stopped, when it gave
	// containers up, its settings, DAGs and the size of its containers.
	Shutdown, Stopping simcore.Time
	GivenUp            map[string]simcore.Time
	Tez                simcore.TezSettings
	DAGs               []*DAG
	TaskMiB            int64

	ordinals map[string]int32 // see ordinalOf
}

// Kinds of Tez applications.
const (
	tezSingle  = "tez"
	tezSession = "tez-session"
)

// tez reports whether it is a Tez application.
func (a *App) tez() bool { return a.Kind == tezSingle || a.Kind == tezSession }

// DAG is a DAG of a Tez application.
type DAG struct {
	Number         int32 // from 1
	Name           string
	Submit, Finish simcore.Time
	Vertices       []*Vertex
}

// Vertex is a vertex of a DAG.
type Vertex struct {
	ID, Tasks        int32
	Name             string
	MiB              int64
	Edges            map[string]string // kind by the name of the source
	Scheduled, Start simcore.Time      // its first task was wanted; it could begin
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
	caches, reads    int32 // data sets of the scenario, -1 = none
}

// Task is a task attempt.
type Task struct {
	Kind                    string
	Stage, StageAttempt     int32
	Index, Executor, ID     int32  // ID counts the launches of the application
	Status, Near            string // how it ended, locality level
	Launch, Finish          simcore.Time
	Asked, Ran              simcore.Time
	Written                 int64
	Speculative, OutputLost bool
	Container               string
	DAG                     int32 // of Tez, whose vertices and attempts are Stage and StageAttempt
	Scheduled, Created      simcore.Time
	Assigned                simcore.Time // of Tez: its container was assigned
	Read                    simcore.Time // of Tez: all inputs are read
}

// Executor is one that the driver launched.
type Executor struct {
	ID, Node                                                     int32
	Allocated, Acquired, Started, Registered, Added              simcore.Time
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
	At        int32 // node, spark.AnyHost, or -2 for the rack
	Count     int32
	Container string

	Priority    int32
	Relax       bool // another place will do
	MiB, VCores int64
}

// Call is one heartbeat of an application master.
type Call struct {
	At                simcore.Time
	Response, Granted int32
}

// Plan is the scenario: what was asked for.
type Plan struct {
	Run  string            `json:"run"`
	Conf map[string]string `json:"spark_conf"`
	Tez  map[string]string `json:"tez_conf"`
	Jobs []PlanJob         `json:"jobs"`
}

// PlanJob is an application of the scenario; maps and reduces are of MapReduce.
type PlanJob struct {
	replay.ScenarioJob
	Conf  map[string]string `json:"conf"`
	Steps []Step            `json:"steps"`

	DAG     *PlanDAG `json:"dag"` // of a Tez application without session
	Prewarm int32    `json:"prewarm"`
	End     string   `json:"end"` // of a session: stop or timeout
}

// PlanDAG is a DAG of the scenario. Edges are source, target and kind.
type PlanDAG struct {
	Name     string       `json:"name"`
	Vertices []planVertex `json:"vertices"`
	Edges    [][3]string  `json:"edges"`
}

type planVertex struct {
	Name   string     `json:"name"`
	TaskMS []int64    `json:"task_ms"`
	InitMS int64      `json:"init_ms"`
	MiB    int64      `json:"mib"`
	Min    float64    `json:"min_src"`
	Max    float64    `json:"max_src"`
	Hosts  [][]string `json:"hosts"`
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
	WaitMS    int64    `json:"wait_ms"`
	DAG       *PlanDAG `json:"dag"`
	Unpersist string   `json:"unpersist"`
}
