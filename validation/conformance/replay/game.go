package replay

import (
	"fmt"
	"maps"

	"schedtune/simcore/sched/capacity"
	"schedtune/simcore/yarn"
	"schedtune/yarnconf"
)

// Game is a scenario played step by step without a comparison, for what looks at the
// scheduler between its steps.
type Game struct{ r *run }

// NewGame makes the cluster of a scenario of the Capacity Scheduler, without its steps. Errors:
// a configuration that is refused.
func NewGame(sc *Scenario) (*Game, error) {
	r, what := begin(sc, Options{})
	if what != "" || r == nil {
		return nil, fmt.Errorf("%s: the configuration is refused: %s", sc.Scenario, what)
	}
	return &Game{r}, nil
}

// Do does one step and returns what came of it, figures of queues left out. Errors:
// a step that cannot be done.
func (g *Game) Do(st *Step) (*Out, error) {
	var got Out
	if what := g.r.do(st, &got); what != "" {
		return nil, fmt.Errorf("step %s: %s", st.Do, what)
	}
	g.r.s.Killed(nil)
	return &got, nil
}

// Scheduler is the one that is played on.
func (g *Game) Scheduler() *capacity.Scheduler { return g.r.s }

// App finds an application that was accepted.
func (g *Game) App(name string) (yarn.AppID, bool) {
	id, ok := g.r.ids[name]
	return id, ok
}

// Props is the configuration in force with changes.
func (g *Game) Props(changes []yarnconf.Change) (yarnconf.Props, error) {
	p := maps.Clone(g.r.props)
	if p == nil {
		p = yarnconf.Map{}
	}
	for _, c := range changes {
		p[c.Key] = c.Value
		if c.Unset {
			delete(p, c.Key)
		}
	}
	return properties(p), nil
}

// Submission is what a step submits.
func (g *Game) Submission(st *Step) yarn.AppSpec { return g.r.submission(st) }
