package trace

import (
	"cmp"
	"errors"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"schedtune/simcore"
	"schedtune/trace/sparklog"
)

// This file turns Spark event logs into jobs of a trace. A job of such an
// application has no tasks of its own; what it runs is in Job.Spark.

const sparkFormat = "spark"

// readSpark reads the log of one application, or one part of a rolling log
// given alone.
func readSpark(in *input, t *Trace, n *notes) error {
	r := sparklog.NewReader()
	if err := r.Read(in.r, in.name); err != nil {
		return err
	}
	return addSpark(r.App(), in.name, t, n)
}

// addRolling adds the folder of a rolling log.
func addRolling(dir string, t *Trace, n *notes) error {
	app, err := sparklog.Open(dir)
	if err != nil {
		return err
	}
	t.sawFormat(sparkFormat)
	return addSpark(app, dir, t, n)
}

const notYet = "event logs and histories of applications that have just begun: nothing to read yet"

// unreadable reports whether a file is the log of an application that has just
// begun: empty, or packed with no whole block yet.
func unreadable(path string, err error) bool {
	return (errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, errNothing)) &&
		(strings.HasSuffix(path, ".inprogress") || strings.HasPrefix(filepath.Base(path), "appstatus_"))
}

// addSpark adds an application.
func addSpark(app *sparklog.App, where string, t *Trace, n *notes) error {
	if app == nil {
		return &Error{File: where, Err: errors.New("no event of a Spark application")}
	}
	if app.ID = cmp.Or(app.ID, app.Conf["spark.app.id"]); app.ID == "" { // a file's name may be that of others too
		if app.ID = baseName(where); !strings.HasPrefix(app.ID, "application_") {
			app.ID = filepath.ToSlash(where)
		}
	}
	for _, note := range app.Notes {
		n.addFirst(note.Count, NoteKind(note.Kind), cmp.Or(note.Where, where), "%s", note.Text)
	}
	for _, e := range app.Events.Names {
		n.addCount(int(e.Count), Dropped, "events named %s, which this reader does not know",
			clip(e.Name[strings.LastIndexByte(e.Name, '.')+1:]))
	}
	t.Jobs = append(t.Jobs, sparkJob(app))
	return nil
}

// sparkJob is the job of an application.
func sparkJob(app *sparklog.App) Job {
	j := NewJob(app.ID)
	j.Name, j.User, j.Type, j.Spark = app.Name, app.User, "SPARK", app
	j.Submit, j.Launch, j.Finish = app.From(), app.Ready, app.To()
	j.Maps, j.Reduces = 0, 0
	j.Queue, j.Asked, j.Workflow = app.Conf["spark.yarn.queue"], true, runTag(app.Conf["spark.yarn.tags"])
	switch app.Manager() {
	case sparklog.YARN:
		j.Queue = cmp.Or(j.Queue, "default") // where Spark submits unless told otherwise
	case sparklog.Kubernetes:
		j.Queue, j.Asked = cmp.Or(app.Conf["spark.kubernetes.namespace"], "default"), false
	}
	j.setLabels(simcore.JobLabels{Master: app.Conf["spark.yarn.am.nodeLabelExpression"],
		Executor: app.Conf["spark.yarn.executor.nodeLabelExpression"]})
	if p, err := strconv.Atoi(app.Conf["spark.yarn.priority"]); err == nil {
		j.Priority, j.PrioritySet = p, true
	}
	if app.End.Known() {
		j.Result = Succeeded
		if k := len(app.Jobs); app.ExitCode != 0 || k > 0 && app.Jobs[k-1].Result == sparklog.Failed {
			j.Result = Failed
		}
	}
	j.InputBytes, j.ShuffleBytes, j.OutputBytes = 0, 0, 0
	for _, x := range app.Tasks() {
		if x.Reason == sparklog.Success {
			j.InputBytes += max(0, x.Input)
			j.ShuffleBytes += max(0, x.ShuffleWrite)
			j.OutputBytes += max(0, x.Output)
		}
	}
	_, _, size, _ := sparkSettings(app)
	j.AMSize = Size{size[0], size[1]}
	return j
}

// Local reports whether the job is a Spark application of a local master, which took no
// containers of a cluster.
func (j *Job) Local() bool { return j.Spark != nil && j.Spark.Manager() == sparklog.Local }

// SubmitAssumed reports whether a Spark application counts as submitted when its event
// log begins, since nothing tells when it was.
func (j *Job) SubmitAssumed() bool {
	return j.Spark != nil && j.Submit.Known() && j.Submit == j.Spark.From()
}
