package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"schedtune/datasets"
	"schedtune/internal/cli"
	"schedtune/internal/fileio"
	"schedtune/internal/report"
	"schedtune/internal/study"
	"schedtune/internal/text"
	"schedtune/internal/timeofday"
	"schedtune/simcore"
	"schedtune/tune"
	"schedtune/yarnconf"
)

// timetableFlags are the options of tune timetable.
type timetableFlags struct {
	req                          timeofday.Request
	zone, times, params, protect string
	out                          string
	replace                      bool // finished results in out
}

// autoSwitch has the switch times found from the rhythm of the demand.
const autoSwitch = "auto"

func newTimetableCmd(e *env) *cobra.Command {
	f := &timetableFlags{}
	c := &cobra.Command{
		Use:   "timetable",
		Short: "Find two queue files and the times of day to switch between them, if they beat one",
		Long: `timetable tests whether the demand by queue has a daily rhythm, proposes two
switch times, searches a single file and two files that a refresh of the queues
exchanges at these times, and states the gain of the two over the best single
one. Every other day of the trace is held out: the rhythm, the times and the
searches see the rest, the gain with its interval over days is that of the days
held out. Without a gain that the interval proves the single file is
recommended. Several weeks of history are needed, eight days at least.

Without --config, --cluster and --trace four embedded weeks are used.`,
		Example: `  tune timetable
  tune timetable --config capacity-scheduler.xml --cluster nodes.json --trace history/ --zone Europe/Berlin --out day
  tune timetable --switch 'Mon-Fri 08:00,20:00' --objective mean-bounded-slowdown`,
		Args: cli.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c.Context(), e) },
	}
	fs := c.Flags()
	inputFlags(fs, &f.req.Inputs)
	cli.Group(fs, "Time", func(fs *pflag.FlagSet) {
		fs.StringVar(&f.times, "switch", autoSwitch, "`TIMES` at which the first and the second file come in force, as '08:00,20:00' or 'Mon-Fri 08:00,20:00'; auto finds them")
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
		cli.Number(fs, &f.req.Budget, "budget", 1000, cli.AtLeast(100), "`RUNS` of the simulator, on one day each, for both searches")
		replicationsFlag(fs, &f.req.Replications, 4, 1, "runs of the whole trace that judge each file")
		seedFlag(fs, &f.req.Seed, "the searches")
		workersFlag(fs, &f.req.Workers, "simulations")
	})
	cli.Group(fs, "Output", func(fs *pflag.FlagSet) {
		outFlag(fs, &f.out, "the recommended files")
		replaceFlag(fs, &f.replace)
	})
	completeValues(c, "objective", objectiveNames())
	return c
}

func (f *timetableFlags) parse() (err error) {
	if f.req.Zone, err = timeofday.Zone(f.zone); err != nil {
		return cli.Usagef("--zone: %v", err)
	}
	if f.times != autoSwitch {
		if f.req.Switches, err = timeofday.ParseTimes(f.times); err != nil {
			return cli.Usagef("--switch: %v", err)
		}
		if len(f.req.Switches) != 2 {
			return cli.Usagef("--switch: %d times; allowed: two, or auto", len(f.req.Switches))
		}
	}
	f.req.Params = splitList(f.params)
	f.req.Constraints, err = protectQueues(f.protect, f.req.Constraints)
	return err
}

// embedded puts the embedded weeks in the place of files, where none is given; done
// removes what they need.
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
	e.Notef("no --config, --cluster, --trace: the embedded data set daynight is used, four weeks from %s, %s", f.req.Begins, f.zone)
	return done, nil
}

func (f *timetableFlags) run(ctx context.Context, e *env) error {
	done, err := f.embedded(e)
	if err != nil {
		return err
	}
	defer done()
	if err := f.parse(); err != nil {
		return err
	}
	var r *timeofday.Report
	var files *timeofday.Files
	err = fileio.Into(f.out, "tune timetable", f.replace, func(dir *fileio.Dir) (err error) {
		bar := e.NewProgress(int64(f.req.Budget), "runs")
		f.req.Progress = func(what string, p tune.Progress) { bar.Set(int64(p.Runs), what+", "+progressText(p)) }
		r, files, err = timeofday.Find(ctx, f.req)
		bar.Finish()
		if err != nil || dir == nil {
			return err
		}
		return writeTimetable(dir, r, files)
	})
	if err != nil {
		return usage(interrupted(ctx, err))
	}
	if e.JSON {
		return e.WriteJSON(timetableJSON(r))
	}
	if err := printTimetable(e.Stdout, r); err != nil || f.out == "" {
		return err
	}
	f.printSteps(e.Stdout, files)
	return nil
}

func timetableJSON(r *timeofday.Report) any {
	return struct {
		Schema string `json:"schema"`
		*timeofday.Report
	}{"schedtune/timetable/v1", r}
}

// partDir is the folder of a part, by the time at which it begins.
func partDir(s timeofday.Switch) string { return strings.ReplaceAll(s.Clock(), ":", "-") }

// writeTimetable writes the single file with its rollback, and of two files each in a
// folder that tune apply and tune rollback take.
func writeTimetable(dir *fileio.Dir, r *timeofday.Report, files *timeofday.Files) error {
	single := files.Single
	if single == nil {
		single = files.Present
	}
	back := files.Present.Bytes()
	list := []fileio.OutputFile{{Name: study.FileConfig, Data: single.Bytes()}, {Name: report.FileRollback, Data: back}}
	for _, s := range files.Switches {
		part := partDir(s) + "/"
		list = append(list, fileio.OutputFile{Name: part + study.FileConfig, Data: files.Two[s.File].Bytes()}, fileio.OutputFile{Name: part + report.FileRollback, Data: back})
	}
	return publish(dir, timetableJSON(r), append(list, report.Companions("the queue files", files.Slowstart, files.Spark, files.Unspark)...))
}

// printSteps tells how to put the files in force.
func (f *timetableFlags) printSteps(w io.Writer, files *timeofday.Files) {
	fmt.Fprintf(w, "\nwrote %s\n", f.out)
	if files.Two == nil {
		if files.Single != nil {
			fmt.Fprintf(w, "to apply the single file\n  tune apply %s --rm URL\n", f.out)
		}
		return
	}
	var at []string
	for _, s := range files.Switches {
		at = append(at, fmt.Sprintf("--at %s=%s", report.ShellWord(s.String()), filepath.Join(f.out, partDir(s), study.FileConfig)))
	}
	all := strings.Join(at, " ") + " --zone " + files.Zone
	fmt.Fprintf(w, "to check both against the cluster and print the lines for cron\n  tune apply %s --rm URL\n", all)
	fmt.Fprintf(w, "to begin now\n  tune apply %s --due --from %s --rm URL --yes\n", all, filepath.Join(f.out, report.FileRollback))
	fmt.Fprintf(w, "to go back: take the lines out, then, by which file is in force, one of\n")
	for _, s := range files.Switches {
		fmt.Fprintf(w, "  tune rollback %s --rm URL --yes\n", filepath.Join(f.out, partDir(s)))
	}
}

// printTimetable writes the report for people.
func printTimetable(w io.Writer, r *timeofday.Report) error {
	fmt.Fprintf(w, "%s\n\n%d whole days in %s, %d of them held out; %d runs of the searches\n", r.Verdict, r.Days, r.Zone, r.HeldOut, r.Runs)
	tw := text.New(w)
	printRhythm(tw, r)
	fmt.Fprintf(tw, "\n%s, mean over the days held out\t%s\tlimits\tjobs lost\n", "file", r.Objective)
	for i := range r.Files {
		f := &r.Files[i]
		kept := "kept"
		if !f.Keeps {
			kept = "broken"
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\n", f.Name, amount(f.Value(r.Objective), simcore.MetricOf(r.Objective).Unit), kept, number(f.Lost))
	}
	if len(r.Against) > 0 {
		fmt.Fprintf(tw, "\ngain of two files over\tgain\t%.0f %% interval\tover days alone\n", 100*r.Against[0].Level)
		for i := range r.Against {
			g := &r.Against[i]
			interval := text.Signed(100*g.Low, 1) + " to " + text.Signed(100*g.High, 1)
			if g.Unknown {
				interval = "not known"
			}
			fmt.Fprintf(tw, "%s\t%s\t%s\t%s to %s\n", g.Over, text.SignedPercent(g.Mean), interval, text.Signed(100*g.DaysLow, 1), text.Signed(100*g.DaysHigh, 1))
		}
	}
	printTimetableChanges(tw, r)
	if err := tw.Flush(); err != nil {
		return err
	}
	for i := range r.Limits {
		l := &r.Limits[i]
		if !l.Kept {
			fmt.Fprintf(w, "\nlimit not kept in the mean of the days held out: %s, %s beyond", l.Text, text.SignedPercent(l.Beyond))
		}
	}
	for _, n := range r.Notes {
		fmt.Fprintf(w, "\nnote: %s", n)
	}
	if len(r.Notes) > 0 {
		fmt.Fprintln(w)
	}
	return nil
}

// printRhythm writes the tests and the profile by hours, in eight parts of the day.
func printRhythm(tw io.Writer, r *timeofday.Report) {
	fmt.Fprintf(tw, "\ndemand by queue, in parts of its mean hour, from\t00\t03\t06\t09\t12\t15\t18\t21\tsame phase every day\tp\n")
	for i := range r.Rhythm.Queues {
		q := &r.Rhythm.Queues[i]
		fmt.Fprintf(tw, "%s", q.Queue)
		for h := 0; h < 24; h += 3 {
			fmt.Fprintf(tw, "\t%.1f", (q.Profile[h]+q.Profile[h+1]+q.Profile[h+2])/3)
		}
		fmt.Fprintf(tw, "\t%.0f %%\t%.2g\n", 100*q.Coherence, q.P)
	}
	fmt.Fprintf(tw, "weekends unlike workdays: p = %.2g\n", r.Rhythm.Weekend)
	for _, s := range r.Switches {
		which := "first"
		if s.File == 1 {
			which = "second"
		}
		fmt.Fprintf(tw, "the %s file comes in force at %s\n", which, strings.TrimSpace(s.Days+" "+s.Time))
	}
}

func printTimetableChanges(tw io.Writer, r *timeofday.Report) {
	if len(r.Changes) == 0 {
		return
	}
	fmt.Fprint(tw, "\nchange\tpresent")
	if len(r.Changes[0].Values) == 2 {
		for _, s := range r.Switches {
			fmt.Fprintf(tw, "\tfrom %s", strings.TrimSpace(s.Days+" "+s.Time))
		}
	} else {
		fmt.Fprint(tw, "\tsingle file")
	}
	fmt.Fprintln(tw)
	for _, c := range r.Changes {
		fmt.Fprintf(tw, "%s\t%s", strings.TrimPrefix(c.Property, yarnconf.Prefix), orNotSet(c.Present))
		if len(c.Values) == 2 {
			for _, s := range r.Switches {
				fmt.Fprintf(tw, "\t%s", orNotSet(c.Values[s.File]))
			}
		} else {
			fmt.Fprintf(tw, "\t%s", orNotSet(c.Values[0]))
		}
		fmt.Fprintln(tw)
	}
}
