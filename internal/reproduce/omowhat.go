package reproduce

import (
	"fmt"
	"math"

	"schedtune/datasets"
	"schedtune/simcore"
)

// omoFaster shows what would have to hold for OMO's headlines: figure 9 has OMO's map
// phase 20.8 % shorter than FRESH's, which gives every container to maps as long as there
// are any, so that the maps themselves would have to run that much faster under OMO.
// Here they do, by their processor time; Fair and FRESH run as they are. Chosen after
// looking; no verdicts.
func omoFaster(r *runner) ([]Section, error) {
	c, err := loadClaims("omo")
	if err != nil {
		return nil, err
	}
	s := Section{Paper: "omo", ID: "experiment maps", Title: "What would have to hold: maps run faster under OMO and Lazy Start", Source: "OMO, section V.D",
		Setup: "processor time of maps under OMO and Lazy Start reduced by figure 9's 20.8 %, Fair and FRESH as they are; 5 replications; chosen after looking, no verdicts"}
	faster := 1 - c.value("omo-map-vs-fresh")/100
	specs, fresh, lazy, _, omo := omoSpecs()
	var series [2][][]float64
	for _, w := range omoWorkloads {
		m, err := r.omoMakespans(w.set, specs[:fresh+1])
		if err != nil {
			return nil, err
		}
		ds, err := r.load(w.set)
		if err != nil {
			return nil, err
		}
		quick := fasterMaps(ds, faster)
		own, err := r.measure(fmt.Sprintf("OMO with faster maps, %s", w.set), omoReps, []trial{{set: quick, scheduler: specs[lazy]}, {set: quick, scheduler: specs[omo]}},
			func(o *outcome) []float64 { return []float64{value(o, "makespan")} })
		if err != nil {
			return nil, err
		}
		best := column(m[bestOf(m[:fresh], omoSpan)], omoSpan)
		if w.key != "wordcount" {
			s.show("Lazy Start below the best Fair, "+w.name, "% lower", c.value("lazy-"+w.key+"-vs-fair"), estimate(reduction(column(own[0], 0), best)))
			s.show("Lazy Start below FRESH, "+w.name, "% lower", c.value("lazy-"+w.key+"-vs-fresh"), estimate(reduction(column(own[0], 0), column(m[fresh], omoSpan))))
		}
		series[0] = append(series[0], reduction(column(own[1], 0), best))
		series[1] = append(series[1], reduction(column(own[1], 0), column(m[fresh], omoSpan)))
	}
	s.show("OMO below the best Fair, mean of five workloads", "% lower", c.value("omo-vs-fair-best"), estimate(meanOver(series[0])))
	s.show("OMO below FRESH, mean of five workloads", "% lower", c.value("omo-vs-fresh"), estimate(meanOver(series[1])))
	err = s.fasterLarge(r, c, faster)
	return []Section{s}, err
}

// fasterLarge adds table 7, set H on 40 nodes.
func (s *Section) fasterLarge(r *runner, c *claims, faster float64) error {
	ds, err := r.load("omo-set-h")
	if err != nil {
		return err
	}
	m, err := r.measure("OMO with faster maps, omo-set-h", omoReps, []trial{{set: ds, scheduler: omoFair + "0.05"}, {set: ds, scheduler: freshSpec}, {set: fasterMaps(ds, faster), scheduler: omoSpec}},
		func(o *outcome) []float64 { return []float64{value(o, "makespan")} })
	if err != nil {
		return err
	}
	s.show("table 7: OMO below Fair-default", "% lower", c.value("omo-vs-fair-40"), estimate(reduction(column(m[2], 0), column(m[0], 0))))
	s.show("table 7: OMO below FRESH", "% lower", c.value("omo-vs-fresh-40"), estimate(reduction(column(m[2], 0), column(m[1], 0))))
	return nil
}

// fasterMaps is the set with the processor time of maps multiplied by a factor.
func fasterMaps(ds *datasets.Set, factor float64) *datasets.Set {
	out, w := *ds, *ds.Workload
	w.Jobs, w.Dists = append([]simcore.Job(nil), w.Jobs...), append([]simcore.Dist(nil), w.Dists...)
	at := map[int32]int32{} // copies of distributions of map times
	for j := range w.Jobs {
		job := &w.Jobs[j]
		job.MapCPU *= factor
		if job.MapDist < 0 {
			continue
		}
		if _, ok := at[job.MapDist]; !ok {
			d := w.Dists[job.MapDist]
			d.A += logOf(d, factor)
			at[job.MapDist] = int32(len(w.Dists))
			w.Dists = append(w.Dists, d)
		}
		job.MapDist = at[job.MapDist]
	}
	out.Workload = &w
	return &out
}

// logOf is what multiplies a time by a factor when added to A: a lognormal's is the mean
// of the logarithm, a constant's the time.
func logOf(d simcore.Dist, factor float64) float64 {
	if d.Kind == simcore.LogNormal {
		return math.Log(factor)
	}
	return d.A * (factor - 1)
}
