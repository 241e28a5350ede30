package trace

import (
	"cmp"
	"os"
	"path/filepath"

	"schedtune/trace/internal/history"
	"schedtune/trace/runlog"
	"schedtune/trace/tezlog"
)

// readProgramRunFolder reads the event logs and histories of a run of Spark or Tez, and from
// its tables what those do not tell: when each application was submitted, and the sizes of
// the containers of Tez.
func readProgramRunFolder(dir string, o Options, t *Trace, n *notes) error {
	t0, err := runlog.Epoch(dir)
	if err != nil {
		return err
	}
	o.tez = tezlog.NewReader()
	for _, sub := range []string{"eventlogs", "history", "tez-history"} {
		if _, err := os.Stat(filepath.Join(dir, sub)); err != nil {
			continue
		}
		if err := readFiles(filepath.Join(dir, sub), o, t, n); err != nil {
			return err
		}
	}
	addTez(o.tez, t, n)
	oneAttempt(n, t)
	at := map[string]*Job{}
	for j := range history.Pointers(t.Jobs) {
		at[cmp.Or(jobOf(j.ID), j.ID)] = j
	}
	jobAt := func(id string) *Job { return at[cmp.Or(jobOf(id), id)] }
	need := []string{"app", "submit_ms"}
	if runlog.KindOf(dir) == runlog.Tez {
		need = append(need, "rm_finish_ms")
	}
	err = runlog.Table(dir, "jobs.csv", need, func(r *runlog.Row) error {
		if j, m := jobAt(r.Str("app")), r.Millis("submit_ms"); j != nil && m.Known() {
			j.Submit = Millis(t0) + m
			if j.Tez != nil { // no history tells the end of a session
				j.Finish = max(j.Finish, Millis(t0)+r.Millis("rm_finish_ms"))
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := tezVertexSizes(dir, jobAt); err != nil {
		return err
	}
	t.Format = runFormat
	run := runReader{t: t, n: n}
	return run.nodes(dir)
}
