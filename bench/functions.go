package main

import (
	"fmt"
	"math"
	"strconv"

	"schedtune/internal/rng"
	"schedtune/tune"
)

// Noisy test functions after the BBOB noisy suite (Hansen, Finck, Ros and
// Auger, INRIA RR-6869, 2009), on coordinates in [0, 1] with a random optimum
// and a random current configuration:
//
//	value(v, seed) = F(v + d_seed) * common_seed * own_{seed, v}
//	F(v) = 1 + 2 f(v - v*) / f(v_present - v*)
//
// so the current configuration costs about 3 and the optimum about 1. d_seed is a normal
// shift of sd 0.03 per coordinate: every seed has an optimum of its own, as
// every day of a cluster has, and a method that looks at few seeds over-fits.
// common_seed is lognormal (sd 0.3) and cancels in paired comparisons;
// own is independent per evaluation: lognormal sd 0.1 (gauss), a power of a
// uniform (uniform), or lognormal with a rare Cauchy outlier (cauchy).

// shape is a function of the distance vector to the optimum.
type shape struct {
	name string
	f    func(x []float64) float64
}

func shapes() []shape {
	return []shape{
		{"sphere", sphere}, {"ellipsoid", ellipsoid}, {"rosenbrock", rosenbrock},
		{"rastrigin", rastrigin}, {"step", stepEllipsoid}, {"ackley", ackley},
	}
}

func sphere(x []float64) float64 {
	s := 0.0
	for _, v := range x {
		s += v * v
	}
	return s
}

// ellipsoid has condition number 10^4.
func ellipsoid(x []float64) float64 {
	s := 0.0
	for i, v := range x {
		s += math.Pow(1e4, part(i, len(x))) * v * v
	}
	return s
}

func part(i, n int) float64 {
	if n < 2 {
		return 0
	}
	return float64(i) / float64(n-1)
}

func rosenbrock(x []float64) float64 {
	s := 0.0
	for i := 0; i+1 < len(x); i++ {
		a, b := 3*x[i]+1, 3*x[i+1]+1
		s += 100*(a*a-b)*(a*a-b) + (a-1)*(a-1)
	}
	return s
}

func rastrigin(x []float64) float64 {
	s := 0.0
	for _, v := range x {
		v *= 5
		s += v*v + 4*(1-math.Cos(2*math.Pi*v))
	}
	return s
}

// stepEllipsoid is the ellipsoid of condition 100 on plateaus.
func stepEllipsoid(x []float64) float64 {
	s := 0.0
	for i, v := range x {
		v = math.Round(v*20) / 20
		s += math.Pow(100, part(i, len(x))) * v * v
	}
	return s
}

func ackley(x []float64) float64 {
	n := float64(len(x))
	q, c := 0.0, 0.0
	for _, v := range x {
		v *= 10
		q += v * v
		c += math.Cos(2 * math.Pi * v)
	}
	return 20 - 20*math.Exp(-0.2*math.Sqrt(q/n)) + math.E - math.Exp(c/n)
}

// Purposes of random numbers.
const (
	forOptimum = iota + 1
	forPresent
	forRotation
	forShift
	forCommon
	forOwn
	forLevels
)

// function assembles a problem from a shape on a unit cube.
type function struct {
	shape    shape
	optimum  []float64
	rotation [][]float64
	scale    float64 // f at the current configuration
	noise    string
	key      rng.Key
	mapping  func(s tune.Settings) []float64 // settings → coordinates
}

// value is F at coordinates v.
func (f *function) value(v []float64) float64 {
	x := make([]float64, len(v))
	for i := range v {
		d := v[i] - f.optimum[i]
		if f.rotation == nil {
			x[i] = d
			continue
		}
		for j := range x {
			x[j] += f.rotation[j][i] * d
		}
	}
	return 1 + 2*f.shape.f(x)/f.scale
}

// shifted is F under a seed's shift.
func (f *function) shifted(v []float64, seed uint64) float64 {
	k := rng.NewKey(seed, forShift)
	w := make([]float64, len(v))
	for i := range v {
		w[i] = v[i] + 0.03*k.Norm(uint64(i))
	}
	return f.value(w)
}

// run is one noisy evaluation.
func (f *function) run(s tune.Settings, seed uint64) float64 {
	v := f.mapping(s)
	own := rng.NewKey(seed, forOwn)
	for _, x := range v {
		own = own.At(math.Float64bits(x))
	}
	n := 0.3*rng.NewKey(seed, forCommon).Norm(0) + f.own(own)
	return f.shifted(v, seed) * math.Exp(n)
}

func (f *function) own(k rng.Key) float64 {
	switch f.noise {
	case "uniform":
		return 0.35 * (k.Float64(0) - 0.5)
	case "cauchy":
		if k.Float64(1) < 0.01 {
			return math.Min(4, math.Abs(math.Tan(math.Pi*(k.Open(2)-0.5))))
		}
	}
	return 0.1 * k.Norm(0)
}

// heldOut is the number of seeds behind the truth of a function.
const heldOut = 64

// truth is the mean over held-out seeds without multiplicative noise.
func (f *function) truth(s tune.Settings) float64 {
	v := f.mapping(s)
	sum := 0.0
	for i := range heldOut {
		sum += f.shifted(v, 1<<60+uint64(i))
	}
	return sum / heldOut
}

// finish sets the scale and wraps the function up; best is given by the
// optimum's own settings.
func (f *function) finish(name string, space *tune.Space, best tune.Settings, budget int) *problem {
	f.scale = 1
	f.scale = (f.value(f.mapping(space.PresentSettings())) - 1) / 2
	return &problem{name: name, space: space, run: f.run, truth: f.truth, best: f.truth(best), budget: budget}
}

// continuous is a shape on d linear parameters.
func continuous(sh shape, d int, noise string, instance uint64, budget int) (*problem, error) {
	name := fmt.Sprintf("%s-%d", sh.name, d)
	f := newFunction(sh, d, noise, name, instance)
	var ps []tune.Param
	var best tune.Settings
	start := f.key.At(forPresent)
	for i := range d {
		n := fmt.Sprintf("x%d", i)
		ps = append(ps, tune.Param{Name: n, Min: 0, Max: 1, Present: short(0.1 + 0.8*start.Float64(uint64(i)))})
		best = append(best, tune.Setting{Name: n, Value: strconv.FormatFloat(f.optimum[i], 'g', -1, 64)})
	}
	space, err := tune.NewSpace(ps...)
	if err != nil {
		return nil, err
	}
	f.mapping = numbers
	return f.finish(name, space, best, budget), nil
}

func newFunction(sh shape, d int, noise, name string, instance uint64) *function {
	key := rng.NewKey(instance, forOptimum)
	for _, c := range name {
		key = key.At(uint64(c))
	}
	f := &function{shape: sh, noise: noise, key: key}
	for i := range d {
		f.optimum = append(f.optimum, 0.15+0.7*key.Float64(uint64(i)))
	}
	if sh.name == "ellipsoid" || sh.name == "step" {
		f.rotation = rotation(d, key.At(forRotation))
	}
	return f
}

func short(v float64) string { return strconv.FormatFloat(v, 'g', 3, 64) }

// rotation is a random orthogonal matrix by Gram-Schmidt.
func rotation(d int, k rng.Key) [][]float64 {
	q := make([][]float64, d)
	for i := range q {
		q[i] = make([]float64, d)
		for j := range q[i] {
			q[i][j] = k.Norm(uint64(i*d + j))
		}
		for p := range i {
			dot := 0.0
			for j := range d {
				dot += q[i][j] * q[p][j]
			}
			for j := range d {
				q[i][j] -= dot * q[p][j]
			}
		}
		n := math.Sqrt(sphere(q[i]))
		for j := range d {
			q[i][j] /= n
		}
	}
	return q
}

// mixed has a third each of continuous, integer (3 to 12 levels) and
// categorical (3 choices) parameters. A wrong choice counts like a distance of
// 0.4 in its coordinate.
func mixed(sh shape, d int, noise string, instance uint64, budget int) (*problem, error) {
	name := fmt.Sprintf("mixed-%s-%d", sh.name, d)
	f := newFunction(sh, d, noise, name, instance)
	f.rotation = nil
	levels, start := f.key.At(forLevels), f.key.At(forPresent)
	var ps []tune.Param
	var best tune.Settings
	n := make([]int, d)
	for i := range d {
		p := tune.Param{Name: fmt.Sprintf("x%d", i)}
		var at string
		switch i % 3 {
		case 0:
			p.Max, p.Present = 1, short(0.1+0.8*start.Float64(uint64(i)))
			at = strconv.FormatFloat(f.optimum[i], 'g', -1, 64)
		case 1:
			n[i] = 3 + levels.IntN(uint64(i), 10)
			p.Kind, p.Max = tune.Integer, float64(n[i]-1)
			p.Present = strconv.Itoa(start.IntN(uint64(i), n[i]))
			k := int(math.Round(f.optimum[i] * p.Max))
			f.optimum[i] = float64(k) / p.Max
			at = strconv.Itoa(k)
		case 2:
			p.Kind, p.Choices = tune.Category, []string{"0", "1", "2"}
			p.Present = p.Choices[start.IntN(uint64(i), 3)]
			at = p.Choices[levels.IntN(uint64(i), 3)]
			f.optimum[i] = 0.5
		}
		ps = append(ps, p)
		best = append(best, tune.Setting{Name: p.Name, Value: at})
	}
	space, err := tune.NewSpace(ps...)
	if err != nil {
		return nil, err
	}
	f.mapping = func(s tune.Settings) []float64 {
		v := numbers(s)
		for i := range v {
			switch i % 3 {
			case 1:
				v[i] /= float64(n[i] - 1)
			case 2:
				if s[i].Value == best[i].Value {
					v[i] = 0.5
				} else {
					v[i] = 0.9
				}
			}
		}
		return v
	}
	return f.finish(name, space, best, budget), nil
}

// functionProblems lists the suite. instance selects optimum, present
// configuration and rotation; the published tables use instance 1, and the
// search was developed on others.
func functionProblems(dims []int, instance uint64, budget int) ([]*problem, error) {
	noises := []string{"gauss", "uniform", "cauchy"}
	var out []*problem
	var failed error
	add := func(p *problem, err error) {
		if err != nil {
			failed = err
			return
		}
		p.instance = instance
		out = append(out, p)
	}
	n := 0
	noise := func() string { n++; return noises[n%3] }
	for _, d := range dims {
		for _, sh := range shapes() {
			add(continuous(sh, d, noise(), instance, budget))
		}
		add(mixed(shapes()[0], d, noise(), instance, budget))
		add(mixed(shapes()[3], d, noise(), instance, budget))
		if d < 40 {
			add(simplex(d+1, noise(), instance, budget))
		}
	}
	return out, failed
}
