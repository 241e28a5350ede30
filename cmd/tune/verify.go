package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"schedtune/internal/accuracy"
	"schedtune/internal/cli"
	"schedtune/internal/fileio"
	"schedtune/internal/rm"
	"schedtune/yarnconf"
)

// verifyReplications is less than the default of tune verify, since every round compares.
const verifyReplications = 5

// changeWatch evaluates a change of the configuration until the result is clear.
type changeWatch struct {
	before string // folder of the last round before the change, empty = none to follow
	last   string // folder of the round before
}

// compare evaluates the window after the last change of the configuration against the one
// before it; nil if there is no change.
func (w *changeWatch) compare(ctx context.Context, round string, drift []rm.Drift,
	seed uint64) (*accuracy.ChangeReport, error) {
	w.begins(round, drift)
	if w.before == "" {
		return nil, nil
	}
	before, after := filepath.Join(w.before, "pull"), filepath.Join(round, "pull")
	if !fileio.Exists(filepath.Join(before, rm.DirTrace)) || !fileio.Exists(filepath.Join(after, rm.DirTrace)) {
		return nil, nil // no jobs in one of them
	}
	q := accuracy.Request{Tuned: filepath.Join(after, rm.FileConfig), Before: []string{before}, After: []string{after},
		Options: accuracy.ChangeOptions{Seed: seed, Replications: verifyReplications}}
	if tuned := filepath.Join(w.before, "tuned"); sameSettings(filepath.Join(tuned, rm.FileConfig), q.Tuned) {
		q.Tuned = tuned // the recommendation of that round was applied
	}
	q.Inputs.Config = filepath.Join(before, rm.FileConfig)
	r, err := accuracy.Run(ctx, q)
	if err != nil {
		return nil, fmt.Errorf("change of the configuration: %w", err)
	}
	if r.Advice != accuracy.Wait {
		w.before = ""
	}
	return r, nil
}

// sameSettings reports whether two queue files set the same.
func sameSettings(a, b string) bool {
	x, err := yarnconf.Load(a)
	if err != nil {
		return false
	}
	y, err := yarnconf.Load(b)
	return err == nil && len(yarnconf.Changes(x.Map(), y.Map())) == 0
}

// loggedRound is the part of a logged round that a later call uses.
type loggedRound struct {
	State    *rm.State  `json:"state"`
	Drift    []rm.Drift `json:"drift"`
	Verified *struct {
		Advice string `json:"advice"`
	} `json:"verified"`
}

// earlier resumes the watch of an earlier call, for example if cron starts every round. It
// returns the state of the last round that read the cluster, nil for none, and restores the
// change that is being evaluated.
func (f *watchFlags) earlier() (*rm.State, error) {
	data, err := fileio.ReadFile(filepath.Join(f.search.out.Dir, watchLog), fileio.Table)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var last *rm.State
	for line := range strings.Lines(string(data)) {
		var r loggedRound
		if json.Unmarshal([]byte(line), &r) != nil || r.State == nil {
			continue // cut off, or a round that could not read the cluster
		}
		last = r.State
		f.change.begins(f.folder(r.State.Round), r.Drift)
		if r.Verified != nil && r.Verified.Advice != string(accuracy.Wait) {
			f.change.before = ""
		}
	}
	if last == nil {
		return nil, nil
	}
	doc, err := yarnconf.Load(filepath.Join(f.folder(last.Round), "pull", rm.FileConfig))
	if err == nil {
		last.Config = doc.Map()
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return last, nil
}

// folder returns the folder of a round.
func (f *watchFlags) folder(round int) string {
	return filepath.Join(f.search.out.Dir, fmt.Sprintf("round-%04d", round))
}

// begins records a round: after a drift of the configuration, the change is compared with
// the round before.
func (w *changeWatch) begins(round string, drift []rm.Drift) {
	if w.last != "" && slices.ContainsFunc(drift, func(d rm.Drift) bool { return d.What == "configuration" }) {
		w.before = w.last
	}
	w.last = round
}

func newVerifyCmd(e *env) *cobra.Command {
	var q accuracy.Request
	c := subcommand("verify TUNED --before HISTORY --after HISTORY", cli.Args(cobra.ExactArgs(1)),
		func(ctx context.Context, args []string) error {
			q.Tuned = args[0]
			r, err := cli.Interruptible(ctx, func() (*accuracy.ChangeReport, error) {
				return accuracy.Run(ctx, q)
			})
			if err != nil {
				return err
			}
			return printVerified(e, r)
		})
	fs := c.Flags()
	fs.StringArrayVar(&q.Before, "before", nil, "`HISTORY` of the period before the change")
	fs.StringArrayVar(&q.After, "after", nil, "`HISTORY` of the period after the change")
	fs.StringVar(&q.Inputs.Config, "config", "", "capacity-scheduler.xml `FILE` in force before the change (default that "+
		"of the study, or of the folder that tune pull wrote)")
	siteFlag(fs, &q.Inputs.Site)
	fs.StringVar(&q.Inputs.Cluster, "cluster", "", "cluster `FILE`, if the histories do not describe the nodes")
	jobFlags(fs, &q.Inputs)
	readingFlags(fs, &q.Inputs.SkipBroken, &q.Inputs.TezContainer)
	objectiveFlag(fs, &q.Options.Objective, "", "to compare (default that of the study, else mean-completion)")
	replicationsFlag(fs, &q.Options.Replications, 10, 2, "simulated runs of each period")
	cli.Seed(fs, &q.Options.Seed, "the simulations and the bootstrap")
	return c
}

// printVerified prints a report and turns its advice into the exit code.
func printVerified(e *env, r *accuracy.ChangeReport) error {
	e.Notes(r.Notes...)
	if err := e.Show(r, r.Print); err != nil {
		return err
	}
	switch r.Advice {
	case accuracy.Wait:
		return &cli.ExitError{Code: cli.ExitNotRecommended}
	case accuracy.RollBack:
		return &cli.ExitError{Code: cli.ExitFindings}
	}
	return nil
}

func newDoctorCmd(e *env) *cobra.Command {
	var o accuracy.ClusterOptions
	c := subcommand("doctor DIR", cli.Args(cobra.ExactArgs(1)), func(ctx context.Context, args []string) error {
		r, err := cli.Interruptible(ctx, func() (*accuracy.ClusterReport, error) {
			return accuracy.Examine(ctx, args[0], o)
		})
		if err != nil {
			return err
		}
		if !e.JSON {
			e.Notes(r.Notes...)
		}
		return e.Show(r, r.Print)
	})
	fs := c.Flags()
	calibrationFlag(fs, &o.Calibration, "the built-in ones")
	queueMapFlag(fs, &o.QueueMap)
	replicationsFlag(fs, &o.Replications, 20, 1, "simulated runs")
	cli.Seed(fs, &o.Seed, "the first replication")
	return c
}
