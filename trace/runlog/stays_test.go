package runlog

import (
	"reflect"
	"testing"

	"schedtune/simcore"
)

const sec = simcore.Second

// Node a is lost at 9 s, gone since 5; b is emptied from 2 s on and goes at 4, and
// registers again at 6; c registered before the log begins.
func TestNodeStays(t *testing.T) {
	dir := folder(t, map[string]string{
		"result.json":     `{"t0_epoch_ms":1795420800000}`, // 2026-11-23 08:00:00
		"node-events.csv": "t_ms,op,node,detail\n5000,lose,n1,\n6000,join,n2,\n",
		"cluster-events.log.gz": "2026-11-23 07:59:50,000 INFO RMNodeImpl: a:1 Node Transitioned from NEW to RUNNING\n" +
			"2026-11-23 07:59:50,000 INFO RMNodeImpl: b:1 Node Transitioned from NEW to RUNNING\n" +
			"2026-11-23 08:00:02,000 INFO RMNodeImpl: b:1 Node Transitioned from RUNNING to DECOMMISSIONING\n" +
			"2026-11-23 08:00:04,000 INFO RMNodeImpl: b:1 Node Transitioned from DECOMMISSIONING to DECOMMISSIONED\n" +
			"2026-11-23 08:00:06,000 INFO RMNodeImpl: b:1 Node Transitioned from NEW to RUNNING\n" +
			"no time RMNodeImpl: b:1 Node Transitioned from NEW to RUNNING\n" +
			"2026-11-23 08:00:09,000 INFO RMNodeImpl: a:1 Node Transitioned from RUNNING to LOST\n" +
			"2026-11-23 08:00:10,000 INFO RMNodeImpl: c:1 Node Transitioned from RUNNING to UNHEALTHY\n"})
	got, err := NodeStays(dir, map[string]string{"n1": "a:1", "n2": "b:1"})
	if err != nil {
		t.Fatal(err)
	}
	never := simcore.Never
	want := map[string]Stays{
		"a:1": {{-10 * sec, 9 * sec, never, 5 * sec}},
		"b:1": {{-10 * sec, 4 * sec, 2 * sec, never}, {6 * sec, never, never, never}},
		"c:1": {{0, 10 * sec, never, never}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("stays %+v\nwant %+v", got, want)
	}
	b := got["b:1"].Since(3 * sec)
	if want := (Stays{{0, 1 * sec, 0, never}, {3 * sec, never, never, never}}); !reflect.DeepEqual(b, want) {
		t.Errorf("from 3 s on %+v, want %+v", b, want)
	}
	if b.Whole() || !Always.Whole() || b.At(2*sec) != nil || b.At(3*sec) != &b[1] || len(got["a:1"].Since(9*sec)) != 0 {
		t.Error("stays of b from 3 s on, or of a from 9 s on")
	}
	changes := b.Changes("b")
	if want := []simcore.NodeChange{{At: 0, What: simcore.Decommission, Node: "b", Count: 1, Timeout: never, Gone: sec},
		{At: 3 * sec, What: simcore.Join, Node: "b", Count: 1}}; !reflect.DeepEqual(changes, want) {
		t.Errorf("changes %+v, want %+v", changes, want)
	}
	if s, err := NodeStays(t.TempDir(), nil); err != nil || len(s) != 0 {
		t.Errorf("an empty folder: %v, %v", s, err)
	}
}

// Whatever states follow on each other, stays ascend, do not overlap, and their
// changes are a timetable that a run can follow.
func FuzzStays(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3, 4, 5})
	f.Fuzz(func(t *testing.T, turns []byte) {
		states := []string{"NEW", "RUNNING", "DECOMMISSIONING", "LOST", "DECOMMISSIONED", "UNHEALTHY", "SHUTDOWN",
			"REBOOTED", "?"}
		var s Stays
		for i, x := range turns {
			s.Turn(simcore.Time(i/2)*sec, states[int(x)%len(states)])
		}
		last := simcore.Time(0)
		for i, x := range s {
			if x.From < last || x.To < x.From || x.To == simcore.Never && i < len(s)-1 {
				t.Fatalf("stays %+v", s)
			}
			last = x.To
		}
		list := s.Changes("n")
		e := simcore.Elastic{Changes: list}
		for i := 1; i < len(list); i++ {
			if list[i].At < list[i-1].At {
				t.Fatalf("changes %+v", list)
			}
		}
		if err := e.Validate([]simcore.Node{{Name: "n"}}); err != nil {
			t.Fatal(err)
		}
	})
}
