package tune

import (
	"context"
	"errors"
	"math"

	"github.com/MaxHalford/eaopt"
)

// eaopt's differential evolution and particle swarm own their loop and evaluate one point at a time. Here the loop runs
// in a goroutine of its own, in lockstep with the caller, and its "mutation
// only" model is replaced by the same step with the evaluations of a
// generation collected into one batch:
//
//  1. every individual is cloned and mutated,
//  2. the objective is called once per mutant and only records the point,
//  3. the batch goes out, the scores come back,
//  4. the objective is called again per mutant and returns its score, so that
//     the library's own bookkeeping (personal and global bests) sees it,
//  5. mutants replace their parents as the model says.
//
// For DE this is the synchronous variant (all mutants are made of the old
// generation), the textbook form; the library's is asynchronous. The methods
// search [-1, 1]^D with the starting point at the origin; u = at + z/2.
// The library's particle swarm (step towards a random unit vector around the
// origin) is used as it is.

var errNotHere = errors.New("tune: this genome is scored from outside")

// library is an eaopt method running in lockstep. (The library hands its
// model to another goroutine, so a coroutine of package iter cannot hold it.)
type library struct {
	at     Point
	start  func()
	out    chan []Point  // batches to evaluate
	back   chan struct{} // values are in
	ctx    context.Context
	cancel func()    // ends the loop
	values []float64 // scores of the batch that went out

	replay []float64 // values still to be returned by the objective; nil while recording
	record []Point
}

var _ Sampler = (*library)(nil)

// endless is more generations than any study runs.
const endless = 1 << 40

func newDE(c SamplerConfig) (Sampler, error) {
	// 0.5 and 0.8 are the usual rates (Storn and Price 1997); the library's
	// weight of 0.2 collapses early.
	de, err := eaopt.NewDiffEvo(uint(max(4, c.population(20))), endless, -1, 1, 0.5, 0.8, false, c.random())
	if err != nil {
		return nil, err
	}
	return startLibrary(c, de.GA, true, func(f func([]float64) float64) error {
		_, _, err := de.Minimize(f, uint(c.Space.Dim()))
		return err
	}), nil
}

func newPSO(c SamplerConfig) (Sampler, error) {
	pso, err := eaopt.NewSPSO(uint(c.population(40)), endless, -1, 1, 0.5, false, c.random())
	if err != nil {
		return nil, err
	}
	return startLibrary(c, pso.GA, false, func(f func([]float64) float64) error {
		_, _, err := pso.Minimize(f, uint(c.Space.Dim()))
		return err
	}), nil
}

// startLibrary wires the batch model around a method; the first Ask starts it.
func startLibrary(c SamplerConfig, ga *eaopt.GA, strict bool, minimize func(func([]float64) float64) error) *library {
	l := &library{at: c.start(), out: make(chan []Point), back: make(chan struct{})}
	l.ctx, l.cancel = context.WithCancel(context.Background())
	own := ga.Callback
	ga.Model = batchModel{strict, l.send}
	ga.EarlyStop = func(*eaopt.GA) bool { return l.ctx.Err() != nil }
	ga.Callback = func(ga *eaopt.GA) {
		if ga.Generations == 0 { // the library has "evaluated" its first points
			indis := ga.Populations[0].Individuals
			if l.send(indis) != nil {
				return
			}
			indis.SortByFitness()
		}
		if own != nil {
			own(ga)
		}
	}
	l.start = func() {
		go func() {
			defer l.settled()
			_ = minimize(l.objective) // ends by a closed context or EarlyStop only
		}()
	}
	return l
}

// settled ends the library's goroutine. Closed before its first scores came
// back, the library looks for a best point it does not have and panics; that
// is no news any more.
func (l *library) settled() {
	if r := recover(); r != nil && l.ctx.Err() == nil {
		panic(r)
	}
}

// send has a batch evaluated.
func (l *library) send(indis eaopt.Individuals) error {
	select {
	case l.out <- l.collect(indis):
	case <-l.ctx.Done():
		return l.ctx.Err()
	}
	select {
	case <-l.back:
	case <-l.ctx.Done():
		return l.ctx.Err()
	}
	return l.settle(indis)
}

// objective is what the library minimises: see the steps above.
func (l *library) objective(x []float64) float64 {
	if len(l.replay) > 0 {
		v := l.replay[0]
		l.replay = l.replay[1:]
		return v
	}
	p := make(Point, len(x))
	for i := range x {
		p[i] = l.at[i] + x[i]/2
	}
	l.record = append(l.record, p.Fold())
	return math.Inf(1)
}

// collect makes the batch of the individuals' points.
func (l *library) collect(indis eaopt.Individuals) []Point {
	l.record = nil
	for i := range indis {
		_, _ = indis[i].Genome.Evaluate()
	}
	return l.record
}

// settle lets the library see the scores of the batch.
func (l *library) settle(indis eaopt.Individuals) error {
	l.replay = l.values
	for i := range indis {
		v, err := indis[i].Genome.Evaluate()
		if err != nil {
			return err
		}
		indis[i].Fitness, indis[i].Evaluated = v, true
	}
	return nil
}

// Ask implements Sampler.
func (l *library) Ask() []Point {
	if l.start != nil {
		l.start()
		l.start = nil
	}
	return <-l.out
}

// Tell implements Sampler.
func (l *library) Tell(_ []Point, scores []Score, _ int) {
	l.values = mapped(scores, Score.cost)
	l.back <- struct{}{}
}

func (l *library) close() { l.cancel() }

// batchModel is eaopt's ModMutationOnly with one evaluation batch.
type batchModel struct {
	strict bool // a mutant replaces its parent only if it is better
	send   func(eaopt.Individuals) error
}

var _ eaopt.Model = batchModel{}

// Apply makes the next generation.
func (m batchModel) Apply(pop *eaopt.Population) error {
	mutants := pop.Individuals.Clone(pop.RNG)
	for i := range mutants {
		mutants[i].Mutate(pop.RNG)
	}
	if err := m.send(mutants); err != nil {
		return err
	}
	for i := range mutants {
		if !m.strict || mutants[i].Fitness < pop.Individuals[i].Fitness {
			pop.Individuals[i] = mutants[i]
		}
	}
	return nil
}

// Validate implements eaopt.Model.
func (m batchModel) Validate() error { return nil }
