package faults

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"schedtune/validation/conformance/replay"
)

func (c *Case) name() string {
	name := "why-" + c.Kind
	if c.Mode != "" {
		name += "-" + c.Mode
	}
	return fmt.Sprintf("%s-%d", name, c.Seed)
}

func (c *Case) needs() []string {
	if len(c.Label) > 0 {
		return append([]string{"labels"}, c.Needs...)
	}
	return c.Needs
}

// Lines returns the script of a scenario for the recorder: a case, or the case without its reason. The
// change, if there is one, comes after the probe.
func (c *Case) Lines(h Header, change []Step) ([]byte, error) {
	h.Kind, h.Mode, h.Queue, h.App, h.Refused = c.Kind, c.Mode, c.Queue, c.App, c.Refused
	conf, nodes, name := c.Conf, c.Nodes, c.name()
	setup, probe := only(c.Setup, h.Twin), only(c.Probe, h.Twin)
	h.Asked, h.Probed = len(setup), len(setup)+len(probe)
	steps := append(setup, probe...)
	if h.Twin {
		name += "-twin"
		conf = maps.Clone(conf)
		for k, v := range c.UnplantedConf {
			conf[k] = v
			if v == "" {
				delete(conf, k)
			}
		}
		if c.UnplantedNodes != nil {
			nodes = c.UnplantedNodes[:len(c.Nodes)]
			for _, n := range c.UnplantedNodes[len(c.Nodes):] { // after all else: it would be filled like the others
				steps = append(append(steps, Step{"do": "add", "node": nodeLine(n)}), c.reports([]replay.Node{n}, 2)...)
			}
		}
		steps = slices.DeleteFunc(steps, func(s Step) bool {
			app, _ := s["app"].(string)
			return slices.Contains(c.Without, app)
		})
	} else {
		steps = append(steps, change...)
	}
	head := map[string]any{"conf": conf, "nodes": nodeLines(nodes), "why": h}
	if needs := c.needs(); len(needs) > 0 {
		head["needs"] = needs
	}
	if len(c.Label) > 0 {
		head["labels"] = c.Label
	}
	out, err := headLine(name, head)
	if err != nil {
		return nil, err
	}
	for _, s := range steps {
		b, err := json.Marshal(s)
		if err != nil {
			return nil, err
		}
		out = append(append(out, b...), '\n')
	}
	return out, nil
}

// headLine puts the scenario's name first, by which a reader knows a header.
func headLine(name string, head map[string]any) ([]byte, error) {
	b, err := json.Marshal(head)
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(nil, "{\"scenario\":%q,%s\n", name, b[1:]), nil
}

func nodeLines(nodes []replay.Node) []any {
	var out []any
	for _, n := range nodes {
		out = append(out, nodeLine(n))
	}
	return out
}

func nodeLine(n replay.Node) map[string]any {
	m := map[string]any{"id": n.ID, "rack": n.Rack, "memory": n.Memory, "vcores": n.VCores}
	if n.Label != "" {
		m["label"] = n.Label
	}
	return m
}

// refreshStep is the step that makes changes.
func refreshStep(changes map[string]string) Step {
	return Step{"do": "refresh", "conf": changes, "unset": []any{}}
}
