package faults

import (
	"testing"

	"schedtune/validation/conformance/replay"
)

// TestDrawn: fresh cases of every reason, answered on this project's scheduler: the
// first cause is the planted one, and a change is named wherever a setting or a node
// can help. What the real scheduler makes of such cases is in TestRecorded.
func TestDrawn(t *testing.T) {
	for seed := range uint64(len(all())) {
		seed += 700
		c := Draw(seed)
		a, err := c.Ask()
		if err != nil {
			t.Errorf("seed %d, %s: %v", seed, c.Kind, err)
			continue
		}
		if kind, queue := First(a); kind != c.Kind || queue != c.Queue {
			t.Errorf("seed %d: planted %s of %q, answered %s of %q", seed, c.Kind, c.Queue, kind, queue)
		}
		for i := range a.Causes {
			if a.Causes[i].Text() == "" {
				t.Errorf("seed %d: no text for %+v", seed, a.Causes[i])
			}
		}
	}
}

// TestRecorded: cases whose reason the real scheduler confirms (it gives nothing in
// the case and a container in its twin): the first cause is right, and the change
// named gave a container there.
func TestRecorded(t *testing.T) {
	var last *replay.Scenario
	kinds, cases := map[string]bool{}, 0
	err := replay.ReadFile("testdata/planted.jsonl.gz", func(sc *replay.Scenario) error {
		if last == nil {
			last = sc
			return nil
		}
		v, err := Check(last, sc)
		last = nil
		if err != nil {
			return err
		}
		cases++
		kinds[v.Kind] = true
		switch {
		case !v.Valid:
			t.Errorf("%s: not confirmed by the recording", v.Name)
		case !v.Right:
			t.Errorf("%s: answered %s", v.Name, v.Said)
		case v.Named && (!v.Lifts || !v.Again):
			t.Errorf("%s: the change lifted: %v; the same is named now: %v", v.Name, v.Lifts, v.Again)
		case v.Differs != "":
			t.Errorf("%s: %s", v.Name, v.Differs)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if cases < len(all())*9/10 || len(kinds) < 27 {
		t.Errorf("%d cases of %d causes", cases, len(kinds))
	}
}
