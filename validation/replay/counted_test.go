package replay

import (
	"testing"

	"schedtune/simcore"
)

// A map that ends between call and decision ends at the call; one that the decision
// has not counted, though it had ended, ends just behind it. What is told of the count
// goes before the times, the last map stays, and so do jobs without reduces and ends
// that are farther away.
func TestCountedEnds(t *testing.T) {
	ms := func(v simcore.Time) simcore.Time { return v * simcore.Millisecond }
	job := func(reduces int32, ends ...simcore.Time) *Job {
		j := &Job{Reduces: reduces}
		for i, e := range ends {
			j.Containers = append(j.Containers, &Container{Kind: "MAP", Status: succeeded, Task: int32(i), Finished: ms(e)})
		}
		return j
	}
	const behind = simcore.Microsecond
	for _, c := range []struct {
		name    string
		job     *Job
		at      simcore.Time
		decided simcore.Time
		counted int32
		want    map[int]simcore.Time // by task
	}{
		{"between", job(1, 900, 1010, 5000), 1000, 1040, -1, map[int]simcore.Time{1: ms(1000)}},
		{"between, counted", job(1, 900, 1010, 5000), 1000, 1040, 2, map[int]simcore.Time{1: ms(1000)}},
		{"between, not counted", job(1, 900, 1010, 5000), 1000, 1040, 1, nil},
		{"ended, not counted", job(1, 900, 995, 5000), 1000, 1040, 1, map[int]simcore.Time{1: ms(1000) + behind}},
		{"ended, counted", job(1, 900, 995, 5000), 1000, 1040, 2, nil},
		{"long ended, not counted", job(1, 900, 930, 5000), 1000, 1040, 1, nil},
		{"behind the decision", job(1, 900, 1041, 5000), 1000, 1040, -1, nil},
		{"a decision far behind the call", job(1, 900, 1100, 5000), 1000, 1300, -1, nil},
		{"decided is not known", job(1, 900, 1010, 5000), 1000, 0, -1, nil},
		{"the last map", job(1, 900, 1010), 1000, 1040, 2, nil},
		{"no reduces", job(0, 900, 1010, 5000), 1000, 1040, -1, nil},
	} {
		got := c.job.countedEnds([]step{{at: ms(c.at), decided: ms(c.decided), counted: c.counted}})
		if len(got) != len(c.want) {
			t.Errorf("%s: %d ends moved, want %d", c.name, len(got), len(c.want))
		}
		for task, want := range c.want {
			if at := got[c.job.Containers[task]]; at != want {
				t.Errorf("%s: task %d ends at %v, want %v", c.name, task, at, want)
			}
		}
	}
}

// A heartbeat's count is that of its last line after the call.
func TestCountOfFinishedMaps(t *testing.T) {
	l := masterReader{sentMaps: -1, mapRows: 1}
	for _, text := range []string{
		"Before Scheduling: PendingReds:2 ScheduledMaps:4 ScheduledReds:0 AssignedMaps:6 AssignedReds:0 CompletedMaps:7 " +
			"CompletedReds:0",
		"After Scheduling: PendingReds:1 ScheduledMaps:2 ScheduledReds:1 AssignedMaps:5 AssignedReds:0 CompletedMaps:8 " +
			"CompletedReds:0",
	} {
		l.line(simcore.Second, "INFO [RMCommunicator Allocator] RMContainerAllocator: "+text)
	}
	l.line(3*simcore.Second, "INFO [RMCommunicator Allocator] RMContainerAllocator: Recalculating schedule, "+
		"headroom=<memory:0, vCores:1>")
	if len(l.beats) != 2 || l.beats[0].done != 8 || l.beats[1].done != -1 || l.maps != 2 || l.reds != 1 {
		t.Errorf("%+v, scheduled %d and %d", l.beats, l.maps, l.reds)
	}
}
