package report

import (
	"fmt"
	"io"
	"math"
	"strings"

	"schedtune/internal/calibrate"
	"schedtune/internal/simulate"
	"schedtune/internal/text"
	"schedtune/simcore"
)

// Simulation is the document of tune simulate.
type Simulation struct {
	Schema       string            `json:"schema"`
	Scheduler    string            `json:"scheduler"`
	Workload     string            `json:"workload"`
	Nodes        int               `json:"nodes"`
	Jobs         int               `json:"jobs"`
	Seed         uint64            `json:"seed"`
	Replications int               `json:"replications"`
	Metrics      []MeanMetric      `json:"metrics"`
	Groups       []MeanGroup       `json:"groups"`
	Refused      []simcore.Refusal `json:"refused"` // jobs that the scheduler did not take, per run
	// Latencies says where those of the cluster come from; absent without a history.
	Latencies *calibrate.Latencies `json:"latencies"`
	Notes     []string             `json:"notes"`
	Files     map[string]string    `json:"files"`
}

type MeanMetric struct {
	Name string  `json:"name"`
	Unit string  `json:"unit"`
	Mean float64 `json:"mean"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

type MeanGroup struct {
	Dimension string       `json:"dimension"`
	Name      string       `json:"name"`
	Metrics   []MeanMetric `json:"metrics"`
}

// Simulated summarises simulations with consecutive seeds: it computes means and intervals.
func Simulated(s *simulate.Runner, results []*simcore.Result, seed uint64) *Simulation {
	out := &Simulation{Schema: text.SchemaSimulate, Scheduler: s.Name(), Workload: s.Work.Name,
		Nodes: len(s.Cluster.Nodes),
		Jobs:  len(s.Work.Jobs), Seed: seed, Replications: len(results), Notes: s.Notes, Metrics: []MeanMetric{},
		Groups: []MeanGroup{}, Refused: simcore.Refusals(results...)}
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
			row := MeanGroup{Dimension: dim.name, Name: g}
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
	return out
}

// meanOf is a metric's mean over the replications; false if it has no value.
func meanOf(results []*simcore.Result, name string, m simcore.Metric) (MeanMetric, bool) {
	v, ok := values(results, name)
	if !ok {
		return MeanMetric{}, false
	}
	mean, low, high := interval(v)
	if math.IsInf(low, 0) || math.IsInf(high, 0) {
		low, high = mean, mean
	}
	return MeanMetric{m.Name, m.Unit, mean, low, high}, true
}

// Print writes the summary as tables.
func (s *Simulation) Print(w io.Writer) error {
	tw := text.New(w)
	fmt.Fprintf(tw, "%s with %s: %s on %s, %s from seed %d\n\n", s.Workload, s.Scheduler, text.Count(s.Jobs, "job"),
		text.Count(s.Nodes, "node"), text.Count(s.Replications, "replication"), s.Seed)
	for _, m := range s.Metrics {
		interval := ""
		if m.Low != m.High {
			interval = fmt.Sprintf("%s to %s", text.Amount(m.Low, m.Unit), text.Amount(m.High, m.Unit))
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\n", m.Name, text.Amount(m.Mean, m.Unit), interval)
	}
	for i, r := range s.Refused {
		if i == kindsOfRefusal {
			fmt.Fprintf(tw, "%d more kinds of refusal: see --json\n", len(s.Refused)-i)
			break
		}
		fmt.Fprintln(tw, r)
	}
	columns := groupColumns()
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

// groupColumns are the figures of a queue or user that are shown.
func groupColumns() []string {
	return []string{"jobs", "mean-completion", "p95-completion", "mean-wait", "p95-wait"}
}

func (g *MeanGroup) value(name string) string {
	for _, m := range g.Metrics {
		if m.Name == name {
			return text.Amount(m.Mean, m.Unit)
		}
	}
	return "-"
}

// kindsOfRefusal is the largest number of refusals in the text; the document has all.
const kindsOfRefusal = 12
