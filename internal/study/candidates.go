package study

import (
	"math"
	"strconv"
	"strings"

	"schedtune/internal/scenario"
	"schedtune/tune"
	"schedtune/yarnconf"
)

// Candidates are edits that often help, tried before the search proper: shares
// by demand, equal shares, whole-cluster ceilings, and loose per-user and
// per-heartbeat limits. They are configurations like any other; the search
// keeps them only if they prove better.
func Candidates(c *scenario.Case, s *Space) []tune.Candidate {
	var out []tune.Candidate
	add := func(name string, set tune.Settings) {
		if full, err := s.Complete(raiseCeilings(s, set)); err == nil && len(set) > 0 && bounded(s, full) {
			out = append(out, tune.Candidate{Name: name, Settings: full})
		}
	}
	add("shares by demand", shares(s, demand(c)))
	add("equal shares", shares(s, nil))
	add("ceilings open", each(s, yarnconf.MaximumCapacity, "100"))
	add("user limits open", append(each(s, yarnconf.UserFactor, "4"), each(s, yarnconf.MaximumCapacity, "100")...))
	add("application masters half", each(s, yarnconf.AMShare, "0.5"))
	add("off-switch 8", each(s, offSwitch, "8"))
	add("late reduces", each(s, Slowstart, "0.8"))
	add("fair order", each(s, yarnconf.OrderingPolicy, "fair"))
	return out
}

// bounded reports that no share is above its bound, the part of its parent that
// the queue's maximum-capacity allows where it stays.
func bounded(s *Space, set tune.Settings) bool {
	for _, p := range s.Params() {
		if v, _ := set.Get(p.Name); p.Kind == tune.Share && !p.Fixed && value(v) > p.Max+1e-9 {
			return false
		}
	}
	return true
}

// raiseCeilings lifts every maximum-capacity that new shares would pass.
func raiseCeilings(s *Space, set tune.Settings) tune.Settings {
	for _, p := range s.Params() {
		if p.Kind != tune.Ceiling {
			continue
		}
		share, moved := set.Get(p.Of)
		ceiling, ok := set.Get(p.Name)
		if !ok {
			ceiling = p.Present
		}
		if moved && value(share) > value(ceiling) {
			set = append(set, tune.Setting{Name: p.Name, Value: share})
		}
	}
	return set
}

// value reads a number that the space wrote itself.
func value(text string) float64 {
	v, err := strconv.ParseFloat(strings.TrimSuffix(text, "w"), 64)
	if err != nil {
		return 0
	}
	return v
}

// each sets all free parameters of a kind.
func each(s *Space, kind, value string) tune.Settings {
	var set tune.Settings
	for _, p := range s.Params() {
		if !p.Fixed && (p.Name == kind || strings.HasSuffix(p.Name, "."+kind)) {
			set = append(set, tune.Setting{Name: p.Name, Value: value})
		}
	}
	return set
}

// demand is the work per queue path in memory-seconds, summed into all parents.
func demand(c *scenario.Case) map[string]float64 {
	d := map[string]float64{}
	for i := range c.Work.Jobs {
		j := &c.Work.Jobs[i]
		work := Work(c.Work, j)
		for q := c.Work.Queues[j.Queue]; q != ""; q = parentOf(q) {
			d[q] += work
		}
	}
	return d
}

// shares sets every group of siblings in proportion to demand, equally without
// one; each queue that may move keeps at least two points of a hundred, the others
// keep what they have.
func shares(s *Space, demand map[string]float64) tune.Settings {
	groups := map[string][]string{}
	points := map[string]float64{} // to hand out
	of := map[string]tune.Param{}
	var order []string
	for _, p := range s.Params() {
		if p.Kind != tune.Share {
			continue
		}
		if _, seen := points[p.Group]; !seen {
			order = append(order, p.Group)
			points[p.Group], of[p.Group] = 100, p
			if p.Total > 0 {
				points[p.Group] = p.Total
			}
		}
		if p.Fixed {
			points[p.Group] -= value(p.Present)
			continue
		}
		groups[p.Group] = append(groups[p.Group], strings.TrimSuffix(p.Name, "."+yarnconf.Capacity))
	}
	var set tune.Settings
	for _, g := range order {
		if len(groups[g]) > 1 {
			set = append(set, groupShares(groups[g], points[g], of[g], demand)...)
		}
	}
	return set
}

// groupShares deals points over the queues, written as p is.
func groupShares(queues []string, points float64, p tune.Param, demand map[string]float64) tune.Settings {
	w := make([]float64, len(queues))
	total := 0.0
	for i, q := range queues {
		w[i] = 1
		if demand != nil {
			queue, _, _ := strings.Cut(q, ofLabel)
			w[i] = demand[queue]
		}
		total += w[i]
	}
	floor := 2.0
	if p.Total > 0 {
		floor = p.Total / 50
	}
	floor = min(floor, points/float64(len(w)))
	for i := range w {
		part := 1 / float64(len(w))
		if total > 0 {
			part = w[i] / total
		}
		w[i] = floor + part*(points-floor*float64(len(w)))
	}
	decimals := 0
	for u := points; decimals < 3 && (math.Abs(u-math.Round(u)) > 1e-6 || p.Total > 0 && u < 100); u *= 10 {
		decimals++
	}
	rounded, err := yarnconf.RoundShares(w, points, decimals)
	if err != nil {
		return nil
	}
	var set tune.Settings
	for i, q := range queues {
		set = append(set, tune.Setting{Name: q + "." + yarnconf.Capacity, Value: number(rounded[i]) + p.Suffix})
	}
	return set
}
