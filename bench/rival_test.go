package main

import (
	"bufio"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"schedtune/tune"
)

// toy has a number, five levels and a category; its cost says which.
func toy(t *testing.T) *problem {
	t.Helper()
	s, err := tune.NewSpace(
		tune.Param{Name: "x", Max: 1, Present: "0.5"},
		tune.Param{Name: "n", Kind: tune.Integer, Min: 1, Max: 5, Present: "2"},
		tune.Param{Name: "c", Kind: tune.Category, Choices: []string{"a", "b"}, Present: "a"})
	if err != nil {
		t.Fatal(err)
	}
	return &problem{name: "toy", space: s, budget: 8, run: func(s tune.Settings, seed uint64) float64 {
		v := numbers(s)
		return 10*v[0] + v[1] + float64(seed)
	}}
}

// The script's lines are answered as drive.py expects them: values in the order of
// the seeds, levels by number, an end when the runs are spent; the best mean so far
// is what is recommended until the optimiser names something itself.
func TestRivalProtocol(t *testing.T) {
	p := toy(t)
	var seen []string
	r := &rivalRun{keeper: &keeper{p: p, seeds: []uint64{100, 200},
		see: func(runs int, s ...tune.Settings) {
			v := ""
			for _, e := range s[0] {
				v += e.Value + " "
			}
			seen = append(seen, v)
		}}}
	script := `{"ask": [0.25, 4, 1], "on": [0, 1], "cpu": 0.5}
{"ask": [0.5, 0, 0], "on": [0, 1], "cpu": 1}
{"ask": [0.125, 2, 0], "on": [1], "cpu": 1}
{"recommend": [0.5, 0, 0]}
{"ask": [0, 0, 0], "on": [0, 1], "cpu": 1}
{"ask": [0, 0, 0], "on": [0, 1], "cpu": 1}
{"done": true, "cpu": 2}
`
	var answers strings.Builder
	p.meter = &meter{}
	if err := r.talk(json.NewEncoder(&answers), bufio.NewReader(strings.NewReader(script)),
		rivalHead{Optimiser: "toy"}); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(answers.String()), "\n")[1:]
	want := []string{`{"values":[107.5,207.5]}`, `{"values":[106,206]}`, `{"values":[204.25]}`, `{"values":[101,201]}`,
		`{"spent":true}`}
	if strings.Join(lines, "\n") != strings.Join(want, "\n") {
		t.Errorf("answers\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
	if got := strings.Join(seen, "; "); got != "0.25 5 b ; 0.5 1 a ; 0.5 1 a " {
		t.Errorf("recommended %s", got)
	}
	if r.runs != 7 || p.meter.rival.Seconds() != 2 {
		t.Errorf("%d runs, %v of processor time; want 7 and 2 s", r.runs, p.meter.rival)
	}
}

// A script that ends early or asks nonsense is an error, not a result.
func TestRivalErrors(t *testing.T) {
	for _, script := range []string{"", "{", `{"ask": [0.5], "on": [0]}` + "\n", `{"ask": [0.5, 1, 1], "on": []}` + "\n",
		`{"ask": [0.5, 1, 1], "on": [2]}` + "\n"} {
		r := &rivalRun{keeper: &keeper{p: toy(t), seeds: []uint64{1, 2}, see: func(int, ...tune.Settings) {}}}
		if err := r.talk(json.NewEncoder(io.Discard), bufio.NewReader(strings.NewReader(script)), rivalHead{}); err == nil {
			t.Errorf("%q is accepted", script)
		}
	}
}

// Runs of several objectives are answered in lists, and what is not dominated by
// measured means is recommended: the first point, then two, then the one that dominates.
func TestRivalFronts(t *testing.T) {
	p := toy(t)
	p.study = &tune.Problem{Objectives: []tune.Objective{{Metric: "a"}, {Metric: "b"}}}
	p.runs = func(s tune.Settings, seed uint64) []float64 {
		v := numbers(s)
		return []float64{v[0] + float64(seed), 5 - v[1]}
	}
	var seen []int
	r := &rivalRun{keeper: &keeper{p: p, seeds: []uint64{1, 3}, see: func(_ int, s ...tune.Settings) {
		seen = append(seen, len(s))
	}}}
	script := `{"ask": [0.5, 2, 0], "on": [0, 1]}
{"ask": [0.25, 0, 0], "on": [0, 1]}
{"ask": [0.75, 0, 0], "on": [0, 1]}
{"ask": [0, 4, 0], "on": [0, 1]}
{"ask": [0, 4, 0], "on": [0, 1]}
{"done": true}
`
	var answers strings.Builder
	if err := r.talk(json.NewEncoder(&answers), bufio.NewReader(strings.NewReader(script)),
		rivalHead{Optimiser: "toy"}); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(answers.String()), "\n")[1:]
	want := []string{`{"values":[[1.5,2],[3.5,2]]}`, `{"values":[[1.25,4],[3.25,4]]}`, `{"values":[[1.75,4],[3.75,4]]}`,
		`{"values":[[1,0],[3,0]]}`, `{"spent":true}`}
	if strings.Join(lines, "\n") != strings.Join(want, "\n") {
		t.Errorf("answers\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
	if len(seen) != 3 || seen[0] != 1 || seen[1] != 2 || seen[2] != 1 {
		t.Errorf("fronts of %v points, want 1, 2, 1", seen)
	}
}
