package sched

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"schedtune/classify"
	"schedtune/classify/modelfile"
	"schedtune/internal/text"
	"schedtune/simcore"
	"schedtune/simcore/yarn"
)

// saveModel writes a logistic model that calls a load above 0.8 per core an
// overload, or nothing one.
func saveModel(t *testing.T, overloads bool, feature string) string {
	t.Helper()
	f := modelfile.Feature{Name: feature, Low: 0, High: 9, Influence: text.Num(math.NaN()), Permuted: text.Num(math.NaN())}
	m, err := classify.NewLogistic(classify.Schema{f.Schema()}, classify.Binary())
	if err != nil {
		t.Fatal(err)
	}
	m.Weights = []float64{-1, 1.8} // good up to 1.8 on the scale of 1 to 10, which is 0.8
	if !overloads {
		m.Weights = []float64{0, 1}
	}
	var learner bytes.Buffer
	if err := classify.Save(&learner, m); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "model.json")
	file := fmt.Sprintf(`{"schema":%q,"label":"load1 > 1","learner":"logistic","columns":["load1","cpus","hour"],
"features":[{"name":%q,"low":0,"high":9,"influence":null,"permutation_importance":null}],"modes":[null],"model":%s}`,
		modelfile.Schema, feature, learner.String())
	if err := os.WriteFile(path, []byte(file), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// byHand is a guard that a program writes with package modelfile alone.
type byHand struct {
	m     *modelfile.Model
	cores []float64
	load  []float64
	at    []simcore.Time
}

func (g *byHand) Start(cores []float64) {
	g.cores, g.load, g.at = cores, make([]float64, len(cores)), make([]simcore.Time, len(cores))
}
func (g *byHand) Period() simcore.Time { return 5 * simcore.Second }
func (g *byHand) Look(now simcore.Time, n int32, l simcore.NodeLoad) {
	keep := math.Exp(-(now - g.at[n]).Seconds() / 60)
	g.load[n], g.at[n] = keep*g.load[n]+(1-keep)*l.CPU*g.cores[n], now
}
func (g *byHand) Took(simcore.Time, int32, simcore.NodeLoad) {}
func (g *byHand) Admits(now simcore.Time, n int32, l simcore.NodeLoad) bool {
	if l.Maps+l.Reduces == 0 {
		return true
	}
	g.Look(now, n, l)
	return !g.m.Judge("", map[string]float64{"load1": g.load[n], "cpus": g.cores[n]}).Overloaded
}

// A saved model in a spec decides as in a Go program, in every run alike; one that calls
// nothing an overload refuses nothing.
func TestGuardOfAFile(t *testing.T) {
	c, w := policyCase(40, 2, 3)
	path := saveModel(t, true, "load1/cpus")
	m, err := modelfile.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	spec := "capacity:guard=" + path
	got, times := policyRun(t, spec, c, w, yarn.RunConfig{Seed: 1})
	again, _ := policyRun(t, spec, c, w, yarn.RunConfig{Seed: 1})
	hand, byHandTimes := policyRun(t, "capacity", c, w, yarn.RunConfig{Seed: 1, Policies: yarn.Policies{
		Guard: &byHand{m: m}}})
	if !reflect.DeepEqual(got.Jobs, again.Jobs) {
		t.Error("two runs differ")
	}
	if got.GuardRefusals == 0 || got.GuardRefusals != hand.GuardRefusals || !reflect.DeepEqual(times, byHandTimes) {
		t.Errorf("refused %d times, want the program's %d, and the same times", got.GuardRefusals, hand.GuardRefusals)
	}
	if none, _ := policyRun(t, "capacity:guard="+saveModel(t, false, "load1"), c, w, yarn.RunConfig{Seed: 1}); none.
		GuardRefusals != 0 {
		t.Errorf("refused %d times, want never", none.GuardRefusals)
	}
}

// Files that are not there, are no models, or need what a simulation does not tell are errors
// of the spec; With keeps the files.
func TestFilesOfSpecs(t *testing.T) {
	path := saveModel(t, true, "load1/cpus")
	for _, spec := range []string{"capacity:guard=nowhere.json", "learning:model=nowhere.json",
		"omo:release=" + path, "coshh:classes=" + path, "learning:model=" + saveModel(t, true, "hour")} {
		if _, err := Parse(spec); err == nil {
			t.Errorf("%s: no error", spec)
		}
	}
	s, err := Parse("learning:model=" + path)
	if err != nil {
		t.Fatal(err)
	}
	if !s.File("model") || !s.With(Values{"target": "2"}).File("model") {
		t.Error("the file is lost")
	}
	if _, err := s.New(Options{Seed: 1}); err != nil {
		t.Error(err)
	}
}
