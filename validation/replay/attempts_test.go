package replay

import (
	"strings"
	"testing"

	"schedtune/simcore"
)

const second = simcore.Second

// attempt is a container with an attempt; a row of tasks.csv gives a status.
func attempt(kind, id, status string, from, to simcore.Time) *Container {
	c := &Container{ID: "container_" + id, Kind: kind, Task: -1, Allocated: from, Acquired: from, Exec: from, Exited: to,
		Released: to, attempt: id,
		Up: simcore.Never, Shuffled: simcore.Never, Sorted: simcore.Never, Finished: simcore.Never}
	if status != "" {
		c.Task, c.Status, c.Up, c.Finished = 0, status, from, to
	}
	return c
}

// A task that no attempt finished takes the median time of the others of its kind.
func TestUnfinished(t *testing.T) {
	r := &Run{Dir: "run"}
	j := &Job{Name: "j1", Maps: 4, Reduces: 1}
	times := []simcore.Time{3 * second, -1, second, 2 * second, 7 * second}
	if err := r.unfinished(times, j); err != nil || times[1] != 2*second || times[4] != 7*second {
		t.Errorf("%v, %v", times, err)
	}
	if len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "job j1: 1 of its 4 maps have no finished attempt") {
		t.Errorf("notes %q", r.Notes)
	}
	if err := r.unfinished([]simcore.Time{second, second, second, second, -1}, j); err == nil ||
		!strings.Contains(err.Error(), "run: job j1: none of its 1 reduces has a finished attempt") {
		t.Errorf("no reduce finished: %v", err)
	}
}

// A modelled master asks for a reduce again that was killed, and does not count it
// as done.
func TestCountKilled(t *testing.T) {
	j := &Job{Maps: 1, Reduces: 1, Containers: []*Container{
		attempt("REDUCE", "attempt_1_0001_r_000000_0", "KILLED", second, 3*second),
		attempt("REDUCE", "attempt_1_0001_r_000000_1", succeeded, 5*second, 9*second)}}
	for _, c := range []struct {
		previous, at     simcore.Time
		lost, done, runs int32
	}{
		{0, 2 * second, 0, 0, 1},
		{2 * second, 4 * second, 1, 0, 0},
		{4 * second, 6 * second, 0, 0, 1},
		{6 * second, 10 * second, 0, 1, 0},
	} {
		if got := j.countAt(c.previous, c.at); got.reducesLost != c.lost || got.doneReds != c.done || got.runReds != c.runs {
			t.Errorf("from %v to %v: %d lost, %d done, %d running; want %d, %d, %d", c.previous, c.at, got.reducesLost,
				got.doneReds, got.runReds, c.lost, c.done, c.runs)
		}
	}
}
