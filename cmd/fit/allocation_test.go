package main

import (
	"encoding/json"
	"testing"
)

// What queue files carry in simulation stays below what no scheduler exceeds, and a data set is the one that is
// simulated.
func TestCarriedLoad(t *testing.T) {
	for _, set := range []string{"default", "default-1"} {
		t.Run(set, func(t *testing.T) {
			out, _ := ok(t, "allocation", "--config", "../../datasets/config/default.xml", "--dataset", set, "--json", "-q")
			var v struct {
				Source   string
				Capacity struct {
					Upper                float64 `json:"upper_bound"`
					Current, Recommended *float64
				}
			}
			if err := json.Unmarshal([]byte(out), &v); err != nil {
				t.Fatal(err)
			}
			c := v.Capacity
			for name, got := range map[string]*float64{"current": c.Current, "recommended": c.Recommended} {
				if got != nil && !(*got > 0 && *got <= c.Upper) { // nil: all jobs at once stall it
					t.Errorf("%s: got %v times the load, want above 0 and at most %v", name, *got, c.Upper)
				}
			}
			if set == "default-1" && c.Current == nil {
				t.Errorf("got no figure of the current file, want one")
			}
		})
	}
}
