package diagnose

import (
	"schedtune/simcore/sched/capacity"
	"schedtune/simcore/yarn"
	"schedtune/yarnconf"
)

// calculator is that of the configuration; memory alone counts where that is not known.
func (s *Source) calculator() yarnconf.Calculator {
	if s.Config == nil {
		return yarnconf.Calculator{}
	}
	return s.Config.Calculator
}

// fits adds a size to what is used and compares with a limit by what the calculator
// counts.
func (s *Source) fits(used, ask, limit yarn.Resource) bool {
	return s.calculator().Fits(yarnconf.Resource(used).Add(yarnconf.Resource(ask)), yarnconf.Resource(limit))
}

// more compares as the scheduler does: by memory, or by the largest share of the
// running nodes.
func (s *Source) more(a, b yarn.Resource) bool {
	var all yarnconf.Resource
	for i := range s.nodes {
		if n := &s.nodes[i]; n.State == "RUNNING" {
			all = all.Add(yarnconf.Resource{Memory: n.Used + n.Free, VCores: n.UsedV + n.FreeV})
		}
	}
	return s.calculator().Compare(all, yarnconf.Resource(a), yarnconf.Resource(b)) > 0
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
