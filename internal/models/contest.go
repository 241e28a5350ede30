package models

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"schedtune/classify"
	"schedtune/classify/modelfile"
	"schedtune/internal/text"
)

// The verdict: whether there is something to learn in a log, and whether a learner of the
// paper learns it better than a logistic regression. Rare overload makes accuracy say
// nothing, so that learners are compared by balanced accuracy, or by the cost of misses and
// false alarms. Neither depends on a learner's prior: for the comparison learners with
// probabilities say overloaded where its log odds exceed those of all outcomes so far, or
// those of the cost.
//
// Decisions that follow each other are alike. The uncertainty of a difference comes from
// leaving out each of 32 to 64 stretches of the log in turn (jackknife), with Student's
// distribution of as many degrees of freedom as stretches have both outcomes, less one.

// Names of the baselines: a node stays as it last was; the logistic regression; what was
// more frequent of late; one answer for all.
const (
	sameAsLast = "same as last"
	logistic   = "logistic"
	recent     = "recent majority"
	always     = "always overloaded"
	never      = "never overloaded"
)

// Worth is the verdict.
type Worth struct {
	Measure string  `json:"measure"`        // what the figures are: balanced accuracy, or cost per decision
	Cost    float64 `json:"cost,omitempty"` // of a miss, in false alarms
	// Learnable: a learner, the logistic regression included, beats one answer for all, the
	// recent majority and the node's last state. WorthIt: one of the paper's beats the
	// logistic regression as well, and does not give one answer only. Both at P below 0.05.
	Learnable bool `json:"learnable"`
	WorthIt   bool `json:"worth_it"`
	Found     Duel `json:"found"`
	Best      Duel `json:"best"`
}

// Duel is a learner against the best of its baselines.
type Duel struct {
	Learner  string   `json:"learner"`
	Baseline string   `json:"baseline"`
	Value    text.Num `json:"value"` // of the learner, with its 90 % interval
	Low      text.Num `json:"low"`
	High     text.Num `json:"high"`
	Against  text.Num `json:"baseline_value"`
	// P is the probability of such a lead over each of the baselines without any, times the
	// number of learners from which the best was taken.
	P text.Num `json:"p"`
}

// tally counts decisions by 2 x outcome + judgement.
type tally [4]float64

// contest keeps the tallies of learners and baselines by stretches of the log.
type contest struct {
	names    []string // learners, then the baselines
	learners int
	cost     float64
	size     int // decisions of a stretch
	in       int // of which in the last one
	blocks   [][]tally
	bad, n   float64
	recency  float64 // share of overload of late
}

// mostBlocks is when stretches are joined in pairs.
const mostBlocks = 64

func newContest(learners []*online, cost float64) contest {
	c := contest{learners: len(learners), cost: cost, size: 1, recency: 0.5}
	for _, p := range learners {
		c.names = append(c.names, p.name)
	}
	c.names = append(c.names, sameAsLast, recent, always, never)
	return c
}

// odds are the log odds above which overload is named for the comparison.
func (c *contest) odds() float64 {
	if c.cost > 0 {
		return -math.Log(c.cost)
	}
	return math.Log((c.bad + 1) / (c.n - c.bad + 1))
}

// judge fills in what learners and baselines say of a decision.
func (c *contest) judge(d *decision, learners []*online) {
	odds := c.odds()
	for i, p := range learners {
		if d.even[i] = d.said[i]; !modelfile.IsMargin(p.model) {
			d.even[i] = class(d.odds[i] > odds)
		}
	}
	late := math.Log(c.recency / (1 - c.recency))
	copy(d.even[len(learners):], []int{d.same, class(late > odds), classify.Bad, classify.Good})
}

// class is Bad for an overload.
func class(bad bool) int {
	if bad {
		return classify.Bad
	}
	return classify.Good
}

// add counts a decision when its outcome is known.
func (c *contest) add(d *decision, label int) {
	if c.in == 0 {
		if len(c.blocks) == mostBlocks {
			for i := range mostBlocks / 2 {
				for k := range c.names {
					for j := range c.blocks[2*i][k] {
						c.blocks[2*i][k][j] += c.blocks[2*i+1][k][j]
					}
				}
				c.blocks[i] = c.blocks[2*i]
			}
			c.blocks, c.size = c.blocks[:mostBlocks/2], 2*c.size
		}
		c.blocks = append(c.blocks, make([]tally, len(c.names)))
	}
	block := c.blocks[len(c.blocks)-1]
	for i, said := range d.even {
		block[i][2*label+said]++
	}
	c.in = (c.in + 1) % c.size
	c.n++
	bad := 0.0
	if label == classify.Bad {
		bad = 1
	}
	c.bad += bad
	c.recency += 0.02 * (bad - c.recency)
}

// value is what a tally is worth, larger is better.
func (c *contest) value(t tally) float64 {
	hits, misses, alarms, right := t[0], t[1], t[2], t[3]
	if c.cost > 0 {
		return -(c.cost*misses + alarms) / (hits + misses + alarms + right)
	}
	return (hits/(hits+misses) + right/(alarms+right)) / 2
}

// lead is what a function of the sums of the tallies is over the whole log, with its
// standard error and the degrees of freedom.
func (c *contest) lead(f func(sum []tally) float64) (v, se, df float64) {
	sum := make([]tally, len(c.names))
	bads, goods := 0.0, 0.0
	for _, b := range c.blocks {
		for k := range sum {
			for j, n := range b[k] {
				sum[k][j] += n
			}
		}
		if b[0][0]+b[0][1] > 0 {
			bads++
		}
		if b[0][2]+b[0][3] > 0 {
			goods++
		}
	}
	var without []float64 // each block
	rest := make([]tally, len(sum))
	for _, b := range c.blocks {
		for k := range sum {
			for j := range sum[k] {
				rest[k][j] = sum[k][j] - b[k][j]
			}
		}
		without = append(without, f(rest))
	}
	return f(sum), math.Sqrt(float64(len(without)-1) * stat.PopVariance(without, nil)), math.Min(bads, goods) - 1
}

// p is the probability of the learner's lead over a baseline without any.
func (c *contest) p(learner, base int) float64 {
	v, se, df := c.lead(func(s []tally) float64 { return c.value(s[learner]) - c.value(s[base]) })
	switch {
	case !(v > 0) || !(df >= 1):
		return 1
	case se == 0: // the same lead in every stretch
		return math.Pow(0.5, df+1)
	}
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: df}.Survival(v / se)
}

// best is the learner, of those that count, with the clearest lead over all baselines.
func (c *contest) best(counts func(learner int) bool, baselines []int) Duel {
	best, least, tried := -1, 2.0, 0
	for i := range c.learners {
		if !counts(i) {
			continue
		}
		tried++
		p := 0.0
		for _, b := range baselines {
			p = math.Max(p, c.p(i, b))
		}
		v, _, _ := c.lead(func(s []tally) float64 { return c.value(s[i]) })
		if best >= 0 && p == least {
			if w, _, _ := c.lead(func(s []tally) float64 { return c.value(s[best]) }); !(v > w) {
				continue
			}
		}
		if p <= least {
			best, least = i, p
		}
	}
	if best < 0 {
		return Duel{P: 1}
	}
	v, se, df := c.lead(func(s []tally) float64 { return c.value(s[best]) })
	wide := math.NaN()
	if df >= 1 {
		wide = se * distuv.StudentsT{Mu: 0, Sigma: 1, Nu: df}.Quantile(0.95)
	}
	low, high := 0.0, 1.0 // what a balanced accuracy can be
	if c.cost > 0 {
		low, high = math.Inf(-1), 0
	}
	d := Duel{Learner: c.names[best], Value: text.Num(v), Low: text.Num(max(v-wide, low)),
		High: text.Num(min(v+wide, high)), Against: text.Num(math.Inf(-1)), P: text.Num(min(1, least*float64(tried)))}
	for _, b := range baselines {
		if w, _, _ := c.lead(func(s []tally) float64 { return c.value(s[b]) }); !(text.Num(w) <= d.Against) {
			d.Baseline, d.Against = c.names[b], text.Num(w)
		}
	}
	return d
}

// worth is the verdict; nil where only a saved model was judged, or one outcome came only.
func (f *overloadFit) worth() *Worth {
	c := &f.contest
	if f.opt.Continue != nil || c.bad == 0 || c.bad == c.n {
		return nil
	}
	w := &Worth{Measure: "balanced accuracy", Cost: c.cost}
	if c.cost > 0 {
		w.Measure = "cost per decision"
	}
	baselines, linear := []int{}, -1
	for i, n := range c.names {
		if i >= c.learners {
			baselines = append(baselines, i)
		} else if n == logistic {
			linear = i
		}
	}
	w.Found = c.best(func(int) bool { return true }, baselines)
	varied := func(i int) bool {
		n := f.learners[i].total.Counts
		return n[0][0]+n[1][0] > 0 && n[0][1]+n[1][1] > 0
	}
	w.Best = c.best(func(i int) bool { return i != linear && varied(i) }, append(baselines, linear))
	w.Learnable, w.WorthIt = w.Found.P < 0.05, w.Best.P < 0.05
	if c.cost > 0 { // shown as costs
		for _, d := range []*Duel{&w.Found, &w.Best} {
			d.Value, d.Low, d.High, d.Against = -d.Value, -d.High, -d.Low, -d.Against
		}
	}
	return w
}

// String returns the verdict in words.
func (w *Worth) String() string {
	figure := func(v text.Num) string {
		if w.Cost > 0 {
			return text.Three(v)
		}
		return text.Percent(v)
	}
	say := func(d Duel) string {
		p := fmt.Sprintf("p = %.2g", float64(d.P))
		if d.P < 1e-15 {
			p = "p < 1e-15"
		}
		base := d.Baseline
		if base == recent {
			base += " (the more frequent outcome of about 50 decisions)"
		}
		return fmt.Sprintf("%s %s (90 %% interval %s to %s),\n  against the baseline %s, %s (%s)", d.Learner, figure(d.Value),
			figure(d.Low), figure(d.High), base, figure(d.Against), p)
	}
	cut := "the share of overload so far"
	if w.Cost > 0 {
		cut = text.Three(text.Num(1 / (1 + w.Cost)))
	}
	out := fmt.Sprintf("Verdict by %s:\ncomputed on the decisions of the first table; learners with probabilities "+
		"predict\noverload here where the probability exceeds %s\n- ", w.Measure, cut)
	if w.Learnable {
		out += "something can be learned: "
	} else {
		out += "no learner beats the baselines: "
	}
	out += say(w.Found) + "\n- "
	switch {
	case w.Best.Learner == "":
		return out + "no learner of Dhok and Varma is worth it: each gives one answer only"
	case w.WorthIt:
		return out + "a learner of Dhok and Varma is worth it: " + say(w.Best)
	}
	return out + "no learner of Dhok and Varma is worth it: " + say(w.Best)
}
