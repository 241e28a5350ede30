package trace

import (
	"maps"
	"testing"
)

// A leaf's name and its path are one queue, unless two paths end alike.
func TestQueueNames(t *testing.T) {
	var tr Trace
	for _, q := range []string{"etl", "root.bi.etl", "adhoc", "root.adhoc", "root.x.adhoc", "solo", "", "root.prod"} {
		tr.Jobs = append(tr.Jobs, Job{Queue: q})
	}
	want := map[string]string{"etl": "root.bi.etl", "root.bi.etl": "root.bi.etl", "adhoc": "adhoc",
		"root.adhoc": "root.adhoc", "root.x.adhoc": "root.x.adhoc", "solo": "solo", "": "", "root.prod": "root.prod"}
	if got := tr.QueueNames(); !maps.Equal(got, want) {
		t.Errorf("names %v, want %v", got, want)
	}
	if got := len(tr.Info().Queues); got != 7 {
		t.Errorf("%d queues reported, want 7: etl and root.bi.etl are one", got)
	}
}
