package main

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"schedtune/internal/cli"
	"schedtune/internal/fileio"
	"schedtune/internal/rm"
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

// beside returns a usage error for a flag that has no effect beside another one, if both are given.
func beside(given func(flag string) bool, one string, flags ...string) error {
	if i := slices.IndexFunc(flags, given); i >= 0 && given(one) {
		return cli.Usagef("--%s: cannot be combined with --%s", one, flags[i])
	}
	return nil
}

// needs returns a usage error for a flag that has no effect without another one.
func needs(given func(flag string) bool, one string, flags ...string) error {
	if i := slices.IndexFunc(flags, given); i >= 0 && !given(one) {
		return cli.Usagef("--%s: needs --%s", flags[i], one)
	}
	return nil
}

// fileFlags are the input flags that have no effect beside an embedded data set; where its jobs stay in
// their queues, placementFlags have none either.
var (
	fileFlags = []string{"config", "cluster", "trace", "site", "skip-broken", "tez-container-size",
		"ignore-standing-load", "users"}
	placementFlags = []string{"queue-map", "groups", "hadoop"}
)

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

// liveFlags hold the connection to a cluster.
type liveFlags struct {
	rm, auth, ca, cert, key string
	opt                     rm.Options
}

func (f *liveFlags) flags(fs *pflag.FlagSet) {
	cli.Group(fs, "Cluster", func(fs *pflag.FlagSet) {
		fs.StringVar(&f.rm, "rm", "", "`URL` of the active ResourceManager's web address, such as http://rm:8088")
		fs.StringVar(&f.auth, "auth", "", "authentication, `KIND:ARG`: simple:USER, basic:FILE, bearer:FILE, "+
			"delegation:FILE, negotiate:COMMAND")
		fs.StringVar(&f.ca, "ca", "", "`FILE` with certificates (PEM) to trust in addition to the system's")
		fs.StringVar(&f.cert, "cert", "", "client certificate `FILE` (PEM)")
		fs.StringVar(&f.key, "key", "", "key `FILE` (PEM) of the client certificate")
		fs.BoolVar(&f.opt.PlainHTTP, "plain-http", false, "send credentials over plain HTTP")
		cli.Number(fs, &f.opt.Rate, "rate", 20, cli.Above(0.0), "at most `N` requests per second")
		cli.Number(fs, &f.opt.Timeout, "timeout", time.Minute, cli.Above[time.Duration](0),
			"timeout of one request, a `DURATION`")
	})
}

// historyFlags hold the sources of the history of a cluster.
type historyFlags struct{ history, spark, config string }

func (f *historyFlags) flags(fs *pflag.FlagSet) {
	cli.Group(fs, "History", func(fs *pflag.FlagSet) {
		fs.StringVar(&f.history, "history", "", "`URL` of the JobHistoryServer, such as http://jhs:19888")
		fs.StringVar(&f.spark, "spark-history", "", "`URL` of Spark's history server, such as http://shs:18080")
		fs.StringVar(&f.config, "config", "", "capacity-scheduler.xml `FILE`, if the cluster keeps its configuration "+
			"in a file")
	})
}

// sources returns the history servers, nil for none, and the configuration file.
func (f *historyFlags) sources(l *liveFlags) (jobs, spark *rm.Client, config []byte, err error) {
	if f.history != "" {
		jobs, err = l.client("--history", f.history)
	}
	if err == nil && f.spark != "" {
		spark, err = l.client("--spark-history", f.spark)
	}
	if err == nil && f.config != "" {
		config, err = fileio.ReadFile(f.config, fileio.Small)
	}
	return jobs, spark, config, err
}

// client sets up a client for the address of a flag with these options.
func (f *liveFlags) client(flag, base string) (*rm.Client, error) {
	o := f.opt
	o.Base = base
	var err error
	if o.Auth, err = rm.ParseAuth(f.auth); err != nil {
		return nil, &cli.UsageError{Err: err}
	}
	for _, x := range []struct {
		path string
		dst  *[]byte
	}{{f.ca, &o.CA}, {f.cert, &o.Cert}, {f.key, &o.Key}} {
		if x.path == "" {
			continue
		}
		if *x.dst, err = fileio.ReadFile(x.path, fileio.Small); err != nil {
			return nil, fmt.Errorf("reading %w", err)
		}
	}
	c, err := rm.New(o)
	if address := (*rm.AddressError)(nil); errors.As(err, &address) {
		err = &cli.UsageError{Err: fmt.Errorf("%s: %w", flag, err)}
	}
	return c, err
}

func (f *liveFlags) resourceManager() (*rm.Client, error) {
	if f.rm == "" {
		return nil, cli.Usagef("--rm: missing: must be the address of the ResourceManager, such as http://HOST:8088")
	}
	return f.client("--rm", f.rm)
}
