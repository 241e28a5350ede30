package trace

import (
	"strings"
	"testing"
)

// An application that the ResourceManager refused, as Hadoop 3.4.1 tells it of one submitted to
// a queue that is not there, held nothing and gives no job; the one beside it does.
func TestRefusedApplicationIsNoJob(t *testing.T) {
	text := `{"apps":{"app":[
 {"id":"application_1_0001","user":"ana","queue":"root.prod","state":"FINISHED","finalStatus":"SUCCEEDED","startedTime":1000,"launchTime":2000,"finishedTime":62000,"memorySeconds":122880,"vcoreSeconds":120,"applicationType":"YARN"},
 {"id":"application_1_0003","user":"carl","queue":"x.y","state":"FAILED","finalStatus":"FAILED","startedTime":5000,"launchTime":0,"finishedTime":5283,"memorySeconds":0,"vcoreSeconds":0,"applicationType":"YARN",
  "diagnostics":"Application application_1_0003 submitted by user carl to unknown queue: x.y"}]}}`
	tr, err := Read(strings.NewReader(text), "apps", Options{})
	if err != nil {
		t.Fatal(err)
	}
	w, notes, err := tr.Workload(WorkloadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(w.Jobs) != 1 || w.Jobs[0].ID != "application_1_0001" {
		t.Errorf("%d jobs: %+v", len(w.Jobs), w.Jobs)
	}
	dropped := false
	for _, n := range notes {
		dropped = dropped || n.Kind == Dropped && strings.Contains(n.Text, "ran no task")
	}
	if !dropped {
		t.Errorf("not told: %v", notes)
	}
}
