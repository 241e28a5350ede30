package replay

import (
	"strings"
	"testing"
)

// FuzzRead: no file makes the reader, the player or the scheduler panic.
func FuzzRead(f *testing.F) {
	for _, name := range []string{"regression-cached-verdict", "regression-reservation-resized"} {
		err := ReadFile("../testdata/"+name+".jsonl.gz", func(s *Scenario) error {
			f.Add(`{"scenario":"x","conf":{"yarn.scheduler.capacity.root.queues":"a","yarn.scheduler.capacity.root.a.capacity":"100"},"nodes":[{"id":"n1","rack":"/r1","memory":4096,"vcores":4}]}` + "\n" + strings.Join(s.Raw, "\n"))
			return nil
		})
		if err != nil {
			f.Fatal(err)
		}
	}
	err := ReadFile("../testdata/fair-reload.jsonl.gz", func(s *Scenario) error {
		f.Add(s.Head + "\n" + strings.Join(s.Raw[:min(60, len(s.Raw))], "\n"))
		return nil
	})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		_ = read("fuzz", strings.NewReader(text), func(s *Scenario) error {
			Play(s)
			return nil
		})
	})
}
