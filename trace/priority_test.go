package trace

import (
	"bytes"
	"strings"
	"testing"
)

// A job that asks for priority 0 is not one that asks for none, and stays so in this
// program's own format.
func TestPriorityTold(t *testing.T) {
	apps := `{"apps":{"app":[{"id":"application_1_0001","user":"u","queue":"a","priority":0,"finalStatus":"SUCCEEDED","startedTime":1000,"finishedTime":9000},
{"id":"application_1_0002","user":"u","queue":"a","finalStatus":"SUCCEEDED","startedTime":1000,"finishedTime":9000},
{"id":"application_1_0003","user":"u","queue":"a","priority":4,"finalStatus":"SUCCEEDED","startedTime":1000,"finishedTime":9000}]}}`
	first, err := Read(strings.NewReader(apps), "apps", Options{})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := first.WriteNative(&out); err != nil {
		t.Fatal(err)
	}
	again, err := Read(&out, "own", Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, tr := range map[string]*Trace{"answer": first, "own format": again} {
		for i, want := range []Job{{PrioritySet: true}, {}, {Priority: 4, PrioritySet: true}} {
			if j := tr.Jobs[i]; j.Priority != want.Priority || j.PrioritySet != want.PrioritySet {
				t.Errorf("%s, %s: %d, %v; want %d, %v", name, j.ID, j.Priority, j.PrioritySet, want.Priority, want.PrioritySet)
			}
		}
	}
}
