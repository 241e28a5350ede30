package report

import (
	"fmt"
	"slices"
	"strings"

	"schedtune/internal/text"
	"schedtune/simcore"
	"schedtune/tune"
)

// Cost is something that the recommendation makes worse.
type Cost struct {
	Kind string `json:"kind"` // "metric", "queue" or "user" (slower), "terms" (a queue is granted less)
	Name string `json:"name"` // of the metric, queue or user
	Text string `json:"text"`
	// Worse is by how much, as a part of the figure before; 0 for terms.
	Worse float64 `json:"worse,omitempty"`
}

// From costFrom a loss is listed, from much it is in the verdict.
const (
	costFrom = 0.02
	much     = 0.10
)

// costs lists what gets worse: other metrics of the whole but for the utilisation,
// which falls where less is held in vain, queues and users by
// their mean completion, what queues are granted.
func (sum *Summary) costs() []Cost {
	if sum.BestFound == nil {
		return nil
	}
	var out []Cost
	for _, m := range sum.Present.Metrics {
		after, ok := metric(sum.BestFound.Metrics, m.Name)
		if !ok || slices.Contains(sum.Objectives, m.Name) || sum.limitOnly(m.Name) || m.Mean == 0 || m.Name == "utilisation" {
			continue
		}
		if worse := -gainOf(m.Name, m.Mean, after); worse >= costFrom {
			out = append(out, Cost{"metric", m.Name, fmt.Sprintf("%s %s worse (%s)", m.Name, byText(worse),
				text.Arrow(text.Pair(m.Mean, after, simcore.MetricOf(m.Name).Unit))), worse})
		}
	}
	for _, g := range sum.Groups {
		before, after := g.completions()
		if worse := after/before - 1; before > 0 && g.After.Jobs > 0 && worse >= costFrom {
			line := fmt.Sprintf("%s %s: mean completion %s longer (%s", g.Dimension, g.Name, byText(worse),
				text.Arrow(text.Pair(before, after, "s")))
			if ends := g.Drawn.interval(); ends != "" {
				line += "; 90 % interval " + ends + " %"
			}
			out = append(out, Cost{g.Dimension, g.Name, line + ")", worse})
		}
	}
	for i := range sum.Terms {
		if text := falls(&sum.Terms[i]); text != "" {
			out = append(out, Cost{"terms", sum.Terms[i].Queue, sum.Terms[i].Queue + ": " + text, 0})
		}
	}
	return out
}

// byText is a loss as a part, or as a multiple where it is large.
func byText(worse float64) string {
	if worse >= 2 {
		return fmt.Sprintf("%.3g times", 1+worse)
	}
	return fmt.Sprintf("%.1f %%", 100*worse)
}

// harm is what the verdict says of metrics, queues and users that get much worse, "" if none do.
func (sum *Summary) harm() string {
	var parts []string
	for _, c := range sum.Costs {
		if c.Worse >= much {
			parts = append(parts, c.Text)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	if n := len(parts) - namedHarm; n > 0 {
		parts = append(parts[:namedHarm], fmt.Sprintf("%d more", n))
	}
	return "; but " + strings.Join(parts, ", ")
}

// namedHarm bounds what a verdict names.
const namedHarm = 3

// liftedText tells what the limits keep from being gained, "" where nothing was seen.
func (sum *Summary) liftedText() string {
	l := sum.Lifted
	if l == nil || len(sum.Objectives) == 0 || l.Gain.Mean < l.With.Mean+liftedFrom {
		return ""
	}
	gain := func(mean float64) string {
		sign, figures := improvement(tune.Interval{Mean: mean})
		return differenceText(sum.Objectives[0], sign, figures[0])
	}
	var who []string
	for _, c := range l.Broken {
		name := strings.TrimSuffix(strings.TrimPrefix(c.Metric, "queue."), ".mean-completion")
		if c.Factor != 0 && c.Limit != 0 {
			who = append(who, fmt.Sprintf("%s %s %%", name, text.Signed(100*(c.Factor*c.Value.Mean/c.Limit-1), 0)))
			continue
		}
		who = append(who, fmt.Sprintf("%s %s", name, text.Figure(c.Value.Mean)))
	}
	if n := len(who); n > namedHarm {
		who = append(who[:namedHarm], fmt.Sprintf("%d more", n-namedHarm))
	}
	text := fmt.Sprintf("without --protect and --constraint the search found %s, with them %s (%d workloads)",
		gain(l.Gain.Mean), gain(l.With.Mean), l.Gain.N)
	if len(who) == 0 {
		return text + "; none is broken in the mean over these"
	}
	return text + "; queues that get slower: " + strings.Join(who, ", ")
}

// liftedFrom is the least further gain that is reported.
const liftedFrom = 0.01

// completions are the mean completion times that are compared: those on fresh
// workloads where they were measured.
func (g *GroupRow) completions() (before, after float64) {
	if g.Drawn != nil {
		return g.Drawn.Before, g.Drawn.After
	}
	return g.Before.MeanCompletion, g.After.MeanCompletion
}
