package classify

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os/exec"
	"testing"
)

// Five decisions by hand: of the six pairs of bad and good four are in order and one is a tie.
func TestScores(t *testing.T) {
	s := Scores{{0.9, true}, {0.8, false}, {0.6, true}, {0.6, false}, {0.1, false}}
	near(t, "AUC", s.AUC(), 4.5/6, 1e-12)
	near(t, "average precision", s.AveragePrecision(), 0.5*1+0.5*2/4, 1e-12)
	near(t, "Brier", s.Brier(), (0.01+0.64+0.16+0.36+0.01)/5, 1e-12)
	near(t, "log loss", s.LogLoss(), -(math.Log(0.9)+math.Log(0.2)+math.Log(0.6)+math.Log(0.4)+math.Log(0.9))/5, 1e-12)
	bins, ece := s.Calibration()
	if len(bins) != 4 || bins[1].Decisions != 2 || bins[1].Observed != 0.5 {
		t.Errorf("bins: got %+v, want four, the second of two decisions", bins)
	}
	near(t, "calibration error", ece, (0.1+2*0.1+0.8+0.1)/5, 1e-12)
}

// A score without an order, as 2 before 1, is pooled; between its points the function is
// linear, beyond them constant.
func TestIsotonic(t *testing.T) {
	m := FitIsotonic(Scores{{1, false}, {2, true}, {3, false}, {4, true}, {4, true}})
	for x, want := range map[float64]float64{0: 0, 1: 0, 1.5: 0.25, 2: 0.5, 3: 0.5, 3.5: 0.75, 4: 1, 9: 1} {
		near(t, "probability", m.Probability(x), want, 1e-12)
	}
	if p := FitIsotonic(nil).Probability(1); p == p {
		t.Errorf("nothing fitted: got %v, want NaN", p)
	}
}

// Rescaling a feature changes no judgement of the models that carry over exactly, and
// histograms keep their counts.
func TestRescale(t *testing.T) {
	s := Schema{{Name: "a", Levels: 10, Low: 1, High: 10}, {Name: "b", Levels: 10, Low: 1, High: 10}}
	const a, b = 0.4, 0.7
	r := rand.New(rand.NewPCG(1, 1))
	g, _ := NewGaussian(s, Binary())
	p, _ := NewPerceptron(s, Binary(), true)
	l, _ := NewLogistic(s, Binary())
	c, _ := NewCategorical(s, Binary())
	for _, m := range []Model{g, p, l, c} {
		for range 300 {
			x := []float64{1 + 9*r.Float64(), 1 + 9*r.Float64()}
			y := Bad
			if x[0] > x[1] {
				y = Good
			}
			if err := m.Learn(x, y); err != nil {
				t.Fatal(err)
			}
		}
		same := Clone(m)
		m.Rescale(0, a, b)
		if m == Model(c) {
			if c.known[0] != sum(c.Levels[0][:10]) || c.Levels[0][9] != 0 {
				t.Errorf("histogram %v, want %v counts, none in the last level", c.Levels[0][:10], c.known[0])
			}
			continue
		}
		for range 100 {
			x := []float64{1 + 9*r.Float64(), 1 + 9*r.Float64()}
			want := same.LogOdds(x, nil)[1] - same.LogOdds(x, nil)[0]
			x[0] = a*x[0] + b
			near(t, "log odds", m.LogOdds(x, nil)[1]-m.LogOdds(x, nil)[0], want, 1e-6*(1+math.Abs(want)))
		}
	}
}

// Every figure is scikit-learn's, on scores with and without ties.
func TestScoresAgainstScikitLearn(t *testing.T) {
	if err := exec.Command("python3", "-c", "import sklearn").Run(); err != nil {
		t.Skip("python3 has no scikit-learn")
	}
	r := rand.New(rand.NewPCG(7, 7))
	for _, ties := range []bool{false, true} {
		var s Scores
		in := map[string][]float64{"p": nil, "y": nil}
		for range 4000 {
			p := r.Float64()
			if ties {
				p = math.Round(20*p) / 20
			}
			d := Scored{p, r.Float64() < p*p}
			s = append(s, d)
			in["p"], in["y"] = append(in["p"], p), append(in["y"], map[bool]float64{true: 1}[d.Bad])
		}
		text, _ := json.Marshal(in)
		cmd := exec.Command("python3", "-c", `
import json, sys
from sklearn.metrics import *
from sklearn.isotonic import IsotonicRegression
d = json.load(sys.stdin); y, p = [int(v) for v in d["y"]], d["p"]
iso = IsotonicRegression(out_of_bounds="clip").fit(p, y)
print(json.dumps([roc_auc_score(y, p), average_precision_score(y, p), brier_score_loss(y, p), log_loss(y, p)]
  + [float(v) for v in iso.predict([0.05, 0.31, 0.5, 0.77, 0.95])]))`)
		cmd.Stdin = bytes.NewReader(text)
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		var want []float64
		if err := json.Unmarshal(out, &want); err != nil {
			t.Fatal(err)
		}
		got := []float64{s.AUC(), s.AveragePrecision(), s.Brier(), s.LogLoss()}
		iso := FitIsotonic(s)
		for _, x := range []float64{0.05, 0.31, 0.5, 0.77, 0.95} {
			got = append(got, iso.Probability(x))
		}
		for i := range want {
			near(t, []string{"AUC", "average precision", "Brier", "log loss", "isotonic", "isotonic", "isotonic", "isotonic",
				"isotonic"}[i], got[i], want[i], 1e-6)
		}
	}
}
