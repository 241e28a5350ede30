package trace

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"schedtune/validation/testdata"
)

// attemptsOf are a trace's attempts of maps and reduces by container, with their
// task.
func attemptsOf(t *Trace) map[string]pastAttempt {
	out := map[string]pastAttempt{}
	for i := range t.Jobs {
		for k := range t.Jobs[i].Tasks {
			task := &t.Jobs[i].Tasks[k]
			for _, a := range task.Attempts {
				if task.Kind == Map || task.Kind == Reduce {
					out[a.Container] = pastAttempt{task.Kind, int(task.Index), a}
				}
			}
		}
	}
	return out
}

// A run whose tasks.csv is empty has the same tasks and times from its job
// histories, the moment aside at which a process asks for its task; without those
// it has the times of the containers, which are longer.
func TestRunFolderWithHistories(t *testing.T) {
	dir := testdata.Run(t, "mapreduce")
	bare := t.TempDir()
	if err := os.CopyFS(bare, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "tasks.csv"))
	if err != nil {
		t.Fatal(err)
	}
	header, _, _ := strings.Cut(string(text), "\n")
	if err := os.WriteFile(filepath.Join(bare, "tasks.csv"), []byte(header+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	read := func(dir string) map[string]pastAttempt {
		tr, err := Open(dir, Options{})
		if err != nil {
			t.Fatal(err)
		}
		return attemptsOf(tr)
	}
	full, got := read(dir), read(bare)
	if len(full) < 20 || len(got) != len(full) {
		t.Fatalf("%d attempts, %d without tasks.csv", len(full), len(got))
	}
	for id, want := range full {
		a := got[id]
		if a.kind != want.kind || a.index != want.index || a.Number != want.Number || a.Result != want.Result ||
			a.Size != want.Size ||
			a.Start != want.Start || a.Finish != want.Finish || a.ShuffleEnd != want.ShuffleEnd ||
			a.Allocated != want.Allocated || a.Released != want.Released {
			t.Errorf("%s: %+v, want %+v", id, a, want)
		}
		if a.Up.Known() && (a.Up < a.Allocated || a.Up > a.Finish) {
			t.Errorf("%s: up at %d of %d to %d", id, a.Up, a.Allocated, a.Finish)
		}
	}
	if err := os.RemoveAll(filepath.Join(bare, "history")); err != nil {
		t.Fatal(err)
	}
	longer := read(bare)
	if len(longer) != len(full) {
		t.Fatalf("%d attempts without histories, want %d", len(longer), len(full))
	}
	for id, want := range full {
		if a := longer[id]; a.Finish < want.Finish {
			t.Errorf("%s: its container ends at %d, before the task at %d", id, a.Finish, want.Finish)
		}
	}
}
