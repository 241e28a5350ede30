package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/template"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"schedtune/internal/cli"
	"schedtune/internal/fileio"
	"schedtune/internal/report"
	"schedtune/internal/rm"
	"schedtune/internal/study"
	"schedtune/internal/text"
	"schedtune/tune"
	"schedtune/yarnconf"
)

// fileRolledBack is the name of the record of a rollback.
const fileRolledBack = "rolled-back.json"

// records are the names of the records beside the settings, of an applied change and of a
// rollback.
var records = map[bool]string{false: fileio.Applied, true: fileRolledBack}

// applyFlags hold the options of tune apply and tune rollback.
type applyFlags struct {
	liveFlags
	dir         string
	back        bool // roll back
	yes, dry    bool
	send        rm.SendOptions
	unconfirmed bool
	detailed    bool // exit code
	Target      string
	from        string // another file that is in force
}

func newApplyCmd(e *env, back bool) *cobra.Command {
	f := applyFlags{back: back}
	c := subcommand(f.verb()+" DIR --rm URL", cli.Args(cobra.ExactArgs(1)), func(ctx context.Context,
		args []string) error {
		f.dir = args[0]
		return f.run(ctx, e)
	})
	cli.Group(c.Flags(), "Change", func(fs *pflag.FlagSet) {
		fs.BoolVar(&f.yes, "yes", false, "apply the change")
		fs.BoolVar(&f.dry, "dry-run", false, "only show the change; the default without --yes")
		fs.BoolVar(&f.send.WithoutVersion, "without-version", false, "apply the change even if the cluster reports no "+
			"configuration version; concurrent changes are not detected then")
		fs.StringVar(&f.Target, "target", "", "the cluster's capacity-scheduler.xml `FILE`, if it keeps its configuration "+
			"in a file: read, and with --yes the new one is written beside it as FILE.tuned")
		fs.StringVar(&f.from, "from", "", "the configuration in force, a `FILE`, if it is not the one before (rollback: "+
			"after) the change")
		if !back {
			fs.BoolVar(&f.unconfirmed, "unconfirmed", false, "apply the best configuration found though it is not recommended")
		}
		fs.BoolVar(&f.detailed, "detailed-exitcode", false, "exit with code 6 if there are changes to make, or were")
	})
	f.flags(c.Flags())
	return c
}

// verb returns the command: apply or rollback.
func (f *applyFlags) verb() string { return verbs[f.back] }

var verbs = map[bool]string{false: "apply", true: "rollback"}

// applyJSON is the document of tune apply and tune rollback.
type applyJSON struct {
	Schema string `json:"schema"`
	RM     string `json:"rm"`
	Store  string `json:"configuration_store"`
	Made   bool   `json:"made"`
	// Effective says whether the queues have the values that were applied, now or before; null: not
	// known, or nothing was applied.
	Effective *bool        `json:"effective"`
	InForce   bool         `json:"in_force"` // they were before
	Changes   []changeJSON `json:"changes"`
	Record    *rm.Record   `json:"record"`
	File      *string      `json:"file"` // written beside the old one, with a file store
	Notes     []string     `json:"notes"`
}

type changeJSON struct {
	Property string  `json:"property"`
	From     *string `json:"from"` // null = not set
	To       *string `json:"to"`
	Needs    string  `json:"needs"` // refresh, restart …
}

func (f *applyFlags) run(ctx context.Context, e *env) error {
	if f.yes && f.dry {
		return cli.Usagef("--yes, --dry-run: exclude each other")
	}
	from, to, err := f.bothFiles()
	if err != nil {
		return err
	}
	out := applyJSON{Schema: text.SchemaApply, RM: f.rm, Store: "mutable", Changes: []changeJSON{}, Notes: []string{}}
	if !f.back && !f.unconfirmed {
		if why := notRecommended(f.dir); why != "" {
			e.Warnf("%s; nothing was sent", why)
			out.Notes = append(out.Notes, why)
			return errors.Join(f.show(e, &out), &cli.ExitError{Code: cli.ExitNotRecommended})
		}
	}
	if f.back {
		from, to, out.Schema = to, from, text.SchemaRollback
	}
	if f.from != "" {
		if from, err = yarnconf.Load(f.from); err != nil {
			return err
		}
	}
	c, err := f.resourceManager()
	if err != nil {
		return err
	}
	p, err := rm.Prepare(ctx, c, from, to)
	out.RM = c.Address()
	if errors.Is(err, rm.ErrApplied) { // a script that runs twice ends as it did the first time
		if out.InForce = true; f.yes {
			if out.Record, err = completed(filepath.Join(f.dir, records[f.back])); err != nil {
				return err
			}
		}
		out.Notes = append(out.Notes, fmt.Sprintf("%s: %v: no change needed", c.Address(), rm.ErrApplied))
		var warning string
		if out.Effective, warning = p.Effective(ctx, c); warning != "" {
			out.Notes = append(out.Notes, warning)
		}
		return f.show(e, &out)
	}
	if err != nil {
		return err
	}
	out.Changes, out.Notes = changesBetween(p.From, p.Mutation.Changes()), append(out.Notes, p.Notes...)
	out.Notes = append(out.Notes, f.elsewhere()...)
	if p.FileStore {
		out.Store = "file"
	}
	switch {
	case p.Mutation.Empty():
		out.Notes = append(out.Notes, "the two files have the same settings: no change needed")
	case p.FileStore:
		err = f.writeBeside(p, &out)
	case f.yes:
		err = f.change(ctx, c, p, filepath.Join(f.dir, records[f.back]), &out)
		if out.Record != nil && ctx.Err() != nil { // what has become of the change
			e.Warnf("%v", err)
		}
	}
	if err != nil {
		return err
	}
	return f.show(e, &out)
}

// show prints the result of a change and returns its exit code.
func (f *applyFlags) show(e *env, out *applyJSON) error {
	if err := e.Show(out, func(w io.Writer) error {
		return applyTemplate.ExecuteTemplate(w, "result", applyPrinted{out, f})
	}); err != nil {
		return err
	}
	switch {
	case out.Effective != nil && !*out.Effective:
		return &cli.ExitError{Code: cli.ExitFindings}
	case f.detailed && len(out.Changes) > 0:
		return &cli.ExitError{Code: cli.ExitChanges}
	}
	return nil
}

// elsewhere returns notes about the settings of a folder that are not applied by the
// ResourceManager but that the forecast depends on.
func (f *applyFlags) elsewhere() (out []string) {
	for _, name := range append([]string{study.FileMapred}, report.EngineFiles...) {
		todo := "add these to the configuration of the jobs"
		if f.back && name == study.FileMapred {
			todo = "remove these from mapred-site.xml if they were added there"
		} else if f.back {
			name = report.RollbackOf(name)
		}
		if path := filepath.Join(f.dir, name); fileio.Exists(path) {
			out = append(out, path+": the ResourceManager does not manage settings of jobs; "+todo)
		}
	}
	return out
}

// bothFiles reads the configuration before tuning and the one to apply. Where nothing is recommended that is
// the best found, which alone can have been applied.
func (f *applyFlags) bothFiles() (from, to *yarnconf.Document, err error) {
	if from, err = yarnconf.Load(filepath.Join(f.dir, report.FileRollback)); err != nil {
		return nil, nil, fmt.Errorf("%w; is the folder written by tune?", err)
	}
	name := study.FileConfig
	if (f.unconfirmed || f.back) && fileio.Exists(filepath.Join(f.dir, report.FileFound)) {
		name = report.FileFound
	}
	to, err = yarnconf.Load(filepath.Join(f.dir, name))
	return from, to, err
}

// changesBetween lists changes of a configuration.
func changesBetween(from *yarnconf.Document, changes []yarnconf.Change) []changeJSON {
	out := []changeJSON{}
	for _, ch := range changes {
		c := changeJSON{Property: ch.Key}
		if v, ok := from.Get(ch.Key); ok {
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

// change applies the change. Its record with the rollback is written to a file before, and
// completed afterwards; the file is restored if the cluster did not apply the change.
func (f *applyFlags) change(ctx context.Context, c *rm.Client, p *rm.Plan, path string, out *applyJSON) error {
	earlier, missing := os.ReadFile(path)
	f.send.Keep = func(r *rm.Record) error {
		if r.Status == rm.NotMade { // as if it had not been tried
			if missing != nil {
				return os.Remove(path)
			}
			return fileio.WriteBytes(path, earlier)
		}
		r.What, r.At = f.verb(), time.Now().UTC().Format(time.RFC3339)
		return writeRecord(path, r)
	}
	r, err := p.Send(ctx, c, f.send)
	if errors.Is(err, rm.ErrNoVersion) {
		err = fmt.Errorf("%w; --without-version applies the change nevertheless", err)
	}
	if r != nil {
		out.Record, out.Made, out.Effective = r, r.Status == rm.Made, r.Effective
		out.Notes = append(out.Notes, r.Warnings...)
		if err != nil {
			err = fmt.Errorf("%w; the rollback is in %s", err, path)
		}
	}
	return err
}

// writeBeside writes the new file beside the current one.
func (f *applyFlags) writeBeside(p *rm.Plan, out *applyJSON) error {
	if f.Target == "" {
		out.Notes = append(out.Notes, "the cluster keeps its configuration in a file: name it with --target to write the "+
			"new one beside it")
		return nil
	}
	now, err := yarnconf.Load(f.Target)
	if err != nil {
		return err
	}
	if d := yarnconf.Changes(p.From, now); len(d) > 0 {
		return &rm.DriftError{Address: f.Target, Diffs: []string{strings.TrimPrefix(d[0].Key, yarnconf.Prefix) + " differs"},
			More: len(d) - 1}
	}
	next, err := now.EditValid(p.Mutation.Changes())
	if err != nil {
		return err
	}
	file := f.Target + ".tuned"
	if out.File = &file; !f.yes {
		return nil
	}
	out.Made = true
	return fileio.WriteBytes(file, next.Bytes())
}

//go:embed apply.tmpl
var applyPage string

var applyTemplate = text.Table(applyPage, template.FuncMap{
	"short": func(key string) string { return strings.TrimPrefix(key, yarnconf.Prefix) }})

// printChanges prints a line per change.
func printChanges(w io.Writer, changes []changeJSON) error {
	return applyTemplate.ExecuteTemplate(w, "changes", changes)
}

// applyPrinted is a result with the flags that its commands repeat.
type applyPrinted struct {
	*applyJSON
	Flags *applyFlags
}

// InFile reports whether the cluster keeps its configuration in a file.
func (p applyPrinted) InFile() bool { return p.Store == "file" }

// Line returns the command, or the one that undoes its change.
func (p applyPrinted) Line(undo bool) string {
	f := p.Flags
	line := fmt.Sprintf("tune %s %s --rm %s", verbs[f.back != undo], f.dir, p.RM)
	if undo {
		line += " --yes"
	}
	if f.auth != "" {
		line += " --auth " + f.auth
	}
	return line
}

// studied is the part of a study's summary that later commands read.
type studied struct {
	Recommended *bool
	Single      json.RawMessage `json:"single_gain"` // of tune timetable, which recommends two files or this
	Reason      string
	Study       struct{ Status tune.Status }
	Stability   *study.Stability
}

// notRecommended returns why the study of a folder recommends nothing; "" if it does, or if the
// folder has no summary of a study.
func notRecommended(dir string) string {
	data, err := os.ReadFile(filepath.Join(dir, report.FileSummary))
	var s studied
	if err == nil {
		err = json.Unmarshal(data, &s)
	}
	switch {
	case err != nil:
		return ""
	case s.Study.Status == tune.Cancelled:
		return fmt.Sprintf("%s: the study was interrupted and its settings are not confirmed; resume it with the same tune "+
			"command and --out %s, or use --unconfirmed", dir, dir)
	case s.Recommended == nil || *s.Recommended || len(s.Single) > len("null"):
		return ""
	}
	why := dir + ": nothing is recommended"
	if s.Reason != "" {
		why += " (" + s.Reason + ")"
	}
	return why + "; --unconfirmed applies the best configuration found"
}

// completed marks a record as made whose command ended before it knew; nil: there is none.
func completed(path string) (*rm.Record, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	var r rm.Record
	if err = errors.Join(err, json.Unmarshal(data, &r)); err != nil || r.Status != rm.Intended {
		return nil, err
	}
	r.Status, r.ReadBack = rm.Made, true
	return &r, writeRecord(path, &r)
}

func writeRecord(path string, r *rm.Record) error {
	data, err := json.MarshalIndent(r, "", "  ")
	return errors.Join(err, fileio.WriteBytes(path, append(data, '\n')))
}
