package trace

import (
	"os"
	"path/filepath"

	"schedtune/trace/runlog"
)

// readSparkRunFolder reads the event logs and histories of a run, and from its
// tables what those do not tell: when each application was submitted.
func readSparkRunFolder(dir string, o Options, t *Trace, n *notes) error {
	t0, err := runlog.Epoch(dir)
	if err != nil {
		return err
	}
	for _, sub := range []string{"eventlogs", "history"} {
		if _, err := os.Stat(filepath.Join(dir, sub)); err != nil {
			continue
		}
		if err := readFiles(filepath.Join(dir, sub), o, t, n); err != nil {
			return err
		}
	}
	oneAttempt(n, t)
	at := map[string]int{}
	for i := range t.Jobs {
		id := t.Jobs[i].ID
		if app := jobOf(id); app != "" {
			id = app
		}
		at[id] = i
	}
	err = eachRow(dir, "jobs.csv", []string{"app", "submit_ms"}, func(r row) error {
		id := r.Str("app")
		i, ok := at[id]
		if !ok {
			i, ok = at[jobOf(id)]
		}
		if m := r.millis("submit_ms"); ok && m.Known() {
			t.Jobs[i].Submit = Millis(t0) + m
		}
		return nil
	})
	if err != nil {
		return err
	}
	t.Format = runFormat
	run := runReader{t: t, n: n}
	return run.nodes(dir)
}
