package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"schedtune/internal/accuracy"
	"schedtune/internal/calibrate"
	"schedtune/internal/cli"
	"schedtune/internal/simulate"
	"schedtune/internal/timeofday"
	"schedtune/simcore"
	"schedtune/yarnconf"
)

// atFlags hold configurations by time of day.
type atFlags struct {
	list []string
	zone string
}

func (f *atFlags) flags(fs *pflag.FlagSet, help string) {
	fs.StringArrayVar(&f.list, "at", nil, "`TIME=FILE`: "+help+"; 'HH:MM=FILE' or 'Mon-Fri HH:MM=FILE', two files or more")
	zoneFlag(fs, &f.zone)
}

func zoneFlag(fs *pflag.FlagSet, zone *string) {
	fs.StringVar(zone, "zone", "", "time `ZONE` of the switch times, such as Europe/Berlin, UTC or Local (required)")
}

func (f *atFlags) on() bool { return len(f.list) > 0 }

// fileAt is a configuration of a schedule.
type fileAt struct {
	path string
	doc  *yarnconf.Document
}

// read reads the switches and their files.
func (f *atFlags) read() (*timeofday.Schedule, []fileAt, error) {
	zone, err := timeofday.Zone(f.zone)
	if err != nil {
		return nil, nil, cli.Usagef("--zone: %v", err)
	}
	var switches []timeofday.Switch
	var files []fileAt
	for _, text := range f.list {
		when, path, ok := strings.Cut(text, "=")
		s, err := timeofday.ParseTimes(when)
		if err == nil && (!ok || path == "" || len(s) != 1) {
			err = fmt.Errorf("not one time and one file")
		}
		if err != nil {
			return nil, nil, cli.Usagef("--at %q: %v; use HH:MM=FILE or 'Mon-Fri HH:MM=FILE'", text, err)
		}
		at := slices.IndexFunc(files, func(f fileAt) bool { return f.path == path })
		if at < 0 {
			at = len(files)
			files = append(files, fileAt{path: path})
		}
		s[0].File = at
		switches = append(switches, s[0])
	}
	sched, err := timeofday.NewSchedule(zone, switches)
	if err != nil {
		return nil, nil, cli.Usagef("--at: %v", err)
	}
	docs := make([]*yarnconf.Document, len(files))
	for i := range files {
		if files[i].doc, err = yarnconf.Load(files[i].path); err != nil {
			return nil, nil, err
		}
		docs[i] = files[i].doc
	}
	return sched, files, timeofday.CheckFiles(docs)
}

func beginsFlag(fs *pflag.FlagSet, begins *string) {
	fs.StringVar(begins, "begins", "", "`DATE` at which the trace begins, 'YYYY-MM-DD HH:MM' in --zone, if its times "+
		"are not dates")
}

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
