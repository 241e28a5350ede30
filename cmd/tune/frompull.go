package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"schedtune/internal/cli"
	"schedtune/internal/diagnose"
	"schedtune/internal/simulate"
	"schedtune/internal/snapshot"
	"schedtune/simcore"
	"schedtune/yarnconf"
)

// fromPullJSON is the schema schedtune/from-pull/v1. Times are seconds from the
// moment of the pull.
type fromPullJSON struct {
	Schema       string            `json:"schema"`
	Moment       string            `json:"moment"` // RFC 3339
	Running      int               `json:"running"`
	Waiting      int               `json:"waiting"`
	Replications int               `json:"replications"`
	Seed         uint64            `json:"seed"`
	Starts       []startJSON       `json:"starts"`
	Notes        []string          `json:"notes"`
	Files        map[string]string `json:"files,omitempty"`
}

type startJSON struct {
	Application string  `json:"application"`
	Name        string  `json:"name"`
	User        string  `json:"user"`
	Queue       string  `json:"queue"`
	Waited      float64 `json:"waited_s"`
	whenJSON
	Guessed bool      `json:"guessed"` // what runs or waits before it is not known from its history
	Then    *whenJSON `json:"then,omitempty"`
}

// whenJSON is when an application's master gets its container; null: not at all.
type whenJSON struct {
	Median *float64 `json:"start_s"`
	Low    *float64 `json:"low_s"` // 5 %
	High   *float64 `json:"high_s"`
}

func whenOf(s *snapshot.Start) whenJSON {
	low, high := s.Interval()
	return whenJSON{secondsOf(s.Quantile(0.5)), secondsOf(low), secondsOf(high)}
}

func secondsOf(t simcore.Time) *float64 {
	if t == simcore.Never {
		return nil
	}
	v := t.Seconds()
	return &v
}

// runFromPull simulates on from what a pulled cluster ran.
func runFromPull(ctx context.Context, e *env, f *simulateFlags) error {
	if f.at.on() || f.dataset != "" || f.slowstart >= 0 || f.model != "replay" || f.beats != "" || f.allocations != "" || f.scheduler != simulate.Capacity {
		return cli.Usagef("--from-pull simulates the pulled cluster; allowed beside it: --config, --site, --cluster, --trace, --calibration, --then, --seed, --replications, --timeline, --perfetto, --event-trace")
	}
	runs := f.runs
	if runs == 1 {
		runs = fromPullRuns
	}
	o, err := snapshot.Open(f.fromPull, snapshot.Options{Inputs: f.inputs, Replications: runs, Seed: f.seed})
	if err != nil {
		return err
	}
	out := &fromPullJSON{Schema: "schedtune/from-pull/v1", Moment: time.UnixMilli(o.Model.State.Now).UTC().Format(time.RFC3339), Replications: runs, Seed: f.seed,
		Starts: []startJSON{}, Notes: append([]string{}, o.Model.Notes...)}
	var then []snapshot.Start
	starts, err := o.Starts(ctx, nil)
	if err == nil && f.then != "" {
		var changes []yarnconf.Change
		if changes, err = o.ChangesTo(f.then); err == nil {
			then, err = o.Starts(ctx, changes)
		}
	}
	if err != nil {
		return err
	}
	for i := range o.Model.State.Apps {
		if o.Model.State.Apps[i].Waits() {
			out.Waiting++
		} else {
			out.Running++
		}
	}
	out.addStarts(o.Model.State.Now, starts, then)
	if err := f.fromPullLogs(ctx, o, out); err != nil {
		return err
	}
	if e.JSON {
		return e.WriteJSON(out)
	}
	return printFromPull(e.Stdout, out)
}

// addStarts lists when applications start that wait at the instant now (ms), and with
// the other file where then is not nil.
func (out *fromPullJSON) addStarts(now int64, starts, then []snapshot.Start) {
	for i := range starts {
		a := starts[i].App
		s := startJSON{Application: a.ID, Name: a.Name, User: a.User, Queue: a.Queue, Waited: float64(now-a.Started) / 1000, whenJSON: whenOf(&starts[i]), Guessed: starts[i].Guessed}
		if then != nil {
			w := whenOf(&then[i])
			s.Then = &w
		}
		out.Starts = append(out.Starts, s)
	}
}

// fromPullRuns are the replications where --replications does not say.
const fromPullRuns = 50

// fromPullLogs writes the logs of the first replication.
func (f *simulateFlags) fromPullLogs(ctx context.Context, o *snapshot.Outlook, out *fromPullJSON) error {
	out.Files = map[string]string{}
	for name, path := range map[string]string{"timeline": f.timeline, "event-trace": f.events, "perfetto": f.perfetto} {
		if path != "" {
			out.Files[name] = path
		}
	}
	if len(out.Files) == 0 || o.Runner == nil {
		return nil
	}
	_, err := f.watched(ctx, o.Runner, o.Item(0))
	return err
}

func printFromPull(w io.Writer, o *fromPullJSON) error {
	fmt.Fprintf(w, "At %s %d applications run and %d wait; %d replications from seed %d\n", o.Moment, o.Running, o.Waiting, o.Replications, o.Seed)
	if len(o.Starts) > 0 {
		fmt.Fprintf(w, "\n%-34s %-12s %-18s %10s  %s\n", "waiting application", "user", "queue", "waited", "starts in (90 % interval)")
	}
	guessed := false
	for _, s := range o.Starts {
		mark := ""
		if s.Guessed {
			mark, guessed = " *", true
		}
		fmt.Fprintf(w, "%-34s %-12s %-18s %10s  %s%s\n", s.Application, s.User, s.Queue, clock(s.Waited), s.text(), mark)
		if s.Then != nil {
			fmt.Fprintf(w, "%-78s  %s\n", "  with --then", s.Then.text())
		}
	}
	if guessed {
		fmt.Fprintln(w, "\n* an application that runs or came before is not known from the history: how long it lasts is guessed")
	}
	for _, n := range o.Notes {
		fmt.Fprintf(w, "note: %s\n", n)
	}
	return nil
}

func (o *whenJSON) text() string {
	return fmt.Sprintf("%s (%s to %s)", clockOr(o.Median), clockOr(o.Low), clockOr(o.High))
}

// fromPull predicts by when an application of a pulled folder starts, as it is and
// with the changes, and says why where it can't.
func (f *whyFlags) fromPull(ctx context.Context, out *whyJSON, a *diagnose.PendingAnswer, app string) []string {
	o, err := snapshot.Open(f.pulled, snapshot.Options{Replications: max(f.runs, leastRuns), Seed: f.seed})
	if err != nil {
		return []string{"when it starts is not predicted: " + err.Error()}
	}
	next, err := startOf(ctx, o, app, nil)
	if err != nil || next == nil {
		return []string{"when it starts is not predicted: " + fmt.Sprint(cmp.Or(err, errStarted))}
	}
	w := whenOf(next)
	out.Next = &nextJSON{Median: w.Median, Low: w.Low, High: w.High, Runs: o.Replications()}
	if len(a.Changes) > 0 {
		var changes []yarnconf.Change
		for _, c := range a.Changes {
			changes = append(changes, c.Change)
		}
		if then, err := startOf(ctx, o, app, changes); err == nil && then != nil {
			out.Next.With = whenOf(then).Median
		}
	}
	if next.Guessed {
		return []string{"an application that runs or came before is not known from the history: how long it lasts is guessed"}
	}
	return nil
}

// leastRuns tell a 90 % interval.
const leastRuns = 20

var errStarted = errors.New("it had its master when the folder was pulled")

// startOf predicts the start of one application; nil: it does not wait.
func startOf(ctx context.Context, o *snapshot.Outlook, app string, changes []yarnconf.Change) (*snapshot.Start, error) {
	starts, err := o.Starts(ctx, changes)
	for i := range starts {
		if starts[i].App.ID == app {
			return &starts[i], err
		}
	}
	return nil, err
}
