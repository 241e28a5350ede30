package classify

import "fmt"

// Progressive (prequential) evaluation with delayed labels (Dawid, 1984; the
// paper's figure 10 counts accuracy per 250 decisions the same way): every
// observation is first judged, then learned, and the label is learned only
// Delay decisions later, as a heartbeat's outcome is known only at the next
// one. Time is never shuffled.

// ProgressiveOptions sets an evaluation; the zero value is usable.
type ProgressiveOptions struct {
	// Delay is how many further decisions are judged before a label is
	// learned; 0 learns at once.
	Delay int
	// Window is the number of decisions per point of the learning curve; 0
	// reads as the paper's 250.
	Window int
}

// CurvePoint is one window of the learning curve.
type CurvePoint struct {
	Decisions int     // judged up to and with this window
	Accuracy  float64 // within the window
	BaseRate  float64 // share of the window's most frequent class
}

// Progressive judges and teaches a model.
type Progressive struct {
	model   Model
	opt     ProgressiveOptions
	total   *Confusion
	window  *Confusion
	curve   []CurvePoint
	scratch []float64
	queue   []pending // ring of delayed labels
	head    int
	waiting int
	n       int
}

type pending struct {
	x     []float64
	class int
}

// NewProgressive starts an evaluation of a model, trained or not.
func NewProgressive(m Model, opt ProgressiveOptions) *Progressive {
	if opt.Window <= 0 {
		opt.Window = 250
	}
	opt.Delay = max(opt.Delay, 0)
	p := &Progressive{model: m, opt: opt, scratch: make([]float64, len(m.ClassNames()))}
	p.total, p.window = NewConfusion(m.ClassNames()), NewConfusion(m.ClassNames())
	p.queue = make([]pending, opt.Delay+1)
	for i := range p.queue {
		p.queue[i].x = make([]float64, len(m.Features()))
	}
	return p
}

// Step judges an observation, then learns the label that is due, and returns
// the judgement.
func (p *Progressive) Step(x []float64, class int) (guess int, err error) {
	if len(x) != len(p.model.Features()) {
		return 0, fmt.Errorf("classify: vector of %d features; allowed: %d", len(x), len(p.model.Features()))
	}
	if class < 0 || class >= len(p.scratch) {
		return 0, fmt.Errorf("classify: class %d; allowed: 0 to %d", class, len(p.scratch)-1)
	}
	guess = Predict(p.model, x, p.scratch)
	p.score(class, guess)
	slot := &p.queue[(p.head+p.waiting)%len(p.queue)]
	copy(slot.x, x)
	slot.class = class
	p.waiting++
	if p.waiting > p.opt.Delay {
		return guess, p.learnOne()
	}
	return guess, nil
}

func (p *Progressive) score(class, guess int) {
	p.total.Add(class, guess)
	p.window.Add(class, guess)
	if p.n++; p.n%p.opt.Window == 0 {
		p.closeWindow()
	}
}

func (p *Progressive) closeWindow() {
	p.curve = append(p.curve, CurvePoint{p.n, p.window.Accuracy(), p.window.BaseRate()})
	for _, r := range p.window.Counts {
		clear(r)
	}
}

func (p *Progressive) learnOne() error {
	s := &p.queue[p.head]
	p.head = (p.head + 1) % len(p.queue)
	p.waiting--
	return p.model.Learn(s.x, s.class)
}

// Finish learns the labels still waiting and closes the last, shorter window.
func (p *Progressive) Finish() error {
	for p.waiting > 0 {
		if err := p.learnOne(); err != nil {
			return err
		}
	}
	if p.window.Total() > 0 {
		p.closeWindow()
	}
	return nil
}

// Confusion returns the matrix over all decisions so far.
func (p *Progressive) Confusion() *Confusion { return p.total }

// Curve returns the learning curve: one point per window.
func (p *Progressive) Curve() []CurvePoint { return p.curve }
