package runlog

import "schedtune/simcore"

// Stay is a span in which the ResourceManager had a node.
type Stay struct {
	From  simcore.Time // registered; 0 or less = there at the start
	To    simcore.Time // let go; Never = there at the end
	Drain simcore.Time // decommissioning since, Never = not
	Dead  simcore.Time // its last heartbeat before it was lost, Never = it was not lost
}

// Stays are those of one node, ascending.
type Stays []Stay

// Always is the stay of a node that neither comes nor goes.
var Always = Stays{{0, simcore.Never, simcore.Never, simcore.Never}}

// Whole reports whether the node is there from the start to the end.
func (s Stays) Whole() bool {
	return len(s) == 1 && s[0].From <= 0 && s[0].To == simcore.Never && s[0].Drain == simcore.Never
}

// At is the stay in which an instant lies, or nil.
func (s Stays) At(t simcore.Time) *Stay {
	for i := range s {
		if s[i].From <= t && t < s[i].To {
			return &s[i]
		}
	}
	return nil
}

// Turn books that the node came to a state, as NodeState of YARN names it; another word
// changes nothing. Instants ascend.
func (s *Stays) Turn(at simcore.Time, state string) {
	var last *Stay
	if k := len(*s); k > 0 && (*s)[k-1].To == simcore.Never {
		last = &(*s)[k-1]
	}
	switch state {
	case "NEW", "RUNNING":
		if last == nil {
			*s = append(*s, Stay{at, simcore.Never, simcore.Never, simcore.Never})
		} else {
			last.Drain = simcore.Never // decommissioning was called off
		}
	case "DECOMMISSIONING":
		if last == nil {
			*s = append(*s, Stay{at, simcore.Never, at, simcore.Never})
		} else {
			last.Drain = min(last.Drain, at)
		}
	case "LOST", "DECOMMISSIONED", "SHUTDOWN", "UNHEALTHY", "REBOOTED":
		if last == nil {
			return
		}
		last.To = at
		if state == "LOST" {
			last.Dead = at
		}
	}
}

// Since drops what was over at an instant and counts times from it.
func (s Stays) Since(zero simcore.Time) Stays {
	var out Stays
	for _, x := range s {
		if x.To <= zero {
			continue
		}
		x.From = max(x.From-zero, 0)
		for _, t := range []*simcore.Time{&x.To, &x.Drain, &x.Dead} {
			if *t != simcore.Never {
				*t = max(*t-zero, 0)
			}
		}
		out = append(out, x)
	}
	return out
}

// Changes are the stays as entries of a cluster's timetable, which say when the
// ResourceManager let the node go.
func (s Stays) Changes(node string) []simcore.NodeChange {
	var list []simcore.NodeChange
	add := func(at simcore.Time, what simcore.ChangeKind, gone simcore.Time) {
		c := simcore.NodeChange{At: max(at, 0), What: what, Node: node, Count: 1, Gone: gone}
		if what == simcore.Decommission && gone > at {
			c.Timeout = simcore.Never
		}
		list = append(list, c)
	}
	for i := range s {
		x := &s[i]
		if x.From > 0 {
			add(x.From, simcore.Join, 0)
		}
		if x.Drain != simcore.Never && x.Dead != simcore.Never {
			add(x.Drain, simcore.Decommission, simcore.Never)
		}
		switch {
		case x.Dead != simcore.Never:
			add(x.Dead, simcore.Lose, x.To)
		case x.Drain != simcore.Never:
			add(x.Drain, simcore.Decommission, x.To)
		case x.To != simcore.Never:
			add(x.To, simcore.Decommission, x.To)
		}
	}
	return list
}
