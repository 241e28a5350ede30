package learners

import (
	"bytes"
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"schedtune/internal/models"
	"schedtune/internal/rng"
)

// Logs drawn to judge the verdict of fit overload: logs in which there is nothing to learn,
// with all that can look like something, and logs with a signal of a known size.

// Drawn is one heartbeat log.
type Drawn struct {
	Kind string
	CSV  []byte
	Opt  models.OverloadOptions
	Best float64 // balanced accuracy of the best possible decisions; NaN where it is not known
}

// Kinds of drawn logs.
const (
	Noise      = "noise"      // labels are constant or independent of the features
	Signal     = "signal"     // two normal classes: every learner can find it
	BayesOnly  = "bayes"      // overload at both ends of a feature: no linear learner can
	LinearOnly = "perceptron" // a boundary that turns round: only a learner that forgets can
)

// Kinds are the kinds of drawn logs.
func Kinds() []string { return []string{Noise, Signal, BayesOnly, LinearOnly} }

const purposeDrawn = 0x64726177

// drawLog is a log under construction.
type drawLog struct {
	k        rng.Key
	rows     int
	nodes    int
	features int
	buf      bytes.Buffer
}

// normal returns draw i of a row as a standard normal number.
func normal(k rng.Key, i uint64) float64 {
	return distuv.UnitNormal.Quantile(math.Min(math.Max(k.Float64(i), 1e-12), 1-1e-12))
}

// between is draw i of a log, from low to high.
func between(k rng.Key, i uint64, low, high float64) float64 { return low + k.Float64(i)*(high-low) }

// Draw makes log number n of a kind; equal numbers give equal logs. Odd ones are for
// development, even ones for the end.
func Draw(kind string, n int) Drawn {
	k := rng.NewKey(uint64(n), purposeDrawn).At(uint64(len(kind)))
	d := drawLog{k: k, rows: 500 + k.IntN(0, 2500), nodes: 1 + k.IntN(1, 20), features: 3 + k.IntN(2, 4)}
	out := Drawn{Kind: kind, Best: math.NaN()}
	switch kind {
	case Noise:
		out.Opt.Delay, out.Best = d.noise(), 0.5
	case Signal:
		d.rows = 2000 + k.IntN(3, 4000)
		out.Best = between(k, 4, 0.6, 0.95)
		d.classes(between(k, 5, 0.1, 0.9), distuv.UnitNormal.Quantile(out.Best), d.rows)
	case BayesOnly:
		d.rows = 2000 + k.IntN(3, 4000)
		d.ends(between(k, 5, 0.1, 0.5), between(k, 6, 1.5, 3))
	case LinearOnly:
		d.rows = 3000 + k.IntN(3, 3000)
		d.classes(between(k, 5, 0.2, 0.8), between(k, 6, 2, 3), 100+k.IntN(7, 200))
	}
	out.CSV = d.buf.Bytes()
	return out
}

// header begins the log.
func (d *drawLog) header() {
	d.buf.WriteString("time,node,outcome")
	for i := range d.features {
		fmt.Fprintf(&d.buf, ",f%d", i+1)
	}
	d.buf.WriteByte('\n')
}

// row writes a row; the time is that of the node's turn.
func (d *drawLog) row(i int, bad bool, x []float64) {
	fmt.Fprintf(&d.buf, "%d,n%d,%d", 5*(i/d.nodes), i%d.nodes, map[bool]int{false: 1, true: 0}[bad])
	for _, v := range x {
		fmt.Fprintf(&d.buf, ",%.5g", v)
	}
	d.buf.WriteByte('\n')
}

// noise writes labels that no feature tells: constant, independent draws of a base rate from
// 2 to 98 %, a base rate that drifts, runs of equal labels, nodes that differ; features are
// independent, walks, or hours; rows may be written twice. It returns the delay of labels.
func (d *drawLog) noise() (delay int) {
	k := d.k
	rate, to := between(k, 10, 0.02, 0.98), between(k, 11, 0.02, 0.98)
	form, twice := k.IntN(12, 6), k.IntN(13, 4) == 0
	if k.IntN(14, 2) == 0 {
		delay = 1 + k.IntN(15, 60)
	}
	stay := 1 - 1/between(k, 16, 2, 60) // of a run of equal labels
	last := make([]bool, d.nodes)
	walk := make([]float64, d.features)
	d.header()
	x := make([]float64, d.features)
	for i := range d.rows {
		r, node := k.At(uint64(i+1)), i%d.nodes
		p, bad := rate, false
		switch form {
		case 1: // drift
			p += (to - rate) * float64(i) / float64(d.rows)
		case 2: // by node
			p = between(k.At(1<<40), uint64(node), 0.02, 0.98)
		}
		bad = r.Float64(0) < p
		switch {
		case form == 3 && i >= d.nodes && r.Float64(1) < stay: // runs
			bad = last[node]
		case form == 4: // constant, but for a few
			bad = rate > 0.5 != (r.Float64(0) < 0.002)
		}
		last[node] = bad
		for f := range x {
			walk[f] += 0.05 * normal(r, uint64(10+f))
			switch (f + int(rate*100)) % 4 {
			case 0:
				x[f] = normal(r, uint64(30+f))
			case 1:
				x[f] = walk[f]
			case 2:
				x[f] = float64(r.IntN(uint64(50+f), 8))
			case 3:
				x[f] = float64(5 * (i / d.nodes) / 3600 % 24)
			}
		}
		d.row(i, bad, x)
		if twice {
			d.row(i, bad, x)
		}
	}
	return delay
}

// sign is 1 for an overload, else -1.
func sign(bad bool) float64 {
	if bad {
		return 1
	}
	return -1
}

// normals writes rows of independent normal features, of which move moves those of a class.
func (d *drawLog) normals(rate float64, move func(x []float64, i int, r rng.Key, bad bool)) {
	d.header()
	x := make([]float64, d.features)
	for i := range d.rows {
		r := d.k.At(uint64(i + 1))
		bad := r.Float64(0) < rate
		for f := range x {
			x[f] = normal(r, uint64(10+f))
		}
		move(x, i, r, bad)
		d.row(i, bad, x)
	}
}

// classes writes two normal classes whose means lie 2 z apart along one direction, so that
// the best balanced accuracy is the normal distribution at z; the direction turns round every
// so many rows.
func (d *drawLog) classes(rate, z float64, every int) {
	u := d.direction()
	d.normals(rate, func(x []float64, i int, _ rng.Key, bad bool) {
		side := z * sign(bad != (i/every%2 == 1))
		for f := range x {
			x[f] += side * u[f]
		}
	})
}

// ends writes classes of which the bad lies at both ends of the first feature.
func (d *drawLog) ends(rate, apart float64) {
	d.normals(rate, func(x []float64, _ int, r rng.Key, bad bool) {
		if bad {
			x[0] += math.Copysign(apart, r.Float64(1)-0.5)
		}
	})
}

// direction is a unit vector.
func (d *drawLog) direction() []float64 {
	u, sum := make([]float64, d.features), 0.0
	for f := range u {
		u[f] = normal(d.k, uint64(20+f))
		sum += u[f] * u[f]
	}
	for f := range u {
		u[f] /= math.Sqrt(sum)
	}
	return u
}

// Verdicts are the counts of what fit overload says of the drawn logs of one kind.
type Verdicts struct {
	Kind      string `json:"kind"`
	Logs      int    `json:"logs"`
	Learnable int    `json:"learnable"`
	Worth     int    `json:"worth_it"`
	Constant  int    `json:"worth_it_constant"` // of a learner that gives one answer only
}

func (v *Verdicts) add(r *models.OverloadResult) {
	w := r.Worth
	if w == nil {
		return
	}
	if w.Learnable {
		v.Learnable++
	}
	if !w.WorthIt {
		return
	}
	v.Worth++
	for _, l := range r.Learners {
		if c := l.Confusion; l.Name == w.Best.Learner && (c[0][0]+c[1][0] == 0 || c[0][1]+c[1][1] == 0) {
			v.Constant++
		}
	}
}

// JudgeVerdicts fits so many logs of a kind, with odd numbers or, held out, even ones.
func JudgeVerdicts(kind string, logs int, heldOut bool) (Verdicts, error) {
	v := Verdicts{Kind: kind, Logs: logs}
	for i := range logs {
		n := 2*i + 1
		if heldOut {
			n = 2*i + 2
		}
		d := Draw(kind, n)
		r, err := models.FitOverload([]models.Source{{Name: d.Kind, R: bytes.NewReader(d.CSV)}}, d.Opt)
		if err != nil {
			return v, fmt.Errorf("log %d of %s: %w", n, kind, err)
		}
		v.add(r)
	}
	return v, nil
}
