package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"schedtune/internal/cli"
	"schedtune/internal/report"
	"schedtune/internal/rm"
	"schedtune/internal/text"
	"schedtune/internal/timeofday"
	"schedtune/yarnconf"
)

// cron activates configurations by time of day: tune apply --at prints its lines, and they
// call tune apply --at … --due.

// applyAtJSON is the document of tune apply --at.
type applyAtJSON struct {
	Schema   string        `json:"schema"`
	RM       string        `json:"rm"`
	Store    string        `json:"configuration_store"`
	Zone     string        `json:"zone"`
	Switches []atJSON      `json:"switches"`
	InForce  *string       `json:"in_force"` // the active file; null: none of them
	Due      string        `json:"due"`      // the file that should be active now
	Checked  []checkedJSON `json:"checked"`
	Crontab  []string      `json:"crontab"` // its lines, without comments
	Notes    []string      `json:"notes"`
}

type atJSON struct {
	Days string `json:"days"` // empty: all
	Time string `json:"time"`
	File string `json:"file"`
	Cron string `json:"cron"` // the first five fields of a crontab line
}

// checkedJSON is a change of files that a refresh can make.
type checkedJSON struct {
	From string `json:"from"`
	To   string `json:"to"`
	By   string `json:"by"` // rules: those of a refresh; scheduler-conf/validate: the cluster
}

// inForce names the active configuration of the cluster.
const inForce = "the current configuration"

// atRun is one call of tune apply --at.
type atRun struct {
	f     *applyFlags
	c     *rm.Client
	sched *timeofday.Schedule
	files []fileAt
	live  *rm.LiveConfig // nil with a file store
	now   time.Time
}

func (f *applyFlags) runAt(ctx context.Context, e *env) error {
	r := &atRun{f: f, now: time.Now()}
	var err error
	if r.sched, r.files, err = f.at.read(); err != nil {
		return err
	}
	if r.c, err = f.resourceManager(); err != nil {
		return err
	}
	r.live, err = rm.ReadConfig(ctx, r.c)
	if err != nil && !errors.Is(err, rm.ErrFileStore) {
		return err
	}
	if f.due {
		return r.due(ctx, e)
	}
	if f.yes {
		return cli.Usagef("--yes: needs --due with --at; --at alone prints the lines for cron")
	}
	out, err := r.plan(ctx)
	if err != nil {
		return err
	}
	if e.JSON {
		return e.WriteJSON(out)
	}
	r.print(e, out)
	return nil
}

// holds returns the index of the active file, -1 for none.
func (r *atRun) holds() int {
	for i := range r.files {
		if r.live != nil && r.live.Holds(r.files[i].doc) {
			return i
		}
	}
	return -1
}

// plan checks every change and writes the lines.
func (r *atRun) plan(ctx context.Context) (*applyAtJSON, error) {
	out := &applyAtJSON{Schema: text.SchemaApplyAt, RM: r.c.Address(), Store: "mutable", Zone: r.sched.Zone.String(),
		Due: r.files[r.sched.InForce(r.now)].path, Checked: []checkedJSON{}, Crontab: []string{}, Notes: []string{}}
	for i := range r.files {
		for k := range r.files {
			if i != k { // atFlags.read has
				out.Checked = append(out.Checked, checkedJSON{r.files[i].path, r.files[k].path, "rules"})
			}
		}
	}
	from, err := r.from(out)
	if err != nil {
		return nil, err
	}
	for i := range r.files {
		if from == nil || i == r.holds() {
			continue
		}
		p, err := rm.Prepare(ctx, r.c, from, r.files[i].doc)
		if errors.Is(err, rm.ErrApplied) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("from %s to %s: %w", from.Name(), r.files[i].path, err)
		}
		by := "scheduler-conf/validate"
		if r.live == nil || len(p.Notes) > 0 {
			by = "rules"
		}
		out.Checked = append(out.Checked, checkedJSON{inForce, r.files[i].path, by})
		out.Notes = append(out.Notes, p.Notes...)
	}
	for _, s := range r.sched.Switches {
		out.Switches = append(out.Switches, atJSON{s.Days.String(), s.Clock(), r.files[s.File].path, s.Cron()})
		line, err := r.command(s)
		if err != nil {
			return nil, err
		}
		out.Crontab = append(out.Crontab, s.Cron()+" "+strings.ReplaceAll(line, "%", `\%`))
	}
	return out, nil
}

// from returns the active configuration as a file, nil if it is unknown.
func (r *atRun) from(out *applyAtJSON) (*yarnconf.Document, error) {
	if r.live != nil {
		if i := r.holds(); i >= 0 {
			out.InForce = &r.files[i].path
		} else {
			out.Notes = append(out.Notes, "none of the files is active; the first call of --due needs --from with the "+
				"active one")
		}
		return r.live.Document(inForce)
	}
	out.Store = "file"
	if r.f.target == "" {
		return nil, cli.Usagef("--target: missing; the cluster keeps its configuration in a file: name the " +
			"capacity-scheduler.xml on the ResourceManager's machine")
	}
	now, err := yarnconf.Load(r.f.target)
	if err != nil {
		return nil, err
	}
	for i := range r.files {
		if len(yarnconf.Changes(now, r.files[i].doc)) == 0 {
			out.InForce = &r.files[i].path
		}
	}
	docs := []*yarnconf.Document{now}
	for i := range r.files {
		docs = append(docs, r.files[i].doc)
	}
	return now, timeofday.CheckFiles(docs)
}

// command returns the command of a crontab line.
func (r *atRun) command(s timeofday.Switch) (string, error) {
	if r.live == nil {
		file, err := filepath.Abs(r.files[s.File].path)
		if err != nil {
			return "", err
		}
		target, err := filepath.Abs(r.f.target)
		if err != nil {
			return "", err
		}
		next := report.ShellWord(target + ".next")
		return fmt.Sprintf("cp %s %s && mv %s %s && yarn rmadmin -refreshQueues", report.ShellWord(file), next, next,
			report.ShellWord(target)), nil
	}
	self, err := os.Executable()
	if err != nil {
		self = "tune"
	}
	args, err := r.f.again()
	return strings.Join(append([]string{report.ShellWord(self), "apply"}, args...), " ") + " --due --yes --quiet", err
}

// again returns the flags of a later call with the same files and cluster.
func (f *applyFlags) again() ([]string, error) {
	var out []string
	add := func(flag, value string) {
		if value != "" {
			out = append(out, flag, report.ShellWord(value))
		}
	}
	for _, text := range f.at.list {
		when, path, _ := strings.Cut(text, "=")
		full, err := filepath.Abs(path)
		if err != nil {
			return nil, err
		}
		add("--at", when+"="+full)
	}
	add("--zone", f.at.zone)
	add("--rm", f.rm)
	add("--auth", f.auth)
	for _, x := range []struct{ flag, path string }{{"--ca", f.ca}, {"--cert", f.cert}, {"--key", f.key}} {
		if x.path == "" {
			continue
		}
		full, err := filepath.Abs(x.path)
		if err != nil {
			return nil, err
		}
		add(x.flag, full)
	}
	if f.plain {
		out = append(out, "--plain-http")
	}
	if f.withoutVersion {
		out = append(out, "--without-version")
	}
	return out, nil
}

// print writes lines for crontab; all but these are comments.
func (r *atRun) print(e *env, out *applyAtJSON) {
	for _, c := range out.Checked {
		by := "can be refreshed"
		if c.By != "rules" {
			by = "validated by " + out.RM
		}
		fmt.Fprintf(e.Stdout, "# %s -> %s: %s\n", c.From, c.To, by)
	}
	for _, n := range out.Notes {
		fmt.Fprintf(e.Stdout, "# note: %s\n", n)
	}
	if r.live == nil {
		fmt.Fprintln(e.Stdout, "# for the ResourceManager's machine: the cluster keeps its configuration in a file")
	}
	if z := r.sched.Zone; z != time.Local {
		fmt.Fprintf(e.Stdout, "# A cron without CRON_TZ (as in Debian) uses the time zone of the machine.\nCRON_TZ=%s\n", z)
	}
	for _, line := range out.Crontab {
		fmt.Fprintln(e.Stdout, line)
	}
}

// due activates the file that is due now, unless it is active.
func (r *atRun) due(ctx context.Context, e *env) error {
	if r.live == nil {
		return fmt.Errorf("%s: %w; use the lines that tune apply --at prints", r.c.Address(), rm.ErrFileStore)
	}
	due := r.sched.InForce(r.now)
	at := r.holds()
	out := applyJSON{Schema: text.SchemaApply, RM: r.c.Address(), Store: "mutable", Changes: []changeJSON{},
		Notes: []string{}}
	if at == due || r.live.Holds(r.files[due].doc) {
		out.Notes = append(out.Notes, r.files[due].path+" is active; no change needed")
		out.InForce = true
		if e.JSON {
			return e.WriteJSON(out)
		}
		e.Notef("%s", out.Notes[0])
		return nil
	}
	from, err := r.before(at, due)
	if err != nil {
		return err
	}
	p, err := rm.Prepare(ctx, r.c, from, r.files[due].doc)
	if err != nil {
		return err
	}
	out.Changes, out.Notes = changesBetween(p.From, p.Mutation.Changes()), append(out.Notes, p.Notes...)
	if r.f.yes {
		err = r.f.send(ctx, r.c, p, r.files[due].path+".applied.json", &out)
	}
	if err != nil {
		return err
	}
	if e.JSON {
		err = e.WriteJSON(out)
	} else {
		r.printDue(e, from, r.files[due].path, &out)
	}
	return errors.Join(err, r.f.ended(&out))
}

// before returns the file that should be active until now.
func (r *atRun) before(at, due int) (*yarnconf.Document, error) {
	if at >= 0 {
		return r.files[at].doc, nil
	}
	if r.f.from != "" {
		return yarnconf.Load(r.f.from)
	}
	return r.files[(due+1)%len(r.files)].doc, nil // Prepare reports the difference
}

func (r *atRun) printDue(e *env, from *yarnconf.Document, to string, out *applyJSON) {
	printChanges(e.Stdout, out.Changes)
	for _, n := range out.Notes {
		fmt.Fprintln(e.Stdout, "note: "+n)
	}
	if !out.Made {
		fmt.Fprintf(e.Stdout, "due now: %s; validated by %s, nothing was sent: --yes applies the change\n", to, out.RM)
		return
	}
	fmt.Fprintf(e.Stdout, "%s is active, after %s; version %d -> %d\n", to, from.Name(), out.Record.VersionBefore,
		out.Record.VersionAfter)
}
