package sparklog

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"schedtune/trace/internal/history"
)

// ownEvent is the name of the lines that Write writes.
const ownEvent = "schedtune"

// tasksAtOnce is how many tasks such a line holds at most.
const tasksAtOnce = 10_000

// written is a line of Write: an application without its tasks, or tasks of one of its
// stage attempts.
type written struct {
	Event string
	App   *App   `json:",omitempty"`
	Stage int    `json:",omitempty"` // index into App.Stages
	Tasks []Task `json:",omitempty"`
}

// Write writes the application so that a Reader reads the same, its notes and counts aside.
// One whose parts do not fit together is an error (see Check).
func (a *App) Write(w io.Writer) error {
	if err := a.Check(); err != nil {
		return fmt.Errorf("application %s: %w", a.ID, err)
	}
	out := bufio.NewWriter(w)
	enc := json.NewEncoder(out)
	var err error
	put := func(line written) {
		line.Event = ownEvent
		err = cmp.Or(err, enc.Encode(line))
	}
	head := a.clone()
	head.Notes, head.Events = nil, Events{}
	for st := range history.Pointers(head.Stages) {
		st.Attempts = nil
	}
	put(written{App: head})
	for i := range a.Stages {
		for tasks := range slices.Chunk(a.Stages[i].Attempts, tasksAtOnce) {
			put(written{Stage: i, Tasks: tasks})
		}
	}
	if err = cmp.Or(err, out.Flush()); err != nil {
		return fmt.Errorf("application %s: %w", a.ID, err)
	}
	return nil
}

// written takes in what Write wrote.
func (r *Reader) written(e *written) {
	if e.App != nil && e.App.Check() == nil && r.begin(e.App.ID) {
		e.App.Events, e.App.Notes = r.app.Events, r.app.Notes
		r.app = *e.App
	}
	part := App{Executors: r.app.Executors, Stages: []Stage{{Attempts: e.Tasks}}}
	if e.Stage >= 0 && e.Stage < len(r.app.Stages) && part.Check() == nil {
		st := &r.app.Stages[e.Stage]
		st.Attempts = append(st.Attempts, e.Tasks...)
	}
}
