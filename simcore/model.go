package simcore

import "schedtune/internal/text"

// Vec is a small vector of integer resources. A YARN container or node counts
// (memory MiB, vcores); a Hadoop 1 task tracker counts (map slots, reduce
// slots); a dynamic container pool (OMO, FRESH) uses the first entry only.
type Vec [2]int64

// Indices of Vec.
const (
	Memory = 0 // MiB
	VCores = 1

	MapSlots    = 0
	ReduceSlots = 1
)

// Add returns v + w.
func (v Vec) Add(w Vec) Vec { return Vec{v[0] + w[0], v[1] + w[1]} }

// Cluster describes the machines. It is read-only during runs and shared by
// all workers.
type Cluster struct {
	Racks []string // names; nodes name them by index
	Nodes []Node   // dense ids: the index is the node id
	// UplinkRate is the capacity of a rack's link to the core, bytes/s in each
	// direction; 0 = not a bottleneck.
	UplinkRate float64
	// Labels are the node labels of the cluster; those of nodes are among them.
	Labels []NodeLabel
	// Elastic is how the cluster changes while it runs.
	Elastic Elastic
}

// Node is one machine. Zero values of the rates mean: not modelled.
type Node struct {
	Name     string  // host
	Rack     int32   // index into Cluster.Racks
	Capacity Vec     // YARN: memory MiB, vcores
	Slots    Vec     // Hadoop 1: map slots, reduce slots
	Speed    float64 // relative execution speed, 1 = reference; 0 reads as 1
	Cores    int32   // processors shared by the tasks of the node
	Disks    int32   // spindles
	DiskRate float64 // bytes/s of one disk
	NICRate  float64 // bytes/s in each direction
	Label    string  // node label (partition), "" for none
	Kind     string  // of machine, by which Elastic names nodes; "" for none
	Price    float64 // per hour, in any currency; 0 = none
	Spot     float64 // mean losses per hour while it is there (spot instances); 0 = none
	Notice   Time    // from the notice of such a loss, which decommissions the node, to the loss
}

// NodeLabel is a node label of a cluster.
type NodeLabel struct {
	Name      string // as nodes and queues name it
	Exclusive bool   // its idle resources are not given to asks without label
}

// JobLabels are the node label expressions of a job; "" where nothing is said.
type JobLabels struct {
	App      string `json:"app,omitempty"` // for all containers of which the others say nothing
	Master   string `json:"master,omitempty"`
	Map      string `json:"map,omitempty"`      // for containers of maps
	Reduce   string `json:"reduce,omitempty"`   // for containers of reduces
	Executor string `json:"executor,omitempty"` // of a Spark application
}

// Kind tells maps from reduces.
type Kind uint8

// Kinds of task.
const (
	Map    Kind = 0
	Reduce Kind = 1
)

// String returns the word for the kind.
func (k Kind) String() string { return text.Word(k, "Kind", "map", "reduce") }

// Locality is where a map ran in relation to its input.
type Locality uint8

// Localities, nearest first.
const (
	NodeLocal Locality = iota
	RackLocal
	OffSwitch
)

// String returns the name that Hadoop has for the locality.
func (l Locality) String() string {
	return text.Word(l, "Locality", "NODE_LOCAL", "RACK_LOCAL", "OFF_SWITCH")
}

// Workload is a parsed trace: read-only during runs, shared by all workers.
type Workload struct {
	Name    string   // of the source
	Queues  []string // full paths for YARN ("root.prod"), pool or queue names for Hadoop 1
	Users   []string // names; jobs name them by index
	Classes []string // job classes, may be empty
	Jobs    []Job    // ascending Submit; equal times keep this order
	Tasks   Tasks    // one entry per task where tasks are described singly
	Dists   []Dist   // distributions named by Job.MapDist, Job.ReduceDist
	// Alone is by job the completion time that it would have alone on the idle
	// cluster, for slowdowns; 0 = not known. nil: not known of any, slowdowns are
	// NaN.
	Alone []Time
}

// Job is one MapReduce job, (Maps tasks, no reduces) any bag of containers, or
// a Spark or Tez application.
type Job struct {
	ID, Name string // as recorded; Name is for people
	Queue    int32  // index into Workload.Queues
	User     int32  // index into Workload.Users
	Class    int32  // index into Workload.Classes, -1 = none
	Priority int32  // higher goes first
	// PrioritySet: Priority was asked for although it is 0. Else 0 stands for the
	// queue's default.
	PrioritySet bool
	Submit      Time
	// After are the ids of jobs before it that it follows: it is submitted Think after the last
	// of them has ended, and at Submit where none is in the workload. YARN only.
	After []string
	Think Time

	Maps, Reduces int32 // numbers of tasks
	// FirstTask is the index into Tasks of the job's first map; its maps and
	// then its reduces follow. -1: tasks are not described singly and follow
	// MapDist and ReduceDist.
	FirstTask int32

	MapAsk, ReduceAsk, AMAsk Vec     // YARN container sizes; zero = the runtime's default
	Slowstart                float64 // completed-map share before reduces are asked; negative = the run's setting

	InputBytes, ShuffleBytes, OutputBytes int64 // totals over the job

	MapDist, ReduceDist int32 // index into Workload.Dists, -1 = none
	// MapCPU and ReduceCPU are work per input byte in seconds of a reference
	// core, for the resource model.
	MapCPU, ReduceCPU float64

	// MasterTime is how long the master works by itself after its tasks; YARN only.
	MasterTime Time
	// Unmanaged: the application master runs outside the cluster, in no container.
	Unmanaged bool
	// Standing marks standing load: the job's master and its maps are containers that it holds;
	// it is not in the result, and no run waits for its end. YARN only; nil = an ordinary job.
	Standing *Standing

	// Spark is set where the job is a Spark application; it is then its only
	// content: Maps and Reduces are 0, AMAsk is the driver's container.
	Spark *SparkApp
	// Tez is the same for a Tez application.
	Tez *TezApp

	Labels *JobLabels // nil: nothing is said of node labels
}

// Standing is how a service holds its containers.
type Standing struct {
	Nodes []NodeID // of its containers, its master's first; None where it is not known
	Hold  Time     // how long
}

// Held is the number of containers of standing load, its master's among them.
func (j *Job) Held() int {
	if j.Unmanaged {
		return int(j.Maps)
	}
	return 1 + int(j.Maps)
}

// Tasks holds tasks as parallel slices (structure of arrays), no pointers.
// A slice may be nil when no task has the figure.
type Tasks struct {
	Duration []Time  // recorded attempt time at reference speed; for a reduce: after its shuffle ended (sort + reduce)
	Shuffle  []Time  // reduces: recorded copy time beyond the last map's end, or full copy time if it started later
	Input    []int64 // bytes read
	Output   []int64 // bytes written
	// Hosts[HostAt[i]:HostAt[i+1]] are the node ids that hold task i's input.
	HostAt []int32
	Hosts  []int32
}

// DistKind names a duration distribution.
type DistKind uint8

// Distributions of the sampled model; A and B are in seconds unless noted.
const (
	Constant    DistKind = iota // A
	Uniform                     // A to B
	Exponential                 // mean A
	Normal                      // mean A, standard deviation B, cut at 0
	LogNormal                   // A = mu, B = sigma of the logarithm of seconds
	Pareto                      // scale A, shape B
	Empirical                   // quantiles in Points, linear between them
)

// Dist is a distribution of task times.
type Dist struct {
	Kind   DistKind  // which distribution
	A, B   float64   // its parameters, see DistKind
	Points []float64 // Empirical: equally spaced quantiles from 0 to 1, seconds
}

// JobID is an index into Workload.Jobs; ascending ids are arrival order.
type JobID int32

// NodeID is an index into Cluster.Nodes.
type NodeID int32

// None is the id of no job and of no node: the end of a list.
const None = -1

// AnyTask as Task.Index lets the kernel choose: for a map the pending task
// nearest to the node, for a reduce the next pending one.
const AnyTask int32 = -1

// Task names a task: a job, a kind and the index among the job's tasks of that
// kind, or AnyTask.
type Task struct {
	Job   JobID // whose task
	Kind  Kind  // map or reduce
	Index int32 // from 0, or AnyTask
}
