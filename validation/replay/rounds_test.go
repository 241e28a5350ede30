package replay

import (
	"os"
	"slices"
	"strings"
	"testing"

	"schedtune/simcore"
)

// asynchronous is the small run under a queue file with asynchronous scheduling:
// the AM's container is there 5 ms after the application, the map's 5 ms after
// the ask (2.504 s), unless said otherwise.
func asynchronous(t *testing.T, am, mapAt, mapNode string) *Run {
	t.Helper()
	queues := strings.Replace(smallQueues, "</configuration>",
		"<property><name>yarn.scheduler.capacity.schedule-asynchronously.enable</name><value>true</value></property>"+
			"</configuration>", 1)
	containers := containerColumns +
		"container_1_0001_01_000001,job_1_0001,j1,AM,,n2,256," + am + ",501,510,600,20148,20150\n" +
		"container_1_0001_01_000002,job_1_0001,j1,MAP,attempt_1_0001_m_000000_0," + mapNode + ",256," + mapAt +
		",3508,3520,3700,14028,14030\n"
	r, err := Load(smallRun(t, mapNode, 0, map[string]string{"capacity-scheduler.xml": queues,
		"containers.csv": containers}))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// With asynchronous scheduling the instants of allocation are the threads', not
// those of heartbeats, and either node may be it.
func TestAsynchronousAgrees(t *testing.T) {
	for _, node := range []string{"n1", "n2"} {
		r := asynchronous(t, "109", "2509", node)
		d, err := r.Decisions()
		if err != nil {
			t.Fatal(err)
		}
		if d.Agreeing != 2 || d.Total != 2 || len(d.Exceptions) != 0 {
			t.Errorf("map on %s: decisions %+v, want 2 of 2", node, d)
		}
	}
}

// A thread passes all nodes within milliseconds: a container that is recorded at a
// heartbeat half a second later is one that the threads passed over.
func TestAsynchronousDisagrees(t *testing.T) {
	r := asynchronous(t, "109", "3000", "n1")
	d, err := r.Decisions()
	if err != nil {
		t.Fatal(err)
	}
	if d.Agreeing != 1 || len(d.Exceptions) != 2 || d.Exceptions[0].Decided != "j1 MAP" ||
		d.Exceptions[0].Recorded != "-" || d.Exceptions[1].Recorded != "j1 MAP" {
		t.Errorf("decisions %+v, want one container decided before it is recorded", d)
	}
}

// The log says where a reservation was: of a container that was allocated later
// its node, of one that was given up the node of the line about its end.
func TestReservations(t *testing.T) {
	r := asynchronous(t, "109", "2509", "n1")
	r.Nodes[0].Host, r.Nodes[0].Port, r.Nodes[1].Host, r.Nodes[1].Port = "a", 1, "a", 2
	log := "1970-01-01 00:00:02,000 INFO RMContainerImpl: container_1_0001_01_000009 Container Transitioned from NEW " +
		"to RESERVED\n" +
		"1970-01-01 00:00:02,100 INFO RMContainerImpl: container_1_0001_01_000002 Container Transitioned from NEW to " +
		"RESERVED\n" +
		"1970-01-01 00:00:02,500 INFO FiCaSchedulerApp: Application application_1_0001 unreserved  on node host: a:1 " +
		"#containers=0\n" +
		"1970-01-01 00:00:02,600 INFO FiCaSchedulerApp: Application application_1_0001 unreserved  on node host: a:2 " +
		"#containers=0\n" +
		"1970-01-01 00:00:03,000 INFO RMContainerImpl: container_1_0001_01_000010 Container Transitioned from NEW to " +
		"RESERVED\n"
	if err := os.WriteFile(r.path("cluster-events.log"), []byte(log), 0o666); err != nil {
		t.Fatal(err)
	}
	got, err := r.reservations(0)
	if err != nil {
		t.Fatal(err)
	}
	var nodes []int32
	for _, v := range got {
		nodes = append(nodes, v.node)
	}
	if want := []int32{1, 0, -1}; !slices.Equal(nodes, want) || got[0].at != 2*simcore.Second {
		t.Errorf("reservations on nodes %v, want %v", nodes, want)
	}
}
