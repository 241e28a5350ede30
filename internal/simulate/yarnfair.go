package simulate

import (
	"fmt"
	"strings"

	"schedtune/fairconf"
	"schedtune/internal/study"
	"schedtune/simcore"
	"schedtune/simcore/sched/yarnfair"
	"schedtune/simcore/yarn"
	"schedtune/yarnconf"
)

// YARNFair is YARN's Fair Scheduler, which runs on the YARN runtime too.
const YARNFair = "yarn-fair"

// OnYARN reports whether a scheduler runs on the YARN runtime; its name is then
// no spec of package sched.
func OnYARN(name string) bool { return name == YARN || name == YARNFair }

// fairOf reads the allocations, or gives equal weights to the workload's
// queues, and the properties.
func (s *Sim) fairOf(path string, p yarnconf.Props) (*fairconf.Allocations, *fairconf.Site, error) {
	site, errs := fairconf.ReadSite(p)
	if len(errs) > 0 {
		return nil, nil, errs[0]
	}
	if path == "" {
		s.Notes = append(s.Notes, fmt.Sprintf("%s without --allocations: the queues of the workload have equal weights", YARNFair))
		return fairconf.Equal(s.Work.Queues), site, nil
	}
	a, err := fairconf.Load(path)
	if err != nil {
		return nil, nil, err
	}
	for _, w := range a.Warnings {
		s.Warnings = append(s.Warnings, w.Error())
	}
	var made []string
	for _, q := range s.Work.Queues {
		if !a.Configured(fairconf.FullPath(q)) {
			made = append(made, q)
		}
	}
	if len(made) > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("%s names no queue %s: the placement rules decide", path, strings.Join(made, ", ")))
	}
	for _, w := range yarnfair.Ignored(a) {
		s.Warnings = append(s.Warnings, "not simulated: "+w.Error())
	}
	return a, site, nil
}

// flatFair runs the Fair Scheduler on a trace whose queues are the file's.
func (s *Sim) flatFair(r Request) error {
	props, cal := yarnconf.Props(yarnconf.Map{}), yarn.Default()
	if r.Inputs.Site != "" {
		doc, err := yarnconf.Load(r.Inputs.Site)
		if err != nil {
			return err
		}
		props = doc
	}
	if r.Inputs.Calibration != "" {
		var err error
		if cal, err = yarn.LoadCalibration(r.Inputs.Calibration); err != nil {
			return err
		}
	}
	return s.onYARNFair(r, props, cal)
}

// onYARNFair builds runs of YARN's Fair Scheduler.
func (s *Sim) onYARNFair(r Request, p yarnconf.Props, cal *yarn.Calibration) error {
	alloc, site, err := s.fairOf(r.Allocations, p)
	if err != nil {
		return err
	}
	if err := s.admits(alloc, site); err != nil {
		return err
	}
	sim, err := yarn.NewSim(s.Cluster, s.Work, yarn.Options{ScheduleCPU: true})
	if err != nil {
		return err
	}
	s.Unit = "containers"
	s.run = func(seed uint64, watch func(Change)) (*simcore.Result, error) {
		scheduler, err := yarnfair.New(alloc, site)
		if err != nil {
			return nil, err
		}
		cfg := s.yarnConfig(r, seed, cal, watch)
		cfg.PreemptEvery = yarn.PreemptionInterval(site.Preemption, 3000)
		return sim.Run(cfg, scheduler)
	}
	return nil
}

// yarnConfig is the run of a seed on the YARN runtime.
func (s *Sim) yarnConfig(r Request, seed uint64, cal *yarn.Calibration, watch func(Change)) yarn.RunConfig {
	cfg := yarn.RunConfig{Seed: seed, Slowstart: r.Slowstart, Calibration: cal, Jitter: study.Spread(nil)}
	cfg.Durations.Model = r.Model
	if watch != nil {
		cfg.Trace = func(at simcore.Time, c yarn.ContainerChange) {
			event := "allocated"
			if c.Delta < 0 {
				event = "released"
			}
			watch(Change{at, c.Job, c.Node, c.Kind, c.Master, int(c.Delta), event})
		}
	}
	return cfg
}

// admits submits one job of every queue and user to a scheduler on the whole
// cluster: what it would reject is said before any run.
func (s *Sim) admits(alloc *fairconf.Allocations, site *fairconf.Site) error {
	f, err := yarnfair.New(alloc, site)
	if err != nil {
		return err
	}
	for i := range s.Cluster.Nodes {
		n := &s.Cluster.Nodes[i]
		if _, err := f.AddNode(yarn.NodeSpec{Name: n.Name, Resource: yarn.Resource{Memory: n.Capacity[simcore.Memory], VCores: n.Capacity[simcore.VCores]}}); err != nil {
			return err
		}
	}
	type client struct{ queue, user int32 }
	seen := map[client]bool{}
	for i := range s.Work.Jobs {
		j := &s.Work.Jobs[i]
		c := client{j.Queue, j.User}
		if seen[c] {
			continue
		}
		seen[c] = true
		spec := yarn.AppSpec{Name: j.ID, User: s.Work.Users[j.User], Queue: s.Work.Queues[j.Queue], AM: yarn.Resource{Memory: j.AMAsk[simcore.Memory], VCores: j.AMAsk[simcore.VCores]}}
		id, err := f.Submit(spec)
		if err != nil {
			return fmt.Errorf("%s: %w", alloc.File, err)
		}
		f.End(id)
	}
	return nil
}
