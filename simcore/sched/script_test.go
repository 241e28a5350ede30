package sched_test

import (
	"testing"

	"schedtune/simcore/mr1"
	"schedtune/simcore/sched"
	"schedtune/simcore/schedtest"
)

// TestScripts runs the text scenarios of the kit: those that name a scheduler
// on that one, the others on every one of the table.
func TestScripts(t *testing.T) {
	names, scripts, err := schedtest.Scripts()
	if err != nil {
		t.Fatal(err)
	}
	for i, sc := range scripts {
		specs := []string{sc.Scheduler}
		if sc.Scheduler == "" {
			specs = nil
			for _, e := range slotSchedulers() {
				specs = append(specs, e.Name)
			}
		}
		for _, spec := range specs {
			t.Run(names[i]+"/"+spec, func(t *testing.T) { runScript(t, sc, spec) })
		}
	}
}

func runScript(t *testing.T, sc *schedtest.Script, spec string) {
	s, err := sched.Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	one, err := s.New(sched.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	missed, err := sc.Run(one, func(c *mr1.Config) { c.Pool, c.TrackOutput = s.Entry.Pool, true })
	if err != nil {
		t.Error(err)
	}
	for _, m := range missed {
		t.Error(m)
	}
}
