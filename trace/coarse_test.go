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

// The charge of so many containers over the time of an application gives these again,
// whatever was lost by rounding the charge of each down, and keeps it as long.
func TestContainersOfACharge(t *testing.T) {
	for _, c := range []struct {
		name      string
		mib, n    int64   // of the containers beside the master
		life, own float64 // s: of the application, and of each of these containers
		maps      int
	}{
		{"one", 1024, 0, 97.2, 0, 0},
		{"six for an hour", 4096, 5, 3600, 3600, 5},
		{"half of the time", 2048, 10, 600, 300, 6},
		{"many short ones", 1536, 400, 600, 15.7, 11},
		{"of another minimum", 640, 3, 100, 92.9, 3},
		{"large", 20480, 7, 1000, 990.5, 7},
	} {
		t.Run(c.name, func(t *testing.T) {
			j := NewJob("application_1_1")
			j.Submit, j.Launch, j.Finish = 0, 0, Millis(c.life*1000)
			charge := func(s float64, by int64) int64 { return int64(s * float64(by)) } // rounded down
			j.MemorySeconds = charge(c.life, c.mib) + c.n*charge(c.own, c.mib)
			j.VCoreSeconds = charge(c.life, 1) + c.n*charge(c.own, 1)
			coarse(&j, 0, &notes{})
			if j.MapSize.MiB != c.mib || j.AMSize.MiB != c.mib || j.Maps != c.maps {
				t.Errorf("%d of %d MiB beside a master of %d, want %d of %d", j.Maps, j.MapSize.MiB, j.AMSize.MiB, c.maps, c.mib)
			}
			if all := float64(j.MapTime+j.MasterTime) / 1000; all < c.life-6 || all > c.life {
				t.Errorf("works for %v s of %v s", all, c.life)
			}
			if held, want := float64(j.Maps)*float64(j.MapTime)/1000, float64(c.n)*c.own; held < want*0.99-5*float64(c.maps) ||
				held > want*1.01 {
				t.Errorf("holds %v container-seconds beside the master's, want %v", held, want)
			}
		})
	}
}
