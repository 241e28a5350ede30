package sparkreplay_test

import (
	cmp2 "cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"schedtune/simcore"
	"schedtune/trace"
	"schedtune/trace/sparklog"
	"schedtune/validation/sparkreplay"
	"schedtune/validation/testdata"
)

// The recorded applications: which job waits for which, how long the driver
// waited, stages, parents and the times of sleeping tasks, against the
// scenario that was asked for.
func TestSparkProgramsAgainstScenarios(t *testing.T) {
	dir := testdata.Shared(t, "traces/minispark")
	runs, err := filepath.Glob(filepath.Join(dir, "run-*"))
	if err != nil || len(runs) == 0 {
		t.Skip("no recorded runs in ", dir)
	}
	apps := 0
	for _, run := range runs {
		plan, err := sparkreplay.Load(run)
		if err != nil {
			t.Fatal(err)
		}
		tr, err := trace.Open(filepath.Join(run, "eventlogs"), trace.Options{})
		if err != nil {
			t.Fatal(err)
		}
		w, _, err := tr.Workload(trace.WorkloadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for i := range w.Jobs {
			k := slices.IndexFunc(plan.Plan.Jobs, func(p sparkreplay.PlanJob) bool { return p.Name == w.Jobs[i].Name })
			if k < 0 {
				t.Fatalf("%s: job %q is not in the scenario", run, w.Jobs[i].Name)
			}
			p := plan.Plan.Jobs[k]
			at := map[string]int{} // jobs by their names in the scenario, which their threads' job groups are
			for k := range tr.Jobs {
				if tr.Jobs[k].ID != w.Jobs[i].ID {
					continue
				}
				jobs := slices.Clone(tr.Jobs[k].Spark.Jobs)
				slices.SortStableFunc(jobs, func(a, b sparklog.Job) int {
					return cmp2.Or(cmp2.Compare(a.Submit, b.Submit), cmp2.Compare(a.ID, b.ID))
				})
				for n := range jobs {
					at[jobs[n].Group] = n
				}
			}
			checkProgram(t, filepath.Base(run)+" "+p.Name, w, w.Jobs[i].Spark, &p, at)
			apps++
		}
	}
	t.Logf("%d applications of %d runs", apps, len(runs))
}

func checkProgram(t *testing.T, name string, w *simcore.Workload, a *simcore.SparkApp, p *sparkreplay.PlanJob,
	at map[string]int) {
	t.Helper()
	const late = 700   // ms: how much later than asked a loaded driver submitted a job
	var before []int32 // jobs of the step before
	wait := int64(0)
	for s := range p.Steps {
		step := &p.Steps[s]
		wait += step.WaitMS
		var now []int32
		for k := range step.Jobs {
			next, ok := at[fmt.Sprintf("step%d-job%d", s, k)]
			if !ok || next >= len(a.Jobs) {
				t.Fatalf("%s: no step %d job %d among %v", name, s, k, at)
			}
			got := a.Jobs[next]
			if d := cmp.Diff(before, got.After, cmpopts.EquateEmpty(), cmpopts.SortSlices(func(x, y int32) bool {
				return x < y
			})); d != "" {
				t.Errorf("%s: step %d job %d waits for %s", name, s, k, d)
			}
			want := wait + step.Jobs[k].AfterMS
			most := want + late
			if len(before) == 0 {
				most += 2000 // where ten drivers start at once, one registers that much later than estimated
			}
			if gap := int64(got.Delay / simcore.Millisecond); gap < want-50 || gap > most {
				t.Errorf("%s: step %d job %d submitted after %d ms, want %d", name, s, k, gap, want)
			}
			if int(got.Stages) != len(step.Jobs[k].Stages) {
				t.Fatalf("%s: step %d job %d has %d stages, want %d", name, s, k, got.Stages, len(step.Jobs[k].Stages))
			}
			for x := range step.Jobs[k].Stages {
				checkStage(t, fmt.Sprintf("%s step %d job %d stage %d", name, s, k, x), w, a, got.FirstStage+int32(x),
					step.Jobs[k].Stages[x].TaskMS, x > 0, step.Jobs[k].Stages[x].Cache != "", x == 0 && step.Jobs[k].From != "")
			}
			now = append(now, int32(next))
		}
		if len(now) > 0 {
			before, wait = now, 0
		}
	}
}

func checkStage(t *testing.T, name string, w *simcore.Workload, a *simcore.SparkApp, n int32, times []int64, follows,
	caches, reads bool) {
	t.Helper()
	st := a.Stages[n]
	if int(st.Tasks) != len(times) {
		t.Fatalf("%s: %d tasks, want %d", name, st.Tasks, len(times))
	}
	if follows != (len(st.Parents) == 1 && st.Parents[0] == n-1) || !follows && len(st.Parents) > 0 {
		t.Errorf("%s: parents %v", name, st.Parents)
	}
	if caches != (st.Caches >= 0) || reads != (st.Reads >= 0) {
		t.Errorf("%s: caches %d, reads %d", name, st.Caches, st.Reads)
	}
	// A task that computes its cached input again is known less exactly.
	recomputed := int64(0)
	if reads {
		recomputed = 60
	}
	over := 0.0
	for i, ms := range times {
		d := int64(w.Tasks.Duration[int(st.FirstTask)+i] / simcore.Millisecond)
		if d < ms-5-recomputed {
			t.Errorf("%s: task %d takes %d ms, asked %d", name, i, d, ms)
		}
		over += float64(d - ms)
	}
	if mean := over / float64(len(times)); math.Abs(mean) > 1500 {
		t.Errorf("%s: tasks take %.0f ms longer than asked", name, mean)
	}
}
