package papers

import (
	"math"
	"strings"

	"schedtune/datasets"
	"schedtune/simcore"
)

// omoFaster runs what would have to hold for OMO's headlines: figure 9 has OMO's map
// phase 20.8 % shorter than FRESH's, which gives every container to maps as long as there
// are any, so that the maps themselves would have to run that much faster under OMO.
// Here they do, by their processor time, under Lazy Start too; the others run as they are.
func omoFaster(r *runner) ([]Section, error) {
	c, err := loadClaims("omo")
	if err != nil {
		return nil, err
	}
	s := Section{Paper: "omo", ID: "experiment maps", Title: "What would have to hold: maps run faster under OMO and Lazy Start", Source: "OMO, section V.D",
		Setup: "processor time of maps under OMO and Lazy Start reduced by figure 9's 20.8 %, Fair, FRESH, Batch Finish and YARN as they are; 5 replications; " + afterwards}
	faster := 1 - c.value("omo-map-vs-fresh")/100
	quick := changedSets(func(ds *datasets.Set) *datasets.Set { return fasterMaps(ds, faster, "") })
	changed := r.under(func(t trial) (trial, error) {
		if t.scheduler == omoSpec || t.scheduler == lazySpec {
			return quick(t)
		}
		return t, nil
	})
	err = s.whatIf(r, changed, "figure 7", "figure 8", "figure 9", "figure 10", "figure 11", "figure 12", "figure 13", "table 6", "table 7", "figure 14")
	return []Section{s}, err
}

// fasterMaps is the set with the processor time of maps multiplied by a factor; those of
// jobs whose name begins with the prefix.
func fasterMaps(ds *datasets.Set, factor float64, prefix string) *datasets.Set {
	out, w := *ds, *ds.Workload
	w.Jobs, w.Dists = append([]simcore.Job(nil), w.Jobs...), append([]simcore.Dist(nil), w.Dists...)
	at := map[int32]int32{} // copies of distributions of map times
	for j := range w.Jobs {
		job := &w.Jobs[j]
		if !strings.HasPrefix(job.Name, prefix) {
			continue
		}
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
