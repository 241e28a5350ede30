package reproduce

import (
	"slices"

	"schedtune/datasets"
	"schedtune/simcore"
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

// couplingBeats shows figure 16 with ten times as many heartbeats.
func couplingBeats(r *runner) ([]Section, error) {
	c, err := loadClaims("coupling")
	if err != nil {
		return nil, err
	}
	s := Section{Paper: "coupling", ID: "experiment heartbeats", Title: "What would have to hold: heartbeats of 300 ms on 62 nodes", Source: "Coupling, section III.D",
		Setup: "data set coupling-batches with heartbeats of 300 ms; 3 replications; chosen after looking, no verdicts"}
	ds, err := r.load("coupling-batches")
	if err != nil {
		return nil, err
	}
	fast := *ds
	fast.Config.Heartbeat = 300 * simcore.Millisecond
	m, err := r.measure("Coupling, heartbeats of 300 ms", 3, []trial{{set: &fast, scheduler: couplingFair}, {set: &fast, scheduler: couplingSpec}}, completions)
	if err != nil {
		return nil, err
	}
	s.show("figure 16: mean job time below Fair's", "% lower", c.value("set-c"), estimate(meanReduction(m[1], m[0])))
	return []Section{s}, nil
}

// couplingFaster shows figure 6 and table I with maps as much faster under Coupling as
// figure 8 has them.
func couplingFaster(r *runner) ([]Section, error) {
	c, err := loadClaims("coupling")
	if err != nil {
		return nil, err
	}
	const set = "coupling-ten-greps"
	s := Section{Paper: "coupling", ID: "experiment maps", Title: "What would have to hold: maps run faster under Coupling", Source: "Coupling, section II.A",
		Setup: "data set coupling-ten-greps, processor time of maps under Coupling reduced by figure 8's 10.1 %; 5 replications; chosen after looking, no verdicts"}
	ds, err := r.load(set)
	if err != nil {
		return nil, err
	}
	quick := fasterMaps(ds, 1-c.value("map-time")/100)
	m, err := r.measure("Coupling with faster maps", couplingReps, []trial{{set: ds, scheduler: couplingFair, record: true}, {set: quick, scheduler: couplingSpec, record: true}},
		func(o *outcome) []float64 {
			return append(completions(o), o.recording.mapTook.Seconds()/float64(max(o.recording.maps, 1)), r.idle(o, set))
		})
	if err != nil {
		return nil, err
	}
	s.show("figure 8: mean map time below Fair's", "% lower", c.value("map-time"), estimate(reduction(column(m[1], 10), column(m[0], 10))))
	s.show("figure 6: mean job time below Fair's", "% lower", c.value("grep10-response"), estimate(meanReduction(firstOf(m[1], 10), firstOf(m[0], 10))))
	s.show("table I: idle time below Fair's", "% lower", nan(), estimate(reduction(column(m[1], 11), column(m[0], 11))))
	return []Section{s}, nil
}
