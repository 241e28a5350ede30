package rm

import (
	"encoding/json"
	"errors"
	"fmt"

	"schedtune/trace"
)

// Resource is a size as the web services write it.
type Resource struct {
	Memory int64 `json:"memory"`
	VCores int64 `json:"vCores"`
}

// LiveQueue is what the ResourceManager says of one queue, effective values
// included.
type LiveQueue struct {
	Path              string   `json:"queuePath"`
	Capacity          float64  `json:"capacity"` // percent
	MaxCapacity       float64  `json:"maxCapacity"`
	Absolute          float64  `json:"absoluteCapacity"`
	AbsoluteMax       float64  `json:"absoluteMaxCapacity"`
	Weight            float64  `json:"weight"`
	State             string   `json:"state"`
	Mode              string   `json:"mode"`
	CreationMethod    string   `json:"creationMethod"`
	Ordering          string   `json:"orderingPolicyInfo"`
	Priority          int      `json:"queuePriority"`
	Preemption        *bool    `json:"preemptionDisabled"`
	MaxApplications   int      `json:"maxApplications"`
	MaxPerUser        int      `json:"maxApplicationsPerUser"`
	UserLimit         float64  `json:"userLimit"`
	UserLimitFactor   float64  `json:"userLimitFactor"`
	MaxParallel       int64    `json:"maxParallelApps"`
	Used              Resource `json:"resourcesUsed"`
	EffectiveMin      Resource `json:"minEffectiveCapacity"`
	EffectiveMax      Resource `json:"maxEffectiveCapacity"`
	AMResourceLimit   Resource `json:"AMResourceLimit"`
	DefaultLabel      string   `json:"defaultNodeLabelExpression"`
	hasEffectiveSizes bool
	Leaf              bool `json:"-"`
}

// maxDepth bounds the recursion into a tree that a server made up.
const maxDepth = 64

// ParseScheduler reads a /ws/v1/cluster/scheduler answer of a Capacity
// Scheduler: the queues in depth-first order, root first.
func ParseScheduler(data []byte) ([]LiveQueue, error) {
	var doc struct {
		Scheduler struct {
			Info json.RawMessage `json:"schedulerInfo"`
		} `json:"scheduler"`
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		return nil, fmt.Errorf("the answer is not the expected JSON: %w", err)
	}
	var kind struct {
		Type string `json:"type"`
	}
	if len(doc.Scheduler.Info) == 0 || json.Unmarshal(doc.Scheduler.Info, &kind) != nil {
		return nil, errors.New("no schedulerInfo in the answer")
	}
	if kind.Type != "capacityScheduler" {
		return nil, fmt.Errorf("the scheduler is %q; use capacityScheduler", kind.Type)
	}
	return liveTree(doc.Scheduler.Info, "", 0, nil)
}

// queueAnswer is a queue as the ResourceManager writes it.
type queueAnswer struct {
	LiveQueue
	Name   string          `json:"queueName"`
	Min    json.RawMessage `json:"minEffectiveCapacity"`
	Queues *struct {
		Queue trace.List[json.RawMessage] `json:"queue"`
	} `json:"queues"`
	Capacities struct {
		By []struct {
			Partition string   `json:"partitionName"`
			Min       Resource `json:"effectiveMinResource"`
			Max       Resource `json:"effectiveMaxResource"`
		} `json:"queueCapacitiesByPartition"`
	} `json:"capacities"`
}

// effective takes the sizes in force without label, which versions write in one or
// the other of two places.
func (q *queueAnswer) effective() error {
	for _, c := range q.Capacities.By {
		if c.Partition == "" {
			q.LiveQueue.EffectiveMin, q.LiveQueue.EffectiveMax, q.hasEffectiveSizes = c.Min, c.Max, true
		}
	}
	if len(q.Min) == 0 {
		return nil
	}
	q.hasEffectiveSizes = true
	if err := json.Unmarshal(q.Min, &q.LiveQueue.EffectiveMin); err != nil {
		return fmt.Errorf("queue %s: minEffectiveCapacity: %w", q.Path, err)
	}
	return nil
}

// liveTree appends a queue and those below it.
func liveTree(raw json.RawMessage, parent string, depth int, out []LiveQueue) ([]LiveQueue, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("queues are nested more than %d deep", maxDepth)
	}
	var q queueAnswer
	if err := json.Unmarshal(raw, &q); err != nil {
		return nil, fmt.Errorf("a queue below %q: %w", parent, err)
	}
	if q.Path == "" { // before 3.3 there is no path
		q.Path = q.Name
		if parent != "" {
			q.Path = parent + "." + q.Name
		}
	}
	if err := q.effective(); err != nil {
		return nil, err
	}
	q.Leaf = q.Queues == nil || len(q.Queues.Queue) == 0
	out = append(out, q.LiveQueue)
	if q.Queues == nil {
		return out, nil
	}
	for _, c := range q.Queues.Queue {
		var err error
		if out, err = liveTree(c, q.Path, depth+1, out); err != nil {
			return nil, err
		}
	}
	return out, nil
}
