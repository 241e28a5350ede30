package calibrate

import (
	"fmt"
	"math"
	"slices"

	"schedtune/internal/stats"
	"schedtune/simcore/yarn"
)

// calibrate sets what the histories tell. What they do not tell stays as in base and is
// listed.
func (r *DurationsResult) calibrate(lat *latencySet, base *yarn.Calibration) {
	own := *base
	r.Calibration = &own
	r.Calibration.Source = "fitted on " + r.Source
	r.fromLatencies(lat)
	r.factors()
	r.Assumed = append(r.Assumed, "all other figures, without records of the ResourceManager and NodeManagers")
}

// enough is how many values a latency needs to replace a default.
const enough = 5

// fromLatencies sets the figures that a latency measures directly.
func (r *DurationsResult) fromLatencies(lat *latencySet) {
	c := r.Calibration
	if v := lat.all(latCommit); len(v) >= enough {
		c.Commit = Quantiles(sorted(v), 0)
		r.Fitted = append(r.Fitted, "commit_ms")
	}
	r.masterStart(lat.all(latMaster))
	if v := lat.all(latLaunch); len(v) >= enough {
		slices.Sort(v)
		// Launches share cores; those that met little company, the quickest
		// quarter, show the processor time of one.
		c.MapWork = math.Round(stats.Quantile(v, 0.25))
		c.ReduceWork = c.MapWork
		r.Fitted = append(r.Fitted, "map_work_ms", "reduce_work_ms")
	}
}

// masterStart sets what a master waits from its launch to its registration besides its
// work: a job starts right after that (MRAppMaster.serviceStart). Where AMs share the
// cores of one machine, which the simulation makes them do, the quickest quarter met
// little company.
func (r *DurationsResult) masterStart(v []float64) {
	if len(v) < enough {
		return
	}
	c := r.Calibration
	work := c.AMWork / max(c.AMThreads, 1)
	for i := range v {
		v[i] = max(0, v[i]-work)
	}
	if c.CPUScope == yarn.ScopeCluster {
		c.AMStart = yarn.Latency{math.Round(stats.Quantile(sorted(v), 0.25))}
	} else {
		c.AMStart = Quantiles(sorted(v), 0)
	}
	r.Fitted = append(r.Fitted, "am_start_ms")
}

func sorted(v []float64) []float64 {
	slices.Sort(v)
	return v
}

// factors sets the locality factors from the penalties, where at least five
// jobs had maps of both kinds.
func (r *DurationsResult) factors() {
	for _, p := range r.Penalties[1:] {
		to, name := &r.Calibration.RackLocalFactor, "rack_local_factor"
		if p.Locality == "off-switch" {
			to, name = &r.Calibration.OffSwitchFactor, "off_switch_factor"
		}
		if p.Jobs >= enough {
			*to = math.Round(1000*float64(p.Factor)) / 1000
			r.Fitted = append(r.Fitted, name)
		} else {
			r.Assumed = append(r.Assumed, fmt.Sprintf("%s: fewer than %d jobs with both %s and node-local maps",
				name, enough, p.Locality))
		}
	}
}
