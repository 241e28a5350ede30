package yarn

import (
	"schedtune/simcore"
)

// seatStanding lets standing load that is there from the beginning hold its containers
// before anything else happens, on the nodes where it held them, else on those with most
// memory left. What does not fit is asked for as by any job.
func (s *Sim) seatStanding() error {
	if s.adopter == nil {
		return nil
	}
	s.seating = true
	defer func() { s.seating = false }()
	free := make([]Resource, len(s.nodes))
	for i := range free {
		if !s.nodes[i].lost {
			free[i] = resource(s.cluster.Nodes[i].Capacity)
		}
	}
	fits := func(i int, size Resource) bool { return free[i].Memory >= size.Memory && free[i].VCores >= size.VCores }
	s.now = s.cfg.begin()
	for j := range s.work.Jobs {
		job := &s.work.Jobs[j]
		if job.Standing == nil || s.arrive[j] > s.now {
			continue
		}
		w := WarmJob{Job: simcore.JobID(j), Node: simcore.None, Registered: true, Since: s.now}
		for i := range job.Standing.Nodes {
			size := s.plan.mapAsk[j]
			if i == 0 && !job.Unmanaged {
				size = s.plan.amAsk[j]
			}
			node := int(job.Standing.Nodes[i])
			if node < 0 || node >= len(free) || !fits(node, size) {
				node = -1
				for n := range free {
					if fits(n, size) && (node < 0 || free[n].Memory > free[node].Memory) {
						node = n
					}
				}
			}
			if node < 0 {
				break
			}
			free[node] = minus(free[node], size)
			if i == 0 {
				w.Node = simcore.NodeID(node) // of an unmanaged master it stands for its machine
			}
			if i > 0 || job.Unmanaged {
				w.Tasks = append(w.Tasks, WarmTask{Node: simcore.NodeID(node), Since: s.now, Left: job.Standing.Hold})
			}
		}
		if w.Node < 0 {
			continue
		}
		if err := s.resumeJob(&w, 0); err != nil {
			return err
		}
	}
	return nil
}

// bookStanding counts what standing load still holds at the end of a run.
func (s *Sim) bookStanding() {
	for j := range s.jobs {
		if s.work.Jobs[j].Standing == nil {
			continue
		}
		for _, c := range s.live(&s.jobs[j].appState) {
			s.held.add(s.containerSize(c).Memory, s.now-c.granted)
		}
	}
}

// count counts a job among those that have not ended; the run does not wait for standing ones.
func (s *Sim) count(j, by int32) {
	if s.work.Jobs[j].Standing == nil {
		s.left += by
	}
}
