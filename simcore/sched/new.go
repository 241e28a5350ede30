package sched

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"strings"
	"sync"

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

//go:embed params.csv
var paramsCSV string

// params returns the parameters of each scheduler, in the order of the rows of params.csv: the
// schedulers that have a parameter, its name, and the fields of Param. Lists have blanks
// between their items.
var params = sync.OnceValue(func() map[string][]Param {
	rows, err := csv.NewReader(strings.NewReader(paramsCSV)).ReadAll()
	if err != nil {
		panic("sched: params.csv: " + err.Error())
	}
	all := map[string][]Param{}
	for _, r := range rows[1:] {
		p := Param{Name: r[1], Default: r[2], Integer: r[5] != "", Unit: r[7], Given: r[8] != "", Help: r[9]}
		if _, err := fmt.Sscan(r[3]+" "+r[4], &p.Min, &p.Max); err != nil && r[3] != "" {
			panic("sched: params.csv: " + p.Name + ": " + err.Error())
		}
		for _, c := range strings.Fields(r[6]) {
			if c == "FILE" {
				p.File = true
			} else {
				p.Choices = append(p.Choices, c)
			}
		}
		for _, name := range strings.Fields(r[0]) {
			all[name] = append(all[name], p)
		}
	}
	return all
})

// Table lists the schedulers. It is the only place where they are named, with params.csv,
// which has their parameters; the command line, the search space and the error messages come
// from both. Params must not be changed.
func Table() []Entry {
	mr1Row := func(name, help, source string, build func(Options, Values) (mr1.Scheduler, error)) Entry {
		return Entry{Name: name, Help: help, Source: source, build: build}
	}
	table := []Entry{
		{Name: "capacity", Help: "YARN's Capacity Scheduler with a capacity-scheduler.xml", Source: "Hadoop 3.4.1",
			Runtime:   YARN,
			buildYARN: func(o YARNOptions) (yarn.Scheduler, error) { return capacity.New(o.Queues) }},
		{Name: "yarn-fair", Help: "YARN's Fair Scheduler with a fair-scheduler.xml", Source: "Hadoop 3.4.1", Runtime: YARN,
			buildYARN: func(o YARNOptions) (yarn.Scheduler, error) { return yarnfair.New(o.Allocations, o.Site) }},
		mr1Row("fifo", "one queue by priority and submission", "baseline of every paper", newFIFO),
		mr1Row("native", "Hadoop's native scheduler with fixed task limits per node", "learning paper, section III",
			newNative),
		mr1Row("fair", "pools with minimum shares and weights", "Hadoop Fair Scheduler", newFair),
		mr1Row("delay", "delay scheduling around fair or fifo", "Zaharia et al., EuroSys 2010", newDelay),
		mr1Row("capacity-mr1", "the Capacity Scheduler of Hadoop 1, queues of equal capacity unless configured",
			"thesis 2.1.2, 2.1.3, 3.3.2", newCapacityMR1),
		mr1Row("coshh", "classes, two linear programs, suggested classes per node", "COSHH", newCOSHH),
		mr1Row("learning", "a classifier keeps nodes at the asked load", "Dhok and Varma, CCGRID 2010", newLearning),
		mr1Row("omo", "lazy start of reduces, batch finish of maps, dynamic containers", "OMO, IEEE Access 2021", newOMO),
		mr1Row("fresh", "dynamic containers by remaining work, slowstart 1", "OMO [12]", newFresh),
		mr1Row("coupling", "reduces follow map progress, wait scheduling, random peeking", "Tan, Meng, Zhang, INFOCOM 2013",
			newCoupling),
	}
	for i := range table {
		e := &table[i]
		e.Params, e.Pool = params()[e.Name], e.Name == "omo" || e.Name == "fresh"
	}
	return table
}
