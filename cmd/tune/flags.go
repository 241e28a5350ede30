package main

import (
	"runtime"
	"strings"

	"github.com/spf13/pflag"

	"schedtune/internal/cli"
	"schedtune/internal/scenario"
	"schedtune/internal/study"
)

// Flags of several commands are declared here, so that their meaning, unit and text are the
// same everywhere.

// inputFlags declares the files that describe a simulation.
func inputFlags(fs *pflag.FlagSet, in *scenario.Files) {
	cli.Group(fs, "Input", func(fs *pflag.FlagSet) {
		fs.StringVar(&in.Config, "config", "", "current capacity-scheduler.xml `FILE`")
		siteFlag(fs, &in.Site)
		clusterFlag(fs, &in.Cluster, "")
		fs.StringArrayVar(&in.Traces, "trace", nil, "trace, a `FILE` or folder, - is standard input")
		readingFlags(fs, &in.SkipBroken, &in.TezContainer)
		jobFlags(fs, in)
		cli.Number(fs, &in.Users, "users", 0, cli.AtLeast(1), "assign jobs without a user to `N` synthetic users (default "+
			"refuse a trace without users and queues)")
		hadoopFlag(fs, &in.Hadoop)
		fs.BoolVar(&in.IgnoreStanding, "ignore-standing-load", false, "go on where more than 5 % of the cluster is held by "+
			"applications that the trace does not list")
		fs.BoolVar(&in.Embedded, "embedded", false, "use the cluster or the jobs of the embedded data set for the input "+
			"that is missing")
	})
}

// jobFlags declares the assignment of jobs to queues, and the latencies.
func jobFlags(fs *pflag.FlagSet, in *scenario.Files) {
	queueMapFlag(fs, &in.QueueMap)
	groupsFlag(fs, &in.Groups)
	calibrationFlag(fs, &in.Calibration, "fitted from the trace")
}

// readingFlags declare how traces are read.
func readingFlags(fs *pflag.FlagSet, skip *bool, tezContainer *int64) {
	fs.BoolVar(skip, "skip-broken", false, "skip unreadable files of a folder, with a note of their share")
	cli.Number(fs, tezContainer, "tez-container-size", 0, cli.AtLeast[int64](0), "container size in `MIB` of Tez "+
		"applications whose history does not record it (default from what the ResourceManager charged, else 1024)")
}

func groupsFlag(fs *pflag.FlagSet, path *string) {
	fs.StringVar(path, "groups", "", "groups of users for placement rules, a `FILE` of lines USER: GROUP GROUP … "+
		"(default each user's own name)")
}

// clusterFlag declares the nodes of the cluster.
func clusterFlag(fs *pflag.FlagSet, path *string, without string) {
	fs.StringVar(path, "cluster", "", "cluster `FILE`: YAML, the ResourceManager's /ws/v1/cluster/nodes JSON, or a "+
		"CSV table"+without)
}

func queueMapFlag(fs *pflag.FlagSet, rules *string) {
	fs.StringVar(rules, "queue-map", "", "comma-separated `RULES` that assign jobs to queues: u:USER:QUEUE or "+
		"q:OLD:NEW, * matches all")
}

func calibrationFlag(fs *pflag.FlagSet, path *string, without string) {
	fs.StringVar(path, "calibration", "", "latencies of the cluster: a `FILE` written by fit durations, or built-in "+
		"ones: default, or mini-cluster (all nodes on one machine) (default "+without+")")
}

func siteFlag(fs *pflag.FlagSet, path *string) {
	fs.StringVar(path, "site", "", "yarn-site.xml `FILE` with minimum and maximum allocation and preemption (default "+
		"those recorded by tune pull or with a run, else Hadoop's defaults)")
}

func hadoopFlag(fs *pflag.FlagSet, version *string) {
	fs.StringVar(version, "hadoop", "", "Hadoop `VERSION` to validate against and to simulate: 3.3, 3.4 or 3.5 "+
		"(default that of the downloaded cluster, else 3.4)")
}

// constraintFlag declares the limits that a configuration has to meet.
func constraintFlag(fs *pflag.FlagSet, limits *[]string) {
	fs.StringArrayVar(limits, "constraint", nil, "`LIMIT` to meet: 'METRIC <= NUMBER' as in 'queue.prod.p95-wait <= "+
		"60s', or relative to the current configuration, 'queue.*.mean-completion <= present + 5 %'")
}

// protectFlag declares the limit that applies to every queue with jobs.
func protectFlag(fs *pflag.FlagSet, percent *string) {
	fs.StringVar(percent, "protect", "5", "no queue's mean completion time may increase by more than `PERCENT` (0 to "+
		"1000); off removes the limit; the report shows the queues that get slower")
}

func paramsFlag(fs *pflag.FlagSet, list *string) {
	fs.StringVar(list, "params", "", "settings to tune: `LIST` of "+strings.Join(study.ParamNames(),
		", ")+", or patterns such as 'root.prod.*' (default all)")
}

// workersFlag declares the number of simulations or runs at a time; all cores by default.
func workersFlag(fs *pflag.FlagSet, n *int, what string) {
	cli.Number(fs, n, "workers", runtime.GOMAXPROCS(0), cli.AtLeast(1), "at most `N` "+what+" at a time; the result "+
		"does not depend on it (default all cores)")
}

func replicationsFlag(fs *pflag.FlagSet, n *int, value, least int, what string) {
	cli.Number(fs, n, "replications", value, cli.Within(least, 100_000), "`N` "+what)
}

// objectiveFlag declares the metric to improve.
func objectiveFlag(fs *pflag.FlagSet, metric *string, value, usage string) {
	fs.StringVar(metric, "objective", value, "`METRIC` "+usage+", see tune help objectives")
}
