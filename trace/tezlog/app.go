// Package tezlog reads histories of Apache Tez applications, with Hive's queries beside
// them: history.txt.* of SimpleHistoryLoggingService, the SequenceFiles of protobuf messages
// of ProtoHistoryLoggingService and of Hive's HiveProtoLoggingHook, the archives that the Tez
// UI offers for download, and entities of the timeline server (ATS) as JSON. All tell the
// same events, so that one Reader takes the files of a folder in any order and puts them
// together:
//
//	r := tezlog.NewReader()
//	err := r.Read(text, "history.txt.appattempt_1_0001_000001") // unpacked by the caller
//	for _, app := range r.Apps() { … }
//
// What is kept of an application is its DAGs, vertices with edges, task attempts and
// containers, and those settings that decide when containers are asked for and given back.
// Names of DAGs and vertices, plans, query texts and other settings, which hold SQL and names
// of people, are not kept. What the package is not: a reader of counters and diagnostics.
package tezlog

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

// App is one application, as far as its history goes.
type App struct {
	ID        string            `json:"id"`              // application_…_…
	User      string            `json:"user,omitempty"`  // who submitted it
	Queue     string            `json:"queue,omitempty"` // where the ResourceManager had it
	Conf      map[string]string `json:"conf,omitempty"`  // settings that decide about containers, by name
	Scheduler string            `json:"scheduler,omitempty"`
	Caller    string            `json:"caller,omitempty"` // HIVE_QUERY_ID, PIG_SCRIPT_ID, other …
	Attempt   int32             `json:"attempt"`          // number of its last master, from 1; 0 = not told

	Submit   Millis `json:"submit"`   // to the ResourceManager
	Launched Millis `json:"launched"` // its first master's process began
	Ready    Millis `json:"ready"`    // its first master takes DAGs
	Last     Millis `json:"last"`     // latest time in the history

	DAGs       []DAG       `json:"dags,omitempty"`       // by number
	Containers []Container `json:"containers,omitempty"` // in order of launch
}

// DAG is one unit of work, such as a query.
type DAG struct {
	ID      int32  `json:"id"` // its number in the application, from 1
	Prewarm bool   `json:"prewarm,omitempty"`
	Submit  Millis `json:"submit"` // the master has it
	Start   Millis `json:"start"`
	End     Millis `json:"end"`
	Result  Result `json:"result"`
	// Arrival is when the query was submitted to Hive; Wish the queue it wished for.
	Arrival  Millis   `json:"arrival"`
	Wish     string   `json:"wish,omitempty"`
	Vertices []Vertex `json:"vertices,omitempty"` // by number

	query string // id of Hive's query
}

// Vertex is one vertex of a DAG.
type Vertex struct {
	ID      int32    `json:"id"`    // its number in the DAG, from 0
	Tasks   int32    `json:"tasks"` // their number in the end; Unknown = never told
	Sources []Source `json:"sources,omitempty"`
	// Late: an input initializer in the master tells the number of its tasks.
	Late       bool      `json:"late,omitempty"`
	Init       Millis    `json:"init"`       // initialised
	Configured Millis    `json:"configured"` // the number of tasks is settled
	Start      Millis    `json:"start"`
	End        Millis    `json:"end"`
	Result     Result    `json:"result"`
	MiB        int64     `json:"mib,omitempty"`      // of its containers; no history tells it, 0 = as the application's
	Attempts   []Attempt `json:"attempts,omitempty"` // by task and number
}

// Source is an edge into a vertex.
type Source struct {
	Vertex int32 `json:"vertex"` // number of the vertex it comes from
	Edge   Edge  `json:"edge"`
}

// Edge is how data moves along an edge.
type Edge uint8

// Kinds of edges (EdgeProperty.DataMovementType).
const (
	Shuffle Edge = iota // SCATTER_GATHER
	Broadcast
	OneToOne
	Custom
)

var edges = map[string]Edge{"SCATTER_GATHER": Shuffle, "BROADCAST": Broadcast, "ONE_TO_ONE": OneToOne, "CUSTOM": Custom}

// Result is how a DAG, a vertex or an attempt ended.
type Result uint8

// Results.
const (
	Unfinished Result = iota // the history ends before
	Succeeded
	Failed
	Killed
)

var results = map[string]Result{"SUCCEEDED": Succeeded, "FAILED": Failed, "ERROR": Failed, "KILLED": Killed}

// Attempt is one attempt of a task.
type Attempt struct {
	Task      int32  // within the vertex
	Number    int32  // from 0
	Container int32  // index into App.Containers, Unknown = none
	Result    Result // of the attempt
	Preempted bool   // by the ResourceManager or by its own master
	Scheduled Millis // the vertex wanted the task
	Created   Millis // the attempt was made
	Allocated Millis // it was given a container
	Start     Millis // the container pulled it
	End       Millis
}

// Span is the time from start to end, Unknown without both.
func (a *Attempt) Span() Millis {
	if !a.Start.Known() || a.End < a.Start {
		return Unknown
	}
	return a.End - a.Start
}

// Container is one container that ran tasks.
type Container struct {
	ID       string `json:"id,omitempty"`   // of YARN
	Host     string `json:"host,omitempty"` // Unknown before a task ran there: empty
	Launched Millis `json:"launched"`
	Stopped  Millis `json:"stopped"` // by the master's decision; Unknown: not told
}
