package calibrate

import (
	"bytes"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strings"

	"schedtune/internal/stats"
	"schedtune/simcore/yarn"
	"schedtune/trace/runlog"
	"schedtune/validation/replay"
)

// calibrate makes the calibration file: from full records by package replay,
// which fits the processor time of launches together with the cores they
// share; from plain histories as far as they tell. What they do not tell stands
// as in base and is listed.
func (r *DurationsResult) calibrate(lat *latencySet, runs []*replay.Run, base *yarn.Calibration) {
	reason := "the histories have no records of ResourceManager and NodeManagers"
	if len(runs) > 0 {
		c, err := replay.Fit(sleepers(runs))
		if err == nil {
			r.Calibration = c
			r.changed()
			r.factors()
			return
		}
		reason = err.Error()
	}
	own := *base
	r.Calibration = &own
	r.Calibration.Source = "fitted on " + r.Source
	r.fromLatencies(lat)
	r.factors()
	r.Assumed = append(r.Assumed, "all other figures: "+reason)
}

// changed lists the figures that the records changed from their defaults, and
// those they did not.
func (r *DurationsResult) changed() {
	fitted, standing := map[string]json.RawMessage{}, map[string]json.RawMessage{}
	for _, f := range []struct {
		from *yarn.Calibration
		to   *map[string]json.RawMessage
	}{{r.Calibration, &fitted}, {yarn.Default(), &standing}} {
		if b, err := json.Marshal(f.from); err == nil {
			_ = json.Unmarshal(b, f.to) // what Marshal wrote
		}
	}
	var same []string
	for _, name := range slices.Sorted(maps.Keys(standing)) {
		switch {
		case name == "schema" || name == "source" || name == "cpu_scope" || strings.HasSuffix(name, "_factor"):
		case bytes.Equal(fitted[name], standing[name]):
			same = append(same, name)
		default:
			r.Fitted = append(r.Fitted, name)
		}
	}
	r.Assumed = append(r.Assumed, strings.Join(same, ", ")+": not told by the records, or found as they stood")
}

// sleepers returns the runs whose tasks sleep, so that their own time is known.
func sleepers(runs []*replay.Run) []*replay.Run {
	var out []*replay.Run
	for _, r := range runs {
		if !slices.ContainsFunc(r.Scenario.Jobs, func(j runlog.ScenarioJob) bool { return j.Kind != "" && j.Kind != "sleep" }) {
			out = append(out, r)
		}
	}
	return out
}

// enough is how many values a latency needs to replace a default.
const enough = 5

// fromLatencies sets the figures that a latency measures directly.
func (r *DurationsResult) fromLatencies(lat *latencySet) {
	c := r.Calibration
	for _, f := range []struct {
		name, latency string
		to            *yarn.Latency
	}{
		{"node_done_ms", latReleased, &c.NodeDone}, {"start_request_ms", latStart, &c.StartRequest}, {"task_exit_ms", latExit, &c.TaskExit},
		{"commit_ms", latCommit, &c.Commit}, {"linger_ms", latGone, &c.Linger},
	} {
		if v := nonNegative(lat.all(f.latency)); len(v) >= enough {
			*f.to = elevenQuantiles(v)
			r.Fitted = append(r.Fitted, f.name)
		}
	}
	r.masterStart(nonNegative(lat.all(latMaster)))
	if v := lat.all(latBeat); len(v) >= enough {
		c.NodeBeat = math.Max(1, stats.Median(v))
		r.Fitted = append(r.Fitted, "node_beat_ms")
	}
	if v := nonNegative(lat.all(latLaunch)); len(v) >= enough {
		slices.Sort(v)
		// Launches share cores; those that met little company, the quickest
		// quarter, show the processor time of one.
		c.MapWork = math.Round(stats.Quantile(v, 0.25))
		c.ReduceWork = c.MapWork
		r.Fitted = append(r.Fitted, "map_work_ms", "reduce_work_ms")
	}
}

// masterStart sets what a master waits from its launch to its registration besides its
// work: a job starts right after that (MRAppMaster.serviceStart). Where masters share the
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
		c.AMStart = elevenQuantiles(v)
	}
	r.Fitted = append(r.Fitted, "am_start_ms")
}

func sorted(v []float64) []float64 {
	slices.Sort(v)
	return v
}

func nonNegative(v []float64) []float64 {
	return slices.DeleteFunc(v, func(x float64) bool { return x < 0 })
}

// elevenQuantiles are those from 0 to 1, the ends taken at 1 and 99 %, so that
// one outlier does not stretch the last step.
func elevenQuantiles(v []float64) yarn.Latency {
	slices.Sort(v)
	var q yarn.Latency
	for i := range 11 {
		q = append(q, math.Round(10*stats.Quantile(v, min(max(float64(i)/10, 0.01), 0.99)))/10)
	}
	return q
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
			r.Assumed = append(r.Assumed, name+": too few jobs with maps both there and node-local")
		}
	}
}
