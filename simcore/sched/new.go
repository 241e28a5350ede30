package sched

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"strings"
	"sync"

	"schedtune/fairconf"
	"schedtune/simcore/mr1"
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

	build func(Options, Values) (mr1.Scheduler, error) // on MR1
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

//go:embed schedulers.csv
var schedulersCSV string

//go:embed params.csv
var paramsCSV string

// rowsOf returns the rows of an embedded table below its head.
func rowsOf(table string) [][]string {
	rows, err := csv.NewReader(strings.NewReader(table)).ReadAll()
	if err != nil {
		panic("sched: " + err.Error())
	}
	return rows[1:]
}

// params returns the parameters of each scheduler, in the order of the rows of params.csv: the
// schedulers that have a parameter, its name, and the fields of Param. Lists have blanks
// between their items.
var params = sync.OnceValue(func() map[string][]Param {
	all := map[string][]Param{}
	for _, r := range rowsOf(paramsCSV) {
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

// builders are what builds the schedulers of the Hadoop 1 runtime.
var builders = map[string]func(Options, Values) (mr1.Scheduler, error){
	"fifo": newFIFO, "native": newNative, "fair": newFair, "delay": newDelay, "capacity-mr1": newCapacityMR1,
	"coshh": newCOSHH, "learning": newLearning, "omo": newOMO, "fresh": newFresh, "coupling": newCoupling,
}

// Table lists the schedulers, the rows of schedulers.csv. It is the only place where they are
// named, with params.csv, which has their parameters; the command line, the search space and the
// error messages come from both. Params must not be changed.
func Table() []Entry {
	var table []Entry
	for _, r := range rowsOf(schedulersCSV) {
		e := Entry{Name: r[0], Pool: r[2] != "", Source: r[3], Help: r[4], Params: params()[r[0]], build: builders[r[0]]}
		if r[1] != "" {
			e.Runtime = YARN
		}
		table = append(table, e)
	}
	return table
}
