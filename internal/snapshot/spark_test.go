package snapshot

import (
	"strings"
	"testing"

	"schedtune/internal/scenario"
	"schedtune/simcore"
	"schedtune/simcore/yarn"
)

const (
	sparkApps = `{"apps":{"app":[
{"id":"application_7_0001","user":"u","name":"s","queue":"root.a","state":"RUNNING","finalStatus":"UNDEFINED","applicationType":"SPARK","startedTime":990000,"elapsedTime":15000}]}}`
	sparkContainers = `{"application_7_0001":[{"containerId":"container_7_0001_01_000001","allocatedMB":1024,"allocatedVCores":1,"nodeId":"n:1","priority":0,"startedTime":990100},
{"containerId":"container_7_0001_01_000002","allocatedMB":1024,"allocatedVCores":1,"nodeId":"n:1","priority":1,"startedTime":991000},
{"containerId":"container_7_0001_01_000003","allocatedMB":1024,"allocatedVCores":1,"nodeId":"n:1","priority":1,"startedTime":991000}]}`
	sparkDrivers = `{"application_7_0001":{"slots":[1,1],"jobs":1,"jobsOver":0,"lastEnd":-1,"stages":[
{"id":0,"tasks":6,"begun":true,"running":[1000000,1000000],"took":[10000,10000,10000]},
{"id":1,"tasks":2,"begun":false}]}}`
)

func sparkDraw(t *testing.T, drivers string) *Draw {
	t.Helper()
	s, err := parsed(sparkApps, sparkContainers, `{}`)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.takeDrivers("drivers.json", []byte(drivers)); err != nil {
		t.Fatal(err)
	}
	c := &scenario.Case{Cluster: &simcore.Cluster{Racks: []string{"/r"},
		Nodes: []simcore.Node{{Name: "n", Capacity: simcore.Vec{4096, 4}}}},
		Work: &simcore.Workload{}, Calibration: yarn.Default()}
	m, err := newModel(s, c, in("root.a"), false)
	if err != nil {
		t.Fatal(err)
	}
	return m.draw(1)
}

// Two executors with a task each that has run 5 of 10 s, one task that waits, and a
// stage of two tasks behind: 5 s, then 10 s, then 10 s.
func TestStagesLeft(t *testing.T) {
	d := sparkDraw(t, sparkDrivers)
	w := d.Warm.Jobs[0]
	if len(w.Tasks) != 2 || w.Tasks[0].Left != 25*simcore.Second || w.Ends <= 0 || w.Ends > simcore.Second {
		t.Errorf("%+v", w)
	}
	// Without a job begun nothing tells how long it lasts.
	if w = sparkDraw(t, `{"application_7_0001":{"slots":[1,1],"jobs":0}}`).Warm.Jobs[0]; w.Tasks[0].Left != unknown {
		t.Errorf("%+v", w)
	}
}

func TestDriversErrors(t *testing.T) {
	s, err := parsed(sparkApps, sparkContainers, `{}`)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		`[]`: "drivers.json: ", `{"application_7_0001":{"stages":[{"id":3,"tasks":-1}]}}`: "stage 3 has -1 tasks: must " +
			"be 0 to",
	} {
		if err := s.takeDrivers("drivers.json", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// Whatever drivers tell, an application has some time left, and what runs is in the
// past.
func FuzzDrivers(f *testing.F) {
	f.Add(sparkDrivers)
	f.Add(`{"application_7_0001":{"slots":[9,-1],"jobs":1,"jobsOver":1,"lastEnd":1004000,"stages":[{"id":0,"tasks":1,"over":true,"took":[9223372036854775807]}]}}`)
	f.Fuzz(func(t *testing.T, drivers string) {
		s, err := parsed(sparkApps, sparkContainers, `{}`)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.takeDrivers("drivers.json", []byte(drivers)); err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("error of several lines: %q", err)
			}
			return
		}
		for _, w := range sparkDraw(t, drivers).Warm.Jobs {
			for _, x := range w.Tasks {
				if x.Left < 0 || x.Left > 4*mostLeft {
					t.Errorf("%v left", x.Left)
				}
			}
		}
	})
}
