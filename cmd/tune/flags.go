package main

import (
	"runtime"
	"strings"

	"github.com/spf13/pflag"

	"schedtune/internal/cli"
	"schedtune/internal/scenario"
	"schedtune/internal/study"
)

// Flags that several commands have are declared here, so that they mean the same, have
// the same unit and read the same everywhere.

// inputFlags declares the files that a command simulates.
func inputFlags(fs *pflag.FlagSet, in *scenario.Files) {
	cli.Group(fs, "Input", func(fs *pflag.FlagSet) {
		fs.StringVar(&in.Config, "config", "", "capacity-scheduler.xml `FILE` in force")
		siteFlag(fs, &in.Site)
		fs.StringVar(&in.Cluster, "cluster", "", "cluster `FILE`: YAML, or the ResourceManager's /ws/v1/cluster/nodes JSON, or a CSV table")
		fs.StringArrayVar(&in.Traces, "trace", nil, "trace `FILE` or folder, - is standard input")
		jobFlags(fs, in)
		cli.Number(fs, &in.Users, "users", 0, cli.AtLeast(1), "deal the jobs of a trace without users and queues to `N` users (default such a trace is refused)")
		hadoopFlag(fs, &in.Hadoop)
		fs.BoolVar(&in.Embedded, "embedded", false, "take the embedded data set's machines or jobs for what is not given")
	})
}

// jobFlags declares what assigns jobs to queues and tells the latencies.
func jobFlags(fs *pflag.FlagSet, in *scenario.Files) {
	queueMapFlag(fs, &in.QueueMap)
	fs.StringVar(&in.Groups, "groups", "", "groups of users for the queue mappings of the file, a `FILE` of lines USER: GROUP GROUP … (default each user's own name)")
	calibrationFlag(fs, &in.Calibration, "those that the history tells")
}

func queueMapFlag(fs *pflag.FlagSet, rules *string) {
	fs.StringVar(rules, "queue-map", "", "queues of jobs, comma-separated `RULES` u:USER:QUEUE or q:OLD:NEW, * matches all")
}

func calibrationFlag(fs *pflag.FlagSet, path *string, without string) {
	fs.StringVar(path, "calibration", "", "latencies of the cluster: a `FILE` written by fit durations, or the built-in ones by name: default, or mini-cluster (all nodes on one machine) (default "+without+")")
}

func siteFlag(fs *pflag.FlagSet, path *string) {
	fs.StringVar(path, "site", "", "yarn-site.xml `FILE`: minimum and maximum allocation, preemption (default those recorded in the folder of a run or of tune pull, else Hadoop's defaults)")
}

func hadoopFlag(fs *pflag.FlagSet, version *string) {
	fs.StringVar(version, "hadoop", "", "`VERSION` of Hadoop whose rules and defaults count: 3.3, 3.4 or 3.5 (default that of the pulled cluster, else 3.4)")
}

// constraintFlag declares the limits to keep.
func constraintFlag(fs *pflag.FlagSet, limits *[]string) {
	fs.StringArrayVar(limits, "constraint", nil, "`LIMIT` to keep: 'METRIC <= NUMBER' as in 'queue.prod.p95-wait <= 60s', or 'queue.*.mean-completion <= present + 5 %'")
}

// protectFlag declares the limit that every queue with jobs has.
func protectFlag(fs *pflag.FlagSet, percent *string) {
	fs.StringVar(percent, "protect", "5", "no queue's mean completion gets more than `PERCENT` worse than with the present file (0 to 1000); off lifts it, and the table by queue shows who pays (default 5)")
}

func paramsFlag(fs *pflag.FlagSet, list *string) {
	fs.StringVar(list, "params", "", "settings that may move: `LIST` of "+strings.Join(study.ParamNames(), ", ")+", or patterns such as 'root.prod.*' (default all)")
}

func seedFlag(fs *pflag.FlagSet, seed *uint64, of string) {
	fs.Uint64Var(seed, "seed", 1, "seed `N` of "+of+"; same seed and inputs, same bytes")
}

// workersFlag declares how many of what goes on at a time; all cores without it.
func workersFlag(fs *pflag.FlagSet, n *int, what string) {
	cli.Number(fs, n, "workers", runtime.GOMAXPROCS(0), cli.AtLeast(1), "at most `N` "+what+" at a time; does not change the result (default all cores)")
}

func replicationsFlag(fs *pflag.FlagSet, n *int, value, least int, what string) {
	cli.Number(fs, n, "replications", value, cli.AtLeast(least), "`N` "+what)
}

// objectiveFlag declares what is to improve.
func objectiveFlag(fs *pflag.FlagSet, metric *string, value, usage string) {
	fs.StringVar(metric, "objective", value, "`METRIC` "+usage+"; tune help objectives lists them")
}

// outFlag declares the folder for what a command writes.
func outFlag(fs *pflag.FlagSet, dir *string, what string) {
	fs.StringVarP(dir, "out", "o", "", "`DIR` for "+what)
}

// replaceFlag lets a command replace finished results.
func replaceFlag(fs *pflag.FlagSet, replace *bool) {
	fs.BoolVar(replace, "replace", false, "let this replace finished results in --out")
}
