// Package trace reads recorded workloads in the formats that clusters and
// simulators write, holds them in one recorded model, and converts them to a
// simcore.Workload. Everything a source leaves out is either marked as unknown
// or filled in and then listed as a Note, so that nothing is assumed silently.
//
//	t, err := trace.Open("history/", trace.Options{}) // a file, a folder, or "-"
//	t, err = t.Window(0, 3_600_000)                   // the first hour, say
//	w, notes, err := t.Workload(trace.WorkloadOptions{})
//	cluster, ok := t.Cluster()                        // where the source lists its nodes
//
// Formats lists what is read: MapReduce and Tez histories, Rumen, Spark event logs, logs and web
// services of the ResourceManager, SLS, SYNTH, SWIM, SWF, and the package's own; WriteFormats
// what Trace.Write writes. Files may be packed. Times are milliseconds on the source's clock.
// An error is an *Error: file, line, job and reason. What the package is not: a
// judge of what a trace is good for, which Info and the Notes leave to the reader.
package trace

import (
	"fmt"
	"iter"
	"slices"

	"schedtune/simcore"
	"schedtune/trace/internal/history"
	"schedtune/trace/runlog"
	"schedtune/trace/sparklog"
	"schedtune/trace/tezlog"
)

// Millis is a point in time or a span of it in milliseconds. Points count
// from the Unix epoch or from the start of the trace, whichever the source
// uses; only differences matter. Unknown marks what the source does not say.
type Millis = history.Millis

// Unknown marks a time, a count or a number of bytes that was not recorded.
const Unknown = history.Unknown

// Kind says what a container did.
type Kind uint8

// Kinds of task. A Container is one whose purpose the source does not tell
// (the ResourceManager's own log does not know maps from reduces); Unused was
// allocated and given back without running anything.
const (
	Map Kind = iota
	Reduce
	AM
	Container
	Setup
	Cleanup
	Unused
)

// kindNames is indexed by Kind.
var kindNames = [...]string{"map", "reduce", "am", "container", "setup", "cleanup", "unused"}

// String returns the word for the kind.
func (k Kind) String() string { return history.Name(kindNames[:], k) }

// works reports whether tasks of the kind are the work of a job.
func (k Kind) works() bool { return k == Map || k == Reduce || k == Container }

// Result is how a job, a task or an attempt ended.
type Result uint8

// Results. Unfinished covers what was still running when recording stopped
// and what the source does not say.
const (
	Unfinished Result = iota
	Succeeded
	Failed
	Killed
)

// resultNames is indexed by Result.
var resultNames = [...]string{"unfinished", "succeeded", "failed", "killed"}

// String returns the word for the result.
func (r Result) String() string { return history.Name(resultNames[:], r) }

// Size is a container's size; zero entries were not recorded.
type Size struct {
	MiB    int64 `json:"mib,omitempty"`    // memory, 0 = unknown
	VCores int64 `json:"vcores,omitempty"` // 0 = unknown
}

// Trace is a recorded workload.
type Trace struct {
	Name   string // file or folder it was read from, base name only
	Format string // one of Formats, or "mixed"
	Jobs   []Job  // ascending Submit; jobs with unknown Submit first, equal times in the source's order
	Nodes  []Node // inventory where the source has one, else empty
	Notes  []Note // what is missing and what was assumed, in order of discovery
}

// Node is one machine of the recorded cluster.
type Node struct {
	Name string `json:"name"`           // host
	Rack string `json:"rack,omitempty"` // as recorded, "/default-rack", say; empty = not known
	Size
	Label string `json:"label,omitempty"` // node label
	// Stays are when the ResourceManager had it, on the clock of the trace; nil = all the time.
	Stays runlog.Stays `json:"stays,omitempty"`
}

// Job is one application: a MapReduce job or any set of containers.
type Job struct {
	ID, Name, User, Queue  string // as the source has them; empty = not said, but for ID
	Asked                  bool   // Queue is what the submission named; else where the job was
	Class                  string // job class, where the source has one
	Workflow               string // run of a workflow that the job is a part of; empty = not said
	Type                   string // MAPREDUCE, SPARK …; empty = not said
	Priority               int    // higher goes first
	PrioritySet            bool   // Priority was asked for although it is 0; else 0 is the queue's default
	Result                 Result // of the job
	Submit, Launch, Finish Millis // finish is the job's own, not its application master's
	// MasterLaunch is when a node started the application master, as the ResourceManager
	// tells it (launchTime); Unknown where it does not.
	MasterLaunch Millis
	// After are the ids of the jobs that it waited for, Think is the time from the end of the last
	// of them to its submission.
	After []string
	Think Millis
	// Stage is the job's place in its workflow where its history tells the plan, Next are those that follow it.
	Stage string
	Next  []string

	Maps, Reduces int // as announced by the job; Unknown where not said
	Tasks         []Task
	// MapTime and ReduceTime are the time of one map and of one reduce (after
	// its shuffle) where tasks were not recorded singly; ShuffleTime is the
	// copy time of one reduce. Unknown otherwise.
	MapTime, ReduceTime, ShuffleTime Millis
	MasterTime                       Millis // that the master works by itself after its tasks; 0 = not told

	MapSize, ReduceSize, AMSize Size
	Slowstart                   float64 // completed-map share before reduces are asked; Unknown = not said

	InputBytes, ShuffleBytes, OutputBytes int64 // Unknown = not recorded
	MemorySeconds, VCoreSeconds           int64 // MiB·s and vcore·s charged by the ResourceManager; Unknown = not recorded

	// Spark is what a Spark application ran, from its event log; it then has no
	// Tasks. Nil for all others.
	Spark *sparklog.App
	// Tez is the same for a Tez application, from its history; MapSize is the size of its
	// containers.
	Tez *tezlog.App

	Labels *simcore.JobLabels // node label expressions; nil where none is recorded
}

// Task is one task of a job with its attempts in order of their numbers.
type Task struct {
	Kind                    Kind     // map, reduce …
	Result                  Result   // of the task
	Index                   int32    // number within its kind
	Start, Finish           Millis   // of the task, as recorded
	InputBytes, OutputBytes int64    // Unknown = not recorded
	Hosts                   []string // where the input lies, "/rack/host" or "host"
	Attempts                []Attempt
}

// Attempt is one execution of a task, that is one container.
type Attempt struct {
	Number      int32  // 0 is the first
	Result      Result // of the attempt
	Speculative bool   // a second one beside the first
	Host        string // "/rack/host" or "host"
	Container   string // container id, empty where not recorded
	Size        Size
	// Start is when the node accepted the launch; Up when the process was
	// running and asked for its task; ShuffleEnd and SortEnd exist for reduces.
	Start, Up, ShuffleEnd, SortEnd, Finish Millis
	// Allocated and Released are the ResourceManager's view of the container.
	Allocated, Released Millis
	// UsedMiB is the physical memory of the process and CoreTime its processor
	// time, both as the job's counters say; 0 = not recorded.
	UsedMiB  int64
	CoreTime Millis
}

// NewJob returns a job in which everything optional is marked as unknown.
func NewJob(id string) Job {
	return Job{ID: id, Submit: Unknown, Launch: Unknown, Finish: Unknown, MasterLaunch: Unknown,
		Maps: Unknown, Reduces: Unknown, MapTime: Unknown, ReduceTime: Unknown, ShuffleTime: Unknown,
		Slowstart: Unknown, InputBytes: Unknown, ShuffleBytes: Unknown, OutputBytes: Unknown,
		MemorySeconds: Unknown, VCoreSeconds: Unknown}
}

// NewTask returns a task in which everything optional is marked as unknown.
func NewTask(k Kind, index int) Task {
	return Task{Kind: k, Index: int32(index), Start: Unknown, Finish: Unknown, InputBytes: Unknown, OutputBytes: Unknown}
}

// NewAttempt returns an attempt in which all times are unknown.
func NewAttempt(number int) Attempt {
	return Attempt{Number: int32(number), Start: Unknown, Up: Unknown, ShuffleEnd: Unknown, SortEnd: Unknown,
		Finish: Unknown, Allocated: Unknown, Released: Unknown}
}

// Note reports one thing that is missing or was assumed.
type Note struct {
	Kind  NoteKind `json:"kind"`  // missing, assumed or dropped
	Text  string   `json:"text"`  // one line
	Count int      `json:"count"` // how many jobs or tasks it concerns
}

// NoteKind separates what a source lacks from what was put in its place.
type NoteKind string

// Kinds of note.
const (
	Missing NoteKind = "missing" // not in the source, left unknown
	Assumed NoteKind = "assumed" // not in the source, filled in
	Dropped NoteKind = "dropped" // in the source, not carried over
)

// String is KIND: TEXT, with how often where it is more than once.
func (n Note) String() string {
	if n.Count > 1 {
		return fmt.Sprintf("%s: %s (%d times)", n.Kind, n.Text, n.Count)
	}
	return fmt.Sprintf("%s: %s", n.Kind, n.Text)
}

// notes collects Notes, counting repeats of a text.
type notes struct {
	list  []Note
	index map[string]int
	// complete says that the source lists what is missing itself.
	complete bool

	passed   bool            // jobs have been handed on
	seen     map[uint64]bool // hashes of ids of jobs
	repeated int             // of which some came again
	follow   int             // jobs that follow others, of all that were handed on
	near     int             // jobs soon after others, likewise
	again    string          // the first of these
}

func (n *notes) add(kind NoteKind, format string, args ...any) {
	n.addCount(1, kind, format, args...)
}

func (n *notes) addCount(count int, kind NoteKind, format string, args ...any) {
	if count != 0 {
		text := format
		if len(args) > 0 { // most notes have none, and each job adds some
			text = fmt.Sprintf(format, args...)
		}
		n.at(kind, text, text).Count += count
	}
}

// at returns the note of a kind and a key, a new one with this text where there is none.
func (n *notes) at(kind NoteKind, key, text string) *Note {
	key = string(kind) + key
	i, ok := n.index[key]
	if !ok {
		if n.index == nil {
			n.index = map[string]int{}
		}
		i = len(n.list)
		n.index[key] = i
		n.list = append(n.list, Note{kind, text, 0})
	}
	return &n.list[i]
}

// less takes back that many of a note, of which some turned out not to matter.
func (n *notes) less(count int, kind NoteKind, text string) {
	i, ok := n.index[string(kind)+text]
	if !ok || count == 0 {
		return
	}
	if n.list[i].Count -= count; n.list[i].Count > 0 {
		return
	}
	n.list = slices.Delete(n.list, i, i+1)
	delete(n.index, string(kind)+text)
	for k, at := range n.index {
		if at > i {
			n.index[k] = at - 1
		}
	}
}

// set is addCount, but a note that is there already gets this count: a trace
// that is written and read again brings its notes along.
func (n *notes) set(count int, kind NoteKind, format string, args ...any) {
	if count != 0 {
		text := fmt.Sprintf(format, args...)
		n.at(kind, text, text).Count = count
	}
}

// addFirst is addCount, and names where the first of them is. More of the same
// kind and text only count.
func (n *notes) addFirst(count int, kind NoteKind, where, format string, args ...any) {
	if count != 0 {
		text := fmt.Sprintf(format, args...)
		n.at(kind, text, text+"; the first: "+where).Count += count
	}
}

// merge adds the notes of another collection.
func (n *notes) merge(list []Note) {
	for _, m := range list {
		n.addCount(m.Count, m.Kind, "%s", m.Text)
	}
}

// Containers iterates over the attempts of all tasks.
func (j *Job) Containers() iter.Seq2[*Task, *Attempt] {
	return func(yield func(*Task, *Attempt) bool) {
		for t := range history.Pointers(j.Tasks) {
			for a := range history.Pointers(t.Attempts) {
				if !yield(t, a) {
					return
				}
			}
		}
	}
}

// Winner returns the attempt whose result the task took: the successful one,
// else the one that worked longest; nil where none has both its times.
func (t *Task) Winner() *Attempt {
	var best *Attempt
	for a := range history.Pointers(t.Attempts) {
		if !a.Start.Known() || !a.Finish.Known() {
			continue
		}
		if a.Result == Succeeded {
			return a
		}
		if best == nil || a.Finish-a.Start > best.Finish-best.Start {
			best = a
		}
	}
	return best
}
