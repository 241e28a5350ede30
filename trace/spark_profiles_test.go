package trace

import (
	"bytes"
	"testing"

	"schedtune/simcore"
	"schedtune/trace/sparklog"
)

// Stages of a second resource profile keep it where allocation is dynamic: 4096
// MiB and a tenth beside, four cores, two for a task. Without dynamic allocation
// all executors are of the default profile, and a note says so.
func TestSparkProfiles(t *testing.T) {
	for _, dynamic := range []string{"true", "false"} {
		a := app()
		a.Conf["spark.dynamicAllocation.enabled"] = dynamic
		a.Profiles = append(a.Profiles, sparklog.Profile{ID: 3, Cores: 4, Memory: 4096, Overhead: unknown, TaskCPUs: 2})
		a.Stages[2].Profile = 3
		tr, err := Read(bytes.NewReader(eventLog(t, a)), "log", Options{})
		if err != nil {
			t.Fatal(err)
		}
		w, notes, err := tr.Workload(WorkloadOptions{Cluster: &simcore.Cluster{Racks: []string{"r"}, Nodes: []simcore.Node{{Name: "n1"}, {Name: "n2"}}}})
		if err != nil {
			t.Fatal(err)
		}
		got := w.Jobs[0].Spark
		if err := got.Validate(w); err != nil {
			t.Fatal(err)
		}
		if dynamic == "false" {
			if len(got.Executors) != 1 || got.Stages[2].Profile != 0 || len(notes) != 1 {
				t.Errorf("static: %+v, stage of profile %d, notes %v", got.Executors, got.Stages[2].Profile, notes)
			}
			continue
		}
		if want := (simcore.SparkExecutor{Container: simcore.Vec{4505, 4}, Cores: 4, TaskCPUs: 2}); len(got.Executors) != 2 || got.Executors[1] != want ||
			got.Stages[2].Profile != 1 || got.Stages[1].Profile != 0 || len(notes) != 0 {
			t.Errorf("dynamic: %+v, stages of profiles %d and %d, notes %v", got.Executors, got.Stages[1].Profile, got.Stages[2].Profile, notes)
		}
	}
}
