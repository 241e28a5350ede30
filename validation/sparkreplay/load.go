package sparkreplay

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"schedtune/simcore"
	"schedtune/trace/runlog"
	"schedtune/validation/replay"
)

// Load reads a run's folder.
func Load(dir string) (*Run, error) {
	r := &Run{Run: replay.Run{Name: filepath.Base(dir), Dir: dir}}
	if err := runlog.JSON(dir, "scenario.json", &r.Plan); err != nil {
		return nil, err
	}
	if err := r.LoadCluster(); err != nil {
		return nil, err
	}
	need := runlog.Every
	if runlog.KindOf(dir) != runlog.Spark { // of Tez: some columns are those of Spark alone
		need, r.beside = []string{"app"}, true
	}
	apps := map[string]*App{}
	for _, t := range []struct {
		name string
		read func(*App, row)
	}{
		{"jobs.csv", r.app}, {"sparkjobs.csv", r.job}, {"stages.csv", r.stage}, {"executors.csv", r.executor},
		{"tasks.csv", r.task},
		{"targets.csv", r.target}, {"loop.csv", r.turn}, {"asks.csv", r.ask}, {"am-heartbeats.csv", r.call},
		{"containers.csv", r.container}, {"dags.csv", r.dag}, {"vertices.csv", r.vertex},
	} {
		err := runlog.Table(dir, t.name, need, func(w *runlog.Row) error {
			id := w.Str("app")
			a := apps[id]
			switch jobs := t.name == "jobs.csv"; {
			case jobs && (a != nil || id == ""):
				return fmt.Errorf("column app: %.80q: must be an id, once", id)
			case jobs:
				a = &App{GivenUp: map[string]simcore.Time{}}
				apps[id] = a
			case a == nil:
				return fmt.Errorf("column app: %.80q is not in jobs.csv", id)
			}
			t.read(a, row{w})
			return nil
		})
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	if err := r.whole(); err != nil {
		return nil, err
	}
	return r, r.settle()
}

// settle orders what was read and applies the scenario's settings.
func (r *Run) settle() error {
	slices.SortStableFunc(r.Apps, func(a, b *App) int { return cmp.Compare(a.Submit, b.Submit) })
	for _, a := range r.Apps {
		a.AMMiB = r.planned(a.Name).AMMiB
		if a.Kind == "spark" {
			props := map[string]string{}
			maps.Copy(props, r.Plan.Conf)
			maps.Copy(props, r.planned(a.Name).Conf)
			var err error
			if a.Settings, a.Executor, a.Driver, err = simcore.SparkProperties(props); err != nil {
				return fmt.Errorf("%s: application %q: %w", filepath.Join(r.Dir, "scenario.json"), a.Name, err)
			}
			a.Job.Executors, a.AMMiB = true, a.Driver[simcore.Memory]
			a.Closed = map[int32]simcore.Time{}
			if err = r.driverLog(a); err != nil {
				return err
			}
		}
		if a.tez() {
			if err := a.settleTez(r.Plan.Tez, r.planned(a.Name)); err != nil {
				return fmt.Errorf("%s: application %q: %w", filepath.Join(r.Dir, "scenario.json"), a.Name, err)
			}
		}
		slices.SortStableFunc(a.Jobs, func(x, y *Job) int { return cmp.Compare(x.ID, y.ID) })
		for _, c := range a.Containers {
			if c.End != "completed" { // its node tells that its process is gone, not that it ended
				c.Over = c.Released
			}
		}
		slices.SortStableFunc(a.Containers, func(a, b *replay.Container) int { return strings.Compare(a.ID, b.ID) })
		r.Run.Jobs = append(r.Run.Jobs, &a.Job)
	}
	return nil
}

var disabling = regexp.MustCompile(`YarnDriverEndpoint: Disabling executor (\d+)\.`)

// driverLog reads what a driver noted of instants that no table has: when it began to offer its
// executors once a second, a moment after its scheduler was there
// (CoarseGrainedSchedulerBackend.DriverEndpoint.onStart), and when it saw connections to executors
// close.
func (r *Run) driverLog(a *App) error {
	const moment = 3 * simcore.Millisecond
	name := filepath.Join("driver-logs", a.Name+".application_"+strings.TrimPrefix(a.ID, "job_")+".log")
	t0, err := runlog.Epoch(r.Dir)
	if err == nil {
		err = runlog.Lines(r.Dir, name, t0, func(t simcore.Time, text string) {
			if a.Revive == 0 && strings.Contains(text, "YarnClusterScheduler: Created") {
				a.Revive = t + moment
			} else if m := disabling.FindStringSubmatch(text); m != nil {
				if id, err := strconv.ParseInt(m[1], 10, 32); err == nil {
					a.Closed[int32(id)] = t
				}
			}
		})
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return err
}

// planned returns the scenario's application of a name; nil if it has none, which
// whole refuses.
func (r *Run) planned(name string) *PlanJob {
	if i := slices.IndexFunc(r.Plan.Jobs, func(p PlanJob) bool { return p.Name == name }); i >= 0 {
		return &r.Plan.Jobs[i]
	}
	return nil
}

func (r *Run) app(a *App, w row) {
	a.Kind, a.Context = w.Str("kind"), w.At("context_ms")
	a.Job = replay.Job{ID: "job_" + strings.TrimPrefix(w.Str("app"), "application_"), Name: w.Str("name"),
		Queue: w.Str("queue"), User: w.Str("user"),
		Submit: w.must("submit_ms"), AMAllocated: w.must("am_allocated_ms"), Registered: w.must("am_registered_ms"),
		LastTask: w.At("last_task_finish_ms"), Finish: w.must("finish_ms"), Unregistered: w.At("unregister_ms"),
		Released: w.At("am_released_ms"),
	}
	if a.tez() {
		a.Shutdown, a.Stopping = w.At("shutdown_ms"), w.At("stopping_ms")
	}
	if a.Kind == tezSession {
		a.LastTask, a.Finish = a.Finish, w.must("shutdown_ms")
	}
	if a.Finish < a.Submit {
		w.Fail(fmt.Errorf("column finish_ms: %.80q: must not be before the submission", w.Str("finish_ms")))
	}
	r.Apps = append(r.Apps, a)
}

func (r *Run) job(a *App, w row) {
	a.Jobs = append(a.Jobs, &Job{w.int32("spark_job"), w.Str("group"), w.must("submit_ms"), w.At("end_ms"),
		ids(w, "stages")})
}

// row is a line of a table.
type row struct{ *runlog.Row }

// int32 reads a whole number from 0, -1 where the cell is empty.
func (w row) int32(col string) int32 { return int32(w.number(col, maxID, -1)) }

// ids reads numbers with blanks between them.
func ids(w row, col string) (list []int32) {
	for f := range strings.FieldsSeq(w.Str(col)) {
		n, err := strconv.Atoi(f)
		if err != nil || n < 0 || n > maxID {
			w.Fail(fmt.Errorf("column %s: %.80q: must be numbers from 0 to %d with blanks between them", col, w.Str(col), maxID))
			return nil
		}
		list = append(list, int32(n))
	}
	return list
}

func (r *Run) stage(a *App, w row) {
	st := &Stage{
		ID: w.int32("stage"), Attempt: w.int32("stage_attempt"), Job: w.int32("spark_job"), Plan: w.Str("plan"),
		Parents: ids(w, "parents"),
		Tasks:   w.int32("tasks"), Submit: w.must("submit_ms"), Complete: w.At("complete_ms"),
	}
	if st.Complete < st.Submit {
		w.Fail(fmt.Errorf("column complete_ms: %.80q: must not be before submit_ms", w.Str("complete_ms")))
	}
	if st.ID < 0 || st.Attempt < 0 || st.Tasks < 0 || a.stage(st.ID, st.Attempt) != nil {
		w.Fail(fmt.Errorf("stage %d attempt %d of %d tasks: must come once, with its number of tasks", st.ID, st.Attempt,
			st.Tasks))
	}
	a.Stages = append(a.Stages, st)
}

func (r *Run) task(a *App, w row) {
	t := &Task{
		Kind: w.Str("kind"), Stage: w.int32("stage"), StageAttempt: w.int32("stage_attempt"), Index: w.int32("task"),
		Executor: w.int32("executor"), ID: w.int32("task_id"), Status: w.Str("status"), Near: w.Str("locality"),
		Launch: w.must("launch_ms"), Finish: w.At("finish_ms"), Asked: w.At("asked_ms"), Ran: w.At("run_ms"),
		Written: w.Int("shuffle_written_bytes", 0), Speculative: w.Int("speculative", 0) != 0,
		OutputLost: w.Int("output_lost", 0) != 0, Container: w.Str("container"),
	}
	if t.Read = simcore.Never; r.beside {
		t.Read = w.At("read_ms")
		t.DAG, t.Stage, t.StageAttempt = dagNumber(w.Str("dag")), w.int32("vertex"), w.int32("attempt")
		t.Scheduled, t.Created, t.Assigned = w.At("scheduled_ms"), w.At("created_ms"), w.At("assigned_ms")
	}
	r.checkTask(w, a, t)
	a.Tasks = append(a.Tasks, t)
}

func (r *Run) executor(a *App, w row) {
	e := &Executor{
		ID: w.int32("executor"), Node: r.nodeOf(w),
		Allocated: w.At("rm_allocated_ms"), Acquired: w.At("rm_acquired_ms"), Started: w.At("nm_start_request_ms"),
		Registered: w.At("registered_ms"), Added: w.At("added_ms"),
		KillAsked: w.At("kill_asked_ms"), ReleaseAsked: w.At("release_asked_ms"),
		ToldStop: w.At("told_stop_ms"), Exited: w.At("nm_exited_ms"), Released: w.At("rm_released_ms"),
		Removed:   w.At("removed_ms"),
		Container: w.Str("container"), Status: w.Str("exit_status"),
	}
	if e.ID < 1 || a.executor(e.ID) != nil {
		w.Fail(fmt.Errorf("column executor: %.80q: must be a number from 1, once", w.Str("executor")))
	}
	if e.Node < 0 {
		w.unknown("node", "nodes.csv")
	}
	a.Executors = append(a.Executors, e)
}

func (r *Run) target(a *App, w row) {
	a.Targets = append(a.Targets, &Target{At: w.must("t_ms"), Source: w.Str("source"), Target: w.int32("target")})
}

func (r *Run) turn(a *App, w row) {
	a.Turns = append(a.Turns, w.must("t_ms"))
}

func (r *Run) ask(a *App, w row) {
	a.Asks = append(a.Asks, &Ask{
		Response: w.int32("response_id"), Kind: w.Str("kind"), At: r.place(w.Str("where")), Count: w.int32("count"),
		Container: w.Str("container"),
		Priority:  int32(w.number("priority", maxID, 0)), Relax: w.Str("relax_locality") != "false",
		MiB: w.number("mib", maxNodeMiB, 0), VCores: w.number("vcores", maxID, 1),
	})
}

func (r *Run) call(a *App, w row) {
	a.Calls = append(a.Calls, &Call{At: w.must("t_ms"), Response: w.int32("response_id"), Granted: w.int32("granted")})
}

func (r *Run) container(a *App, w row) {
	if id, of := w.Str("container"), strings.TrimPrefix(w.Str("app"), "application"); !strings.HasPrefix(id,
		"container") || !strings.Contains(id, of+"_") {
		w.Fail(fmt.Errorf("column container: %.80q: must be the id of a container of application %.80q", id, w.Str("app")))
	}
	c := &replay.Container{
		ID: w.Str("container"), Kind: w.Str("kind"), End: w.Str("rm_end"), Exit: w.Str("exit_status"),
		Node: r.nodeOf(w), MiB: w.number("mib", maxNodeMiB, 0),
		Allocated: w.At("rm_allocated_ms"), Acquired: w.At("rm_acquired_ms"), ToldEnd: w.At("am_told_end_ms"),
		Released: w.At("rm_released_ms"), Running: w.At("rm_running_ms"), Gone: w.At("nm_exited_ms"),
		VCores: w.number("vcores", maxID, 1),
	}
	if c.StartRequest = simcore.Never; a.tez() && c.Kind == "TASK" {
		c.Kind, c.StartRequest, a.GivenUp[c.ID] = "EXECUTOR", w.At("nm_start_request_ms"), w.At("release_decided_ms")
	}
	if c.Allocated != simcore.Never && c.Node >= 0 {
		a.Containers = append(a.Containers, c)
	}
}
