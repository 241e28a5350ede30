package replay

import (
	"encoding/json"
	"strings"
	"testing"
)

// FuzzRead: no file makes the reader, the player or the scheduler panic. Steps go on after
// what differs from the record, which nearly every change of a file does at once.
func FuzzRead(f *testing.F) {
	for _, name := range []string{"regression-cached-verdict", "regression-reservation-resized",
		"regression-endless-beat", "fair-reload"} {
		err := ReadFile("../testdata/"+name+".jsonl.gz", func(s *Scenario) error {
			f.Add(s.Head + "\n" + strings.Join(s.Raw[:min(60, len(s.Raw))], "\n"))
			return nil
		})
		if err != nil {
			f.Fatal(err)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		_ = read("fuzz", strings.NewReader(text), func(s *Scenario) error {
			Play(s)
			blindly(s)
			return nil
		})
	})
}

// blindly plays a scenario whatever comes of its steps and returns how many could be done.
func blindly(s *Scenario) (did int) {
	if s.Of == "fair" {
		var h fairHeader
		if json.Unmarshal([]byte(s.Head), &h) != nil {
			return 0
		}
		scheduler, err := buildFair(&h)
		if err != nil {
			return 0
		}
		r := newFairRun(scheduler, Options{})
		for _, n := range h.Nodes {
			_ = r.register(n)
		}
		for _, line := range s.Raw {
			var st fairStep
			if json.Unmarshal([]byte(line), &st) == nil && r.do(&st, &fairOut{}) == "" {
				r.changed(&fairOut{})
				did++
			}
		}
		return did
	}
	r, what := begin(s, Options{})
	if r == nil || what != "" {
		return 0
	}
	for i := range s.Steps {
		st := &s.Steps[i]
		if r.do(st, &Out{}) == "" && !r.endless && !r.s.Endless() {
			r.after(&Out{})
			did++
		}
	}
	return did
}

// What the fuzz target begins with is played to its end.
func TestBlindly(t *testing.T) {
	for _, name := range []string{"regression-cached-verdict", "fair-reload"} {
		t.Run(name, func(t *testing.T) {
			err := ReadFile("../testdata/"+name+".jsonl.gz", func(s *Scenario) error {
				if did := blindly(s); s.Rejected == nil && did != len(s.Raw) {
					t.Errorf("%s: %d of %d steps done", s.Scenario, did, len(s.Raw))
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		})
	}
}
