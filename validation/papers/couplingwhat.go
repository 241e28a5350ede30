package papers

import (
	"fmt"
	"slices"
	"strings"

	"schedtune/datasets"
)

// Coupling: what would have to hold for the rows that stay missed. The set-ups are
// chosen after looking at these rows; nothing here has a verdict.

// couplingRacks runs figures 10 to 15 with the nodes without input in a rack of their
// own, so that alpha of equation 3 is 1 on them in place of 0.8.
func couplingRacks(r *runner) ([]Section, error) {
	s := Section{Paper: "coupling", ID: "experiment racks", Title: "What would have to hold: the nodes without input stand in another rack", Source: "Coupling, equation 3, figures 11, 13 and 15",
		Setup: "data sets coupling-wordcount and coupling-maps-only with a second rack; 5 replications; " + afterwards}
	changed := r.under(changedSets(func(ds *datasets.Set) *datasets.Set { return secondRack(ds, 7) }))
	err := s.whatIf(r, changed, "figure 10", "figure 11", "figure 13", "figure 14", "figure 15")
	return []Section{s}, err
}

// changedSets changes every trial's data set, each set once.
func changedSets(change func(*datasets.Set) *datasets.Set) func(trial) (trial, error) {
	sets := map[*datasets.Set]*datasets.Set{}
	return func(t trial) (trial, error) {
		if sets[t.set] == nil {
			sets[t.set] = change(t.set)
		}
		t.set = sets[t.set]
		return t, nil
	}
}

// secondRack is the set with the nodes from the n-th on in a rack of their own.
func secondRack(ds *datasets.Set, n int) *datasets.Set {
	out, c := *ds, *ds.Cluster
	c.Racks, c.Nodes = append(slices.Clone(c.Racks), "/other-rack"), slices.Clone(c.Nodes)
	for i := n; i < len(c.Nodes); i++ {
		c.Nodes[i].Rack = int32(len(c.Racks) - 1)
	}
	out.Cluster = &c
	return &out
}

// couplingCopying runs Coupling's rows where every reduce that copies slows the maps of
// its node, as section II.A has it ("slows down the running threads"), by couplingStall,
// the least tenth with which figures 6 and 8 are both within their bounds. Grep's
// processor time is reduced so that ten jobs still take 80 minutes under Fair (figure 5).
func couplingCopying(r *runner) ([]Section, error) {
	s := Section{Paper: "coupling", ID: "experiment copying", Title: "What would have to hold: copying slows maps", Source: "Coupling, section II.A",
		Setup: fmt.Sprintf("each copying reduce slows what computes on its node by %g, set on figures 6 and 8; processor time of Grep's maps times %g, set on the 80 minutes of figure 5; %s", couplingStall, couplingStalled, afterwards)}
	changed := r.under(changedSets(func(ds *datasets.Set) *datasets.Set {
		slow := *fasterMaps(ds, couplingStalled, "Grep")
		slow.Config.Resource.CopyStall = couplingStall
		return &slow
	}))
	err := s.whatIf(r, changed, couplingSections...)
	return []Section{s}, err
}

// couplingWaits runs Coupling's rows with the wait that Hadoop 0.21's Fair Scheduler
// computes where none is configured: 1.5 heartbeats, in place of the 15 s that section
// II.B assumes for illustration.
func couplingWaits(r *runner) ([]Section, error) {
	const was, is = "node-delay=15", "node-delay=4.5"
	s := Section{Paper: "coupling", ID: "experiment wait", Title: "What would have to hold: Fair waits for 1.5 heartbeats", Source: "Coupling, section II.B",
		Setup: "a job waits 4.5 s for a node with its input, the default of Hadoop 0.21's Fair Scheduler at heartbeats of 3 s, in place of the 15 s of equation 2; " + afterwards}
	changed := r.under(func(t trial) (trial, error) {
		t.scheduler = strings.Replace(t.scheduler, was, is, 1)
		return t, nil
	})
	err := s.whatIf(r, changed, couplingSections...)
	return []Section{s}, err
}

// couplingSections are all that have counted rows.
var couplingSections = []string{"figure 1", "figure 5", "figure 6", "table 1", "figure 8", "figure 10", "figure 11", "figure 13", "figure 14", "figure 15", "figure 12", "figure 3", "table 4", "figure 16"}

// couplingStall is ResourceConfig.CopyStall, couplingStalled multiplies the processor
// time of maps, both for couplingCopying.
const couplingStall, couplingStalled = 0.2, 0.75
