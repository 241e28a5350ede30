package replay

import (
	"slices"
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
		c.Task, c.Status, c.Up, c.Finished = attemptIndex(id), status, from, to
	}
	return c
}

// Of several containers of one task one succeeded: that of tasks.csv where it has
// one, else the last.
func TestFillTasks(t *testing.T) {
	const r0, r1, m0 = "attempt_1_0001_r_000000_0", "attempt_1_0001_r_000000_1", "attempt_1_0001_m_000000_0"
	for _, c := range []struct {
		name   string
		in     []*Container
		want   []string
		filled int
	}{
		{"one without a row", []*Container{attempt("MAP", m0, "", second, 3*second)}, []string{succeeded}, 1},
		{"killed for room, then again, both without rows", []*Container{attempt("REDUCE", r0, "", second, 3*second),
			attempt("REDUCE", r1, "", 5*second, 9*second)}, []string{killed, succeeded}, 2},
		{"killed before it ran, so without a row", []*Container{attempt("REDUCE", r0, "", second, 3*second),
			attempt("REDUCE", r1, succeeded, 5*second, 9*second)}, []string{killed, succeeded}, 1},
		{"a second attempt without a row beside one that succeeded",
			[]*Container{attempt("REDUCE", r0, succeeded, second, 9*second), attempt("REDUCE", r1, "", 5*second, 9*second)},
			[]string{succeeded, killed}, 1},
		{"killed by its row", []*Container{attempt("REDUCE", r0, "KILLED", second, 3*second),
			attempt("REDUCE", r1, succeeded, 5*second, 9*second)}, []string{killed, succeeded}, 0},
		{"map and reduce of one number", []*Container{attempt("MAP", m0, "", second, 2*second),
			attempt("REDUCE", r0, "", 3*second, 4*second)}, []string{succeeded, succeeded}, 2},
	} {
		r := &Run{Jobs: []*Job{{Containers: c.in}}}
		filled := r.fillTasks()
		var got []string
		for _, x := range r.Jobs[0].Containers {
			got = append(got, x.Status)
		}
		if !slices.Equal(got, c.want) || filled != c.filled {
			t.Errorf("%s: %q with %d filled, want %q with %d", c.name, got, filled, c.want, c.filled)
		}
	}
}

// A reduce without a row in tasks.csv copies until the last map ends.
func TestFilledShuffle(t *testing.T) {
	r := &Run{Jobs: []*Job{{LastTask: simcore.Never, Containers: []*Container{
		attempt("REDUCE", "attempt_1_0001_r_000000_0", "", 2*second, 9*second), attempt("MAP", "attempt_1_0001_m_000000_0",
			"", second, 5*second)}}}}
	r.fillTasks()
	if c := r.Jobs[0].Containers[0]; c.Shuffled != 5*second || c.Up != 2*second || c.Finished != 9*second {
		t.Errorf("up %v, shuffled %v, finished %v", c.Up, c.Shuffled, c.Finished)
	}
	if got := r.Jobs[0].LastTask; got != 9*second {
		t.Errorf("last task %v, want 9 s", got)
	}
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
