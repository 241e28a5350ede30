package models

import (
	"math"

	"schedtune/classify"
	"schedtune/classify/modelfile"
)

// OverloadOptions sets a fit of overload classifiers; the zero value is usable.
type OverloadOptions struct {
	// Label is the overload rule, an expression that is true for an overloaded
	// node; it is applied to the node's next row. Empty: the log's outcome
	// column, else "load1/cpus > 1", else "memory > 0.9", whichever the log has
	// the columns for.
	Label string
	// Features are expressions over the columns; nil: every numeric column.
	Features []string
	// Learner is the one whose model is saved: see Learners. Empty reads as
	// naive-bayes.
	Learner string
	// Window is the number of decisions per point of the learning curve, 0
	// reads as 250. Delay is how many decisions a label of the outcome column
	// comes late, 0 reads as 1.
	Window, Delay int
	// Names are the columns of the node and the time.
	Names Names
	// MaxGap is how many seconds after a decision the node's next row may come to tell its
	// outcome; 0 = any number.
	MaxGap float64
	// Cost is what a miss costs in false alarms; 0 = not given: learners say overloaded above
	// a probability of one half, and the verdict rests on balanced accuracy.
	Cost float64
	// Passes over the decisions in shuffled order make the saved model, where it is above 1,
	// over at most keptDecisions of them.
	Passes int
	// Compare, if set, judges learners of another library on the first compareMax decisions.
	Compare Batch
	// Continue is a model to go on with: its label, features and learner
	// replace those above.
	Continue *OverloadModel
	// Freeze has the model of Continue judge without learning. Judged, if not nil, receives
	// each decision then.
	Freeze bool
	Judged func(Decision)
	// Reading receives the bytes read.
	Reading Reading
}

// Decision is one that a saved model judged.
type Decision struct {
	Line  int64 // of the log
	Time  float64
	Node  string
	Label int // classify.Bad or Good, -1 where it is not known
	modelfile.Judgement
}

const compareMax = 2000

// rangeRows is how many rows at the beginning of a log set the features'
// ranges.
const rangeRows = 500

// overloadFit is a fit under way.
type overloadFit struct {
	opt       OverloadOptions
	in        *Intake
	src       *stream
	space     *modelfile.Space
	label     *modelfile.Expr // nil: the outcome column
	features  []modelfile.Feature
	schema    classify.Schema
	cut       float64 // log odds of overload above which a learner says so
	learners  []*online
	same      *online        // the baseline without a model
	outcome   map[string]int // by node, the newest outcome learned
	modes     *classify.Modes
	waiting   map[string]*decision // by node, where the label comes with the node's next row
	last      map[string]lastRow   // by node
	states    bool                 // the log has states only, with the label of the next
	queue     []*decision          // in order, where it comes with the row
	decisions int
	unknown   int // decisions whose label could not be told
	contest   contest
	kept      kept
	x         [][]float64
	y         []int
	scaled    []float64
	scratch   []float64
}

// lastRow is what is kept of a node's last row.
type lastRow struct {
	time  float64
	print uint64
}

// decision waits for its outcome.
type decision struct {
	x     []float64 // features on their own scale
	odds  []float64 // by online, log odds of overload
	said  []int     // by candidate of the contest, at the learner's own cut
	even  []int     // by candidate, where both classes weigh the same
	same  int       // what "same as last" says
	node  string
	time  float64
	line  int64
	label int
}

// FitOverload learns from the logs in one pass. Memory does not grow with
// their size.
func FitOverload(sources []Source, opt OverloadOptions) (*OverloadResult, error) {
	f := &overloadFit{opt: opt, waiting: map[string]*decision{}, last: map[string]lastRow{}, outcome: map[string]int{}, scratch: make([]float64, 2)}
	f.defaults()
	err := knownLearner(f.opt.Learner)
	if err != nil {
		return nil, err
	}
	if f.src, err = openStream(sources, opt.Names, opt.Reading); err != nil {
		return nil, err
	}
	f.in = f.src.in
	head, err := f.begin()
	if err != nil {
		return nil, err
	}
	if err := f.src.each(head, f.row); err != nil {
		return nil, err
	}
	return f.finish()
}

func (f *overloadFit) defaults() {
	if c := f.opt.Continue; c != nil {
		f.opt.Label, f.opt.Learner = c.Label, c.Learner
		f.opt.Features = nil
		for _, x := range c.Features {
			f.opt.Features = append(f.opt.Features, x.Name)
		}
		f.cut = c.Cut
	}
	if f.opt.Cost > 0 {
		f.cut = -math.Log(f.opt.Cost)
	}
	if f.opt.Learner == "" {
		f.opt.Learner = Learners()[0]
	}
	if f.opt.Window <= 0 {
		f.opt.Window = 250
	}
	if f.opt.Delay <= 0 {
		f.opt.Delay = 1
	}
}

func (f *overloadFit) makePupils() {
	f.modes = classify.NewModes(f.schema)
	f.scaled = make([]float64, len(f.features))
	f.same = newOnline(sameAsLast, nil)
	if c := f.opt.Continue; c != nil {
		f.modes.Counts = c.Modes
		f.learners = []*online{newOnline(c.Learner, c.Classifier)}
	} else {
		for _, n := range Learners() {
			f.learners = append(f.learners, newOnline(n, newLearner(n, f.schema)))
		}
	}
	f.contest = newContest(f.learners, f.opt.Cost)
	f.kept = newKept(f.opt.Freeze)
	if f.opt.Continue != nil {
		f.restoreWaiting()
	}
}
