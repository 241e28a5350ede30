package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"schedtune/datasets"
	"schedtune/internal/accuracy"
	"schedtune/internal/calibrate"
	"schedtune/internal/cli"
	"schedtune/internal/fileio"
	"schedtune/internal/report"
	"schedtune/internal/simulate"
	"schedtune/internal/study"
	"schedtune/internal/timeofday"
	"schedtune/simcore"
	"schedtune/tune"
	"schedtune/yarnconf"
)

// timetableFlags hold the options of tune timetable.
type timetableFlags struct {
	req                          timeofday.Request
	zone, times, params, protect string
	out                          cli.Output
}

// autoSwitch finds the switch times from the daily pattern of the demand.
const autoSwitch = "auto"

func newTimetableCmd(e *env) *cobra.Command {
	f := &timetableFlags{}
	c := subcommand("timetable", cli.NoArgs, func(ctx context.Context, _ []string) error { return f.run(ctx, e) })
	fs := c.Flags()
	inputFlags(fs, &f.req.Inputs)
	cli.Group(fs, "Time", func(fs *pflag.FlagSet) {
		fs.StringVar(&f.times, "switch", autoSwitch, "`TIMES` at which the first and the second configuration become "+
			"active, as '08:00,20:00' or 'Mon-Fri 08:00,20:00'; auto finds them")
		zoneFlag(fs, &f.zone)
		beginsFlag(fs, &f.req.Begins)
	})
	cli.Group(fs, "Goal", func(fs *pflag.FlagSet) {
		objectiveFlag(fs, &f.req.Objective, "mean-completion", "of jobs to improve")
		constraintFlag(fs, &f.req.Constraints)
		protectFlag(fs, &f.protect)
		paramsFlag(fs, &f.params)
	})
	cli.Group(fs, "Search", func(fs *pflag.FlagSet) {
		cli.Number(fs, &f.req.Budget, "budget", 1000, cli.AtLeast(100), "simulation `RUNS` of one day each, for both "+
			"searches")
		replicationsFlag(fs, &f.req.Replications, 4, 1, "runs of the whole trace to evaluate each configuration")
		cli.Seed(fs, &f.req.Seed, "the searches")
		workersFlag(fs, &f.req.Workers, "simulations")
	})
	cli.Group(fs, "Output", func(fs *pflag.FlagSet) {
		f.out.Flags(fs, "the recommended files", true)
	})
	completeValues(c, "objective", objectiveNames())
	return c
}

func (f *timetableFlags) validate() (err error) {
	if f.req.Zone, err = timeofday.Zone(f.zone); err != nil {
		return cli.Usagef("--zone: %v", err)
	}
	if f.times != autoSwitch {
		if f.req.Switches, err = timeofday.ParseTimes(f.times); err != nil {
			return cli.Usagef("--switch: %v", err)
		}
		if len(f.req.Switches) != 2 {
			return cli.Usagef("--switch: %d times: must be two, or auto", len(f.req.Switches))
		}
	}
	f.req.Params = splitList(f.params)
	f.req.Constraints, err = protectQueues(f.protect, f.req.Constraints)
	return err
}

// embedded uses the embedded weeks if no file is given; done removes their temporary files.
func (f *timetableFlags) embedded(e *env) (done func(), err error) {
	in := &f.req.Inputs
	if in.Config != "" || in.Cluster != "" || len(in.Traces) > 0 {
		return func() {}, nil
	}
	dir, err := os.MkdirTemp("", "schedtune-weeks-")
	if err != nil {
		return nil, err
	}
	done = func() { _ = os.RemoveAll(dir) } // a temporary folder
	if err := os.CopyFS(dir, datasets.DayNight); err != nil {
		done()
		return nil, err
	}
	at := func(name string) string { return filepath.Join(dir, "daynight", name) }
	in.Config, in.Cluster, in.Traces = at("capacity-scheduler.xml"), at("nodes.csv"), []string{at("weeks.json")}
	f.zone, f.req.Begins = cmp.Or(f.zone, "UTC"), cmp.Or(f.req.Begins, "2026-03-02 00:00")
	e.Notef("no --config, --cluster, --trace: using the embedded data set daynight, four weeks from %s, %s", f.req.Begins,
		f.zone)
	return done, nil
}

func (f *timetableFlags) run(ctx context.Context, e *env) error {
	done, err := f.embedded(e)
	if err != nil {
		return err
	}
	defer done()
	if err := f.validate(); err != nil {
		return err
	}
	var r *timeofday.Report
	var files *timeofday.Files
	err = e.Into(&f.out, "tune timetable", func(dir *fileio.Dir) (err error) {
		bar := e.NewProgress(int64(f.req.Budget), "runs")
		f.req.Progress = func(what string, p tune.Progress) { bar.Set(int64(p.Runs), what+", "+progressText(p)) }
		err = ending(ctx, func() (err error) { r, files, err = timeofday.Find(ctx, f.req); return err })
		bar.Finish()
		if err != nil || dir == nil {
			return err
		}
		return writeTimetable(e, dir, r, files)
	})
	if err != nil {
		return err
	}
	return e.Show(r, func(w io.Writer) error {
		if err := r.Print(w); err != nil || f.out.Dir == "" {
			return err
		}
		f.printSteps(w, files)
		return nil
	})
}

// partDir returns the folder of a part of the day, named after its start.
func partDir(s timeofday.Switch) string { return strings.ReplaceAll(s.Clock(), ":", "-") }

// writeTimetable writes the single configuration with its rollback, and each of two in a
// folder for tune apply, as a change of the other one.
func writeTimetable(e *env, dir *fileio.Dir, r *timeofday.Report, files *timeofday.Files) error {
	single := files.Single
	if single == nil {
		single = files.Present
	}
	back := files.Present.Bytes()
	list := []fileio.OutputFile{{Name: study.FileConfig, Data: single.Bytes()}, {Name: report.FileRollback, Data: back}}
	for _, s := range files.Switches {
		part := partDir(s) + "/"
		list = append(list, fileio.OutputFile{Name: part + study.FileConfig, Data: files.Two[s.File].Bytes()},
			fileio.OutputFile{Name: part + report.FileRollback, Data: files.Two[1-s.File].Bytes()})
	}
	return e.Publish(dir, r, append(list, report.Companions("the queue files", files.Beside)...))
}

// printSteps prints the commands that activate the configurations.
func (f *timetableFlags) printSteps(w io.Writer, files *timeofday.Files) {
	fmt.Fprintf(w, "\nwrote %s\n", f.out.Dir)
	if files.Two == nil {
		if files.Single != nil {
			fmt.Fprintf(w, "to apply the single configuration:\n  tune apply %s --rm URL\n", f.out.Dir)
		}
		return
	}
	first := filepath.Join(f.out.Dir, partDir(files.Switches[0]))
	back := filepath.Join(f.out.Dir, report.FileRollback)
	fmt.Fprintf(w, "to begin at %s:\n  tune apply %s --from %s --rm URL --yes\nlines for cron:\nCRON_TZ=%s\n",
		files.Switches[0],
		first, back, files.Zone)
	for _, s := range files.Switches {
		dir, err := filepath.Abs(filepath.Join(f.out.Dir, partDir(s)))
		if err != nil {
			dir = partDir(s) // only as text
		}
		fmt.Fprintf(w, "%s tune apply %s --rm URL --yes --quiet\n", s.Cron(), strings.ReplaceAll(cli.ShellWord(dir), "%",
			`\%`))
	}
	fmt.Fprintf(w, "to roll back, with the file in force: remove the lines, then\n  tune rollback %s --from FILE --rm URL --yes\n",
		f.out.Dir)
}

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

// read reads the switches and their files.
func (f *atFlags) read() (*timeofday.Schedule, []*yarnconf.Document, error) {
	zone, err := timeofday.Zone(f.zone)
	if err != nil {
		return nil, nil, cli.Usagef("--zone: %v", err)
	}
	var switches []timeofday.Switch
	var files []string
	for _, text := range f.list {
		when, path, ok := strings.Cut(text, "=")
		s, err := timeofday.ParseTimes(when)
		if err == nil && (!ok || path == "" || len(s) != 1) {
			err = fmt.Errorf("must be one time and one file")
		}
		if err != nil {
			return nil, nil, cli.Usagef("--at %q: %v; use HH:MM=FILE or 'Mon-Fri HH:MM=FILE'", text, err)
		}
		if !slices.Contains(files, path) {
			files = append(files, path)
		}
		s[0].File = slices.Index(files, path)
		switches = append(switches, s[0])
	}
	sched, err := timeofday.NewSchedule(zone, switches)
	if err != nil {
		return nil, nil, cli.Usagef("--at: %v", err)
	}
	docs := make([]*yarnconf.Document, len(files))
	for i := range files {
		if docs[i], err = yarnconf.Load(files[i]); err != nil {
			return nil, nil, err
		}
	}
	return sched, docs, timeofday.CheckFiles(docs)
}

func beginsFlag(fs *pflag.FlagSet, begins *string) {
	fs.StringVar(begins, "begins", "", "`DATE` at which the trace begins, 'YYYY-MM-DD HH:MM' in --zone, if its times "+
		"are not dates")
}

// load prepares the runs, with files by time of day if asked for.
func (f *simulateFlags) load() (*simulate.Runner, calibrate.Latencies, error) {
	if !f.at.on() {
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
		f.inputs.Config = files[0].Name()
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
		if err := timeofday.SameQueues(c.Doc, files[i]); err != nil {
			return nil, l, err
		}
		changes[i] = yarnconf.SchedulerChanges(c.Doc, files[i])
	}
	f.first, f.refresh = sched.Refresh(clock.Begin, changes)
	c.Notes = append(c.Notes, atNote(sched, files, clock))
	r, err := simulate.New(c, f.opt)
	return r, l, err
}

// atNote returns a note about the times at which the files are active.
func atNote(s *timeofday.Schedule, files []*yarnconf.Document, clock timeofday.Clock) string {
	var parts []string
	for _, w := range s.Switches {
		parts = append(parts, fmt.Sprintf("%s %s", w, files[w.File].Name()))
	}
	return fmt.Sprintf("configurations by time of day, %s: %s; the first job is submitted at %s, while %s is active",
		s.Zone, strings.Join(parts, ", "),
		clock.Begin.Format(time.RFC3339), files[s.InForce(clock.Begin)].Name())
}

// item is the run of a replication.
func (f *simulateFlags) item(i int) simulate.Item {
	return simulate.Item{Slowstart: f.slowstart, Seed: f.seed + uint64(i), Changes: f.first, Refresh: f.refresh}
}

// refreshes returns the next time at which another file becomes active, and its changes.
type refreshes = func(after simcore.Time) (simcore.Time, []yarnconf.Change)
