package reproduce

import (
	"fmt"
	"slices"

	"schedtune/datasets"
)

// Coupling: what would have to hold for the rows that stay missed. The set-ups are
// chosen after looking at these rows; nothing here has a verdict.

// couplingRacks shows figures 11, 13 and 15 with the nodes without input in a rack of
// their own, so that alpha of equation 3 is 1 on them in place of 0.8.
func couplingRacks(r *runner) ([]Section, error) {
	c, err := loadClaims("coupling")
	if err != nil {
		return nil, err
	}
	s := Section{Paper: "coupling", ID: "experiment racks", Title: "What would have to hold: the nodes without input stand in another rack", Source: "Coupling, equation 3, figures 11, 13 and 15",
		Setup: "data sets coupling-wordcount and coupling-maps-only with a second rack; 5 replications; chosen after looking, no verdicts"}
	specs := []string{couplingFair, couplingSpec + ",beta=0.1", couplingSpec + ",beta=0.5", couplingSpec}
	trials := func(set string) ([]trial, error) {
		ds, err := r.load(set)
		if err != nil {
			return nil, err
		}
		apart := secondRack(ds, 7)
		out := make([]trial, len(specs))
		for i, spec := range specs {
			out[i] = trial{set: apart, scheduler: spec}
		}
		return out, nil
	}
	figures := func(o *outcome) []float64 { return append(completions(o), 100*value(o, "locality")) }
	t, err := trials("coupling-wordcount")
	if err != nil {
		return nil, err
	}
	m, err := r.measure("Coupling with two racks, WordCount", couplingReps, t, figures)
	if err != nil {
		return nil, err
	}
	s.show("figure 11: beta = 0.1 below Fair", "% lower", c.value("wordcount-beta01"), estimate(reduction(column(m[1], 0), column(m[0], 0))))
	s.show("figure 11: beta = 0.5 below Fair", "% lower", c.value("wordcount-beta05"), estimate(reduction(column(m[2], 0), column(m[0], 0))))
	if t, err = trials("coupling-maps-only"); err != nil {
		return nil, err
	}
	if m, err = r.measure("Coupling with two racks, table III", couplingReps, t, figures); err != nil {
		return nil, err
	}
	s.show("figure 13: mean job time below Fair's", "% lower", c.value("maps-only"), estimate(meanReduction(firstOf(m[3], 10), firstOf(m[0], 10))))
	for i, n := range []string{"Fair", "beta = 0.1", "beta = 0.5", "Coupling"} {
		s.show("figure 15: "+n, "% of maps", nan(), estimate(column(m[i], 10)))
	}
	return []Section{s}, nil
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

// couplingCopying shows figures 5, 6 and 8 and table I where every reduce that copies
// slows the maps of its node, as section II.A has it ("slows down the running threads"),
// by couplingStall. Grep's processor time is reduced so that ten jobs still take 80
// minutes under Fair (figure 5). Both are set on figures 8 and 5.
func couplingCopying(r *runner) ([]Section, error) {
	c, err := loadClaims("coupling")
	if err != nil {
		return nil, err
	}
	const set = "coupling-ten-greps"
	s := Section{Paper: "coupling", ID: "experiment copying", Title: "What would have to hold: copying slows maps", Source: "Coupling, section II.A",
		Setup: fmt.Sprintf("data set coupling-ten-greps, each copying reduce slows what computes on its node by %g, set on figure 8; maps' processor time times %g, set on the 80 minutes of figure 5; 5 replications; chosen after looking, no verdicts", couplingStall, couplingStalled)}
	ds, err := r.load(set)
	if err != nil {
		return nil, err
	}
	slow := *fasterMaps(ds, couplingStalled)
	slow.Config.Resource.CopyStall = couplingStall
	m, err := r.measure("Coupling with copying that slows maps", couplingReps, []trial{{set: &slow, scheduler: couplingFair, record: true}, {set: &slow, scheduler: couplingSpec, record: true}},
		func(o *outcome) []float64 {
			return append(completions(o), o.recording.mapTook.Seconds()/float64(max(o.recording.maps, 1)), r.idle(o, set),
				minutes(o.recording.reduceStart(2, 0)), minutes(o.recording.reduceStart(3, 0)))
		})
	if err != nil {
		return nil, err
	}
	s.show("figure 8: mean map time below Fair's", "% lower", c.value("map-time"), estimate(reduction(column(m[1], 10), column(m[0], 10))))
	s.show("figure 6: mean job time below Fair's", "% lower", c.value("grep10-response"), estimate(meanReduction(firstOf(m[1], 10), firstOf(m[0], 10))))
	s.show("figure 5: first reduce of job 3", "min", c.value("grep10-job3"), estimate(column(m[0], 12)))
	s.show("figure 5: first reduce of job 4", "min", c.value("grep10-job4"), estimate(column(m[0], 13)))
	t1, err := datasets.Published("coupling", "1")
	if err != nil {
		return nil, err
	}
	for i, name := range []string{"Fair", "Coupling"} {
		idle, err := t1.Float(name, "idle")
		if err != nil {
			return nil, err
		}
		s.show("table I: idle time under "+name, "% of processor time", idle, estimate(column(m[i], 11)))
	}
	return []Section{s}, nil
}

// couplingStall is ResourceConfig.CopyStall, couplingStalled multiplies the processor
// time of maps, both for couplingCopying.
const couplingStall, couplingStalled = 0.3, 0.64
