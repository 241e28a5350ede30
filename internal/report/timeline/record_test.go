package timeline_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"schedtune/internal/report/timeline"
	"schedtune/internal/scenario"
	"schedtune/internal/simulate"
	"schedtune/simcore"
)

func prepare(t *testing.T, scheduler string) *simulate.Runner {
	t.Helper()
	s, err := simulate.Load(scenario.Files{}, "default-1", simulate.Options{Scheduler: scheduler,
		Jitter: simulate.Replications()})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Watching a run changes nothing; every container that comes goes; and the
// logs agree with one another and with the result: as many task starts in the
// event trace as decisions in the heartbeat log as launches counted.
func TestLogsAgree(t *testing.T) {
	for _, scheduler := range []string{simulate.Capacity, "fair", "coupling:threshold=3"} {
		t.Run(scheduler, func(t *testing.T) {
			s := prepare(t, scheduler)
			alone, err := s.Run(t.Context(), simulate.Item{Slowstart: -1, Seed: 7})
			if err != nil {
				t.Fatal(err)
			}
			var events, beats, csv bytes.Buffer
			ev := timeline.NewEvents(&events, s)
			hb, err := timeline.NewHeartbeats(&beats, s, 3*simcore.Second)
			if err != nil {
				t.Fatal(err)
			}
			rec := timeline.New(s.Work)
			sum, starts := 0, 0
			watched, err := s.Run(t.Context(), simulate.Item{Slowstart: -1, Seed: 7, Watch: func(c simulate.Change) {
				ev.Watch(c)
				hb.Watch(c)
				rec.Watch(c)
				sum += c.Delta
				if c.Delta > 0 && !c.Master {
					starts++
				}
			}})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(alone, watched, cmpopts.IgnoreUnexported(simcore.Result{}), cmpopts.EquateNaNs()); diff != "" {
				t.Error("watching changed the run:", diff)
			}
			if err := ev.Close(); err != nil {
				t.Fatal(err)
			}
			if err := hb.Close(); err != nil {
				t.Fatal(err)
			}
			if err := rec.WriteCSV(&csv); err != nil {
				t.Fatal(err)
			}
			if sum != 0 {
				t.Errorf("%d containers are left", sum)
			}
			started := countEvents(t, events.String())
			decisions := strings.Count(beats.String(), ",1,,")
			if started != starts || decisions != starts {
				t.Errorf("%d starts, %d in the event trace, %d decisions in the heartbeat log", starts, started, decisions)
			}
			last := strings.Split(strings.TrimSpace(csv.String()), "\n")
			if tail := last[len(last)-1]; !strings.HasSuffix(tail, ",0,0,0,0,0,0") {
				t.Errorf("the timeline ends with %s", tail)
			}
			checkOrder(t, beats.String())
		})
	}
}

// countEvents counts the starts of tasks.
func countEvents(t *testing.T, text string) int {
	t.Helper()
	n := 0
	for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
		var l struct {
			Event  string
			Master bool `json:"am"`
		}
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatal(err)
		}
		if (l.Event == "allocated" || l.Event == "task-started") && !l.Master {
			n++
		}
	}
	return n
}

// checkOrder checks that the rows of a log go forward in time.
func checkOrder(t *testing.T, text string) {
	t.Helper()
	last := -1.0
	for i, line := range strings.Split(strings.TrimSpace(text), "\n")[1:] {
		var at float64
		field, _, _ := strings.Cut(line, ",")
		if err := json.Unmarshal([]byte(field), &at); err != nil || at < last {
			t.Fatalf("row %d: time %s after %v", i, field, last)
		}
		last = at
	}
}
