package trace

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A pulled folder has the ResourceManager's list beside the history's jobs. Each
// application is there once, as the history tells it, with what only the ResourceManager
// knows; what is derived for want of tasks counts only where it is used.
func TestListBesideHistory(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"apps.json": `{"apps":{"app":[
{"id":"application_1_0001","user":"u","name":"n","queue":"root.q","finalStatus":"SUCCEEDED","applicationType":"MAPREDUCE","priority":4,"amNodeLabelExpression":"gpu","appNodeLabelExpression":"gpu","startedTime":1000,"launchTime":1200,"finishedTime":20100,"memorySeconds":40000,"vcoreSeconds":40},
{"id":"application_1_0002","user":"u","name":"k","queue":"root.q","finalStatus":"KILLED","applicationType":"MAPREDUCE","priority":0,"startedTime":5000,"launchTime":5300,"finishedTime":9000,"memorySeconds":4000,"vcoreSeconds":4},
{"id":"application_1_0003","user":"u","name":"t","queue":"root.q","finalStatus":"SUCCEEDED","applicationType":"TEZ","priority":0,"startedTime":5000,"launchTime":5300,"finishedTime":9000,"memorySeconds":4000,"vcoreSeconds":4}]}}`,
		"job_1_0001.json": `{"job":{"id":"job_1_0001","user":"u","queue":"q","state":"SUCCEEDED","submitTime":1000,"startTime":6200,"finishTime":20000,"mapsTotal":1,"reducesTotal":0}}
{"tasks":{"task":[{"id":"task_1_0001_m_000000","type":"MAP","state":"SUCCEEDED","startTime":7000,"finishTime":19000}]}}`,
		"job_1_0002.json": `{"job":{"id":"job_1_0002","user":"u","queue":"q","state":"KILLED","submitTime":5000,"startTime":5900,"finishTime":9000,"mapsTotal":4,"reducesTotal":0}}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	tr, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(tr.Jobs) != 3 {
		t.Fatalf("%d jobs, want 3: %+v", len(tr.Jobs), tr.Jobs)
	}
	by := map[string]*Job{}
	for i := range tr.Jobs {
		by[tr.Jobs[i].ID] = &tr.Jobs[i]
	}
	one, killed, tez := by["job_1_0001"], by["job_1_0002"], by["application_1_0003"]
	if one == nil || killed == nil || tez == nil {
		t.Fatalf("%v", by)
	}
	if len(one.Tasks) != 1 || one.MasterLaunch != 1200 || one.Launch != 6200 || one.Priority != 4 || one.Labels == nil ||
		one.Labels.App != "gpu" || one.MemorySeconds != 40000 {
		t.Errorf("%+v", one)
	}
	if killed.Maps != 4 || killed.MapTime.Known() || killed.MasterLaunch != 5300 {
		t.Errorf("killed before a task: %+v", killed)
	}
	for _, n := range tr.Notes {
		if strings.Contains(n.Text, "tells more of") || n.Text == derivedNote && n.Count != 1 {
			t.Errorf("note %+v", n)
		}
	}
	roundTrip(t, tr)
}

func TestNotesLess(t *testing.T) {
	var n notes
	n.addCount(3, Assumed, "a")
	n.add(Dropped, "b")
	n.less(1, Assumed, "a")
	n.less(2, Assumed, "a")
	n.less(9, Missing, "c")
	n.add(Dropped, "b")
	if len(n.list) != 1 || n.list[0].Text != "b" || n.list[0].Count != 2 {
		t.Errorf("%+v", n.list)
	}
}
