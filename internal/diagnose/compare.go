package diagnose

import (
	"schedtune/simcore/sched/capacity"
	"schedtune/simcore/yarn"
	"schedtune/yarnconf"
)

// fits adds a size to what is used and compares with a limit by what the calculator
// counts.
func (s *Source) fits(used, ask, limit yarn.Resource) bool {
	sum := yarnconf.Resource(used).Add(yarnconf.Resource(ask))
	if s.Config != nil {
		return s.Config.Calculator.Fits(sum, yarnconf.Resource(limit))
	}
	return sum.Memory <= limit.Memory
}

// more compares as the scheduler does: by memory, or by the largest share of the
// running nodes.
func (s *Source) more(a, b yarn.Resource) bool {
	if s.Config == nil {
		return a.Memory > b.Memory
	}
	var all yarnconf.Resource
	for i := range s.nodes {
		if n := &s.nodes[i]; n.State == "RUNNING" {
			all = all.Add(yarnconf.Resource{Memory: n.Used + n.Free, VCores: n.UsedV + n.FreeV})
		}
	}
	return s.Config.Calculator.Compare(all, yarnconf.Resource(a), yarnconf.Resource(b)) > 0
}

// accessible reports whether a queue may use a partition, as far as the configuration
// is known.
func (s *Source) accessible(path, label string) bool {
	if s.Config == nil || label == "" {
		return true
	}
	i := s.Config.Find(path)
	return i < 0 || s.Config.Queues[i].Accessible(label)
}

// makes adds a dynamic queue to the configuration, which does not list it.
func (s *Source) makes(path string) {
	if s.Config == nil || s.Config.Find(path) >= 0 {
		return
	}
	sched, err := capacity.New(s.Config)
	if err != nil {
		return
	}
	if _, err := sched.Destination(yarn.AppSpec{Queue: path}); err == nil {
		s.Config = sched.Config()
	}
}
