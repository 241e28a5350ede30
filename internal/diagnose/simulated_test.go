package diagnose

import (
	"reflect"
	"strings"
	"testing"

	"schedtune/internal/scenario"
	"schedtune/internal/simulate"
	"schedtune/simcore"
)

func load(t *testing.T) *simulate.Runner {
	t.Helper()
	r, err := simulate.Load(scenario.Files{}, "default-1", simulate.Options{Jitter: simulate.Replications()})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Every job of the embedded workload is asked about at one busy instant: the answer
// of one that waits names what holds it, the look changes nothing in the run (its
// next container comes when it comes without), and a change that is named starts it
// no later.
func TestAsk(t *testing.T) {
	r := load(t)
	at := r.Work.Jobs[len(r.Work.Jobs)/2].Submit + 30*simcore.Second
	answered, binding, changed, earlier := 0, 0, 0, 0
	for i := range r.Work.Jobs {
		j := &r.Work.Jobs[i]
		if j.Submit > at || i%3 != 0 {
			continue
		}
		rep, err := AskSimulated(t.Context(), r, Query{Job: j.ID, At: at, Seed: 1, Runs: 2})
		if err != nil {
			if !strings.Contains(err.Error(), "is submitted at") { // arrivals vary with the seed
				t.Errorf("%s: %v", j.ID, err)
			}
			continue
		}
		answered++
		c := rep.Answer.Causes[0]
		if c.Kind == KindEnded {
			continue
		}
		if c.Binding {
			binding++
		}
		next := simcore.Never
		_, err = r.Run(t.Context(), simulate.Item{Slowstart: -1, Seed: 1, Watch: func(c simulate.Change) {
			if c.Job == simcore.JobID(i) && c.Event == "allocated" && c.At > at {
				next = min(next, c.At)
			}
		}})
		if err != nil {
			t.Fatal(err)
		}
		seen := false
		for _, n := range rep.Next {
			seen = seen || n == next
		}
		if !seen {
			t.Errorf("%s: next containers %v, without a look %v", j.ID, rep.Next, next)
		}
		if len(rep.Answer.Changes) > 0 && rep.Answer.Then == nil {
			if changed++; rep.Options[0].Next <= next {
				earlier++
			}
		}
	}
	if answered < 5 || binding == 0 {
		t.Errorf("%d jobs answered, %d with something that holds them", answered, binding)
	}
	if earlier < changed {
		t.Errorf("of %d named changes %d bring the next container no later", changed, earlier)
	}
	t.Logf("%d answers, %d held, %d changes, %d no later", answered, binding, changed, earlier)
}

func TestSimulatedErrors(t *testing.T) {
	r := load(t)
	last := &r.Work.Jobs[len(r.Work.Jobs)-1]
	for _, c := range []struct {
		job, want string
		at        simcore.Time
	}{{"no-such", "not in the trace; use", 0}, {last.ID, "is submitted at", 0}} {
		if _, err := AskSimulated(t.Context(), r, Query{Job: c.job, At: c.at, Seed: 1, Runs: 1}); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.job, err)
		}
	}
}

// A job is found by its name where no other has it.
func TestByName(t *testing.T) {
	r := load(t)
	last := &r.Work.Jobs[len(r.Work.Jobs)-1]
	last.Name = "only"
	q := Query{Job: last.ID, At: last.Submit + simcore.Minute, Seed: 1, Runs: 1}
	byID, err := AskSimulated(t.Context(), r, q)
	if err != nil {
		t.Fatal(err)
	}
	q.Job = "only"
	byName, err := AskSimulated(t.Context(), r, q)
	if err != nil || !reflect.DeepEqual(byID, byName) {
		t.Errorf("by name %+v, %v; by ID %+v", byName, err, byID)
	}
	r.Work.Jobs[0].Name = "only"
	if _, err := AskSimulated(t.Context(), r, q); err == nil {
		t.Error("a name that two jobs have is taken")
	}
}
