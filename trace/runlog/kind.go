// Package runlog reads the files of a recorded run: a folder with tables of
// what the ResourceManager, the NodeManagers, the application masters and the
// tasks did, in milliseconds from the run's time zero, plain or gzipped.
package runlog

import (
	"os"
	"path/filepath"
)

// Kind says what a folder records.
type Kind uint8

const (
	// None is a folder that is no recorded run.
	None Kind = iota
	// Tables is one with jobs.csv, tasks.csv and containers.csv: what MapReduce
	// jobs did.
	Tables
	// Planned has scenario.json and capacity-scheduler.xml too: what was asked of
	// which cluster, so that the run can be simulated.
	Planned
	// Spark is a run of Spark applications, alone or beside MapReduce jobs:
	// scenario.json, jobs.csv and executors.csv.
	Spark
	// Tez is a run of Tez applications, alone or beside others: scenario.json, jobs.csv,
	// dags.csv and vertices.csv.
	Tez
)

// KindOf tells what a folder records by the names in it.
func KindOf(dir string) Kind {
	has := func(names ...string) bool {
		for _, n := range names {
			path := filepath.Join(dir, n)
			if _, err := os.Stat(path); err == nil {
				continue
			}
			if _, err := os.Stat(path + ".gz"); err != nil {
				return false
			}
		}
		return true
	}
	switch {
	case has("scenario.json", "jobs.csv", "executors.csv"):
		return Spark
	case has("scenario.json", "jobs.csv", "dags.csv", "vertices.csv"):
		return Tez
	case !has("jobs.csv", "tasks.csv", "containers.csv"):
		return None
	case has("scenario.json", "capacity-scheduler.xml"):
		return Planned
	}
	return Tables
}
