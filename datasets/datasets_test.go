package datasets

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"schedtune/simcore"
)

func TestEverySetLoadsAlikeTwice(t *testing.T) {
	for _, name := range Names() {
		a, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		b, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(a, b) {
			t.Errorf("%s: got two different loads, want equal ones", name)
		}
		if a.Name != name || a.Workload.Name != name {
			t.Errorf("got set %s with workload %s, want %s for both", a.Name, a.Workload.Name, name)
		}
		if a.Doc == "" {
			t.Errorf("%s: no documentation", name)
		}
	}
}

func TestUnknownSetListsTheKnown(t *testing.T) {
	_, err := Load("nope")
	if err == nil || !strings.Contains(err.Error(), "default") {
		t.Errorf("want an error that lists the sets, got %v", err)
	}
}

// Jobs ascend by submission, ids are in range, and single tasks fill the
// slices exactly: sum of maps and reduces entries, one host list per task.
func TestSetsAreConsistent(t *testing.T) {
	for _, name := range Names() {
		s, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		w, tasks := s.Workload, 0
		for i, j := range w.Jobs {
			if i > 0 && j.Submit < w.Jobs[i-1].Submit {
				t.Errorf("%s job %d: submitted before its predecessor", name, i)
			}
			if int(j.Queue) >= len(w.Queues) || int(j.User) >= len(w.Users) || int(j.Class) >= len(w.Classes) {
				t.Errorf("%s job %d: id out of range", name, i)
			}
			if total := int64(j.Maps) * blockBytes; strings.HasPrefix(name, "default") && j.InputBytes != total {
				t.Errorf("%s job %d: %d bytes of input, want %d", name, i, j.InputBytes, total)
			}
			if j.FirstTask >= 0 {
				if int(j.FirstTask) != tasks {
					t.Errorf("%s job %d: first task %d, want %d", name, i, j.FirstTask, tasks)
				}
				tasks += int(j.Maps + j.Reduces)
			}
		}
		if len(w.Tasks.Duration) != tasks && w.Tasks.Duration != nil || tasks > 0 && len(w.Tasks.HostAt) != tasks+1 {
			t.Errorf("%s: got %d durations and %d host marks, want %d (or none) and one more", name, len(w.Tasks.Duration),
				len(w.Tasks.HostAt), tasks)
		}
		for _, h := range w.Tasks.Hosts {
			if int(h) >= len(s.Cluster.Nodes) {
				t.Fatalf("%s: got host %d, want one of %d nodes", name, h, len(s.Cluster.Nodes))
			}
		}
	}
}

// The default set must have contention to be worth tuning: its work over the
// span of arrivals lies between half and the whole of the cluster's memory.
func TestDefaultLoad(t *testing.T) {
	s, err := Load("default-1")
	if err != nil {
		t.Fatal(err)
	}
	w := s.Workload
	var work float64 // MiB seconds
	for _, j := range w.Jobs {
		for i := range j.Maps + j.Reduces {
			ask := j.MapAsk
			if i >= j.Maps {
				ask = j.ReduceAsk
			}
			work += float64(ask[0]) * (w.Tasks.Duration[j.FirstTask+i] + w.Tasks.Shuffle[j.FirstTask+i]).Seconds()
		}
	}
	span := w.Jobs[len(w.Jobs)-1].Submit.Seconds()
	load := work / (span * 20 * 16384)
	t.Logf("%d jobs, %d tasks, last submission %.0f s, load %.2f", len(w.Jobs), len(w.Tasks.Duration), span, load)
	if load < 0.5 || load > 1 {
		t.Errorf("load %.2f, want 0.5 to 1", load)
	}
}

// Section 4.3.3 of the thesis: 100 jobs, 80 % of them small; each its own user.
func TestThesisMix(t *testing.T) {
	for _, n := range []int{1, 17, 25} {
		s := thesisSet(n)()
		small, users := 0, map[int32]bool{}
		for _, j := range s.Workload.Jobs {
			users[j.User] = true
			if j.Maps <= 10 {
				small++
			}
		}
		if len(s.Workload.Jobs) != 100 || small != 80 || len(users) != 100 {
			t.Errorf("experiment %d: got %d jobs, %d small, %d users, want 100, 80, 100", n, len(s.Workload.Jobs), small,
				len(users))
		}
		if last := s.Workload.Jobs[99].Submit.Seconds(); last != 49 {
			t.Errorf("experiment %d: last submission %v s, want 49 (one second apart in each queue)", n, last)
		}
	}
}

// Table 3's resources have 31 map and 23 reduce slots (section 6.2.1).
func TestCoshhSlots(t *testing.T) {
	c := coshhCluster("3", 6)
	var maps, reduces int64
	for _, n := range c.Nodes {
		maps, reduces = maps+n.Slots[0], reduces+n.Slots[1]
	}
	if maps != 31 || reduces != 23 {
		t.Errorf("%d map and %d reduce slots, want 31 and 23", maps, reduces)
	}
}

// Figure 16's mix has 200 jobs.
func TestCouplingBatches(t *testing.T) {
	s := couplingBatches()
	if n := len(s.Workload.Jobs); n != 200 {
		t.Errorf("%d jobs, want 200", n)
	}
}

// The docs of the COSHH sets say how many jobs rounding by class makes of the
// paper's 100.
func TestCoshhSetsSayTheirSize(t *testing.T) {
	for _, name := range []string{"coshh-facebook", "coshh-yahoo"} {
		s, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		if want := fmt.Sprintf("(%d, ", len(s.Workload.Jobs)); !strings.Contains(s.Doc, want) {
			t.Errorf("%s: got the doc %q, want the number of its jobs, %d", name, s.Doc, len(s.Workload.Jobs))
		}
	}
}

// The four nights begin at 22:00, are over for the submitter within four hours, and hold the jobs
// of the recipe; their work keeps the whole cluster busy for less than the deadline of four hours,
// and what the queue file leaves to batch's two users for less than a night.
func TestNights(t *testing.T) {
	s, err := Load("default")
	if err != nil {
		t.Fatal(err)
	}
	const day, perNight = 24 * simcore.Hour, 53
	var jobs [nightCount]int
	var work, batch [nightCount]float64 // container seconds
	for _, j := range s.Workload.Jobs {
		night := int(j.Submit / day)
		if night >= nightCount || j.Submit%day > 4*simcore.Hour {
			t.Fatalf("%s is submitted at %v, want within four hours of a night's begin", j.Name, j.Submit)
		}
		jobs[night]++
		for i := range j.Maps + j.Reduces {
			d := (s.Workload.Tasks.Duration[j.FirstTask+i] + s.Workload.Tasks.Shuffle[j.FirstTask+i]).Seconds()
			work[night] += d
			if s.Workload.Queues[j.Queue] == "root.batch" {
				batch[night] += d
			}
		}
	}
	for n := range jobs {
		whole, users := work[n]/160/3600, batch[n]/80/3600
		t.Logf("night %d: %d jobs, %.1f hours on the whole cluster, batch alone %.1f in what its users may have", n, jobs[n],
			whole, users)
		if jobs[n] != perNight || whole > 4 || users > 8 || users < whole {
			t.Errorf("night %d: got %d jobs, %.1f and %.1f hours; want %d, at most 4, more than that and at most 8", n, jobs[n],
				whole, users, perNight)
		}
	}
}
