package trace

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// isSparkRunFolder reports whether a folder holds a recorded run of Spark
// applications: event logs, perhaps job histories, and tables.
func isSparkRunFolder(dir string) bool {
	for _, f := range []string{"jobs.csv", "executors.csv", "result.json", "eventlogs"} {
		if _, err := os.Stat(filepath.Join(dir, f)); err != nil {
			return false
		}
	}
	return true
}

// readSparkRunFolder reads the event logs and histories of a run, and from its
// tables what those do not tell: when each application was submitted.
func readSparkRunFolder(dir string, o Options, t *Trace, n *notes) error {
	var result struct {
		T0 int64 `json:"t0_epoch_ms"`
	}
	name := filepath.Join(dir, "result.json")
	b, err := os.ReadFile(name)
	if err == nil {
		err = json.Unmarshal(b, &result)
	}
	if err != nil || result.T0 <= 0 {
		return &Error{File: name, Offset: -1, Err: fmt.Errorf("no t0_epoch_ms (%v); allowed: the time zero of the run, milliseconds since the epoch", err)}
	}
	for _, sub := range []string{"eventlogs", "history"} {
		if _, err := os.Stat(filepath.Join(dir, sub)); err != nil {
			continue
		}
		if err := readFiles(filepath.Join(dir, sub), o, t, n); err != nil {
			return err
		}
	}
	t.oneAttempt(n)
	at := map[string]int{}
	for i := range t.Jobs {
		id := t.Jobs[i].ID
		if app := jobOf(id); app != "" {
			id = app
		}
		at[id] = i
	}
	err = eachRow(filepath.Join(dir, "jobs.csv"), []string{"app", "submit_ms"}, func(r *table) error {
		id := r.str("app")
		i, ok := at[id]
		if !ok {
			i, ok = at[jobOf(id)]
		}
		if m := r.millis("submit_ms"); ok && m.Known() {
			t.Jobs[i].Submit = Millis(result.T0) + m
		}
		return nil
	})
	if err != nil {
		return err
	}
	t.Format = runFormat
	run := runReader{t: t, n: n}
	return run.nodes(filepath.Join(dir, "nodes.csv"))
}
