package planted

import (
	"encoding/json"
	"fmt"
	"maps"
	"strconv"
	"strings"

	"schedtune/conformance/replay"
	"schedtune/internal/why"
	"schedtune/simcore/sched/capacity"
	"schedtune/simcore/yarn"
	"schedtune/yarnconf"
)

// game is a scenario played on this project's scheduler.
type game struct {
	s     *capacity.Scheduler
	conf  yarnconf.Map
	ids   map[string]yarn.AppID
	nodes map[string]yarn.NodeID
	count int
	got   map[string]int // containers allocated, by application
}

func newGame(conf map[string]string, labels []replay.Label, nodes []replay.Node) (*game, error) {
	g := &game{conf: maps.Clone(conf), ids: map[string]yarn.AppID{}, nodes: map[string]yarn.NodeID{}, got: map[string]int{}}
	if g.conf == nil {
		g.conf = yarnconf.Map{}
	}
	g.conf[yarnconf.Prefix+"schedule-asynchronously.enable"] = "false" // as the recorder
	c, err := yarnconf.EvaluateAs(g.conf, yarnconf.Hadoop34, yarnconf.Resource{})
	if err != nil {
		return nil, err
	}
	if g.s, err = capacity.New(c); err != nil {
		return nil, err
	}
	if len(labels) > 0 {
		var ls []yarn.Label
		for _, l := range labels {
			ls = append(ls, yarn.Label(l))
		}
		if err := g.s.DeclareLabels(ls); err != nil {
			return nil, err
		}
	}
	for _, n := range nodes {
		if err := g.add(n); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// add registers a node under the address that the recorder gives it.
func (g *game) add(n replay.Node) error {
	g.count++
	rack, _ := strconv.Atoi(strings.TrimPrefix(n.Rack, "/r"))
	id, err := g.s.AddNode(yarn.NodeSpec{Name: n.ID, Rack: n.Rack, Resource: yarn.Resource{Memory: n.Memory, VCores: n.VCores},
		Host: fmt.Sprintf("127.%d.%d.%d", rack, g.count/250, 1+g.count%250), Port: 1234, Label: n.Label})
	g.nodes[n.ID] = id
	return err
}

// props is the configuration in force with changes.
func (g *game) props(changes []yarnconf.Change) (yarnconf.Props, error) {
	p := maps.Clone(g.conf)
	for _, c := range changes {
		p[c.Key] = c.Value
		if c.Unset {
			delete(p, c.Key)
		}
	}
	return p, nil
}

// step does one step. An application that is refused is not known afterwards.
func (g *game) step(st *replay.Step) error {
	switch st.Do {
	case "submit":
		spec := submissionOf(st)
		if id, err := g.s.Submit(spec); err == nil {
			g.ids[st.App] = id
		}
	case "ask":
		id, ok := g.ids[st.App]
		if !ok {
			return nil
		}
		var asks []yarn.Ask
		for _, a := range st.Asks {
			label := ""
			if a.Label != nil {
				label = *a.Label
			}
			asks = append(asks, yarn.Ask{Priority: a.Priority, AllocID: a.Alloc, Where: g.s.Place(a.Where), Size: yarn.Resource{Memory: a.Memory, VCores: a.VCores},
				Count: a.Count, Strict: a.Relax != nil && !*a.Relax, Label: label})
		}
		var resp yarn.AskResponse
		g.s.Ask(id, asks, st.Release, &resp)
	case "beat":
		var name string
		if err := json.Unmarshal(st.Node, &name); err != nil {
			return err
		}
		names := map[yarn.AppID]string{}
		for n, id := range g.ids {
			names[id] = n
		}
		for _, e := range g.s.Beat(g.nodes[name], nil, nil) {
			if e.Kind == yarn.Allocate && !e.Refused {
				g.got[names[e.App]]++
			}
		}
	case "add":
		var n replay.Node
		if err := json.Unmarshal(st.Node, &n); err != nil {
			return err
		}
		return g.add(n)
	case "refresh":
		next := maps.Clone(g.conf)
		maps.Copy(next, st.Conf)
		if errs := g.s.Refresh(next); len(errs) > 0 {
			return errs[0]
		}
		g.conf = next
	default:
		return fmt.Errorf("step %q (allowed: submit, ask, beat, add, refresh)", st.Do)
	}
	return nil
}

func submissionOf(st *replay.Step) yarn.AppSpec {
	spec := yarn.AppSpec{Name: st.App, User: st.User, Queue: st.Queue, Priority: st.Priority, AM: yarn.Resource{Memory: st.AM[0], VCores: st.AM[1]}, Label: st.Label}
	if st.AMLabel != nil {
		spec.AMLabel = *st.AMLabel
	}
	return spec
}

func parsed(s Step) (*replay.Step, error) {
	b, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	var st replay.Step
	return &st, json.Unmarshal(b, &st)
}

// Ask plays a case up to the question and answers it.
func (c *Case) Ask() (*why.Answer, error) {
	g, err := newGame(c.Conf, c.Label, c.Nodes)
	if err != nil {
		return nil, err
	}
	for _, s := range c.Setup {
		st, err := parsed(s)
		if err == nil {
			err = g.step(st)
		}
		if err != nil {
			return nil, err
		}
	}
	return g.answer(c)
}

func (g *game) answer(c *Case) (*why.Answer, error) {
	if c.Refused {
		st, err := parsed(c.Probe[len(c.Probe)-1])
		if err != nil {
			return nil, err
		}
		return why.Refused(g.s, submissionOf(st), g.props), nil
	}
	id, ok := g.ids[c.App]
	if !ok {
		return nil, fmt.Errorf("seed %d: application %s was refused", c.Seed, c.App)
	}
	return why.Ask(why.Question{Scheduler: g.s, App: id, Props: g.props})
}

// Change writes the steps of an answer's change, to be tried on the real scheduler:
// the refresh or the new node, and the probe again.
func (c *Case) Change(a *why.Answer) (steps []Step, changes map[string]string, node *replay.Node) {
	switch {
	case len(a.Changes) > 0 && a.Then == nil:
		changes = map[string]string{}
		for _, ch := range a.Changes {
			changes[ch.Key] = ch.Value
		}
		steps = append([]Step{RefreshStep(changes)}, c.again()...)
	case a.Node != nil:
		node = &replay.Node{ID: fmt.Sprintf("n%d", len(c.Nodes)+1), Rack: "/r1", Memory: a.Node.Size.Memory, VCores: a.Node.Size.VCores, Label: a.Node.Partition}
		steps = AddSteps(*node)
	}
	return steps, changes, node
}

// again is the probe once more; a refused application is submitted under another
// name.
func (c *Case) again() (out []Step) {
	for _, s := range c.Probe {
		if s["do"] == "submit" && !c.Refused {
			continue // it waits already
		}
		s = cloneStep(s)
		if c.Refused {
			s["app"] = c.App + "-again"
		}
		out = append(out, s)
	}
	return out
}

func cloneStep(s Step) Step { return maps.Clone(s) }

// First is the first cause of an answer.
func First(a *why.Answer) (kind, queue string) {
	if len(a.Causes) == 0 {
		return "", ""
	}
	return a.Causes[0].Kind, a.Causes[0].Queue
}
