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

// A field of another kind is described in JSON's words.
func TestKindsInJSONsWords(t *testing.T) {
	for text, want := range map[string]string{
		`{"schema":"schedtune/trace/v1","name":"x","format":"sls","notes":["n"]}`: "field notes: string where an object " +
			"is expected",
		`{"schema":"schedtune/trace/v1","name":"x","format":"sls","notes":5}`: "field notes: number where a list is " +
			"expected",
		`{"schema":"schedtune/trace/v1","name":7,"format":"sls"}`: "field name: number where a string is " +
			"expected",
	} {
		if _, err := Read(strings.NewReader(text), "t", Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// The configuration of a MapReduce job tells its priority by word or number, NORMAL as
// YARN takes it (TypeConverter.toYarnApplicationPriority); without one it is the queue's
// default, and a change that the history records comes after it.
func TestPriorityOfConfiguration(t *testing.T) {
	for value, want := range map[string]Job{"NORMAL": {Priority: 3, PrioritySet: true},
		"VERY_HIGH": {Priority: 5, PrioritySet: true}, "7": {Priority: 7, PrioritySet: true},
		"DEFAULT": {PrioritySet: true}, "": {}, "urgent": {}} {
		p := jobConf{"mapreduce.job.priority": text(value)}
		j, changed := NewJob("job_1_0001"), NewJob("job_1_0002")
		changed.Priority, changed.PrioritySet = 2, true
		p.apply(&j)
		p.apply(&changed)
		if j.Priority != want.Priority || j.PrioritySet != want.PrioritySet || changed.Priority != 2 {
			t.Errorf("%q: %d, %v, after a change %d; want %d, %v and 2", value, j.Priority, j.PrioritySet, changed.Priority,
				want.Priority, want.PrioritySet)
		}
	}
}
