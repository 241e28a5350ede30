package forecast

import (
	"cmp"
	"slices"
	"sort"
	"strconv"

	"gonum.org/v1/gonum/stat/distuv"

	"schedtune/internal/stats"
)

// Verdicts judge what was decided.
type Verdicts struct {
	// Share is the part of the gain of all that was found which the recommended files bring in the
	// next period, over cases that gain gainBy or more; ShareTuned that of tuned files alone.
	// Gains is how many cases both rest on.
	Share      float64 `json:"share"`
	ShareTuned float64 `json:"share_tuned"`
	Gains      int     `json:"gains"`
	GainsTuned int     `json:"gains_tuned"`
	// Nothing counts cases with nothing to gain.
	Nothing            int `json:"nothing"`
	NothingRecommended int `json:"nothing_recommended"`
	// Changes is the median of the recommended files' changes, WithoutEffect how many of all of
	// them (AllChanges) cost nothing to take back.
	Changes       float64 `json:"changes"`
	AllChanges    int     `json:"all_changes"`
	WithoutEffect int     `json:"without_effect"`
	// Better, Worse and QueueWorse judge the stated probabilities, by recorded periods as well.
	Better     Calibration         `json:"better"`
	Worse      Calibration         `json:"worse"`
	QueueWorse Calibration         `json:"queue_worse"`
	ByPeriods  map[int]Calibration `json:"better_by_periods"`
	// Yes counts studies that recommended and were made again with the next larger budget,
	// Reversed those that did not recommend then.
	Yes      int `json:"yes"`
	Reversed int `json:"reversed"`
	// Seeds counts problems studied with several seeds; SameChanges and SameGains those on which
	// any two seeds agree.
	Seeds       int `json:"seeds"`
	SameChanges int `json:"same_changes"`
	SameGains   int `json:"same_gains"`
}

// gainBy is the gain in the next period below which a case counts neither as kept nor as withheld;
// mainShare is the part of a gain that seeds are to agree on.
const (
	gainBy    = 0.03
	mainShare = 0.8
)

// Calibration judges stated probabilities by what came.
type Calibration struct {
	Cases int     `json:"cases"`
	Brier float64 `json:"brier"` // mean square distance; G. Brier, Monthly Weather Review 78 (1950)
	Base  float64 `json:"base"`  // of who always states how often it came
	Bins  []Bin   `json:"bins"`
}

// Bin are cases with similar probabilities.
type Bin struct {
	Cases  int     `json:"cases"`
	Stated float64 `json:"stated"` // mean
	Came   int     `json:"came"`
	// Low and High are the central 90 % of the binomial distribution with the mean stated.
	Low  int `json:"low"`
	High int `json:"high"`
}

// leastBin is the least number of cases of a bin.
const leastBin = 40

// calibration judges probabilities.
func calibration(stated []float64, came []bool) Calibration {
	c := Calibration{Cases: len(stated)}
	n := float64(len(stated))
	order := make([]int, len(stated))
	base := 0.0
	for i, p := range stated {
		order[i] = i
		c.Brier += (p - one(came[i])) * (p - one(came[i])) / n
		base += one(came[i]) / n
	}
	c.Base = base * (1 - base)
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(stated[a], stated[b]) })
	bins := max(1, len(order)/leastBin)
	for b := range bins {
		of := order[b*len(order)/bins : (b+1)*len(order)/bins]
		bin := Bin{Cases: len(of)}
		for _, i := range of {
			bin.Stated += stated[i] / float64(len(of))
			bin.Came += int(one(came[i]))
		}
		bin.Low, bin.High = binomial(len(of), bin.Stated)
		if len(of) > 0 {
			c.Bins = append(c.Bins, bin)
		}
	}
	return c
}

func one(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// binomial are the 5 % and 95 % quantiles of a binomial distribution.
func binomial(n int, p float64) (low, high int) {
	b := distuv.Binomial{N: float64(n), P: min(p, 1)}
	at := func(level float64) int {
		return sort.Search(n, func(k int) bool { return b.CDF(float64(k)) >= level })
	}
	return at(0.05), at(0.95)
}

// reliable reports whether every bin of leastBin cases or more holds what was stated.
func (c *Calibration) reliable() bool {
	return !slices.ContainsFunc(c.Bins, func(b Bin) bool {
		return b.Cases >= leastBin && (b.Came < b.Low || b.Came > b.High)
	})
}

// verdicts judges what was decided.
func verdicts(outs []Outcome) Verdicts {
	v := Verdicts{ByPeriods: map[int]Calibration{}}
	var better, worse, queue stated
	byPeriods := map[int]*stated{}
	kept, all, keptTuned, allTuned := 0.0, 0.0, 0.0, 0.0
	var changes []float64
	for i := range outs {
		o := &outs[i]
		if o.Kind == KindNothing {
			v.Nothing++
			v.NothingRecommended += int(one(o.Recommended))
		}
		if o.Kind != KindNothing && o.Found && o.Came >= gainBy {
			bring := o.Came * one(o.Recommended)
			v.Gains++
			kept, all = kept+bring, all+o.Came
			if o.Kind == KindTuned {
				v.GainsTuned++
				keptTuned, allTuned = keptTuned+bring, allTuned+o.Came
			}
		}
		if o.Recommended {
			changes = append(changes, float64(len(o.Changes)))
			if o.TakenBack {
				v.AllChanges += len(o.Changes)
				v.WithoutEffect += o.withoutEffect()
			}
		}
		if !o.Found {
			continue
		}
		if byPeriods[o.Periods] == nil {
			byPeriods[o.Periods] = &stated{}
		}
		better.add(o.Decision.Better, o.Came > 0)
		byPeriods[o.Periods].add(o.Decision.Better, o.Came > 0)
		worse.add(o.Decision.Worse, o.Came < -0.02)
		for _, p := range o.Decision.Protected {
			at := slices.IndexFunc(o.Queues, func(q Queue) bool { return q.Name == queueOf(p.Metric) })
			if at >= 0 {
				queue.add(p.Worse, o.Queues[at].Came > 0.10)
			}
		}
	}
	v.Share, v.ShareTuned = ratio(kept, all), ratio(keptTuned, allTuned)
	if len(changes) > 0 {
		v.Changes = stats.Median(changes)
	}
	v.Better, v.Worse, v.QueueWorse = better.judged(), worse.judged(), queue.judged()
	for n, s := range byPeriods {
		v.ByPeriods[n] = s.judged()
	}
	return v
}

func ratio(part, all float64) float64 {
	if all == 0 {
		return 0
	}
	return part / all
}

// stated are probabilities and what came.
type stated struct {
	p    []float64
	came []bool
}

func (s *stated) add(p *float64, came bool) {
	if p != nil {
		s.p, s.came = append(s.p, *p), append(s.came, came)
	}
}

func (s *stated) judged() Calibration { return calibration(s.p, s.came) }

// again judges studies of equal problems with other budgets and seeds.
func (v *Verdicts) again(outs []Outcome) {
	problems := map[string][]*Outcome{}
	var names []string
	for i := range outs {
		name := cmp.Or(outs[i].Of, outs[i].Case)
		if problems[name] == nil {
			names = append(names, name)
		}
		problems[name] = append(problems[name], &outs[i])
	}
	for _, name := range names {
		all := problems[name]
		var budgets, seeds []*Outcome
		for _, o := range all {
			if o.Repeat == 0 {
				budgets = append(budgets, o)
			}
			if o.Budget == all[0].Budget {
				seeds = append(seeds, o)
			}
		}
		slices.SortFunc(budgets, func(a, b *Outcome) int { return a.Budget - b.Budget })
		for i := range budgets[1:] {
			if budgets[i].Recommended {
				v.Yes++
				v.Reversed += int(one(!budgets[i+1].Recommended))
			}
		}
		if len(seeds) < 2 {
			continue
		}
		changes, gains := true, true
		for _, a := range seeds {
			for _, b := range seeds {
				changes = changes && (!a.Recommended || !b.Recommended || a.sharedWith(b) >= mainShare)
				gains = gains && (!a.Found || !b.Found || a.Expected.Point >= b.Expected.Low && a.Expected.Point <= b.Expected.High)
			}
		}
		v.Seeds++
		v.SameChanges += int(one(changes))
		v.SameGains += int(one(gains))
	}
}

// sharedWith is the part of what a's changes cost to take back that goes to settings which b
// changes too, in the same direction; 1 where none costs anything.
func (a *Outcome) sharedWith(b *Outcome) float64 {
	shared, all := 0.0, 0.0
	for _, c := range a.Changes {
		worth := max(0, c.Objective)
		all += worth
		if slices.ContainsFunc(b.Changes, func(d Change) bool { return d.Name == c.Name && d.direction() == c.direction() }) {
			shared += worth
		}
	}
	if all == 0 {
		return 1
	}
	return shared / all
}

// direction is where a change goes: up, down, or for what is no number to its value.
func (c *Change) direction() string {
	from, err1 := strconv.ParseFloat(c.From, 64)
	to, err2 := strconv.ParseFloat(c.To, 64)
	if err1 != nil || err2 != nil {
		return c.To
	}
	return strconv.FormatBool(to > from)
}
