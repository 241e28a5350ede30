package study

import (
	"reflect"
	"testing"

	"schedtune/internal/scenario"
	"schedtune/simcore"
	"schedtune/tune"
)

// The first hint names the setting that was made too tight, and would loosen it; one that is
// never reached has none. Equal runs give equal hints.
func TestHintsNameTheLimit(t *testing.T) {
	c, err := (&scenario.Files{Dataset: "default-1"}).Load()
	if err != nil {
		t.Fatal(err)
	}
	space, _, err := NewSpace(c, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := NewRunner(c, space, []*simcore.Workload{c.Work}, []string{"makespan"})
	if err != nil {
		t.Fatal(err)
	}
	r.Hints = true
	for name, set := range map[string]tune.Settings{
		"root.reports.maximum-am-resource-percent": {{Name: "root.reports.maximum-am-resource-percent", Value: "0.05"},
			{Name: "root.batch.maximum-capacity", Value: "100"}, {Name: "root.batch.user-limit-factor", Value: "8"},
			{Name: "root.adhoc.user-limit-factor", Value: "8"}, {Name: "root.batch.maximum-am-resource-percent", Value: "1"}},
		"root.batch.user-limit-factor": {{Name: "root.batch.user-limit-factor", Value: "0.25"},
			{Name: "root.batch.maximum-am-resource-percent", Value: "1"}},
		"root.batch.maximum-capacity": {{Name: "root.batch.maximum-capacity", Value: "26"},
			{Name: "root.batch.user-limit-factor", Value: "8"}},
	} {
		t.Run(name, func(t *testing.T) {
			full, err := space.Complete(set)
			if err != nil {
				t.Fatal(err)
			}
			item := tune.Item{Settings: full, Seed: 1}
			o := r.Outcome(t.Context(), item)
			t.Log(o.Hints)
			if o.Err != "" || len(o.Hints) == 0 || o.Hints[0].Param != name || o.Hints[0].Move <= 0 {
				t.Errorf("hints %v %s, want %s first", o.Hints, o.Err, name)
			}
			sum := 0.0
			for _, h := range o.Hints {
				sum += h.Weight
			}
			if again := r.Outcome(t.Context(), item); sum > 1+1e-9 || !reflect.DeepEqual(o, again) {
				t.Errorf("weights sum to %v; again %v", sum, again.Hints)
			}
		})
	}
}
