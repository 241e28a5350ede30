package main

import (
	"fmt"
	"io"
	"math"
	"strings"

	"schedtune/internal/simulate"
	"schedtune/internal/text"
	"schedtune/simcore"
	"schedtune/tune"
)

// summary computes means and intervals.
func (f *simulateFlags) summary(s *simulate.Runner, results []*simcore.Result) *simulateJSON {
	out := &simulateJSON{Schema: "schedtune/simulate/v1", Scheduler: s.Name(), Workload: s.Work.Name, Nodes: len(s.Cluster.Nodes),
		Jobs: len(s.Work.Jobs), Seed: f.seed, Replications: len(results), Notes: s.Notes, Metrics: []metricJSON{}, Groups: []groupJSON{}, Refused: simcore.Refusals(results...)}
	for _, m := range simcore.Metrics() {
		if s.Unit == "containers" && (m.Name == "map-utilisation" || m.Name == "reduce-utilisation") {
			continue // figures of slots
		}
		if v, ok := meanOf(results, m.Name, m); ok {
			out.Metrics = append(out.Metrics, v)
		}
	}
	for _, dim := range []struct {
		name   string
		groups []string
	}{{"queue", s.Work.Queues}, {"user", s.Work.Users}} {
		for _, g := range dim.groups {
			row := groupJSON{Dimension: dim.name, Name: g}
			for _, m := range simcore.Metrics() {
				if v, ok := meanOf(results, dim.name+"."+g+"."+m.Name, m); m.PerGroup && ok {
					row.Metrics = append(row.Metrics, v)
				}
			}
			if len(row.Metrics) > 0 {
				out.Groups = append(out.Groups, row)
			}
		}
	}
	for name, path := range map[string]string{"timeline": f.timeline, "heartbeat-log": f.beats, "event-trace": f.events, "perfetto": f.perfetto} {
		if path != "" {
			if out.Files == nil {
				out.Files = map[string]string{}
			}
			out.Files[name] = path
		}
	}
	return out
}

// meanOf is a metric's mean over the replications; false if it has no value.
func meanOf(results []*simcore.Result, name string, m simcore.Metric) (metricJSON, bool) {
	var values []float64
	for _, r := range results {
		v, err := r.Value(name)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return metricJSON{}, false
		}
		values = append(values, v)
	}
	iv := tune.MeanInterval(values, 0.95)
	out := metricJSON{m.Name, m.Unit, iv.Mean, iv.Low, iv.High}
	if len(values) == 1 || math.IsNaN(out.Low) || math.IsInf(out.Low, 0) || math.IsInf(out.High, 0) {
		out.Low, out.High = out.Mean, out.Mean
	}
	return out, true
}

// printSimulation writes the summary as tables.
func printSimulation(w io.Writer, s *simulateJSON) error {
	tw := text.New(w)
	fmt.Fprintf(tw, "%s with %s: %s on %s, %s from seed %d\n\n", s.Workload, s.Scheduler, text.Count(s.Jobs, "job"), text.Count(s.Nodes, "node"), text.Count(s.Replications, "replication"), s.Seed)
	for _, m := range s.Metrics {
		interval := ""
		if m.Low != m.High {
			interval = fmt.Sprintf("%s to %s", amount(m.Low, m.Unit), amount(m.High, m.Unit))
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\n", m.Name, amount(m.Mean, m.Unit), interval)
	}
	for i, r := range s.Refused {
		if i == refusalsShown {
			fmt.Fprintf(tw, "%d more kinds of refusal: see --json\n", len(s.Refused)-i)
			break
		}
		fmt.Fprintln(tw, r)
	}
	columns := []string{"jobs", "mean-completion", "p95-completion", "mean-wait", "p95-wait"}
	for i, g := range s.Groups {
		if i == 0 || g.Dimension != s.Groups[i-1].Dimension {
			fmt.Fprintf(tw, "\n%s\t%s\n", g.Dimension, strings.Join(columns, "\t"))
		}
		fmt.Fprintf(tw, "%s", g.Name)
		for _, c := range columns {
			fmt.Fprintf(tw, "\t%s", g.value(c))
		}
		fmt.Fprintln(tw)
	}
	return tw.Flush()
}

func (g *groupJSON) value(name string) string {
	for _, m := range g.Metrics {
		if m.Name == name {
			return amount(m.Mean, m.Unit)
		}
	}
	return "-"
}

// refusalsShown bounds the lines of refusals; --json holds all.
const refusalsShown = 12

// amount prints a figure with its unit.
func amount(v float64, unit string) string {
	switch unit {
	case "s":
		return duration(v)
	case "share":
		return number(v*100) + " %"
	case "jobs/h":
		return number(v) + " jobs/h"
	}
	return number(v)
}
