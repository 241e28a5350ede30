package spark

import (
	"fmt"
	"testing"
)

// rows lists what a call would send, and sends it.
func rows(a *Allocator) string {
	a.Update()
	s := ""
	for i := 0; ; i++ {
		r, ok := a.ChangedRow(i)
		if !ok {
			break
		}
		s += fmt.Sprintf("%d:%d ", r.At, r.Count)
	}
	a.Sent()
	return s
}

func want(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %q, want %q", what, got, want)
	}
}

// Places: -1 is "*", 0 to 3 are nodes, -2 the one rack.

// TestAllocatorCounts: the count for any host is absolute. Two of three
// containers come; the lower count goes out with the next call, and a container
// that no request is left for is not matched.
func TestAllocatorCounts(t *testing.T) {
	var a Allocator
	a.Reset(0, 1, make([]int32, 4))
	want(t, "nothing wanted", rows(&a), "")
	if !a.Request(3, 0, nil) || a.Request(3, 0, nil) {
		t.Error("only a changed target wakes the heartbeat")
	}
	want(t, "three missing", rows(&a), "-1:3 ")
	for range 2 {
		if a.Match(0, 0) || a.Match(0, 1) || !a.Match(0, 2) || !a.Launch() {
			t.Error("a container for any host is matched at the last level and launched")
		}
	}
	want(t, "two taken, one still asked for", rows(&a), "-1:1 ")
	a.Launched(0)
	a.Launched(0)
	a.Request(2, 0, nil)
	want(t, "one too many asked for", rows(&a), "-1:0 ")
	if a.Match(1, 2) {
		t.Error("a container beyond the requests is not matched")
	}
}

// TestAllocatorSkips: a matched container that comes when as many executors run
// as are wanted is neither launched nor given back.
func TestAllocatorSkips(t *testing.T) {
	var a Allocator
	a.Reset(2, 1, make([]int32, 4))
	want(t, "first call", rows(&a), "-1:2 ")
	a.Match(0, 2)
	a.Launch()
	a.Launched(0)
	a.Request(1, 0, nil) // before the next call, so the request still stands
	if !a.Match(0, 2) || a.Launch() {
		t.Error("matched, but one executor runs and one is wanted")
	}
}

// TestAllocatorKills: a killed executor leaves the count at once, its node when
// its end is told; a lost one leaves both then, and is asked for again in the
// call after.
func TestAllocatorKills(t *testing.T) {
	var a Allocator
	a.Reset(1, 1, make([]int32, 4))
	rows(&a)
	a.Match(2, 2)
	a.Launch()
	a.Launched(2)
	rows(&a)
	a.Request(0, 0, nil)
	a.Kill()
	want(t, "killed", fmt.Sprint(a.Running(), a.Missing()), "0 false")
	a.Ended(2, true)
	a.Request(1, 0, nil)
	want(t, "wanted again", rows(&a), "-1:1 ")
	a.Match(3, 2)
	a.Launch()
	a.Launched(3)
	rows(&a)
	want(t, "all there", fmt.Sprint(a.Missing()), "false")
	a.Ended(3, false) // preempted
	want(t, "missing after the end was told", fmt.Sprint(a.Missing()), "true")
	want(t, "asked for", rows(&a), "-1:1 ")
}

// TestAllocatorPlaces: 8 tasks on executors of 2 slots need 4 executors; 6 of
// the tasks' wishes are for node 0 and 2 for node 1: 6 x 4 / 8 = 3 and 1 of them.
// Of 5 missing, 4 are placed: the first names both nodes (3 and 1 scaled so that
// the largest is 4 are 4 and ceil(1 x 4 / 3) = 2, so the second names both too),
// the others node 0 alone; the fifth is for any host.
func TestAllocatorPlaces(t *testing.T) {
	var a Allocator
	a.Reset(0, 2, make([]int32, 4))
	a.Request(5, 8, []HostTasks{{0, 6}, {1, 2}})
	want(t, "placed", rows(&a), "-1:5 0:4 -2:4 1:2 ")
	// A container on node 1 takes the oldest request that names it, which names
	// node 0 as well.
	if !a.Match(1, 0) || !a.Launch() {
		t.Error("no match by node")
	}
	want(t, "after a match", rows(&a), "-1:4 0:3 -2:3 1:1 ")
	// On node 3 there is none by node, but the rack is named.
	if a.Match(3, 0) || !a.Match(3, 1) || !a.Launch() {
		t.Error("match by rack")
	}
	want(t, "after a match by rack", rows(&a), "-1:3 0:2 -2:2 1:0 ")
	// Nobody prefers these nodes any more, and fewer are wanted: stale requests go
	// first, the one for any host stays: 3 wanted, 2 starting, 3 asked for.
	a.Request(3, 2, []HostTasks{{2, 2}})
	want(t, "cancelled", rows(&a), "-1:1 0:0 -2:0 ")
}

// TestAllocatorReplaces: requests without a place make room for placed ones when
// executors are missing and tasks have preferences.
func TestAllocatorReplaces(t *testing.T) {
	var a Allocator
	a.Reset(2, 1, make([]int32, 4))
	want(t, "two for any host", rows(&a), "-1:2 ")
	// One more is wanted, and three tasks on node 3: all three are placed, so the
	// two for any host are taken back.
	a.Request(3, 3, []HostTasks{{3, 3}})
	want(t, "placed instead", rows(&a), "-1:3 3:3 -2:3 ")
}
