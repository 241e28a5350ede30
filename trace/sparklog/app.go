// Package sparklog reads Spark event logs: the JSON lines that Spark's
// EventLoggingListener writes (core/src/main/scala/org/apache/spark/util/
// JsonProtocol.scala), versions 2.4 to 4.x, of applications on YARN, standalone
// clusters and Kubernetes. A log is streamed; what is kept of an application
// is its jobs, stages, tasks, executors and those settings that decide when
// executors are asked for and given back.
//
//	app, err := sparklog.Open("eventlog_v2_application_1_0001") // a file or a rolling folder
//	for _, note := range app.Notes { … }                        // what is missing or odd
//
// A Reader takes texts from elsewhere, REST the answers of a history server that does not
// give its logs, and App.Write keeps an application for a Reader. Files may be packed with zstd, LZ4 or
// Snappy as Spark frames them, or with gzip; logs of running applications, with their last
// line cut off, are read as far as they go. What the package is not: a reader of SQL plans,
// accumulables and metrics, which are passed over.
package sparklog

import "schedtune/trace/internal/history"

// Unknown marks a time, a count or a number of bytes that the history does not tell.
const Unknown = history.Unknown

// Millis is a point in time (milliseconds since the Unix epoch) or a span of it, in which Unknown
// stands for what the history does not tell; Note reports one thing that is missing or was assumed.
type (
	Millis = history.Millis
	Note   = history.Note
)

// Kinds of note.
const (
	Missing = history.Missing
	Assumed = history.Assumed
	Dropped = history.Dropped
)

// App is one attempt of one application, as far as its log goes.
type App struct {
	ID      string `json:"id"`                // application_…_… on YARN
	Attempt string `json:"attempt,omitempty"` // number of the attempt; empty where the cluster manager counts none
	Name    string `json:"name,omitempty"`    // given by the user
	User    string `json:"user,omitempty"`    // who submitted it
	Version string `json:"version,omitempty"` // of Spark

	Start Millis `json:"start"` // SparkContext begins to come up
	Ready Millis `json:"ready"` // its block manager is there, shortly before the cluster manager is asked
	End   Millis `json:"end"`   // SparkContext stops; Unknown: the log ends before
	Last  Millis `json:"last"`  // latest time in the log
	// ExitCode is that of the driver's process at its end (Spark 4.0 and later); 0 where the
	// log does not tell.
	ExitCode int32 `json:"exitCode,omitempty"`

	// Driver is the host and the container of the driver, or of nothing in
	// client mode, where the driver runs outside the cluster.
	DriverHost      string `json:"driverHost,omitempty"`
	DriverContainer string `json:"driverContainer,omitempty"`

	// Conf are the properties that decide what driver and executors are, when executors
	// are asked for and given back, and how tasks are placed, by name. Others, which may
	// name paths, hosts or secrets, are not held.
	Conf      map[string]string `json:"conf,omitempty"`
	Profiles  []Profile         `json:"profiles,omitempty"`
	Executors []Executor        `json:"executors,omitempty"` // in order of their first mention
	Jobs      []Job             `json:"jobs,omitempty"`      // in order of the log
	Stages    []Stage           `json:"stages,omitempty"`    // attempts of stages that were submitted, in order of the log
	Skipped   []SkippedStage    `json:"skipped,omitempty"`   // stages whose output was there
	Caches    []Cache           `json:"caches,omitempty"`    // data sets that were to be kept, by RDD id

	Events Events `json:"events"`
	Notes  []Note `json:"notes,omitempty"` // what is missing or odd, and what was done
}

// Profile is a resource profile: what an executor of it is. What it does not say is as in
// the default profile, which the application's settings make.
type Profile struct {
	ID       int32 `json:"id"`       // of the resource profile, 0 is the default
	Cores    int64 `json:"cores"`    // 0 = not said
	Memory   int64 `json:"memory"`   // MiB of heap; 0 = not said
	Overhead int64 `json:"overhead"` // MiB beside the heap; Unknown = not said
	OffHeap  int64 `json:"offHeap"`  // MiB; 0 = not said
	PySpark  int64 `json:"pyspark"`  // MiB; 0 = not said
	// TaskCPUs is how many cores a task takes; 0 = not said. Other resources
	// (GPUs) that limit the tasks of an executor make TasksByOther above 0.
	TaskCPUs     float64 `json:"taskCpus"`
	TasksByOther int64   `json:"tasksByOther,omitempty"`
}

// Executor is one executor that registered with the driver.
type Executor struct {
	ID        string `json:"id"`                  // of Spark, as text
	Host      string `json:"host,omitempty"`      // where it ran
	Container string `json:"container,omitempty"` // on YARN; the pod's name is not in the log
	Cores     int32  `json:"cores"`
	Profile   int32  `json:"profile"`   // id of the resource profile
	Requested Millis `json:"requested"` // asked for by the allocator (Spark 3.4 and later, YARN and Kubernetes)
	Added     Millis `json:"added"`     // registered with the driver
	Storage   Millis `json:"storage"`   // block manager registered
	Removed   Millis `json:"removed"`   // Unknown: there to the end of the log
	Why       string `json:"why,omitempty"`
	End       End    `json:"endKind,omitempty"` // how it ended
}

// End is how an executor ended.
type End uint8

// Ends of executors.
const (
	Stayed    End = iota // to the end of the log
	Killed               // by the driver: idle
	Preempted            // by the ResourceManager
	Decommissioned
	Lost // anything else: out of memory, node lost, heartbeat timed out
)

var endNames = [...]string{"until their application ended", "killed", "preempted", "decommissioned", "lost"}

// String returns the word for the end.
func (e End) String() string { return history.Name(endNames[:], e) }

// Result is how a job or a stage ended.
type Result uint8

// Results.
const (
	Unfinished Result = iota // the log ends before
	Succeeded
	Failed
)

var resultNames = [...]string{"unfinished", "succeeded", "failed"}

// String returns the word for the result.
func (r Result) String() string { return history.Name(resultNames[:], r) }

// Job is one action of the driver's program.
type Job struct {
	ID     int32  `json:"id"`             // of Spark
	Submit Millis `json:"submit"`         // time
	End    Millis `json:"end"`            // time
	Result Result `json:"result"`         // how it ended
	Pool   string `json:"pool,omitempty"` // of FAIR scheduling
	// Execution is the SQL execution the job belongs to, Unknown = none; Group
	// the job group its thread set.
	Execution int64   `json:"execution"`
	Group     string  `json:"group,omitempty"`
	Stages    []int32 `json:"stages,omitempty"` // ids of all its stages, those skipped included
	// Unpersisted are the data sets (RDD ids) dropped between the job before
	// and this one.
	Unpersisted []int32 `json:"unpersisted,omitempty"`
}

// Stage is one attempt of a stage.
type Stage struct {
	ID      int32   `json:"id"`      // of Spark
	Attempt int32   `json:"attempt"` // 0 is the first
	Job     int32   `json:"job"`     // id of the first job that names it; Unknown = none does
	Name    string  `json:"name,omitempty"`
	Tasks   int32   `json:"tasks"` // of this attempt
	Profile int32   `json:"profile"`
	Parents []int32 `json:"parents,omitempty"` // stage ids
	RDD     int32   `json:"rdd"`               // its own data set; stages of one id compute the same; Unknown = not told
	Cached  []int32 `json:"cached,omitempty"`  // data sets on its way that were to be kept, ascending

	Submit Millis `json:"submit"`
	End    Millis `json:"end"`              // time
	Result Result `json:"result"`           // how it ended
	Writes bool   `json:"writes,omitempty"` // its tasks write shuffle output

	Started  int32  `json:"started"` // tasks that the log saw start
	Attempts []Task `json:"attempts,omitempty"`
}

// SkippedStage is a stage that a job names and that never ran.
type SkippedStage struct {
	ID      int32   `json:"id"`                // of Spark
	Tasks   int32   `json:"tasks"`             // that it would have run
	RDD     int32   `json:"rdd"`               // its own data set; Unknown = not told
	Parents []int32 `json:"parents,omitempty"` // stages whose output it would have read
}

// Cache is a data set that was to be kept in memory or on disk.
type Cache struct {
	RDD        int32  `json:"rdd"`            // its id
	Name       string `json:"name,omitempty"` // given by the user
	Memory     bool   `json:"memory"`         // to be kept there
	Disk       bool   `json:"disk"`           // to be kept there
	Partitions int32  `json:"partitions"`     // of the data set
	Replicas   int32  `json:"replicas"`       // of each block
	// Blocks is how many blocks were seen to be kept, of how many bytes, where
	// the log has block updates (spark.eventLog.logBlockUpdates.enabled).
	Blocks int32 `json:"blocks,omitempty"`
	Bytes  int64 `json:"bytes,omitempty"`
}

// Locality is how near a task ran to its data.
type Locality uint8

// Localities (org.apache.spark.scheduler.TaskLocality).
const (
	ProcessLocal Locality = iota
	NodeLocal
	NoPreference
	RackLocal
	AnyPlace
)

var localityNames = [...]string{"PROCESS_LOCAL", "NODE_LOCAL", "NO_PREF", "RACK_LOCAL", "ANY"}

// String returns the word for the level.
func (l Locality) String() string { return history.Name(localityNames[:], l) }

// Reason is how a task attempt ended (org.apache.spark.TaskEndReason).
type Reason uint8

// Reasons. OtherReason covers those that later versions may add.
const (
	Success Reason = iota
	Resubmitted
	FetchFailed
	ExceptionFailure
	TaskResultLost
	TaskKilled
	TaskCommitDenied
	ExecutorLostFailure
	UnknownReason
	OtherReason
)

var reasonNames = [...]string{"Success", "Resubmitted", "FetchFailed", "ExceptionFailure", "TaskResultLost",
	"TaskKilled", "TaskCommitDenied", "ExecutorLostFailure", "UnknownReason", "another reason"}

// String returns the word for the reason.
func (r Reason) String() string { return history.Name(reasonNames[:], r) }

// Task is one task attempt.
type Task struct {
	ID       int64 // unique within the application
	Index    int32 // within the stage
	Attempt  int32
	Executor int32 // index into App.Executors, Unknown = none
	Locality Locality
	Reason   Reason // how it ended
	Spec     bool   // speculative

	Launch, Finish             Millis
	Getting                    Millis // the driver began to fetch its result; Unknown = it came with the status
	Run                        Millis // executor run time
	Deserialize                Millis
	GC                         Millis // in garbage collection
	Input, Output              int64  // bytes read and written outside the shuffle
	ShuffleRead, ShuffleRemote int64  // bytes read over the shuffle, and those of other executors
	ShuffleWrite               int64
}

// Span is the time the attempt held its cores, Unknown without both ends.
func (t *Task) Span() Millis {
	if !t.Launch.Known() || !t.Finish.Known() || t.Finish < t.Launch {
		return Unknown
	}
	return t.Finish - t.Launch
}

// Events counts the lines of a log.
type Events struct {
	Lines   int64 `json:"lines"`   // all
	Read    int64 `json:"read"`    // used
	Other   int64 `json:"other"`   // known to tell nothing about resources (SQL plans, metrics), passed over
	Unknown int64 `json:"unknown"` // of other names, see Names
	Broken  int64 `json:"broken"`  // not JSON, too long or cut off
	// Names are the unknown events, the most frequent first.
	Names []EventCount `json:"names,omitempty"`
}

// EventCount is the number of events of one name.
type EventCount struct {
	Name  string `json:"name"`  // of the event
	Count int64  `json:"count"` // lines
}
