package models

import (
	"math"
	"slices"

	"schedtune/classify"
	"schedtune/classify/modelfile"
	"schedtune/internal/rng"
	"schedtune/internal/text"
)

// What a learner that stops learning is worth. Of the decisions every n-th is kept, n the
// smallest power of two that keeps at most keptDecisions, and of the learners copies from
// time to time. In the end the copies of before the last 30 % judge these.

const (
	keptDecisions = 1 << 15 // with their features
	keptScores    = 1 << 24 // without, where a saved model judges
	holdOut       = 0.3
	snapshotEvery = 1.05 // ratio of decisions between copies
	shufflePasses = 5    // tried where the order of rows may matter
)

// Frozen judges learners that do not learn on. Figures of probabilities are absent for a
// perceptron, which has none, unless recalibrated.
type Frozen struct {
	Decisions int      `json:"decisions"`
	FirstTime text.Num `json:"first_time"` // of the first of them
	FirstLine int64    `json:"first_line"`
	Figures
	AUC        text.Num `json:"auc"`
	Average    text.Num `json:"average_precision"`
	Raw        *Chances `json:"probabilities,omitempty"`
	Calibrated *Chances `json:"calibrated,omitempty"` // by isotonic regression on earlier decisions
	// Shuffled is what five passes in shuffled order reach, where the order of rows costs a
	// perceptron more than five points of balanced accuracy.
	Shuffled text.Num `json:"balanced_accuracy_shuffled,omitempty"`
}

// Chances judges probabilities of overload.
type Chances struct {
	Brier   text.Num `json:"brier"`
	LogLoss text.Num `json:"log_loss"`
	ECE     text.Num `json:"expected_calibration_error"`
	// Exact is the calibration error that exact probabilities are expected to show on as many decisions.
	Exact text.Num                  `json:"calibration_error_if_exact"`
	Curve []classify.CalibrationBin `json:"curve"`
}

func chances(s classify.Scores) *Chances {
	c := &Chances{Brier: text.Num(s.Brier()), LogLoss: text.Num(s.LogLoss())}
	bins, ece := s.Calibration()
	c.Curve, c.ECE = bins, text.Num(ece)
	for _, b := range bins { // the mean of a normal distribution's absolute value
		c.Exact += text.Num(math.Sqrt(2/math.Pi*float64(b.Decisions)*b.Predicted*(1-b.Predicted)) / float64(len(s)))
	}
	return c
}

// kept holds decisions with what the learners said of them, and copies of the learners.
type kept struct {
	list   []keptDecision
	every  int // every n-th decision is kept
	most   int
	n      int // decisions so far
	next   float64
	copies []snapshot
}

type keptDecision struct {
	n    int // its number
	x    []float64
	odds []float64 // by learner
	bad  bool
	time float64
	line int64
}

// snapshot is the learners after n decisions.
type snapshot struct {
	n        int
	models   []classify.Model
	features []modelfile.Feature
}

func newKept(frozen bool) kept {
	k := kept{every: 1, most: keptDecisions, next: 20}
	if frozen {
		k.most = keptScores
	}
	return k
}

// add keeps a decision, if it is one of the n-th.
func (k *kept) add(d *decision, bad, frozen bool) {
	k.n++
	if k.n%k.every != 0 {
		return
	}
	if len(k.list) == k.most {
		half := k.list[:0]
		for i := 1; i < k.most; i += 2 {
			half = append(half, k.list[i])
		}
		clear(k.list[len(half):])
		k.list, k.every = half, 2*k.every
		if k.n%k.every != 0 {
			return
		}
	}
	e := keptDecision{n: k.n, odds: slices.Clone(d.odds), bad: bad, time: d.time, line: d.line}
	if !frozen {
		e.x = slices.Clone(d.x)
	}
	k.list = append(k.list, e)
}

// snap copies the learners if it is time, and drops copies that are too old.
func (f *overloadFit) snap() {
	k := &f.kept
	if f.opt.Continue != nil || float64(k.n) < k.next {
		return
	}
	k.next = snapshotEvery * float64(k.n)
	k.copies = slices.DeleteFunc(k.copies, func(s snapshot) bool { return 2*s.n < k.n })
	s := snapshot{n: k.n, features: slices.Clone(f.features)}
	for _, p := range f.learners {
		s.models = append(s.models, classify.Clone(p.model))
	}
	k.copies = append(k.copies, s)
}

// recorded are the log odds that a learner gave when the decisions came.
func recorded(list []keptDecision, learner int) []float64 {
	out := make([]float64, len(list))
	for i, d := range list {
		out[i] = d.odds[learner]
	}
	return out
}

// odds are those that a learner gives, where order is not nil with the values of one feature
// taken from other decisions.
func (f *overloadFit) odds(m classify.Model, features []modelfile.Feature, list []keptDecision, feature int,
	order []int) []float64 {
	x, out := make([]float64, len(features)), make([]float64, len(list))
	for i, d := range list {
		scale(features, d.x, x)
		if order != nil {
			x[feature] = features[feature].Scale(list[order[i]].x[feature])
		}
		out[i] = modelfile.Odds(m, x, f.scratch)
	}
	return out
}

// confusion counts a learner's judgements at its log odds.
func (f *overloadFit) confusion(m classify.Model, odds []float64, list []keptDecision) *classify.Confusion {
	c := classify.NewConfusion(classify.Binary())
	for i, d := range list {
		c.Add(class(d.bad), class(modelfile.Overloaded(m, odds[i], f.cut)))
	}
	return c
}

// scored pairs outcomes with a function of the log odds.
func scored(odds []float64, list []keptDecision, of func(odds float64) float64) classify.Scores {
	s := make(classify.Scores, len(list))
	for i, d := range list {
		s[i] = classify.Scored{Score: of(odds[i]), Bad: d.bad}
	}
	return s
}

func itself(odds float64) float64 { return odds }

// frozen judges a model by its log odds of decisions.
func (f *overloadFit) frozen(m classify.Model, odds []float64, list []keptDecision, cal *classify.Isotonic) *Frozen {
	s := scored(odds, list, itself)
	out := &Frozen{Decisions: len(list), FirstTime: text.Num(list[0].time), FirstLine: list[0].line,
		Figures: figures(f.confusion(m, odds, list)), AUC: text.Num(s.AUC()), Average: text.Num(s.AveragePrecision())}
	if !modelfile.IsMargin(m) {
		out.Raw = chances(scored(odds, list, func(o float64) float64 { return 1 / (1 + math.Exp(-o)) }))
	}
	if cal != nil {
		out.Calibrated = chances(scored(odds, list, cal.Probability))
	}
	return out
}

// scale puts a decision's features on the scale of 1 to 10.
func scale(features []modelfile.Feature, raw, x []float64) {
	for i := range features {
		x[i] = features[i].Scale(raw[i])
	}
}

// calibration fits probabilities to what a learner said of the later half of the decisions
// when they came, when it had learned most of what it did; of a perceptron, whose margins jump
// as it learns, to what it says of them in the end.
func (f *overloadFit) calibration(m classify.Model, features []modelfile.Feature, list []keptDecision,
	learner int) *classify.Isotonic {
	late := list[len(list)/2:]
	odds := recorded(late, learner)
	if modelfile.IsMargin(m) {
		odds = f.odds(m, features, late, 0, nil)
	}
	return classify.FitIsotonic(scored(odds, late, itself))
}

// trained is a learner made by so many passes over decisions in shuffled order, by one in
// theirs for 0.
func (f *overloadFit) trained(name string, features []modelfile.Feature, list []keptDecision, passes int) classify.Model {
	m := newLearner(name, f.schema)
	x := make([]float64, len(features))
	var order []int
	for pass := range max(passes, 1) {
		if passes > 0 {
			order = shuffled(len(list), uint64(pass))
		}
		for i := range list {
			if passes > 0 {
				i = order[i]
			}
			scale(features, list[i].x, x)
			learn(m, x, class(list[i].bad))
		}
	}
	return m
}

const purposeShuffle = 0x73687566

// shuffled returns the numbers below n in an order drawn with a seed.
func shuffled(n int, seed uint64) []int {
	k, out := rng.NewKey(seed, purposeShuffle), make([]int, n)
	for i := range out {
		j := k.IntN(uint64(i), i+1)
		out[i] = out[j]
		out[j] = i
	}
	return out
}

// holdOut judges the learners as they were before the last 30 % of the decisions on these,
// and returns the saved learner's place and model. A perceptron is saved with its average
// where that is better there.
func (f *overloadFit) holdOut(r *OverloadResult) (save int, m classify.Model) {
	k := &f.kept
	save = slices.IndexFunc(f.learners, func(p *online) bool { return p.name == f.opt.Learner })
	if f.opt.Freeze {
		if len(k.list) > 0 {
			r.Learners[0].Frozen = f.frozen(f.learners[0].model, recorded(k.list, 0), k.list, f.opt.Continue.Calibration)
		}
		return save, f.learners[0].model
	}
	at := -1
	for i, s := range k.copies {
		if float64(s.n) <= (1-holdOut)*float64(k.n) {
			at = i
		}
	}
	if at >= 0 {
		f.judgeCopies(r, k.copies[at], save)
		if a := save + 1; f.opt.Learner == "perceptron" && r.Learners[a].Frozen.Balanced > r.Learners[save].Frozen.Balanced {
			save = a
		}
	}
	if f.opt.Passes > 1 && f.opt.Continue == nil {
		return save, f.trained(f.learners[save].name, f.features, k.list, f.opt.Passes)
	}
	return save, f.learners[save].model
}

func (f *overloadFit) judgeCopies(r *OverloadResult, s snapshot, save int) {
	list := f.kept.list
	from, _ := slices.BinarySearchFunc(list, s.n+1, func(d keptDecision, n int) int { return d.n - n })
	if from == 0 || from == len(list) {
		return
	}
	before, after := list[:from], list[from:]
	for i, p := range f.learners {
		m, again := s.models[i], classify.Model(nil)
		if f.opt.Passes > 1 || modelfile.IsMargin(m) {
			again = f.trained(p.name, s.features, before, max(f.opt.Passes, shufflePasses))
		}
		if f.opt.Passes > 1 {
			m = again
		}
		z := f.frozen(m, f.odds(m, s.features, after, 0, nil), after, f.calibration(m, s.features, before, i))
		r.Learners[i].Frozen = z
		if again != nil && f.opt.Passes <= 1 {
			odds := f.odds(again, s.features, after, 0, nil)
			if b := text.Num(f.confusion(again, odds, after).Balanced()); b > z.Balanced+0.05 {
				z.Shuffled = b
			}
		}
		if i == save {
			f.permute(m, s.features, after)
		}
	}
}

// mostPermuted bounds the effort of permutation importance.
const mostPermuted = 5000

// permute measures, for each feature, the balanced accuracy lost where its values are those
// of other decisions.
func (f *overloadFit) permute(m classify.Model, features []modelfile.Feature, list []keptDecision) {
	list = list[:min(len(list), mostPermuted)]
	order := shuffled(len(list), 1)
	whole := f.confusion(m, f.odds(m, features, list, 0, nil), list).Balanced()
	for i := range features {
		f.features[i].Permuted = text.Num(whole - f.confusion(m, f.odds(m, features, list, i, order), list).Balanced())
	}
}
