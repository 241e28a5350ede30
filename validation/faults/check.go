package faults

import (
	"encoding/json"
	"fmt"
	"math"
	"time"

	"schedtune/internal/diagnose"
	"schedtune/validation/conformance/replay"
)

// Verdict is what became of one recorded case.
type Verdict struct {
	Name  string
	Kind  string
	Mode  string
	Valid bool // the real scheduler gave nothing in the case and something in the twin

	Right    bool          // the first cause is the planted one
	Said     string        // the first cause as answered
	Named    bool          // a change was named, or that the wait ends by itself
	Lifts    bool          // with it, or then, the real scheduler gave a container
	Preempts bool          // by preemption, in time
	Timed    bool          // preemption made room when it was predicted to, within 20 %
	Again    bool          // the answer made now names the change that was recorded
	Took     time.Duration // of the answer
	Differs  string        // where this project's scheduler and the real one part, "" nowhere
}

// headerOf reads what a scenario's header says of a case; nil: it is none.
func headerOf(sc *replay.Scenario) (*Header, error) {
	var h struct {
		Why *Header `json:"why"`
	}
	if err := json.Unmarshal([]byte(sc.Head), &h); err != nil {
		return nil, err
	}
	return h.Why, nil
}

// given counts the containers that the real scheduler gave an application in steps
// from to to; where it is about that, how often it was accepted.
func given(sc *replay.Scenario, app string, refused bool, from, to int) (n int) {
	for i := from; i < min(to, len(sc.Steps)); i++ {
		st := &sc.Steps[i]
		if st.Out == nil {
			continue
		}
		if refused {
			if st.Do == "submit" && st.App == app && st.Out.Rejected == nil {
				n++
			}
			continue
		}
		for _, e := range st.Out.Events {
			if e.Kind == "allocate" && e.App == app && !e.Refused {
				n++
			}
		}
	}
	return n
}

// Check answers a recorded case anew and compares. twin is the scenario recorded
// with the reason left out.
func Check(sc, twin *replay.Scenario) (*Verdict, error) {
	h, err := headerOf(sc)
	if err != nil || h == nil {
		return nil, fmt.Errorf("%s: not a planted case: %v", sc.Scenario, err)
	}
	v := &Verdict{Name: sc.Scenario, Kind: h.Kind, Mode: h.Mode}
	end := len(sc.Steps)
	count := func(sc *replay.Scenario, app string, from, to int) int { return given(sc, app, h.Refused, from, to) }
	v.Valid = sc.Rejected == nil && twin.Rejected == nil && count(sc, h.App, h.Asked, h.Probed) == 0 &&
		count(twin, h.App, 0, len(twin.Steps)) > count(sc, h.App, 0, h.Probed)
	if sc.Rejected != nil || twin.Rejected != nil {
		return v, nil
	}
	v.Valid = v.Valid && (h.Kind != diagnose.KindPreempting || marked(sc.Steps[:h.Asked]))
	g, err := playTo(sc, h.Asked)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	a, err := answer(g, sc.Scenario, h.App, submissionIn(sc, h))
	v.Took = time.Since(began)
	if err != nil {
		return nil, err
	}
	kind, queue := First(a)
	v.Said = kind + " of " + queue
	v.Right = kind == h.Kind && queue == h.Queue
	v.Named = len(h.Changes) > 0 || h.Node != nil || h.Passes
	again := h.App
	if h.Refused {
		again += "-again"
	}
	v.Lifts = v.Named && count(sc, again, h.Probed, end) > 0
	if v.Preempts = v.Lifts && h.StartsIn > 0 && !h.Refused; v.Preempts {
		took := 0.0
		for i := h.Probed; count(sc, again, h.Probed, i) == 0; i++ {
			if sc.Steps[i].Do == "preempt" {
				took += 3
			}
		}
		v.Timed = math.Abs(took-h.StartsIn) <= 0.2*took
	}
	v.Again = a.Passes == h.Passes && (a.Then == nil) == (len(h.Changes) > 0 || len(a.Changes) == 0) &&
		(a.Then != nil || len(a.Changes) == len(h.Changes)) && (a.Node != nil) == (h.Node != nil)
	for _, c := range a.Changes {
		v.Again = v.Again && (a.Then != nil || h.Changes[c.Key] == c.Value)
	}
	if d, _ := replay.Play(sc); d != nil {
		v.Differs = d.String()
	}
	return v, nil
}

// playTo plays the first steps of a scenario.
func playTo(sc *replay.Scenario, steps int) (*replay.Game, error) {
	g, err := replay.NewGame(sc)
	if err != nil {
		return nil, err
	}
	for i := range sc.Steps[:steps] {
		if _, err := g.Do(&sc.Steps[i]); err != nil {
			return nil, fmt.Errorf("%s, step %d: %w", sc.Scenario, i+1, err)
		}
	}
	return g, nil
}

// marked reports whether the last round of the real policy has marked containers.
func marked(steps []replay.Step) (yes bool) {
	for i := range steps {
		if steps[i].Do == "preempt" && steps[i].Out != nil {
			yes = len(steps[i].Out.Selected) > 0
		}
	}
	return yes
}

// submissionIn is the submission that a recorded case is about; nil where it waits.
func submissionIn(sc *replay.Scenario, h *Header) *replay.Step {
	for i := h.Asked; h.Refused && i < h.Probed; i++ {
		if st := &sc.Steps[i]; st.Do == "submit" && st.App == h.App {
			return st
		}
	}
	return nil
}
