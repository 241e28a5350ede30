package study

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"schedtune/internal/scenario"
	"schedtune/tune"
	"schedtune/yarnconf"
)

// gateRequest is a gate of the embedded data with some changes.
func gateRequest(t *testing.T, changes ...yarnconf.Change) GateRequest {
	t.Helper()
	in := scenario.Files{Embedded: true}
	c, err := in.Load()
	if err != nil {
		t.Fatal(err)
	}
	next, err := c.Doc.Edit(changes)
	if err != nil {
		t.Fatal(err)
	}
	r := GateRequest{Changed: next, MaxWorse: []string{"makespan 5 %", ProtectedMetric + " 5 %"}, Workloads: 8, Risk: 0.5}
	r.Study.Inputs, r.Study.Workers = in, 2
	r.Study.Options.Seed = 1
	return r
}

// The current configuration passes its own gate, without any difference; a configuration that
// takes most of a queue away does not, by the metric of that queue.
func TestGate(t *testing.T) {
	same, err := Gate(context.Background(), gateRequest(t))
	if err != nil || !same.Passed || len(same.Limits) < 3 || len(same.Terms) != 0 {
		t.Fatalf("%v: %+v", err, same)
	}
	for _, l := range same.Limits {
		if *l.Before != *l.After || l.Verdict != GateKept || l.Gain == nil || l.Gain.Mean != 0 {
			t.Errorf("the same configuration: %+v", l)
		}
	}
	worst := same.Limits[1].Metric // of one queue
	queue := worst[len("queue.") : len(worst)-len(".mean-completion")]
	starved, err := Gate(context.Background(), gateRequest(t,
		yarnconf.Change{Key: yarnconf.Key(queue, yarnconf.UserFactor), Value: "0.2"}))
	if err != nil || starved.Passed || len(starved.Terms) == 0 || starved.Limits[1].Verdict != GateWorse {
		t.Errorf("a starved queue: %v, %+v", err, starved)
	}
	request := gateRequest(t)
	request.Changed, err = request.Changed.Edit([]yarnconf.Change{{Key: yarnconf.Key(queue, yarnconf.Capacity),
		Value: "1"}})
	if err != nil {
		t.Fatal(err)
	}
	var problem yarnconf.Problem
	if _, err := Gate(context.Background(), request); !errors.As(err, &problem) {
		t.Errorf("a configuration that does not load: %v", err)
	}
}

// Where no workload has a metric its means are not known, which JSON can say.
func TestGateWithoutValues(t *testing.T) {
	s := &Study{Problem: tune.Problem{Predict: &tune.Prediction{}}}
	l := s.gateLimit(&tune.Constraint{Metric: "makespan", Op: "<=", Factor: 1.05}, [2][]tune.Outcome{}, 0.5, true)
	if data, err := json.Marshal(l); err != nil || l.Verdict != GateFails || l.Before != nil || l.After != nil {
		t.Errorf("%s, %v", data, err)
	}
}

// Limits that are no limits are refused by the flag's name.
func TestGateLimits(t *testing.T) {
	for _, text := range []string{"", "makespan", "makespan 5", "speed 5 %", "makespan -5 %"} {
		r := GateRequest{MaxWorse: []string{text}}
		var flag *scenario.FlagError
		if err := r.goals(); !errors.As(err, &flag) || flag.Flag != "--max-worse" {
			t.Errorf("%q: %v", text, err)
		}
	}
}
