package tune

import (
	"math"
	"sort"
	"testing"

	"schedtune/internal/rng"
	"schedtune/internal/stats"
)

// x = 1 … 5 has mean 3 and sd sqrt(2.5); Student's t with 4 degrees of freedom
// has its 0.975 quantile at 2.776445 (any table), so the half width is
// 2.776445 * sqrt(2.5/5) = 1.963243.
func TestMeanInterval(t *testing.T) {
	iv := MeanInterval([]float64{1, 2, 3, 4, 5}, 0.95)
	if math.Abs(iv.Mean-3) > 1e-12 || math.Abs(iv.High-4.963243) > 1e-5 || math.Abs(iv.Low-1.036757) > 1e-5 {
		t.Errorf("%+v", iv)
	}
	if iv := MeanInterval([]float64{2, 2, 2}, 0.95); iv.Low != 2 || iv.High != 2 {
		t.Errorf("no spread: %+v", iv)
	}
	if iv := MeanInterval([]float64{2}, 0.95); iv.Low > -1e300 || iv.High < 1e300 {
		t.Errorf("one value says nothing about spread: %+v", iv)
	}
}

// The nominal coverage is 0.95. Over R repeats the observed one has standard
// error sqrt(0.95*0.05/R); four of them are allowed for normal data. For
// exponential data of n = 20 Student's interval is known to fall short by two
// to four points, the bootstrap-t by about one.
func TestIntervalsCover(t *testing.T) {
	repeats := 600
	if long() {
		repeats = 5000
	}
	se := math.Sqrt(0.95 * 0.05 / float64(repeats))
	for _, c := range []struct {
		name  string
		draw  func(k rng.Key, i uint64) float64
		mean  float64
		slack float64
	}{
		{"normal", func(k rng.Key, i uint64) float64 { return 3 + k.Norm(i) }, 3, 0},
		{"exponential", func(k rng.Key, i uint64) float64 { return k.Exp(i) }, 1, 0.02},
	} {
		inT, inB := 0, 0
		for r := range repeats {
			k := rng.NewKey(11, uint64(r))
			x := make([]float64, 20)
			for i := range x {
				x[i] = c.draw(k, uint64(i))
			}
			if iv := MeanInterval(x, 0.95); iv.Low <= c.mean && c.mean <= iv.High {
				inT++
			}
			if iv := bootstrapInterval(x, 0.95, k.At(1)); iv.Low <= c.mean && c.mean <= iv.High {
				inB++
			}
		}
		t.Logf("%s: t %.3f, bootstrap-t %.3f of %d", c.name, float64(inT)/float64(repeats), float64(inB)/float64(repeats),
			repeats)
		if p := float64(inT) / float64(repeats); c.name == "normal" && math.Abs(p-0.95) > 4*se {
			t.Errorf("%s: t interval covers %v", c.name, p)
		}
		if p := float64(inB) / float64(repeats); p < 0.95-c.slack-4*se {
			t.Errorf("%s: bootstrap interval covers %v", c.name, p)
		}
	}
}

// In one dimension the first 2^k scrambled Sobol points have exactly one point
// in each of the 2^k intervals; in coordinates 1 and 2 the first 2^k fill
// every elementary box of the plane (a (0, m, 2)-net).
func TestSobolStratifies(t *testing.T) {
	var ps []Param
	for range 45 {
		ps = append(ps, Param{Name: string(rune('A' + len(ps))), Max: 1, Present: "0.5"})
	}
	sp, err := NewSpace(ps...)
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewSampler("sobol", SamplerConfig{Space: sp, Seed: uint64(rng.NewKey(3, 3)), Population: 256})
	if err != nil {
		t.Fatal(err)
	}
	points := s.Ask()
	for j := range sp.Dim() {
		seen := map[int]bool{}
		for _, p := range points {
			seen[int(p[j]*256)] = true
		}
		if len(seen) != 256 {
			t.Errorf("coordinate %d: %d of 256 intervals hit", j, len(seen))
		}
	}
	for a := 0; a <= 8; a++ { // boxes of 2^-a by 2^-(8-a)
		seen := map[[2]int]bool{}
		for _, p := range points {
			seen[[2]int{int(p[0] * float64(int(1)<<a)), int(p[1] * float64(int(1)<<(8-a)))}] = true
		}
		if len(seen) != 256 {
			t.Errorf("boxes of shape %d: %d of 256 hit", a, len(seen))
		}
	}
}

// The margin's corrected normal has the tails it promises, computed from the
// distribution function and not by the code under test.
func TestMarginTails(t *testing.T) {
	const alpha = 0.01
	tail := func(x float64) float64 { return 0.5 * math.Erfc(x/math.Sqrt2) }
	for _, c := range []struct{ m, dev, lo, hi float64 }{
		{0.5, 0.001, 0.4, 0.6}, {0.41, 0.002, 0.4, 0.6}, {0.5, 0.5, 0.4, 0.6}, {0.59, 0.02, 0.4, 0.6},
	} {
		m, d := innerMargin(c.m, c.dev, c.lo, c.hi, alpha)
		low, up := tail((m-c.lo)/d), tail((c.hi-m)/d)
		if low < alpha/2*0.999 || up < alpha/2*0.999 {
			t.Errorf("%+v: tails %v and %v", c, low, up)
		}
	}
	m := edgeMean(0.1, 0.001, 0.5, alpha)
	if p := tail((0.5 - m) / 0.001); math.Abs(p-alpha) > 1e-9 || m > 0.5 {
		t.Errorf("edge: mean %v leaves with probability %v", m, p)
	}
	if m := edgeMean(0.49, 0.1, 0.5, alpha); m != 0.49 {
		t.Errorf("edge: a mobile mean moved to %v", m)
	}
}

// hypervolume of the points (1, 3) and (2, 1) under the reference (4, 4):
// boxes 3*1 + 2*2 = 7 of the box (4-1)*(4-1) = 9.
func TestHypervolumeAndKnee(t *testing.T) {
	front := [][]float64{{1, 3}, {2, 1}}
	if h := hypervolume(front, []float64{4, 4}); math.Abs(h-7.0/9) > 1e-12 {
		t.Errorf("hypervolume %v, want 7/9", h)
	}
	// On the quarter circle around (1, 1) the nearest point to (0, 0) is at 45°.
	var arc [][]float64
	for i := 0; i <= 10; i++ {
		a := float64(i) / 10 * math.Pi / 2
		arc = append(arc, []float64{1 - math.Sin(a), 1 - math.Cos(a)})
	}
	if k := byIdeal(arc)[0]; k != 5 {
		t.Errorf("knee at %d, want 5", k)
	}
}

func TestQuantileInterpolates(t *testing.T) {
	x := []float64{3, 1, 2}
	sort.Float64s(x)
	if q := stats.Quantile(x, 0.25); q != 1.5 {
		t.Errorf("%v, want 1.5", q)
	}
}
