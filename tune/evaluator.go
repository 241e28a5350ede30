package tune

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"schedtune/internal/parallel"
)

// Item is one run to do: settings under one seed on one window. It is pure:
// equal items have equal outcomes, wherever and whenever they are run.
type Item struct {
	Trial    int      `json:"trial"`    // number of the configuration in the study, from 0; 0 is the current one
	Settings Settings `json:"settings"` // of every parameter
	Seed     uint64   `json:"seed"`     // below 2^53
	Window   int      `json:"window"`   // 0 … Problem.Windows-1; 0 if there is one window
}

// Outcome is what a run measured. A run that has no result says why in Err and
// ranks behind every run that has one.
type Outcome struct {
	Metrics map[string]float64 `json:"metrics,omitempty"` // by name, in their units
	// Lost lists the pieces of work that the run did not do, by number, in
	// ascending order. What the current configuration does on the same seed and
	// window no recommendation may lose, whatever the objective.
	Lost []int32 `json:"lost,omitempty"`
	// Parts are the numbers of Problem.Composite's parts, one after another: finite, at
	// most MaxParts. Models learn from them; nothing is judged by them.
	Parts []float64 `json:"parts,omitempty"`
	Err   string    `json:"error,omitempty"`
}

// Metric returns a metric's value, NaN where the run has none.
func (o Outcome) Metric(name string) float64 {
	if v, ok := o.Metrics[name]; ok {
		return v
	}
	return math.NaN()
}

// Evaluator runs items. It calls done once for every item it finished, in any
// order but never twice at the same time, with the item's index; it may stop
// early with an error, such as that of a cancelled context.
type Evaluator interface {
	Evaluate(ctx context.Context, items []Item, done func(i int, o Outcome)) error
}

// Run is a simulation of one item, safe for concurrent use.
type Run func(ctx context.Context, it Item) Outcome

// Pool returns an evaluator that keeps a number of workers busy in this
// process; workers below 1 mean one.
func Pool(workers int, run Run) Evaluator { return &pool{max(1, workers), run} }

type pool struct {
	workers int
	run     Run
}

// Evaluate implements Evaluator. Workers take items in order.
func (p *pool) Evaluate(ctx context.Context, items []Item, done func(int, Outcome)) error {
	var mu sync.Mutex
	parallel.Each(p.workers, len(items), func(i int) {
		if ctx.Err() != nil {
			return
		}
		o := guarded(ctx, p.run, items[i])
		mu.Lock()
		defer mu.Unlock()
		if ctx.Err() == nil { // what a cancelled run returns is no outcome
			done(i, o)
		}
	})
	return ctx.Err()
}

// guarded turns a panic of a run into a failed outcome: one configuration that
// breaks the simulator must not end the study.
func guarded(ctx context.Context, run Run, it Item) (o Outcome) {
	defer func() {
		if r := recover(); r != nil {
			o = Outcome{Err: fmt.Sprintf("the run panicked: %v", r)}
		}
	}()
	return run(ctx, it)
}

// maxValue bounds a metric, so that sums of squares stay finite.
const maxValue = 1e100

// checked turns metrics that are no numbers into a failure; JSON could not
// hold them and no mean could use them.
func (o Outcome) checked(objectives []Objective) Outcome {
	if o.Err != "" {
		return Outcome{Err: o.Err}
	}
	clean := make(map[string]float64, len(o.Metrics))
	for name, v := range o.Metrics {
		if math.Abs(v) <= maxValue {
			clean[name] = v
		}
	}
	for _, ob := range objectives {
		switch v, ok := o.Metrics[ob.Metric]; {
		case !ok:
			return Outcome{Err: "metric " + ob.Metric + " is missing"}
		case !(math.Abs(v) <= maxValue):
			return Outcome{Err: fmt.Sprintf("metric %s %g: must be finite and at most %g", ob.Metric, v, maxValue)}
		}
	}
	lost := o.Lost
	if !slices.IsSorted(lost) {
		lost = slices.Sorted(slices.Values(lost))
	}
	return Outcome{Metrics: clean, Lost: lost, Parts: cleanParts(o.Parts)}
}

// cleanParts returns parts that models can learn from, or none.
func cleanParts(parts []float64) []float64 {
	if len(parts) > MaxParts || slices.ContainsFunc(parts, func(v float64) bool { return !(math.Abs(v) <= maxValue) }) {
		return nil
	}
	return parts
}
