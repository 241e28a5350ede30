// Package yarn is the YARN runtime of the kernel: the ResourceManager's clock, node
// heartbeats, application masters with their own container, and the latencies measured on
// real runs. Which container goes where is decided by a Scheduler, whose verbs are those of
// a ResourceManager's scheduler and which knows nothing of simulated time. What a job does
// in its containers is its kind of application master's matter (appMaster): MapReduce or
// Spark. Packets and the insides of a JVM are not modelled, nor is the ResourceManager's own
// work but for its scheduling threads.
//
// # A run
//
//	sim, err := yarn.NewSim(cluster, workload, yarn.Options{})
//	result, err := sim.Run(yarn.RunConfig{Seed: 1, Slowstart: -1}, scheduler)
//	times := sim.JobTimes()          // of the last run
//	sim.Run(config, another)         // with a new scheduler: the simulator keeps its memory
//
// A job's way: arrival (its client submits it), the ResourceManager's Submit; a node's
// heartbeat allocates its master's container; the master starts, registers and from then
// on has heartbeats of its own, in which it asks for containers, hears which it got and
// hands them to tasks; a task's container is launched, works, exits; its node reports that
// with a heartbeat at once; the scheduler frees it and may allocate another there; after
// the last task the master commits, unregisters and exits.
//
// An event tree (kernel.Tree) holds all that will happen, with one leaf for each owner:
// a node, a container, a shared set of cores, a timer. The leaf of a container holds its
// next event, that of a node its next heartbeat of use. Equal times go by leaf.
//
// # Where to look
//
//	the run
//	  sim.go           NewSim, Run, the loop, what ends a run
//	  state.go         the state in groups
//	  run.go           Options, RunConfig, what is recorded, results
//	  reset.go         the beginning of a run
//	  plan.go          what all runs of a workload share
//	  contract.go      what a Scheduler must do, and may do besides
//	nodes and containers
//	  node.go          heartbeats of nodes, reports of what has ended
//	  beats.go         when regular heartbeats come
//	  idle.go          which of them are simulated
//	  slot.go          a container and its states
//	  books.go         what comes, what goes, and who is notified
//	jobs
//	  job.go           submission, start and end of a master
//	  appmaster.go     what a kind of master must do
//	  chains.go        jobs that follow others
//	MapReduce
//	  mapreduce.go     the kind of master
//	  master.go        its heartbeat, what it asks for
//	  assign.go        containers to tasks
//	  reduces.go       how many reduces to ask for; rampup.go has the formulas
//	  rows.go          places of input, of maps and of tasks of Tez
//	  launch.go        the launch of a container
//	  task.go          a task's life: map, shuffle, reduce, exit
//	  exec.go          task times of the resource model; cpu.go shares cores among launches
//	  crowd.go         what the tasks of a node cost each other
//	  misses.go        tasks whose containers were taken
//	  outputs.go       map output that is lost
//	Spark and Tez
//	  program.go       what Spark's and Tez's AMs have in common: containers for several tasks, steps, calls
//	  tez*.go          Tez: master and calls, plan, state, tasks of DAGs, containers, latencies
//	  sparkmaster.go   the kind of master: its timers, loop and calls
//	  spark*.go        plan, state, driver's program, executors, losses, copies, calls
//	what may go wrong, come and go
//	  stalled.go       runs that stall
//	  faults.go        lost nodes, containers and masters
//	  elastic.go       nodes that join and leave; leave.go says how; scale.go by which rules
//	the scheduler's own timers
//	  rounds.go        asynchronous scheduling
//	  monitor.go       rounds of preemption
//	  update.go        updates of the Fair Scheduler
//	  keep.go          policies for queues created on first use
//	  labels.go        node labels, and the timer that sorts nodes
//	latencies
//	  calibration.go   the figures; sparkcal.go those of Spark
//	  calibrationfile.go their file, and the built-in ones
//	  attempts.go      recorded ones, attempt by attempt
//	runs of another shape
//	  warm.go          that begin with running applications
//	  standing.go      with standing load
//	  switch.go        that are looked at, or change their configuration
//	  alone.go         of each job alone on the cluster
//	  policy.go        with other rules than Hadoop's; policynode.go those of nodes
//	  refusal.go       submissions that are turned down
//	speed alone
//	  traits.go        what a run does not have, decided once
//	  prefetch.go      memory asked for ahead of its use
//
// # Words
//
//	master       an application master; of Spark in cluster mode the driver's process too
//	slot         the memory of a live container
//	ordinal      a container's number within its application; the master's is 0
//	told         of a grant or an end: the master has heard of it with a heartbeat
//	asleep       of a master: its next heartbeats would change nothing and are not simulated
//	idle         of a node: it has room, and nothing on it ends now
//	at work      of a task or container: its user's code runs
//	row          one place of what a job asks for its maps: "*", a node or a rack
package yarn
