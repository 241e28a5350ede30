package simcore

import (
	"cmp"
	"fmt"
	"math"
)

// A Spark application of the workload: a Job whose Spark is set. Its driver
// occupies the application master's container (Job.AMAsk: driver memory with
// overhead, driver cores) for the whole application; Job.Maps and Job.Reduces
// are 0. What it runs stands here.

// SparkApp is one Spark application: what its driver's program submits, what
// its executors are, and the settings that decide when it asks for them.
type SparkApp struct {
	Settings SparkSettings // of the application
	// Executors are the resource profiles; 0 is the default profile.
	Executors []SparkExecutor
	// Jobs in order of their first possible submission; a job may wait only for
	// jobs before it.
	Jobs []SparkJob
	// Stages of all jobs. A stage's parents stand before it.
	Stages []SparkStage
	// Pools of FAIR scheduling; nil = one pool, "default", of FIFO order,
	// weight 1 and minimum share 0.
	Pools []SparkPool
}

// SparkExecutor is what one executor of a resource profile is.
type SparkExecutor struct {
	// Container is what YARN is asked for: executor memory with overhead (and
	// off-heap and Python memory) in MiB, and cores.
	Container Vec
	Cores     int32 // tasks' cores (spark.executor.cores); 0 reads as 1
	TaskCPUs  int32 // cores of one task (spark.task.cpus); 0 reads as 1
}

// Slots is how many tasks an executor of the profile runs at a time.
func (e *SparkExecutor) Slots() int32 {
	return max(max(e.Cores, 1)/max(e.TaskCPUs, 1), 1)
}

// SparkJob is one action of the driver's program. One without stages only
// waits (think time), or drops cached data.
type SparkJob struct {
	// After are the jobs whose end it waits for, as indices into Jobs; with
	// none it counts from the start of the user's code.
	After []int32
	// Delay is the driver's own time from the last of these ends to the
	// submission: computing, or waiting for a person.
	Delay Time
	// Stages[FirstStage:FirstStage+Stages] of the application are this job's.
	FirstStage, Stages int32
	Pool               int32 // index into Pools
	// Unpersist are data sets (SparkStage.Caches) dropped when it begins.
	Unpersist []int32
}

// SparkStage is one stage of a job; stages that Spark skips, since their output
// is there, are none.
type SparkStage struct {
	Job int32 // index into Jobs
	// Parents are the stages, of this job or of jobs that have ended before,
	// whose output its tasks read over a shuffle.
	Parents []int32
	Tasks   int32
	// FirstTask is the index of its first task into Workload.Tasks: Duration
	// (launch at the executor to its end, without what the first task of an
	// executor takes longer), Input (bytes read), Output (shuffle bytes
	// written), Hosts (preferred nodes). -1: tasks are not described singly and
	// follow Dist.
	FirstTask int32
	Dist      int32 // index into Workload.Dists, -1 = none
	Profile   int32 // index into Executors

	// ShuffleWrite says its tasks write shuffle output; it stays on the executor
	// or, with the external shuffle service, on the node. OutputBytes is the
	// total over the stage, where tasks are not described singly.
	ShuffleWrite bool
	OutputBytes  int64
	// Parts are the bytes each task writes for each reducer, Tasks rows of one
	// figure for each task of the stages that read them; nil = equal parts. They
	// decide which executors a reducer is near to.
	Parts []int32
	// Reads is the data set (see Caches) its tasks read, -1 = none: task i
	// prefers the executor that holds block i, and computes a block that is
	// gone again, which takes the time of the task that made it.
	Reads int32
	// Caches is the number, from 0 within the application, of the data set its
	// tasks leave in executor memory, -1 = none. OnDisk: kept on disk only, so
	// that the shuffle service can serve it.
	Caches int32
	OnDisk bool
}

// SparkPool is a pool of the FAIR scheduler inside an application
// (fairscheduler.xml).
type SparkPool struct {
	Name     string // as jobs name it
	Fair     bool   // order of the pool's own stages: FAIR instead of FIFO
	Weight   int32
	MinShare int32 // cores
}

// SparkSettings are the properties of an application that matter here. Spans
// of Never mean: for ever.
type SparkSettings struct {
	Dynamic bool // spark.dynamicAllocation.enabled
	// Instances is spark.executor.instances: what a static application asks for
	// (2 unless set); with dynamic allocation it only raises Initial.
	Instances         int32
	Min, Initial, Max int32   // spark.dynamicAllocation.{min,initial,max}Executors
	Ratio             float64 // .executorAllocationRatio, above 0 to 1

	Backlog, Sustained      Time    // .schedulerBacklogTimeout, .sustainedSchedulerBacklogTimeout
	Idle, CachedIdle        Time    // .executorIdleTimeout, .cachedExecutorIdleTimeout
	ShuffleTracking         bool    // .shuffleTracking.enabled, counts only without ShuffleService
	ShuffleTimeout          Time    // .shuffleTracking.timeout
	ShuffleService          bool    // spark.shuffle.service.enabled
	FetchCached             bool    // spark.shuffle.service.fetch.rdd.enabled
	Fair                    bool    // spark.scheduler.mode = FAIR
	WaitProcess             Time    // spark.locality.wait.process
	WaitNode, WaitRack      Time    // spark.locality.wait.node, .rack
	MinRegistered           float64 // spark.scheduler.minRegisteredResourcesRatio, 0 to 1
	MaxRegisteredWait       Time    // spark.scheduler.maxRegisteredResourcesWaitingTime
	MaxFailures             int32   // spark.task.maxFailures
	MaxStageAttempts        int32   // spark.stage.maxConsecutiveAttempts
	Speculation             bool    // spark.speculation
	SpeculationInterval     Time    // spark.speculation.interval
	SpeculationMultiplier   float64 // spark.speculation.multiplier, of the median run time
	SpeculationQuantile     float64 // spark.speculation.quantile, share of tasks that have to be done, 0 to 1
	SpeculationMinRuntime   Time    // spark.speculation.minTaskRuntime
	Heartbeat, FastBeat     Time    // spark.yarn.scheduler.heartbeat.interval-ms, .initial-allocation.interval
	LauncherThreads         int32   // spark.yarn.containerLauncherMaxThreads
	ReducePreference        bool    // spark.shuffle.reduceLocality.enabled
	ReducePreferredShare    float64 // of a reducer's input that makes an executor preferred; 0.2 in the source
	ReducePreferredMaxTasks int32   // stages of at least as many maps or reducers have no preference; 1000 in the source
}

// DefaultSparkSettings returns the defaults of Spark 3.5.5
// (core/internal/config/package.scala, resource-managers/yarn/config.scala).
// Dynamic allocation is off.
func DefaultSparkSettings() SparkSettings {
	return SparkSettings{
		Instances: 2, Max: math.MaxInt32, Ratio: 1,
		Backlog: Second, Sustained: Second,
		Idle: Minute, CachedIdle: Never,
		ShuffleTracking: true, ShuffleTimeout: Never,
		WaitProcess: 3 * Second, WaitNode: 3 * Second, WaitRack: 3 * Second,
		MinRegistered: 0.8, MaxRegisteredWait: 30 * Second,
		MaxFailures: 4, MaxStageAttempts: 4,
		SpeculationInterval: 100 * Millisecond, SpeculationMultiplier: 1.5, SpeculationQuantile: 0.75, SpeculationMinRuntime: 100 * Millisecond,
		Heartbeat: 3 * Second, FastBeat: 200 * Millisecond, LauncherThreads: 25,
		ReducePreference: true, ReducePreferredShare: 0.2, ReducePreferredMaxTasks: 1000,
	}
}

// Start is the number of executors an application asks for before its first
// stage (Utils.getDynamicAllocationInitialExecutors,
// SchedulerBackendUtils.getInitialTargetExecutorNumber).
func (s *SparkSettings) Start() int32 {
	if !s.Dynamic {
		return s.Instances
	}
	return max(s.Min, s.Initial, s.Instances)
}

// TaskCount is the number of tasks of an application's stages, once each.
func (a *SparkApp) TaskCount() int32 {
	n := int32(0)
	for i := range a.Stages {
		n += a.Stages[i].Tasks
	}
	return n
}

// Tasks is the number of tasks of a job: maps and reduces, or the tasks of all
// stages of a Spark application.
func (j *Job) Tasks() int32 {
	if j.Spark != nil {
		return j.Spark.TaskCount()
	}
	return j.Maps + j.Reduces
}

// Validate names the first figure of an application that is out of range. The
// workload gives the tasks and distributions its stages name.
func (a *SparkApp) Validate(w *Workload) error {
	if len(a.Executors) == 0 {
		return fmt.Errorf("no executor profile; allowed: 1 or more")
	}
	for i := range a.Executors {
		e := &a.Executors[i]
		if e.Container[Memory] <= 0 || e.Container[VCores] < 0 || e.Cores < 0 || e.TaskCPUs < 0 || max(e.TaskCPUs, 1) > max(e.Cores, 1) {
			return fmt.Errorf("executor profile %d: %d MiB, %d cores, %d for a task; allowed: memory above 0, a task within the executor", i, e.Container[Memory], e.Cores, e.TaskCPUs)
		}
	}
	if err := a.Settings.validate(); err != nil {
		return err
	}
	next := int32(0)
	for i := range a.Jobs {
		if err := a.validateJob(i, &next); err != nil {
			return err
		}
	}
	if int(next) != len(a.Stages) {
		return fmt.Errorf("jobs name %d of %d stages; allowed: each stage in one job, in order", next, len(a.Stages))
	}
	made := map[int32]bool{}
	for i := range a.Stages {
		if err := a.validateStage(w, i, made); err != nil {
			return err
		}
	}
	return nil
}

func (a *SparkApp) validateJob(i int, next *int32) error {
	j := &a.Jobs[i]
	switch {
	case j.Delay < 0:
		return fmt.Errorf("job %d: delay %v; allowed: 0 or more", i, j.Delay.Std())
	case j.FirstStage != *next || j.Stages < 0 || int(j.FirstStage)+int(j.Stages) > len(a.Stages):
		return fmt.Errorf("job %d: stages %d to %d; allowed: from %d, within the %d described", i, j.FirstStage, j.FirstStage+j.Stages-1, *next, len(a.Stages))
	case j.Pool < 0 || int(j.Pool) >= max(len(a.Pools), 1):
		return fmt.Errorf("job %d: pool %d; allowed: 0 to %d", i, j.Pool, max(len(a.Pools), 1)-1)
	}
	*next += j.Stages
	for _, p := range j.After {
		if p < 0 || int(p) >= i {
			return fmt.Errorf("job %d: waits for job %d; allowed: jobs before it", i, p)
		}
	}
	return nil
}

func (a *SparkApp) validateStage(w *Workload, i int, made map[int32]bool) error {
	st := &a.Stages[i]
	if st.Job < 0 || int(st.Job) >= len(a.Jobs) {
		return fmt.Errorf("stage %d: job %d; allowed: 0 to %d", i, st.Job, len(a.Jobs)-1)
	}
	job := &a.Jobs[st.Job]
	switch {
	case i < int(job.FirstStage) || i >= int(job.FirstStage+job.Stages):
		return fmt.Errorf("stage %d: job %d; allowed: the job that names it", i, st.Job)
	case st.Tasks < 1:
		return fmt.Errorf("stage %d: %d tasks; allowed: 1 or more", i, st.Tasks)
	case st.Profile < 0 || int(st.Profile) >= len(a.Executors):
		return fmt.Errorf("stage %d: profile %d; allowed: 0 to %d", i, st.Profile, len(a.Executors)-1)
	case int(st.Dist) >= len(w.Dists) || st.Dist < 0 && st.FirstTask < 0:
		return fmt.Errorf("stage %d: distribution %d; allowed: 0 to %d, or tasks described singly", i, st.Dist, len(w.Dists)-1)
	case st.FirstTask >= 0 && int(st.FirstTask)+int(st.Tasks) > len(w.Tasks.Duration):
		return fmt.Errorf("stage %d: tasks up to %d; allowed: within the %d described", i, st.FirstTask+st.Tasks, len(w.Tasks.Duration))
	case st.FirstTask >= 0 && len(w.Tasks.HostAt) > 0 && int(st.FirstTask)+int(st.Tasks) >= len(w.Tasks.HostAt):
		return fmt.Errorf("stage %d: tasks up to %d; allowed: within the %d with hosts", i, st.FirstTask+st.Tasks, len(w.Tasks.HostAt)-1)
	case st.Parts != nil && len(st.Parts)%int(st.Tasks) != 0:
		return fmt.Errorf("stage %d: %d parts; allowed: as many for each of its %d tasks", i, len(st.Parts), st.Tasks)
	case st.Reads >= 0 && !made[st.Reads]:
		return fmt.Errorf("stage %d: reads data set %d; allowed: one that a stage before it caches", i, st.Reads)
	}
	for _, p := range st.Parents {
		if p < 0 || int(p) >= i {
			return fmt.Errorf("stage %d: parent %d; allowed: stages before it", i, p)
		}
	}
	if st.Caches >= 0 {
		made[st.Caches] = true
	}
	return nil
}

func (s *SparkSettings) validate() error {
	for _, k := range []struct {
		ok   bool
		name string
		got  any
		want string
	}{
		{s.Dynamic || s.Instances > 0, "spark.executor.instances", s.Instances, "1 or more"},
		{s.Min >= 0 && s.Initial >= 0 && s.Instances >= 0, "spark.dynamicAllocation.minExecutors", cmp.Or(s.Min, s.Initial), "0 or more"},
		{!s.Dynamic || s.Max > 0 && s.Min <= s.Max, "spark.dynamicAllocation.maxExecutors", s.Max, "1 or more, not below minExecutors"},
		{!s.Dynamic || s.Ratio > 0 && s.Ratio <= 1, "spark.dynamicAllocation.executorAllocationRatio", s.Ratio, "above 0 to 1"},
		{!s.Dynamic || s.Backlog > 0 && s.Sustained > 0, "spark.dynamicAllocation.schedulerBacklogTimeout", s.Backlog.Std(), "above 0"},
		{s.Idle >= 0 && s.CachedIdle >= 0 && s.ShuffleTimeout >= 0, "spark.dynamicAllocation.executorIdleTimeout", s.Idle.Std(), "0 or more"},
		{s.WaitProcess >= 0 && s.WaitNode >= 0 && s.WaitRack >= 0, "spark.locality.wait", s.WaitNode.Std(), "0 or more"},
		{s.MinRegistered >= 0 && s.MinRegistered <= 1, "spark.scheduler.minRegisteredResourcesRatio", s.MinRegistered, "0 to 1"},
		{s.MaxRegisteredWait >= 0, "spark.scheduler.maxRegisteredResourcesWaitingTime", s.MaxRegisteredWait.Std(), "0 or more"},
		{s.MaxFailures > 0, "spark.task.maxFailures", s.MaxFailures, "1 or more"},
		{s.MaxStageAttempts > 0, "spark.stage.maxConsecutiveAttempts", s.MaxStageAttempts, "1 or more"},
		{s.Heartbeat > 0 && s.FastBeat > 0, "spark.yarn.scheduler.heartbeat.interval-ms", s.Heartbeat.Std(), "above 0"},
		{s.LauncherThreads > 0, "spark.yarn.containerLauncherMaxThreads", s.LauncherThreads, "1 or more"},
		{!s.Speculation || s.SpeculationInterval > 0 && s.SpeculationMultiplier >= 0 && s.SpeculationQuantile >= 0 && s.SpeculationQuantile <= 1,
			"spark.speculation.multiplier", s.SpeculationMultiplier, "0 or more, with a quantile of 0 to 1 and an interval above 0"},
	} {
		if !k.ok {
			return fmt.Errorf("%s is %v; allowed: %s", k.name, k.got, k.want)
		}
	}
	return nil
}
