package accuracy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"schedtune/internal/calibrate"
	"schedtune/internal/fileio"
	"schedtune/internal/rm"
	"schedtune/internal/scenario"
	"schedtune/internal/text"
	"schedtune/simcore/yarn"
	"schedtune/trace"
	"schedtune/tune"
	"schedtune/yarnconf"
)

// Request names the files of a comparison.
type Request struct {
	Tuned   string         // a study's folder, or the new capacity-scheduler.xml
	Before  []string       // histories, or one folder of tune pull
	After   []string       // likewise
	Inputs  scenario.Files // Config is the old file; empty: that of the study, or of the pulled folder before
	Options ChangeOptions
}

// Names of the files of a study's folder.
const (
	fileTuned  = "capacity-scheduler.xml"
	fileOld    = "rollback.xml"
	fileMapred = "mapred-site.xml"
)

// studySummary is the part of a study's summary.json that counts here.
type studySummary struct {
	Schema      string                  `json:"schema"`
	Objectives  []string                `json:"objectives"`
	Gain        []tune.Gain             `json:"gain"`
	Constraints []tune.ConstraintResult `json:"constraints"`
	Changes     []struct {
		Property string `json:"property"`
		File     string `json:"file"`
		From     string `json:"from"`
		To       string `json:"to"`
	} `json:"changes"`
	Recommended bool `json:"recommended"`
}

// Run reads the files and compares.
func Run(ctx context.Context, q Request) (*ChangeReport, error) {
	l := &loading{q: q, change: Change{Old: -1, New: -1}}
	if err := l.tuned(); err != nil {
		return nil, err
	}
	before, err := l.period("--before", q.Before)
	if err != nil {
		return nil, err
	}
	after, err := l.period("--after", q.After)
	if err != nil {
		return nil, err
	}
	if n := after.without(before); n > 0 {
		l.note("%s in both histories count for the period before only", text.Count(n, "job"))
	}
	l.slowstarts(before, after)
	if err := l.settings(before); err != nil {
		return nil, err
	}
	if l.cal != nil {
		before.Case.Calibration, after.Case.Calibration = l.cal, l.cal
	}
	r, err := compare(ctx, before, after, l.change, l.q.Options)
	if err != nil {
		return nil, err
	}
	r.Notes = append(l.notes, r.Notes...)
	return r, nil
}

type loading struct {
	q      Request
	file   string // the new queue file
	change Change
	cal    *yarn.Calibration
	notes  []string
}

func (l *loading) note(format string, args ...any) {
	l.notes = append(l.notes, fmt.Sprintf(format, args...))
}

// tuned reads what the study changed and promised.
func (l *loading) tuned() error {
	const studyFolder = "the folder of a study, or a queue file"
	info, err := os.Stat(l.q.Tuned)
	if err != nil {
		return fileio.OpenError(l.q.Tuned, err, studyFolder)
	}
	if l.file = l.q.Tuned; !info.IsDir() {
		return nil
	}
	dir := l.q.Tuned
	l.file = filepath.Join(dir, fileTuned)
	path := filepath.Join(dir, "summary.json")
	data, err := fileio.ReadFile(path, fileio.Small)
	if err != nil {
		return fileio.OpenError(path, err, studyFolder)
	}
	var sum studySummary
	if err := json.Unmarshal(data, &sum); err != nil || sum.Schema != text.SchemaTune {
		return fmt.Errorf("%s: schema %.40q (%v); use the folder of a study, schema %s, or a queue file", path, sum.Schema,
			err, text.SchemaTune)
	}
	if l.q.Inputs.Config == "" {
		l.q.Inputs.Config = filepath.Join(dir, fileOld)
	}
	o := &l.q.Options
	if o.Objective == "" && len(sum.Objectives) > 0 {
		o.Objective = sum.Objectives[0]
		if _, err := parseMetric(o.Objective); err != nil {
			l.note("%v: mean-completion is compared, for which the study states no expected improvement", err)
			o.Objective = ""
		}
	}
	l.promised(&sum)
	return nil
}

// promised takes what the study promised of the objective, and what it changed beside
// the queue file.
func (l *loading) promised(sum *studySummary) {
	o := &l.q.Options
	if !sum.Recommended { // the gain is of what was found
		l.note("the study recommended no change, so no improvement was expected")
		return
	}
	for _, g := range sum.Gain {
		if g.Metric == o.Objective && o.Promised == nil {
			o.Promised = &Promise{g.Mean, g.Low, g.High, g.Level}
		}
	}
	o.PromisedOf = map[string]Promise{}
	for _, c := range sum.Constraints { // changes, of which less is better
		queue, ok := strings.CutSuffix(c.Metric, ".mean-completion")
		if queue, is := strings.CutPrefix(queue, "queue."); ok && is && c.Expected != nil && !c.ExpectedUnknown {
			o.PromisedOf[queue] = Promise{-c.Expected.Mean, -c.Expected.High, -c.Expected.Low, c.Expected.Level}
		}
	}
	for _, c := range sum.Changes {
		switch c.File {
		case fileMapred:
			l.change.Old, l.change.New = slowstart(c.From), slowstart(c.To)
		case fileTuned:
		default:
			l.note("%s of %s changed too: its effect is not simulated; the period after the change is simulated with the new "+
				"value under both configurations", c.Property, c.File)
		}
	}
}

// slowstart reads a cluster-wide slowstart, negative where there is none.
func slowstart(text string) float64 {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v >= 0 && v <= 1) {
		return -1
	}
	return v
}

// slowstarts takes a slowstart that all jobs of a period have for the cluster's
// where the study does not name one: the jobs after must be simulated with the
// old one too.
func (l *loading) slowstarts(before, after *Period) {
	if l.change.Old >= 0 || l.change.New >= 0 {
		return
	}
	was, now := before.slowstart(), after.slowstart()
	if was >= 0 && now >= 0 && was != now {
		l.change.Old, l.change.New = was, now
		l.note("the slowstart of all jobs was %g before and is %g after: it counts as a part of the change", was, now)
	}
}

// slowstart is the one that all MapReduce jobs of a period have, negative where
// they differ or the history does not tell it.
func (p *Period) slowstart() float64 {
	v := -1.0
	for i := range p.Case.Work.Jobs {
		switch j := &p.Case.Work.Jobs[i]; {
		case j.Spark != nil || j.Reduces == 0:
		case v < 0:
			v = j.Slowstart
		case v != j.Slowstart:
			return -1
		}
	}
	return v
}

// period reads one history. A folder of tune pull brings its cluster, and the
// file that it ran under.
func (l *loading) period(flag string, paths []string) (*Period, error) {
	if len(paths) == 0 {
		return nil, &scenario.FlagError{Flag: flag, Err: errors.New("missing; use histories as --trace of tune takes " +
			"them, or a folder of tune pull")}
	}
	in := l.q.Inputs
	in.Traces = paths
	if len(paths) == 1 {
		if dir := paths[0]; fileio.Exists(filepath.Join(dir, rm.FileNodes)) && fileio.Exists(filepath.Join(dir, rm.DirTrace)) {
			in.Traces = nil
			rm.Fill(&in, dir)
			if err := l.ranUnder(flag, filepath.Join(dir, rm.FileConfig)); err != nil {
				return nil, err
			}
		}
	}
	if flag == "--before" && l.q.Inputs.Config == "" {
		l.q.Inputs.Config = in.Config // the period after is simulated under it too
	}
	c, err := in.Load()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	for _, m := range in.Incomplete() {
		l.note("%s: %s", flag, m)
	}
	t, err := trace.OpenAll(in.Traces, trace.Options{SkipBroken: in.SkipBroken, TezContainer: in.TezContainer})
	if err != nil {
		return nil, err
	}
	if l.q.Inputs.Calibration == "" && flag == "--before" {
		l.calibrate(t)
	}
	return Observe(c, t), nil
}

// calibrate fits the latencies of the cluster on the period before.
func (l *loading) calibrate(t *trace.Trace) {
	d, err := calibrate.FitDurations("the period before", []*trace.Trace{t}, "all")
	if err != nil {
		l.note("latencies could not be fitted on the period before, the built-in ones are used: %v", err)
		return
	}
	l.cal = d.Calibration
}

// ranUnder says where a pulled cluster ran under another file than stated.
func (l *loading) ranUnder(flag, path string) error {
	stated := l.q.Inputs.Config
	if flag == "--after" {
		stated = l.file
	}
	if stated == "" {
		return nil
	}
	was, err := yarnconf.Load(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	want, err := yarnconf.Load(stated)
	if err != nil {
		return err
	}
	if n := len(yarnconf.Changes(want.Map(), was.Map())); n > 0 {
		l.note("%s ran with another configuration than %s: %s differ", flag, stated, text.Count(n, "setting"))
	}
	return nil
}

// settings are what the new file changes.
func (l *loading) settings(before *Period) error {
	doc, err := yarnconf.Load(l.file)
	if err != nil {
		return err
	}
	old, err := yarnconf.Load(l.q.Inputs.Config)
	if err != nil {
		return err
	}
	l.change.Settings = yarnconf.Changes(old.Map(), doc.Map())
	if len(l.change.Settings) == 0 && l.change.Old == l.change.New {
		l.note("%s and %s have the same settings", l.file, l.q.Inputs.Config)
	}
	_, err = before.Case.Doc.Edit(l.change.Settings)
	return err
}
