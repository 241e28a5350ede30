package faults

import (
	"encoding/json"
	"fmt"
	"slices"

	"schedtune/internal/diagnose"
	"schedtune/validation/conformance/replay"
)

func parsed(s Step) (*replay.Step, error) {
	b, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	var st replay.Step
	return &st, json.Unmarshal(b, &st)
}

// scenario is a case without its steps.
func (c *Case) scenario() *replay.Scenario {
	return &replay.Scenario{Header: replay.Header{Scenario: c.name(), Needs: c.needs(), Labels: c.Label, Conf: c.Conf,
		Nodes: c.Nodes}}
}

// Ask plays a case up to the question and answers it.
func (c *Case) Ask() (*diagnose.PendingAnswer, error) {
	g, err := replay.NewGame(c.scenario())
	if err != nil {
		return nil, err
	}
	for i, s := range only(c.Setup, false) {
		st, err := parsed(s)
		if err == nil {
			_, err = g.Do(st)
		}
		if err != nil {
			return nil, fmt.Errorf("%s, step %d: %w", c.name(), i+1, err)
		}
	}
	var sub *replay.Step
	if c.Refused {
		if sub, err = parsed(c.Probe[len(c.Probe)-1]); err != nil {
			return nil, err
		}
	}
	return answer(g, c.name(), c.App, sub)
}

// answer answers why an application waits; with a submission why that is refused.
func answer(g *replay.Game, name, app string, sub *replay.Step) (*diagnose.PendingAnswer, error) {
	if sub != nil {
		return diagnose.Refused(g.Scheduler(), g.Submission(sub), g.Props), nil
	}
	id, ok := g.App(app)
	if !ok {
		return nil, fmt.Errorf("%s: application %s was refused", name, app)
	}
	return diagnose.AskPending(diagnose.PendingQuestion{Scheduler: g.Scheduler(), App: id, Props: g.Props})
}

// Change writes the steps of an answer's change, to be tried on the real scheduler:
// the refresh or the new node and the probe again or, where the answer says that the
// wait ends by itself, what comes of time.
func (c *Case) Change(a *diagnose.PendingAnswer) (steps []Step, h Header) {
	h.StartsIn = float64(a.In) / 1000
	switch {
	case len(a.Changes) > 0 && a.Then == nil:
		h.Changes = map[string]string{}
		for _, ch := range a.Changes {
			h.Changes[ch.Key] = ch.Value
		}
		steps = append([]Step{refreshStep(h.Changes)}, c.again()...)
	case a.Passes:
		h.Passes, steps = true, c.Later
	case a.Node != nil:
		h.Node = &replay.Node{ID: fmt.Sprintf("n%d", len(c.Nodes)+1), Rack: "/r1", Memory: a.Node.Memory,
			VCores: a.Node.VCores, Label: a.Node.Partition}
		steps = append([]Step{{"do": "add", "node": nodeLine(*h.Node)}}, c.reports([]replay.Node{*h.Node}, 2)...)
	}
	if a.In > 0 && !slices.ContainsFunc(steps, func(s Step) bool { return s["do"] == "preempt" }) {
		steps = append(steps, only(c.policy(), false)...)
	}
	return steps, h
}

// again is the probe once more; a refused application is submitted under another
// name.
func (c *Case) again() (out []Step) {
	for _, s := range only(c.Probe, false) {
		if s["do"] == "submit" && !c.Refused {
			continue // it waits already
		}
		if c.Refused {
			s["app"] = c.App + "-again"
		}
		out = append(out, s)
	}
	return out
}

// First is the first cause of an answer.
func First(a *diagnose.PendingAnswer) (kind, queue string) {
	if len(a.Causes) == 0 {
		return "", ""
	}
	return a.Causes[0].Kind, a.Causes[0].Queue
}
