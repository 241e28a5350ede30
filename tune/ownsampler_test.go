package tune

import (
	"context"
	"math"
	"strings"
	"testing"
)

// line is a sampler of a caller's: four points a generation along the diagonal,
// nearer to the best one each time.
type line struct {
	best, step float64
	least      float64
	dim, told  int
}

func (l *line) Ask() []Point {
	var out []Point
	for k := range 4 {
		p := make(Point, l.dim)
		for i := range p {
			p[i] = min(1, max(0, l.best+l.step*(float64(k)-1.5)))
		}
		out = append(out, p)
	}
	return out
}

func (l *line) Tell(points []Point, scores []Score) {
	l.told += len(points)
	for i, s := range scores {
		if v := s.Values[0]; v < l.least {
			l.least, l.best = v, points[i][0]
		}
	}
	l.step *= 0.8
}

// A caller's sampler takes the place of the named ones, and a resumed study asks
// it the same again.
func TestOwnSampler(t *testing.T) {
	own := func() *line { return &line{best: 0.5, step: 0.2, least: math.Inf(1), dim: 8} }
	s := own()
	r, err := Search(context.Background(), bowl(0), Options{Sampler: s, Method: "diagonal", Seed: 1, Budget: 200})
	if err != nil {
		t.Fatal(err)
	}
	if s.told < 40 || r.Sampler != "diagonal" {
		t.Errorf("told %d points, sampler %q", s.told, r.Sampler)
	}
	again, err := Search(context.Background(), bowl(0), Options{Sampler: own(), Method: "diagonal", Seed: 1, Budget: 200})
	if err != nil || again.Best.Settings.Key() != r.Best.Settings.Key() {
		t.Errorf("a second study differs: %v %v, %v", again.Best, r.Best, err)
	}
	for want, dim := range map[string]int{"of 3 coordinates, want 8": 3} {
		bad := own()
		bad.dim = dim
		if _, err := Search(context.Background(), bowl(0), Options{Sampler: bad, Budget: 100}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if _, err := Search(context.Background(), bowl(0), Options{Sampler: silent{}, Budget: 100}); err == nil || !strings.Contains(err.Error(), "asks no point") {
		t.Errorf("%v", err)
	}
}

// silent asks nothing.
type silent struct{}

func (silent) Ask() []Point          { return nil }
func (silent) Tell([]Point, []Score) {}
