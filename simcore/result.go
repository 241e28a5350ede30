package simcore

import "slices"

// Result holds the outcome of one run. It stays valid when the simulator runs again.
type Result struct {
	Jobs  []JobResult // in arrival order
	Total Tally
	// Slots are the resources of the cluster: (map slots, reduce slots), or
	// (memory MiB, vcores) of a YARN run.
	Slots Vec
	// Utilisation is capacity-seconds in use over capacity times makespan; for
	// YARN of the memory.
	Utilisation     float64
	NodeHours       float64 // time that nodes were up, or paid for, from the first submission to the end; 0 = unknown
	Cost            float64 // of NodeHours, by Node.Price; 0 = unknown
	Fairness        float64 // mean over job completions of COSHH's Fairness(t)
	Dissatisfaction float64 // mean over job completions of COSHH's Dissatisfaction(t)
	End             Time    // time of the last event
	Beats           int64   // heartbeats that were simulated
	Launches        int64   // attempts launched
	Preempted       int64   // containers that preemption killed
	GuardRefusals   int64   // heartbeats at which a node's guard refused containers

	Traffic Traffic // resource model only

	Refused []Refused // jobs that the scheduler did not take, in the order of submission
	// DAGs of Tez applications in the order of their ends, without those that only warm
	// containers up; their queue is that of their job.
	DAGs []DAGResult

	work *Workload
}

// NewResult returns the result of a run whose jobs ended as given. Slots is the cluster's
// capacity by kind and end the time of the last event.
func NewResult(w *Workload, jobs []JobResult, slots Vec, end Time) *Result {
	jobs = slices.DeleteFunc(jobs, func(j JobResult) bool { return w.Jobs[j.Job].Standing != nil })
	r := &Result{Jobs: jobs, Slots: slots, End: end, work: w}
	for i := range jobs {
		r.Total.add(&jobs[i].Tally)
	}
	all := r.sum(jobs)
	r.Utilisation = share(r.Total.Busy[Map]+r.Total.Busy[Reduce], slots[0]+slots[1], all.span())
	return r
}

// Workload returns the simulated workload.
func (r *Result) Workload() *Workload { return r.work }

// Occupy sets NodeHours and Cost for a cluster that does not change.
func (r *Result) Occupy(c *Cluster) {
	hours := (r.End - min(r.End, r.sum(r.Jobs).first)).Seconds() / 3600
	r.NodeHours = hours * float64(len(c.Nodes))
	for i := range c.Nodes {
		r.Cost += hours * c.Nodes[i].Price
	}
}

// JobResult holds the outcome of one job.
type JobResult struct {
	Job      JobID // index into Workload.Jobs
	Failed   bool  // it ended without success; Finish is when
	Submit   Time
	Start    Time // launch of its first task
	MapsDone Time // its last map's end was known; Submit if it has no maps
	Finish   Time

	// Starved is, summed over the reduces launched after the last map, the time in between;
	// StarvedReduces is how many there are.
	Starved        Time
	StarvedReduces int32

	Executors    int32 // Spark: executors launched
	ExecutorTime Time  // Spark: sum over them of the time in their containers
	Tally
}

// DAGResult holds the outcome of one DAG of a Tez application: the unit of work, such as a query.
type DAGResult struct {
	Job    JobID
	DAG    int32 // index into TezApp.DAGs
	Failed bool
	// Submit is its arrival (TezDAG.At) or, without one, its submission to the master; of an
	// application of one DAG the submission of the application.
	Submit, Finish Time
}

// Completion returns the time from submission to completion.
func (d *DAGResult) Completion() Time { return d.Finish - d.Submit }

// Completion returns the time from submission to completion.
func (j *JobResult) Completion() Time { return j.Finish - j.Submit }

// Wait returns the time from submission to the first task's launch.
func (j *JobResult) Wait() Time { return j.Start - j.Submit }

// Execution returns the time from the first task's launch to completion.
func (j *JobResult) Execution() Time { return j.Finish - j.Start }

// Starvation returns the mean time from the last map to the launch of each reduce launched
// after it; 0 without such reduces (Coupling, section III.C).
func (j *JobResult) Starvation() Time { return j.Starved / Time(max(j.StarvedReduces, 1)) }

// ResponseRatio returns completion time over execution time (thesis 4.2.3); a
// job that took no time to execute counts as 1.
func (j *JobResult) ResponseRatio() float64 {
	if j.Execution() <= 0 {
		return 1
	}
	return float64(j.Completion()) / float64(j.Execution())
}

// BoundedSlowdown returns the completion time over the job's time alone on the
// idle cluster, at least 1; a time alone below SlowdownFloor counts as that
// (Feitelson et al., 1997).
func (j *JobResult) BoundedSlowdown(alone Time) float64 {
	return max(1, float64(j.Completion())/float64(max(alone, SlowdownFloor)))
}

// Tally counts attempts; entries of pairs are by Kind.
type Tally struct {
	Finished [2]int32 // attempts whose result counts
	Failed   [2]int32 // attempts that failed
	Killed   [2]int32 // attempts killed, lost or outrun
	Busy     [2]Time  // slot time of all attempts, launch to report
	At       [3]int32 // finished maps by Locality
}

// add adds another tally to t.
func (t *Tally) add(o *Tally) {
	for k := range 2 {
		t.Finished[k] += o.Finished[k]
		t.Failed[k] += o.Failed[k]
		t.Killed[k] += o.Killed[k]
		t.Busy[k] += o.Busy[k]
	}
	for l := range t.At {
		t.At[l] += o.At[l]
	}
}

// locality returns the share of finished maps at most as far away as l, NaN without maps.
func (t *Tally) locality(l Locality) float64 {
	near, all := int32(0), int32(0)
	for i, n := range t.At {
		all += n
		if i <= int(l) {
			near += n
		}
	}
	return float64(near) / float64(all)
}

// UserShare holds a user's entitlement, for the metrics fairness and dissatisfaction.
type UserShare struct {
	MinShare int32   // slots (or containers)
	Weight   float64 // users of one weight form a level; 0 reads as 1
}

// JobHint holds what the learning scheduler knows of a class of jobs, and what its tasks do to
// a node.
type JobHint struct {
	// Usage are the job features of Dhok and Varma, section IV-A: CPU, memory, disk and network
	// on a scale of 1 to 10; 0 = unknown, replaced by the mode.
	Usage [4]float64
	// Load is what one running task adds to the node's load average; 0 reads as 1, one runnable
	// process. The scheduler does not see it: it only sees the node's load.
	Load float64
}

// NodeLoad describes how busy a node is.
type NodeLoad struct {
	Maps, Reduces int32   // running attempts
	CPU           float64 // runnable tasks per core: the load average over cores
	Disk          float64 // transfers under way per disk
	NetIn, NetOut float64 // share of the NIC in use, 0 to 1
}

// Traffic sums the work of shared resources for transfers and computations that ended.
type Traffic struct {
	Disk     int64 // bytes read and written on disks
	In, Out  int64 // bytes through NICs
	Up, Down int64 // bytes through the racks' uplinks
	CPU      Time  // of a reference core
}
