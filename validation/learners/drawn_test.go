package learners

import (
	"bytes"
	"math"
	"testing"

	"schedtune/internal/models"
)

// Equal numbers give equal logs; the best balanced accuracy of a signal is near that of the
// learners that can find it, and a logistic regression finds nothing of what lies at both ends.
func TestDraw(t *testing.T) {
	for _, kind := range Kinds() {
		if a, b := Draw(kind, 3), Draw(kind, 3); !bytes.Equal(a.CSV, b.CSV) || len(a.CSV) < 1000 {
			t.Errorf("%s: two draws of %d and %d bytes differ", kind, len(a.CSV), len(b.CSV))
		}
	}
	d := Draw(Signal, 5)
	r, err := models.FitOverload([]models.Source{{Name: "log", R: bytes.NewReader(d.CSV)}}, d.Opt)
	if err != nil {
		t.Fatal(err)
	}
	if got := float64(r.Worth.Found.Value); math.Abs(got-d.Best) > 0.06 {
		t.Errorf("signal: balanced accuracy %.3f, want about %.3f", got, d.Best)
	}
}

// On a few logs of each kind the verdict is right, so that a change of it shows early; go run
// ./validation verdicts judges it on many.
func TestVerdicts(t *testing.T) {
	for _, kind := range Kinds() {
		v, err := JudgeVerdicts(kind, 5, false)
		if err != nil {
			t.Fatal(err)
		}
		learnable, worth := 5, 5
		switch kind {
		case Noise:
			learnable, worth = 0, 0
		case Signal:
			worth = 0
		}
		if v.Learnable != learnable || v.Worth != worth {
			t.Errorf("%+v, want %d learnable, %d worth it", v, learnable, worth)
		}
	}
}
