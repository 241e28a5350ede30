package trace

import (
	"errors"
	"slices"
	"testing"

	"schedtune/simcore"
	"schedtune/trace/sparklog"
)

// Ids stay as they are but where two traces have the same: the later one's job gets its number.
func TestMergeIDs(t *testing.T) {
	one, two := made(2), made(2)
	one.Jobs[0].ID, one.Jobs[1].ID, two.Jobs[0].ID, two.Jobs[1].ID = "a", "b", "b", "c"
	m, err := Merge(one, two)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, j := range m.Jobs {
		ids = append(ids, j.ID)
	}
	slices.Sort(ids)
	if !slices.Equal(ids, []string{"a", "b", "b-2", "c"}) {
		t.Errorf("%q", ids)
	}
}

// What the ResourceManager tells completes a MapReduce job, but no other history's word, and no
// job that is the ResourceManager's itself.
func TestCompletedByTheResourceManager(t *testing.T) {
	job, rm := NewJob("job_1_0001"), NewJob("application_1_0001")
	job.MemorySeconds = 10
	rm.Priority, rm.PrioritySet, rm.MasterLaunch, rm.MemorySeconds, rm.VCoreSeconds, rm.Labels = 3, true, 500, 7, 8,
		&simcore.JobLabels{App: "gpu"}
	if !job.complete(&rm) || job.Priority != 3 || !job.PrioritySet || job.MasterLaunch != 500 ||
		job.MemorySeconds != 10 || job.VCoreSeconds != 8 || job.Labels.App != "gpu" {
		t.Errorf("%+v", job)
	}
	spark := rm
	spark.Spark = &sparklog.App{}
	other := NewJob("job_1_0001")
	for name, pair := range map[string][2]Job{"two applications": {rm, rm}, "two jobs": {other, other},
		"a job and a Spark application": {other, spark}} {
		if before := pair[0].MasterLaunch; pair[0].complete(&pair[1]) || pair[0].MasterLaunch != before {
			t.Errorf("%s: %+v", name, pair[0])
		}
	}
}

// How much is known: nothing, figures, containers, tasks.
func TestDetail(t *testing.T) {
	j := NewJob("job_1_0001")
	if d := j.detail(); d != 0 {
		t.Errorf("nothing: %d", d)
	}
	j.MapTime = 1000
	if d := j.detail(); d != 1 {
		t.Errorf("averages: %d", d)
	}
	j.Tasks = []Task{NewTask(AM, 1)}
	if d := j.detail(); d != 2 {
		t.Errorf("a master: %d", d)
	}
	j.Tasks = append(j.Tasks, NewTask(Reduce, 1))
	if d := j.detail(); d != 3 {
		t.Errorf("a reduce: %d", d)
	}
}

// Where an error is: a line, else a byte, else neither.
func TestErrorPlaces(t *testing.T) {
	cause := errors.New("line 7: bad")
	for want, e := range map[string]Error{
		"f:7: bad":              {File: "f", Line: 7, Err: cause},
		"f:8: job: line 7: bad": {File: "f", Line: 8, Key: "job", Err: cause},
		"f: line 7: bad":        {File: "f", Err: cause},
		"line 7: bad":           {Err: cause},
	} {
		if got := e.Error(); got != want || !errors.Is(&e, cause) {
			t.Errorf("got %q with cause %v, want %q with cause %v", got, errors.Unwrap(&e), want, cause)
		}
	}
}
