package sched

import (
	"schedtune/fairconf"
	"schedtune/simcore/mr1"
	"schedtune/simcore/sched/capacity"
	"schedtune/simcore/sched/yarnfair"
	"schedtune/simcore/yarn"
	"schedtune/yarnconf"
)

// Entry is one scheduler: a row of the table below.
type Entry struct {
	Name   string // as in a spec
	Help   string // one line
	Source string // paper, or Hadoop's version
	// Pool tells that the scheduler decides what a container runs: the run
	// should have mr1.Config.Pool.
	Pool   bool
	Params []Param // in the order of help and of Spec.String
	// Runtime is what it runs on.
	Runtime Runtime

	build     func(Options, Values) (mr1.Scheduler, error) // on MR1
	buildYARN func(YARNOptions) (yarn.Scheduler, error)    // on YARN
}

// Runtime is one of the two runtimes.
type Runtime uint8

// Runtimes.
const (
	MR1  Runtime = iota // slots of a JobTracker: simcore/mr1
	YARN                // containers of a ResourceManager: simcore/yarn
)

// String names the generation of Hadoop.
func (r Runtime) String() string {
	if r == YARN {
		return "YARN"
	}
	return "Hadoop 1"
}

// YARNOptions are the configuration of a scheduler on YARN.
type YARNOptions struct {
	Queues      *yarnconf.Config      // of capacity
	Allocations *fairconf.Allocations // of yarn-fair
	Site        *fairconf.Site        // of yarn-fair
}

func mr1Row(name, help, source string, pool bool, params []Param, build func(Options, Values) (mr1.Scheduler, error)) Entry {
	return Entry{Name: name, Help: help, Source: source, Pool: pool, Params: params, build: build}
}

// Table lists the schedulers. It is the only place where their names and
// parameters stand; the command line, the search space and the error messages
// come from it.
func Table() []Entry {
	return []Entry{
		{Name: "capacity", Help: "YARN's Capacity Scheduler with a capacity-scheduler.xml", Source: "Hadoop 3.4.1", Runtime: YARN, Params: policyParams(),
			buildYARN: func(o YARNOptions) (yarn.Scheduler, error) { return capacity.New(o.Queues) }},
		{Name: "yarn-fair", Help: "YARN's Fair Scheduler with a fair-scheduler.xml", Source: "Hadoop 3.4.1", Runtime: YARN, Params: policyParams(),
			buildYARN: func(o YARNOptions) (yarn.Scheduler, error) { return yarnfair.New(o.Allocations, o.Site) }},
		mr1Row("fifo", "one queue by priority and submission", "baseline of every paper", false,
			[]Param{slowstartParam("0.05")}, newFIFO),
		mr1Row("native", "Hadoop's native scheduler with fixed task limits per node", "learning paper, section III", false,
			[]Param{slowstartParam("0.05"),
				{Name: "limit", Default: "0", Min: 0, Max: 1000, Integer: true, Unit: "tasks", Help: "most tasks of a kind on a node; 0 = its slots"}}, newNative),
		mr1Row("fair", "pools with minimum shares and weights", "Hadoop Fair Scheduler", false,
			fairParams(), newFair),
		mr1Row("delay", "delay scheduling around fair or fifo", "Zaharia et al., EuroSys 2010", false,
			append(fairParams(),
				Param{Name: "inner", Default: "fair", Choices: []string{"fair", "fifo"}, Help: "order of jobs"},
				Param{Name: "node-delay", Default: "15", Min: 0, Max: 3600, Unit: "s", Help: "T1: wait for a node with the input"},
				Param{Name: "rack-delay", Default: "15", Min: 0, Max: 3600, Unit: "s", Help: "T2: further wait for a rack with the input"},
				Param{Name: "clock", Default: "false", Choices: []string{"true", "false"}, Help: "waits grow with time, not by heartbeats that skip the job", Given: true}), newDelay),
		mr1Row("capacity-mr1", "the Capacity Scheduler of Hadoop 1, queues of equal capacity unless configured", "thesis 2.1.2, 2.1.3, 3.3.2", false,
			mr1Params(), newCapacityMR1),
		mr1Row("coshh", "classes, two linear programs, suggested classes per node", "COSHH", false,
			[]Param{slowstartParam("0.05"),
				{Name: "error", Default: "0", Min: 0, Max: 100, Unit: "%", Help: "I: largest error of estimated execution times (section 6.3)", Given: true},
				{Name: "classes", Default: "0", Min: 0, Max: 1000, Integer: true, Unit: "classes", Help: "k of k-means; 0 = the number of users"},
				{Name: "place", Default: "true", Choices: []string{"true", "false"}, Help: "replicas on suggested nodes"},
				{Name: "estimates", Default: "given", Choices: []string{"given", "history"}, Help: "execution times: as the workload gives them, or from tasks that ended (section 2.2)"},
				{Name: "charge", Default: "0", Min: 0, Max: 3600, Unit: "s", Help: "the master answers no heartbeat after each linear program", Given: true}}, newCOSHH),
		mr1Row("learning", "a classifier keeps nodes at the asked load", "Dhok and Varma, CCGRID 2010", false,
			[]Param{slowstartParam("0.05"),
				{Name: "classifier", Default: "bayes", Choices: []string{"bayes", "perceptron"}, Help: "pattern classifier"},
				{Name: "smoothing", Default: "0.001", Min: 0.001, Max: 100, Unit: "observations", Help: "what the Bayes classifier adds to every count"},
				{Name: "target", Default: "1", Min: 0.05, Max: 100, Unit: "load per processor", Help: "a node above it is overloaded"},
				{Name: "rule", Default: "load", Choices: []string{"load", "cpu", "disk", "network"}, Help: "what the target limits"},
				{Name: "utility", Default: "constant", Choices: []string{"constant", "map-first", "fcfs", "budget", "dedicated", "revenue"}, Help: "utility policy (section IV-B)"},
				{Name: "per-heartbeat", Default: "1", Min: 1, Max: 100, Integer: true, Unit: "tasks", Help: "k: tasks assigned per heartbeat"},
				{Name: "noise", Default: "0", Min: 0, Max: 1, Unit: "share", Help: "spread of the measured load", Given: true},
				{Name: "idle", Default: "assign", Choices: []string{"assign", "wait"}, Help: "what an idle node does when all candidates are bad"}}, newLearning),
		mr1Row("omo", "lazy start of reduces, batch finish of maps, dynamic containers", "OMO, IEEE Access 2021", true,
			[]Param{
				{Name: "lazy", Default: "true", Choices: []string{"true", "false"}, Help: "lazy start of reduces (algorithm 1)"},
				{Name: "batch", Default: "true", Choices: []string{"true", "false"}, Help: "batch finish of maps (algorithm 2)"},
				{Name: "as-printed", Default: "false", Choices: []string{"true", "false"}, Help: "arg min over [m', m] as printed"},
				{Name: "window", Default: "10", Min: 0.1, Max: 3600, Unit: "s", Help: "T_w: window of the release frequency"},
				{Name: "beta", Default: "0.3", Min: 0.001, Max: 1, Unit: "weight", Help: "weight of the newest window"},
				{Name: "bandwidth", Default: "0", Min: 0, Max: 1e6, Unit: "MB/s", Help: "B: what one reduce fetches at; 0 = the NIC", Given: true}, spreadParam(), assignParam()}, newOMO),
		mr1Row("fresh", "dynamic containers by remaining work, slowstart 1", "OMO [12]", true,
			[]Param{slowstartParam("1"), spreadParam(), assignParam()}, newFresh),
		mr1Row("coupling", "reduces follow map progress, wait scheduling, random peeking", "Tan, Meng, Zhang, INFOCOM 2013", false,
			[]Param{slowstartParam("0.05"), poolParam("job"),
				{Name: "threshold", Default: "3", Min: 0.01, Max: 1000, Unit: "reduces", Help: "of delta in algorithm 1"},
				{Name: "beta", Default: "0", Min: 0, Max: 10, Unit: "exponent", Help: "of equation 3; 0 = the paper's formula"},
				{Name: "sample", Default: "0", Min: 0, Max: 1e6, Integer: true, Unit: "nodes", Help: "K: nodes peeked at; 0 = all, at most 100"},
				{Name: "keep", Default: "7", Min: 1, Max: 1e6, Integer: true, Unit: "nodes", Help: "D: length of the centrality list"},
				{Name: "mismatch", Default: "true", Choices: []string{"true", "false"}, Help: "algorithm 1"},
				{Name: "wait", Default: "true", Choices: []string{"true", "false"}, Help: "algorithm 2"},
				{Name: "peek", Default: "true", Choices: []string{"true", "false"}, Help: "algorithm 3"}, assignParam()}, newCoupling),
	}
}

func slowstartParam(value string) Param {
	return Param{Name: "slowstart", Default: value, Min: 0, Max: 1, Unit: "share", Help: "completed maps before a job's reduces"}
}

func poolParam(value string) Param {
	return Param{Name: "pool", Default: value, Choices: []string{"user", "queue", "class", "job"}, Help: "what makes a pool"}
}

func spreadParam() Param {
	return Param{Name: "spread", Default: "true", Choices: []string{"true", "false"}, Help: "tasks lie evenly over the nodes while there are fewer than slots"}
}

func fairParams() []Param {
	return []Param{slowstartParam("0.05"), poolParam("user"),
		{Name: "jobs", Default: "fair", Choices: []string{"fair", "fifo"}, Help: "order of jobs within a pool"},
		{Name: "total", Default: "false", Choices: []string{"true", "false"}, Help: "maps and reduces count together"},
		{Name: "first", Default: "map", Choices: []string{"map", "reduce"}, Help: "kind that is tried first"}, spreadParam(), assignParam()}
}

// mr1Params are the settings of the thesis's table 2.1 and the two hidden ones,
// applied to every queue. Capacities come from a configuration.
func mr1Params() []Param {
	return []Param{slowstartParam("0.05"),
		{Name: "maximum-capacity", Default: "-1", Min: -1, Max: 100, Unit: "%", Help: "of the slots a queue may reach; -1 = no limit"},
		{Name: "minimum-user-limit-percent", Default: "100", Min: 1, Max: 100, Unit: "%", Help: "of the queue a user gets under competition"},
		{Name: "user-limit-factor", Default: "1", Min: 0.01, Max: 1000, Unit: "x capacity", Help: "what one user may take"},
		{Name: "supports-priority", Default: "false", Choices: []string{"true", "false"}, Help: "priority orders the queue"},
		{Name: "maximum-system-jobs", Default: "3000", Min: 1, Max: 1e9, Integer: true, Unit: "jobs", Help: "initialised at a time"},
		{Name: "maximum-initialized-active-tasks", Default: "200000", Min: 1, Max: 1e9, Integer: true, Unit: "tasks", Help: "of initialised jobs in a queue"},
		{Name: "maximum-initialized-active-tasks-per-user", Default: "100000", Min: 1, Max: 1e9, Integer: true, Unit: "tasks", Help: "of one user in a queue"},
		{Name: "init-accept-jobs-factor", Default: "10", Min: 1, Max: 1e6, Integer: true, Unit: "x", Help: "jobs accepted over jobs initialised"},
		{Name: "init-poll-interval", Default: "5", Min: 0.001, Max: 3600, Unit: "s", Help: "between two rounds of initialisation"},
		{Name: "init-worker-threads", Default: "5", Min: 1, Max: 1000, Integer: true, Unit: "threads", Help: "that initialise jobs"},
		{Name: "init-time", Default: "0", Min: 0, Max: 3600, Unit: "s", Help: "a worker thread needs per job", Given: true},
		{Name: "maximum-tasks-per-heartbeat", Default: "1", Min: 1, Max: 1000, Integer: true, Unit: "tasks", Help: "maps assigned per heartbeat, beside one reduce (hidden)"},
		{Name: "max-tasks-to-assign-after-off-switch", Default: "0", Min: 0, Max: 1000, Integer: true, Unit: "tasks", Help: "maps in the same heartbeat after an off-switch one (hidden)"},
	}
}
