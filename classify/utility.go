package classify

import (
	"fmt"
	"math"
)

// Utility functions and expected utility (Dhok, Varma, section IV-B and
// equation 1):
//
//	E.U.(J) = U(J) P(task of J is good | features)                       (1)
//
// Of the candidates whose task is labelled good the one with the largest
// expected utility is chosen. Utilities order jobs and enforce policies; a
// utility of 0 keeps a job from being chosen.

// Candidate is what a utility function may look at.
type Candidate struct {
	Reduce        bool    // a reduce, not a map
	Maps          int     // maps of the job
	CompletedMaps int     // of which completed
	Age           float64 // seconds since submission
	Balance       float64 // what is left in the user's account
	Allocated     float64 // share of the cluster the job holds, 0 to 1
	Promised      float64 // share it was promised
	Offer         float64 // what its submitter pays for completion
}

// Utility values a candidate; 0 or more, larger is better.
type Utility interface {
	// Utility returns U(J), 0 or more; 0 keeps the candidate from being chosen.
	Utility(c Candidate) float64
}

// Constant gives every job the same utility: easy tasks go first.
type Constant struct{}

// Utility returns 1.
func (Constant) Utility(Candidate) float64 { return 1 }

// MapFirst is "map before reduce": a reduce has no utility until a share of the
// job's maps has completed.
type MapFirst struct {
	Share float64 // 0 to 1; the paper says "a sufficient number"
}

// Utility returns 0 for a reduce that comes too early, else 1.
func (m MapFirst) Utility(c Candidate) float64 {
	// The quotient, not Share times the maps, whose rounding asks for 8 maps of 100 at 0.07.
	// Without maps it is NaN, and nothing to wait for.
	if c.Reduce && float64(c.CompletedMaps)/float64(c.Maps) < m.Share {
		return 0
	}
	return 1
}

// FCFS is first come, first served: utility proportional to age. A job
// submitted this instant has age 0 and so no utility, as printed; Floor keeps
// it eligible.
type FCFS struct {
	Floor float64 // added to the age, seconds; 0 as printed
}

// Utility returns the job's age plus the floor.
func (f FCFS) Utility(c Candidate) float64 { return math.Max(0, c.Age+f.Floor) }

// Budget is budget constrained: utility 1 while the user's balance is
// positive, then 0.
type Budget struct{}

// Utility returns 1 with money left, else 0.
func (Budget) Utility(c Candidate) float64 {
	if c.Balance > 0 {
		return 1
	}
	return 0
}

// Dedicated is dedicated capacity: as printed, inversely proportional to the
// deficit between the promised and the allocated share, and 0 for a job that
// has its promise. ByDeficit makes it proportional to the deficit instead, so
// that the job furthest from its promise goes first.
type Dedicated struct {
	ByDeficit bool // in proportion to the deficit, not to its inverse
}

// Utility returns 1/deficit, or the deficit; 0 without one.
func (d Dedicated) Utility(c Candidate) float64 {
	deficit := c.Promised - c.Allocated
	if !(deficit > 0) {
		return 0
	}
	if d.ByDeficit {
		return deficit
	}
	return 1 / deficit
}

// Revenue is revenue oriented: utility is what the submitter pays.
type Revenue struct{}

// Utility returns the offer, 0 if negative.
func (Revenue) Utility(c Candidate) float64 { return math.Max(0, c.Offer) }

// Product combines policies: the product of their utilities; 1 without any.
type Product []Utility

// Utility returns the product. An entry that is nil counts as 1.
func (p Product) Utility(c Candidate) float64 {
	u := 1.0
	for _, f := range p {
		if f != nil {
			u *= f.Utility(c)
		}
	}
	return u
}

// NewUtility returns the utility policy of a name: constant, map-first (all
// maps), fcfs, budget, dedicated or revenue.
func NewUtility(name string) (Utility, error) {
	u, ok := map[string]Utility{"constant": Constant{}, "map-first": MapFirst{Share: 1}, "fcfs": FCFS{}, "budget": Budget{},
		"dedicated": Dedicated{}, "revenue": Revenue{}}[name]
	if !ok {
		return nil, fmt.Errorf("classify: utility %q; use constant, map-first, fcfs, budget, dedicated, revenue", name)
	}
	return u, nil
}

// ExpectedUtility returns U P(good) for a model of overload decisions and
// whether the task is labelled good, which is the model's Predict. scratch
// is made anew where it has fewer than two entries. Without a model of two classes or
// more it is 0 and false.
func ExpectedUtility(m Model, x []float64, utility float64, scratch []float64) (eu float64, good bool) {
	if m == nil || len(m.ClassNames()) <= Good {
		return 0, false
	}
	good = Predict(m, x, scratch) == Good
	return utility * m.Probabilities(x, scratch)[Good], good
}

// JointUtility returns the quantity by which the paper's Naive Bayes classifier
// compares jobs (section IV-C),
//
//	E.U.*(J) = U(J) P(good) prod over features i of P(F_i | good)
//
// that is, equation 1 without the probability of the features, and whether the task is
// labelled good. The paper calls that denominator a constant; it depends on the job's
// features, so that the order can differ from equation 1's: a job with common features
// goes before a safer one with rare ones. For models without joint probabilities it is
// ExpectedUtility. scratch is made anew where it has fewer than two entries.
func JointUtility(m Model, x []float64, utility float64, scratch []float64) (eu float64, good bool) {
	switch m.(type) {
	case *Categorical, *Gaussian:
		if len(m.ClassNames()) <= Good {
			return 0, false
		}
		good = Predict(m, x, scratch) == Good
		return utility * math.Exp(m.LogOdds(x, scratch)[Good]), good
	}
	return ExpectedUtility(m, x, utility, scratch)
}
