package study

import (
	"strconv"
	"strings"

	"schedtune/simcore"
	"schedtune/tune"
	"schedtune/yarnconf"
)

// Candidates are edits that often help, tried before the search proper: shares
// by demand, equal shares, whole-cluster ceilings, and loose per-user and
// per-heartbeat limits. They are configurations like any other; the search
// keeps them only if they prove better.
func Candidates(c *Case, s *Space) []tune.Candidate {
	var out []tune.Candidate
	add := func(name string, set tune.Settings) {
		if full, err := s.Complete(raiseCeilings(s, set)); err == nil && len(set) > 0 {
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
	v, err := strconv.ParseFloat(text, 64)
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
func demand(c *Case) map[string]float64 {
	d := map[string]float64{}
	for i := range c.Work.Jobs {
		j := &c.Work.Jobs[i]
		_, area := jobWork(c.Work, j)
		if area == 0 {
			area = float64(j.Maps + j.Reduces)
		}
		for q := c.Work.Queues[j.Queue]; q != ""; {
			d[q] += area
			dot := strings.LastIndexByte(q, '.')
			if dot < 0 {
				break
			}
			q = q[:dot]
		}
	}
	return d
}

// shares sets every group of siblings in proportion to demand, equally without
// one; each queue keeps at least two points.
func shares(s *Space, demand map[string]float64) tune.Settings {
	groups := map[string][]string{}
	var order []string
	for _, p := range s.Params() {
		if p.Kind != tune.Share {
			continue
		}
		if p.Fixed {
			return nil
		}
		if groups[p.Group] == nil {
			order = append(order, p.Group)
		}
		groups[p.Group] = append(groups[p.Group], strings.TrimSuffix(p.Name, "."+yarnconf.Capacity))
	}
	var set tune.Settings
	for _, g := range order {
		set = append(set, groupShares(groups[g], demand)...)
	}
	return set
}

func groupShares(queues []string, demand map[string]float64) tune.Settings {
	w := make([]float64, len(queues))
	total := 0.0
	for i, q := range queues {
		w[i] = 1
		if demand != nil {
			w[i] = demand[q]
		}
		total += w[i]
	}
	const floor = 2.0
	for i := range w {
		part := 1 / float64(len(w))
		if total > 0 {
			part = w[i] / total
		}
		w[i] = floor + part*(100-floor*float64(len(w)))
	}
	rounded, err := yarnconf.RoundShares(w, 100, 0)
	if err != nil {
		return nil
	}
	var set tune.Settings
	for i, q := range queues {
		set = append(set, tune.Setting{Name: q + "." + yarnconf.Capacity, Value: number(rounded[i])})
	}
	return set
}

// Windows cuts a workload into n spans of equal time by submission, each a
// workload of its own that starts at its first submission; empty spans are
// dropped. Task tables are shared.
func Windows(w *simcore.Workload, n int) []*simcore.Workload {
	if n <= 1 {
		return []*simcore.Workload{w}
	}
	first, last := w.Jobs[0].Submit, w.Jobs[len(w.Jobs)-1].Submit
	span := (last-first)/simcore.Time(n) + 1
	var out []*simcore.Workload
	for at := 0; at < len(w.Jobs); {
		k := (w.Jobs[at].Submit - first) / span
		end := at
		for end < len(w.Jobs) && (w.Jobs[end].Submit-first)/span == k {
			end++
		}
		part := *w
		part.Jobs = append([]simcore.Job(nil), w.Jobs[at:end]...)
		for i := range part.Jobs {
			part.Jobs[i].Submit -= w.Jobs[at].Submit
		}
		out = append(out, &part)
		at = end
	}
	return out
}
