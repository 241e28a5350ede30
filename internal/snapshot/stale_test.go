package snapshot

import (
	"fmt"
	"strings"
	"testing"

	"schedtune/internal/scenario"
	"schedtune/simcore"
	"schedtune/simcore/yarn"
)

// told is a container as the web services tell it, by application, number, MiB, priority,
// and start and end of the time that it is told to have run.
func told(app, number, mib, priority int, from, until int64) string {
	return fmt.Sprintf(
		`{"containerId":"container_7_%04d_01_%06d","allocatedMB":"%d","allocatedVCores":"1","assignedNodeId":"n:1","priority":"%d","startedTime":"%d","elapsedTime":"%d"}`, app, number, mib, priority, from, until-from)
}

// A node of 4096 MiB: the first application, told of at 1,005,000, had its master and
// three tasks of 1024 MiB on it. The second, told of 8 s later, has a master and a task of
// 1024 MiB, begun after 1,005,000: two of the first's tasks must have ended, and those
// are taken that ran longest. One of the second's requests, told at 1,005,000, has been met.
func TestContainersThatHadEnded(t *testing.T) {
	const apps = `{"apps":{"app":[
{"id":"application_7_0002","user":"u","name":"w","queue":"a","state":"RUNNING","startedTime":1000000,"elapsedTime":5000,"resourceRequests":[{"priority":20,"resourceName":"*","numContainers":2,"capability":{"memory":1024,"vCores":1}}]},
{"id":"application_7_0001","user":"u","name":"r","queue":"a","state":"RUNNING","startedTime":990000,"elapsedTime":15000}]}}`
	containers := `{"application_7_0001":[` + strings.Join([]string{told(1, 1, 1024, 0, 990100, 1005000),
		told(1, 2, 1024, 20, 993000, 1005000),
		told(1, 3, 1024, 20, 992000, 1005000), told(1, 4, 1024, 20, 994000, 1005000)}, ",") + `],
"application_7_0002":[` + told(2, 1, 1024, 0, 1006000, 1013000) + "," + told(2, 2, 1024, 20, 1011000, 1013000) + `]}`
	s, err := parsed(apps, containers, `{}`)
	if err != nil {
		t.Fatal(err)
	}
	if a := s.Apps[1]; len(a.Asks) != 1 || a.Asks[0].Count != 1 {
		t.Errorf("requests left: %+v, want 1 of 2", a.Asks)
	}
	c := &scenario.Case{Cluster: &simcore.Cluster{Racks: []string{"/r"},
		Nodes: []simcore.Node{{Name: "n", Capacity: simcore.Vec{4096, 4}}}},
		Work: &simcore.Workload{}, Calibration: yarn.Default()}
	m, err := newModel(s, c, in("root.a"), false)
	if err != nil {
		t.Fatal(err)
	}
	if got := m.State.Apps[0].Containers; len(got) != 2 || got[0].Number != 1 || got[1].Number != 4 ||
		len(m.State.Apps[1].Containers) != 2 {
		t.Errorf("%+v", m.State.Apps)
	}
	if len(m.Notes) == 0 || !strings.Contains(m.Notes[0], "2 containers are left out that had ended") {
		t.Errorf("%q", m.Notes)
	}
}

// Where cores count, a node is full of them too; where masters alone are more than it has,
// the one told of first goes with its application.
func TestMastersThatHadEnded(t *testing.T) {
	const apps = `{"apps":{"app":[{"id":"application_7_0001","user":"u","queue":"a","state":"RUNNING","startedTime":990000,"elapsedTime":15000},
{"id":"application_7_0002","user":"u","queue":"a","state":"RUNNING","startedTime":1000000,"elapsedTime":5000}]}}`
	containers := `{"application_7_0001":[` + told(1, 1, 512, 0, 990100, 1005000) + `],"application_7_0002":[` +
		told(2, 1, 512, 0, 1006000, 1013000) + `]}`
	for cores, want := range map[bool]int{false: 2, true: 1} {
		s, err := parsed(apps, containers, `{}`)
		if err != nil {
			t.Fatal(err)
		}
		c := &scenario.Case{Cluster: &simcore.Cluster{Racks: []string{"/r"},
			Nodes: []simcore.Node{{Name: "n", Capacity: simcore.Vec{4096, 1}}}},
			Work: &simcore.Workload{}, Calibration: yarn.Default()}
		m, err := newModel(s, c, in("root.a"), cores)
		if err != nil {
			t.Fatal(err)
		}
		if got := m.State.Apps; len(got) != want || got[len(got)-1].Number != 2 {
			t.Errorf("cores %v: %d applications left, want %d", cores, len(got), want)
		}
	}
}
