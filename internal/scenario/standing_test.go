package scenario

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"schedtune/simcore"
)

// pulledWith is a folder as tune pull writes it: a job in the trace, and services of so many MiB
// that ran at the moment, listed in the trace too or not.
func pulledWith(t *testing.T, mib int, listed bool) string {
	t.Helper()
	service := fmt.Sprintf(`{"id":"application_1_0001","user":"flink","queue":"default","state":"RUNNING",
		"startedTime":1000,
		"elapsedTime":9000000,"finishedTime":0,"allocatedMB":%d,"allocatedVCores":4,"runningContainers":4}`, mib)
	job := `{"id":"application_1_0002","user":"u","queue":"default","state":"FINISHED","finalStatus":"SUCCEEDED",
		"startedTime":8000000,"launchTime":8001000,"finishedTime":8100000,"memorySeconds":202752,"vcoreSeconds":198}`
	list := func(apps ...string) string { return `{"apps":{"app":[` + strings.Join(apps, ",") + `]}}` }
	trace := list(job)
	if listed {
		trace = list(service, job)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"summary.json": `{"schema":"schedtune/pull/v1","hadoop":"3.4.1"}`,
		"now/apps.json": list(service), "trace/apps.json": trace,
		"nodes.yaml": "nodes: [{name: 'n%d', count: 2, memory: 8192, vcores: 8}]\n"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// A service that the trace lists is part of every run and no job; of one that it does not
// list, up to a twentieth of the cluster is ignored, more only on demand, which the verdict
// then carries.
func TestStandingLoad(t *testing.T) {
	for _, c := range []struct {
		name                    string
		mib                     int
		listed, ignore, refused bool
		containers              int32
		share                   float64
	}{
		{"listed", 8192, true, false, false, 3, 0.5},
		{"in containers above the maximum", 4 * 9000, true, false, false, 5, 36000. / 16384},
		{"not listed", 8192, false, false, true, 0, 0},
		{"not listed and ignored", 8192, false, true, false, 0, 0},
		{"small and not listed", 512, false, false, false, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := pulledWith(t, c.mib, c.listed)
			in := Files{Config: queueFile(t, "root.queues=default", "root.default.capacity=100"),
				Cluster: filepath.Join(dir, "nodes.yaml"), Traces: []string{filepath.Join(dir, "trace")}, IgnoreStanding: c.ignore}
			got, err := in.Load()
			if (err != nil) != c.refused {
				t.Fatalf("%v, want refused %v", err, c.refused)
			}
			if err != nil {
				return
			}
			if len(got.Work.Jobs) != 1 || got.Work.Jobs[0].Submit != 0 || got.StandingShare != c.share {
				t.Errorf("%d jobs from %v on, standing load %v, want %v", len(got.Work.Jobs), got.Work.Jobs[0].Submit.Std(),
					got.StandingShare, c.share)
			}
			if n := len(got.Unmodelled); (n > 0) != c.ignore {
				t.Errorf("not modelled: %v", got.Unmodelled)
			}
			if c.containers > 0 {
				j := got.Standing[0]
				if j.Maps != c.containers || len(j.Standing.Nodes) != j.Held() || j.AMAsk[simcore.Memory] > 8192 || j.MapAsk[simcore.Memory] > 8192 {
					t.Errorf("%d containers of %v on %v, want %d", j.Maps, j.MapAsk, j.Standing.Nodes, c.containers)
				}
			}
		})
	}
}
