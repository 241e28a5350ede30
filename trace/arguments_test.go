package trace

import (
	"math"
	"strings"
	"testing"

	"schedtune/trace/sparklog"
)

// Times that no reader lets through, in a trace made by hand, end in no panic.
func TestHugeSubmissions(t *testing.T) {
	tr := &Trace{Jobs: []Job{{ID: "a", Submit: 0}, {ID: "b", Submit: math.MaxInt64}}}
	if in := tr.Info(); in.Load[len(in.Load)-1].Jobs != 1 {
		t.Errorf("the last bucket has %d jobs, want 1", in.Load[len(in.Load)-1].Jobs)
	}
	if _, err := tr.Bootstrap(1, 1); err == nil || !strings.Contains(err.Error(), "must be at most 1048576 windows") {
		t.Error(err)
	}
	var r sparklog.Reader // its zero value reads nothing yet, as a new one
	if err := r.Read(strings.NewReader("no JSON\n"), "x"); err != nil {
		t.Error(err)
	}
}
