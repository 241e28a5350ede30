package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"schedtune/internal/cli"
	"schedtune/internal/fileio"
	"schedtune/internal/report"
	"schedtune/internal/rm"
	"schedtune/internal/study"
	"schedtune/tune"
	"schedtune/yarnconf"
)

// fileApplied and fileRolledBack are the records beside what was applied.
const (
	fileApplied    = fileio.Applied
	fileRolledBack = "rolled-back.json"
)

type applyFlags struct {
	liveFlags
	yes            bool
	withoutVersion bool
	unconfirmed    bool
	target         string
	at             atFlags
	due            bool
	from           string
}

func newApplyCmd(e *env) *cobra.Command {
	return applyCmd(e, false, &cobra.Command{
		Use:   "apply {DIR | --at HH:MM=FILE …} --rm URL",
		Short: "Hand tuned settings to a running cluster (shows what it would do unless --yes)",
		Long: `apply takes a folder that tune wrote, makes sure that the live configuration is
the one that was tuned, lets the ResourceManager validate the change, sends it
(only with --yes), reads it back, and records it. Where the cluster keeps its
configuration in a file, the new file is written beside the old one and the
remaining steps are printed. tune rollback takes the change back.
With --at it checks that queue files can follow one another by refreshes, in every
direction, and prints crontab lines that put each in force at its time of day.`,
		Example: "  tune apply tuned --rm http://rm:8088 --auth simple:yarn\n  tune apply tuned --rm http://rm:8088 --auth simple:yarn --yes\n  tune apply --at 08:00=day.xml --at 20:00=night.xml --zone Europe/Berlin --rm http://rm:8088",
	})
}

func newRollbackCmd(e *env) *cobra.Command {
	return applyCmd(e, true, &cobra.Command{
		Use:   "rollback DIR --rm URL",
		Short: "Take an applied change back (shows what it would do unless --yes)",
		Long: `rollback restores the settings that were in force before tune apply. It refuses
if the live configuration is not the one that was applied.`,
		Example: "  tune rollback tuned --rm http://rm:8088 --auth simple:yarn --yes",
	})
}

func applyCmd(e *env, back bool, c *cobra.Command) *cobra.Command {
	var f applyFlags
	c.Args = func(c *cobra.Command, args []string) error {
		if f.at.on() {
			return cli.NoArgs(c, args)
		}
		return cli.Args(cobra.ExactArgs(1))(c, args)
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		if f.at.on() {
			return runApplyAt(c.Context(), e, &f)
		}
		return runApply(c.Context(), e, args[0], f, back)
	}
	var dry bool
	cli.Group(c.Flags(), "Change", func(fs *pflag.FlagSet) {
		fs.BoolVar(&f.yes, "yes", false, "make the change")
		fs.BoolVar(&dry, "dry-run", false, "only show what would be done; the default without --yes")
		fs.BoolVar(&f.withoutVersion, "without-version", false, "make the change where the cluster tells no version, so that another's at the same time goes unnoticed")
		fs.StringVar(&f.target, "target", "", "the capacity-scheduler.xml `FILE` in force, where the cluster keeps its configuration in a file")
		if !back {
			fs.BoolVar(&f.unconfirmed, "unconfirmed", false, "apply the best so far of an interrupted study, which nothing has confirmed")
		}
	})
	if !back {
		cli.Group(c.Flags(), "Time of day", func(fs *pflag.FlagSet) {
			f.at.flags(fs, "that file is to come in force at a time of day; prints crontab lines, changes nothing")
			fs.BoolVar(&f.due, "due", false, "with --at: put the file of this moment in force if it is not, which the crontab lines do")
			fs.StringVar(&f.from, "from", "", "with --due: a further `FILE` that may be in force before, such as the present one")
		})
	}
	f.flags(c.Flags())
	c.PreRunE = func(*cobra.Command, []string) error {
		if !f.at.on() && (f.due || f.from != "" || f.at.zone != "") {
			return cli.Usagef("--due, --from and --zone go with --at; allowed: --at 'HH:MM=FILE' twice or more")
		}
		if f.yes && dry {
			return cli.Usagef("--yes makes the change and --dry-run does not; allowed: one of them")
		}
		return nil
	}
	return c
}

// applyJSON is the schema schedtune/apply/v1 and schedtune/rollback/v1.
type applyJSON struct {
	Schema  string       `json:"schema"`
	RM      string       `json:"rm"`
	Store   string       `json:"configuration_store"`
	Made    bool         `json:"made"`
	InForce bool         `json:"in_force,omitempty"` // they were before
	Changes []changeJSON `json:"changes"`
	Record  *rm.Record   `json:"record,omitempty"`
	File    string       `json:"file,omitempty"` // written beside the old one, with a file store
	Notes   []string     `json:"notes"`
}

type changeJSON struct {
	Property string  `json:"property"`
	From     *string `json:"from"` // null = not set
	To       *string `json:"to"`
	Needs    string  `json:"needs"` // refresh, restart …
}

func runApply(ctx context.Context, e *env, dir string, f applyFlags, back bool) error {
	from, to, err := bothFiles(dir)
	if err != nil {
		return err
	}
	if !back && !f.unconfirmed {
		if err := confirmedStudy(dir); err != nil {
			return err
		}
	}
	if back {
		from, to = to, from
	}
	c, err := f.resourceManager()
	if err != nil {
		return err
	}
	p, err := rm.Prepare(ctx, c, from, to)
	out := applyJSON{Schema: "schedtune/" + verb(back) + "/v1", RM: c.Address(), Store: "mutable", Changes: []changeJSON{}, Notes: []string{}}
	if errors.Is(err, rm.ErrApplied) { // a script that runs twice ends as it did the first time
		out.InForce = true
		out.Notes = append(out.Notes, fmt.Sprintf("%s: %v: nothing to do", c.Address(), err))
		return showApply(e, dir, f, back, out)
	}
	if err != nil {
		return err
	}
	out.Changes, out.Notes = changesOut(p), append(out.Notes, p.Notes...)
	out.Notes = append(out.Notes, elsewhere(dir, back)...)
	if p.FileStore {
		out.Store = "file"
	}
	switch {
	case p.Mutation.Empty():
		out.Notes = append(out.Notes, "the two files hold the same settings: nothing to do")
	case p.FileStore:
		err = applyFile(p, f, &out)
	case f.yes:
		err = applyLive(ctx, c, p, dir, back, f.withoutVersion, &out)
	}
	if err != nil {
		return err
	}
	return showApply(e, dir, f, back, out)
}

func showApply(e *env, dir string, f applyFlags, back bool, out applyJSON) error {
	if e.JSON {
		return e.WriteJSON(out)
	}
	printApply(e, dir, f, back, out)
	return nil
}

// elsewhere notes the settings of a folder that no ResourceManager takes, and that what
// was promised rests on too.
func elsewhere(dir string, back bool) []string {
	jobs, spark := study.FileMapred, study.FileSpark
	if back {
		spark = report.FileUnspark
	}
	var out []string
	for _, name := range []string{jobs, spark} {
		switch path := filepath.Join(dir, name); {
		case !fileExists(path):
		case back && name == jobs:
			out = append(out, fmt.Sprintf("settings of jobs are not the ResourceManager's: those of %s, if they were put into mapred-site.xml, are to be taken out there", path))
		default:
			out = append(out, fmt.Sprintf("settings of jobs are not the ResourceManager's: those in %s are to be put in force apart", path))
		}
	}
	return out
}

func verb(back bool) string {
	if back {
		return "rollback"
	}
	return "apply"
}

// bothFiles reads what was tuned and what came of it.
func bothFiles(dir string) (from, to *yarnconf.Document, err error) {
	if from, err = yarnconf.Load(filepath.Join(dir, report.FileRollback)); err != nil {
		return nil, nil, fmt.Errorf("%w; a folder written by tune has it", err)
	}
	to, err = yarnconf.Load(filepath.Join(dir, study.FileConfig))
	return from, to, err
}

// confirmedStudy refuses the folder of a study that was interrupted before its
// confirmation. A folder without a summary is nobody's study.
func confirmedStudy(dir string) error {
	status, _, err := studyOf(os.ReadFile(filepath.Join(dir, report.FileSummary)))
	if err == nil && status == tune.Cancelled.String() {
		return fmt.Errorf("%s: its study was interrupted, and nothing has confirmed its settings; allowed: the same tune command with --out %s, which goes on from there, or --unconfirmed", dir, dir)
	}
	return nil
}

// studyOf reads status and objectives of a summary.
func studyOf(summary []byte, err error) (status string, objectives []string, _ error) {
	var s struct {
		Objectives []string
		Study      struct{ Status string }
	}
	if err == nil {
		err = json.Unmarshal(summary, &s)
	}
	return s.Study.Status, s.Objectives, err
}

func changesOut(p *rm.Plan) []changeJSON {
	out := []changeJSON{}
	for _, ch := range p.Mutation.Changes() {
		c := changeJSON{Property: ch.Key}
		if v, ok := p.From.Get(ch.Key); ok {
			v = strings.TrimSpace(v)
			c.From = &v
		}
		if !ch.Unset {
			c.To = &ch.Value
		}
		kind, _ := yarnconf.RefreshKindOf(ch.Key)
		c.Needs = kind.String()
		out = append(out, c)
	}
	return out
}

// applyLive sends the change. The record with the rollback is on the disk before,
// and is completed afterwards.
func applyLive(ctx context.Context, c *rm.Client, p *rm.Plan, dir string, back, withoutVersion bool, out *applyJSON) error {
	name := fileApplied
	if back {
		name = fileRolledBack
	}
	return sendRecorded(ctx, c, p, filepath.Join(dir, name), verb(back), withoutVersion, out)
}

// sendRecorded makes the change with its record in a file, which stays as it was
// where the cluster did not make the change.
func sendRecorded(ctx context.Context, c *rm.Client, p *rm.Plan, path, what string, withoutVersion bool, out *applyJSON) error {
	earlier, missing := os.ReadFile(path)
	r, err := p.Send(ctx, c, rm.SendOptions{WithoutVersion: withoutVersion, Keep: func(r *rm.Record) error {
		if r.Status == rm.NotMade { // as if it had not been tried
			if missing != nil {
				return os.Remove(path)
			}
			return writeBytes(path, earlier)
		}
		r.What, r.At = what, time.Now().UTC().Format(time.RFC3339)
		data, err := json.MarshalIndent(r, "", "  ")
		if err != nil {
			return err
		}
		return writeBytes(path, append(data, '\n'))
	}})
	if errors.Is(err, rm.ErrNoVersion) {
		err = fmt.Errorf("%w; allowed: --without-version", err)
	}
	if r != nil {
		out.Record, out.Made = r, r.Status == rm.Made
		out.Notes = append(out.Notes, r.Warnings...)
		if err != nil {
			err = fmt.Errorf("%w; the rollback is in %s", err, path)
		}
	}
	return err
}

// applyFile writes the new file beside the one in force.
func applyFile(p *rm.Plan, f applyFlags, out *applyJSON) error {
	if f.target == "" {
		out.Notes = append(out.Notes, "the cluster keeps its configuration in a file: give the file in force with --target to have the new one written beside it")
		return nil
	}
	now, err := yarnconf.Load(f.target)
	if err != nil {
		return err
	}
	if d := yarnconf.Changes(p.From, now); len(d) > 0 {
		return &rm.DriftError{Address: f.target, Diffs: []string{strings.TrimPrefix(d[0].Key, yarnconf.Prefix) + " differs"}, More: len(d) - 1}
	}
	next, err := now.EditValid(p.Mutation.Changes())
	if err != nil {
		return err
	}
	if out.File = f.target + ".tuned"; !f.yes {
		return nil
	}
	out.Made = true
	return writeBytes(out.File, next.Bytes())
}

func printApply(e *env, dir string, f applyFlags, back bool, out applyJSON) {
	for _, c := range out.Changes {
		note := ""
		if c.Needs != "refresh" {
			note = " (needs " + c.Needs + ")"
		}
		fmt.Fprintf(e.Stdout, "  %s: %s -> %s%s\n", strings.TrimPrefix(c.Property, yarnconf.Prefix), orNotSet(c.From), orNotSet(c.To), note)
	}
	for _, n := range out.Notes {
		fmt.Fprintln(e.Stdout, "note: "+n)
	}
	again := fmt.Sprintf("tune %s %s --rm %s", verb(back), dir, out.RM)
	undo := fmt.Sprintf("tune %s %s --rm %s --yes", verb(!back), dir, out.RM)
	if f.auth != "" {
		again, undo = again+" --auth "+f.auth, undo+" --auth "+f.auth
	}
	switch {
	case len(out.Changes) == 0:
	case out.Store == "file" && f.target != "":
		printFileSteps(e, f, out, again)
	case out.Store == "file":
	case !out.Made:
		fmt.Fprintf(e.Stdout, "validated by %s; nothing was sent. To make the change:\n  %s --yes\n", out.RM, again)
	default:
		fmt.Fprintf(e.Stdout, "made and read back; version %d -> %d. To take it back:\n  %s\n", out.Record.VersionBefore, out.Record.VersionAfter, undo)
	}
}

func printFileSteps(e *env, f applyFlags, out applyJSON, again string) {
	if !out.Made {
		fmt.Fprintf(e.Stdout, "nothing was written. To write %s:\n  %s --target %s --yes\n", out.File, again, f.target)
		return
	}
	fmt.Fprintf(e.Stdout, "wrote %s. On the ResourceManager's machine:\n  cp -p %s %s.before && cp %s %s && yarn rmadmin -refreshQueues\nto take it back:\n  cp -p %s.before %s && yarn rmadmin -refreshQueues\n",
		out.File, f.target, f.target, out.File, f.target, f.target, f.target)
}

func orNotSet(s *string) string {
	if s == nil {
		return "not set"
	}
	return *s
}
