// Package sparkreplay reads recorded runs of real Spark applications on a real
// YARN: folders with the scenario, tables of what the driver, the application
// master, the ResourceManager and the NodeManagers did, in milliseconds.
package sparkreplay

import (
	"schedtune/simcore"
	"schedtune/trace/runlog"
	"schedtune/validation/replay"
)

// Run is one recorded run. Times count from its time zero; Never where nothing
// is recorded.
type Run struct {
	replay.Run        // its Jobs are those of Apps
	Apps       []*App // by time of submission
	Plan       Plan

	settled *replay.Settled // see Decisions
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
	Index, Executor, ID     int32  // ID counts the launches of the application
	Status, Near            string // how it ended, locality level
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

// Plan is the scenario: what was asked for.
type Plan struct {
	Run  string            `json:"run"`
	Note string            `json:"note"`
	Conf map[string]string `json:"spark_conf"`
	Jobs []PlanJob         `json:"jobs"`
}

// PlanJob is an application of the scenario; maps and reduces are of MapReduce.
type PlanJob struct {
	runlog.ScenarioJob
	Conf  map[string]string `json:"conf"`
	Steps []Step            `json:"steps"`
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
