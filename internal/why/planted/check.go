package planted

import (
	"encoding/json"
	"fmt"
	"time"

	"schedtune/conformance/replay"
	"schedtune/internal/why"
)

// Verdict is what became of one recorded case.
type Verdict struct {
	Name  string
	Kind  string
	Valid bool // the real scheduler gave nothing in the case and something in the twin

	Right   bool          // the first cause is the planted one
	Said    string        // the first cause as answered
	Named   bool          // a change was named
	Lifts   bool          // with it the real scheduler gave a container
	Again   bool          // the answer made now names the change that was recorded
	Took    time.Duration // of the answer
	Differs string        // where this project's scheduler and the real one part, "" nowhere
}

// HeaderOf reads what a scenario's header says of a case; nil: it is none.
func HeaderOf(sc *replay.Scenario) (*Header, error) {
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
	h, err := HeaderOf(sc)
	if err != nil || h == nil {
		return nil, fmt.Errorf("%s: not a planted case: %v", sc.Scenario, err)
	}
	v := &Verdict{Name: sc.Scenario, Kind: h.Kind}
	end := len(sc.Steps)
	count := func(sc *replay.Scenario, app string, from, to int) int { return given(sc, app, h.Refused, from, to) }
	v.Valid = sc.Rejected == nil && twin.Rejected == nil && count(sc, h.App, h.Asked, h.Probed) == 0 && count(twin, h.App, 0, len(twin.Steps)) > count(sc, h.App, 0, h.Probed)
	g, err := newGame(sc.Conf, sc.Labels, sc.Nodes)
	if err != nil {
		return nil, err
	}
	for i := range sc.Steps[:h.Asked] {
		if err := g.step(&sc.Steps[i]); err != nil {
			return nil, fmt.Errorf("%s, step %d: %w", sc.Scenario, i+1, err)
		}
	}
	began := time.Now()
	a, err := g.ask(sc, h)
	v.Took = time.Since(began)
	if err != nil {
		return nil, err
	}
	kind, queue := First(a)
	v.Said = kind + " of " + queue
	v.Right = kind == h.Kind && queue == h.Queue
	v.Named = len(h.Changes) > 0 || h.Node != nil
	again := h.App
	if h.Refused {
		again += "-again"
	}
	v.Lifts = v.Named && count(sc, again, h.Probed, end) > 0
	v.Again = (a.Then == nil) == (len(h.Changes) > 0 || len(a.Changes) == 0) && (a.Then != nil || len(a.Changes) == len(h.Changes)) && (a.Node != nil) == (h.Node != nil)
	for _, c := range a.Changes {
		v.Again = v.Again && (a.Then != nil || h.Changes[c.Key] == c.Value)
	}
	if d, _ := replay.Play(sc); d != nil {
		v.Differs = d.String()
	}
	return v, nil
}

// ask answers at the question of a recorded case.
func (g *game) ask(sc *replay.Scenario, h *Header) (*why.Answer, error) {
	if h.Refused {
		for i := h.Asked; i < h.Probed; i++ {
			if st := &sc.Steps[i]; st.Do == "submit" && st.App == h.App {
				return why.Refused(g.s, submissionOf(st), g.props), nil
			}
		}
		return nil, fmt.Errorf("%s: no submission of %s after the question", sc.Scenario, h.App)
	}
	id, ok := g.ids[h.App]
	if !ok {
		return nil, fmt.Errorf("%s: application %s was refused", sc.Scenario, h.App)
	}
	return why.Ask(why.Question{Scheduler: g.s, App: id, Props: g.props})
}
