package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"schedtune/internal/cli"
	"schedtune/internal/timeofday"
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
			err = fmt.Errorf("must be one time and one file")
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
