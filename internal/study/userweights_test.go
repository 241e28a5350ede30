package study

import (
	"testing"

	"schedtune/internal/scenario"
	"schedtune/yarnconf"
)

// TestUserWeightsKeep: a user of weight 2.5 allows a minimum-user-limit-percent of 100/2.5 =
// 40 at most, so of 100/n, rounded down, 33 is the largest; no point of the space has more,
// and every point loads.
func TestUserWeightsKeep(t *testing.T) {
	c, err := (&scenario.Files{Embedded: true, Dataset: "default-1"}).Load()
	if err != nil {
		t.Fatal(err)
	}
	const queue = "root.prod"
	if c.Doc, err = c.Doc.EditValid([]yarnconf.Change{{Key: yarnconf.Key(queue, yarnconf.MinimumUser), Value: "30"},
		{Key: yarnconf.Prefix + queue + ".user-settings.ann.weight", Value: "2.5"}}); err != nil {
		t.Fatal(err)
	}
	s, _, err := NewSpace(c, nil)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, p := range points(s, 200) {
		changes, _ := s.Changes(s.Decode(p))
		for _, x := range changes {
			if x.Key == yarnconf.Key(queue, yarnconf.MinimumUser) {
				seen[x.Value] = true
			}
		}
		if doc, err := c.Doc.EditValid(changes); err != nil {
			t.Fatal(err)
		} else if _, err := yarnconf.Evaluate(doc); err != nil {
			t.Fatal(err)
		}
	}
	if !seen["33"] || seen["50"] || seen["100"] {
		t.Errorf("values %v, want 33 and none above 40", seen)
	}
}
