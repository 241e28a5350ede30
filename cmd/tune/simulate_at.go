package main

import (
	"fmt"
	"strings"
	"time"

	"schedtune/internal/accuracy"
	"schedtune/internal/calibrate"
	"schedtune/internal/cli"
	"schedtune/internal/simulate"
	"schedtune/internal/timeofday"
	"schedtune/simcore"
	"schedtune/yarnconf"
)

// load prepares the runs, with files by time of day if asked for.
func (f *simulateFlags) load() (*simulate.Runner, calibrate.Latencies, error) {
	if !f.at.on() {
		if f.at.zone != "" || f.begins != "" {
			return nil, calibrate.Latencies{}, cli.Usagef("--zone, --begins: need --at")
		}
		return accuracy.Load(f.inputs, f.dataset, f.opt)
	}
	if f.dataset != "" || f.scheduler != simulate.Capacity {
		return nil, calibrate.Latencies{}, cli.Usagef("--at: needs the scheduler %s, with --config, --cluster and --trace",
			simulate.Capacity)
	}
	sched, files, err := f.at.read()
	if err != nil {
		return nil, calibrate.Latencies{}, err
	}
	if f.inputs.Config == "" {
		f.inputs.Config = files[0].path
	}
	c, err := simulate.LoadCase(&f.inputs, "", f.opt)
	if err != nil {
		return nil, calibrate.Latencies{}, err
	}
	l := calibrate.Fit(c, &f.inputs)
	clock, err := timeofday.NewClock(c, sched.Zone, f.begins)
	if err != nil {
		return nil, l, err
	}
	changes := make([][]yarnconf.Change, len(files))
	for i := range files {
		if err := timeofday.SameQueues(c.Doc, files[i].doc); err != nil {
			return nil, l, err
		}
		changes[i] = yarnconf.SchedulerChanges(c.Doc, files[i].doc)
	}
	f.first, f.refresh = sched.Refresh(clock.Begin, changes)
	c.Notes = append(c.Notes, atNote(sched, files, clock))
	r, err := simulate.New(c, f.opt)
	return r, l, err
}

// atNote returns a note about the times at which the files are active.
func atNote(s *timeofday.Schedule, files []fileAt, clock timeofday.Clock) string {
	var parts []string
	for _, w := range s.Switches {
		parts = append(parts, fmt.Sprintf("%s %s", w, files[w.File].path))
	}
	return fmt.Sprintf("configurations by time of day, %s: %s; the first job is submitted at %s, while %s is active",
		s.Zone, strings.Join(parts, ", "),
		clock.Begin.Format(time.RFC3339), files[s.InForce(clock.Begin)].path)
}

// item is the run of a replication.
func (f *simulateFlags) item(i int) simulate.Item {
	return simulate.Item{Slowstart: f.slowstart, Seed: f.seed + uint64(i), Changes: f.first, Refresh: f.refresh}
}

// refreshes returns the next time at which another file becomes active, and its changes.
type refreshes = func(after simcore.Time) (simcore.Time, []yarnconf.Change)
