package capacity

import (
	"schedtune/simcore"
	"schedtune/simcore/yarn"
	"schedtune/yarnconf"
)

// The limits and the usage of queues and users, for reports, explanations and comparisons
// with recordings. Queues are named by their index in Config, partitions by their index in
// Labels. Reading a figure changes no decision.
//
// The limits of a queue file on a cluster, without a run:
//
//	s, err := capacity.OnCluster(conf, cluster)
//	i := s.Config().Find("root.a")
//	s.Figures(i, 0).Min            // guaranteed on the nodes without label
//	s.UserLimits(i, 0, "u").Alone  // what user-limit-factor allows user u

// OnCluster returns a scheduler with the nodes of a cluster and no applications. The labels
// are those of the cluster, and those that only nodes name, which are exclusive.
func OnCluster(conf *yarnconf.Config, c *simcore.Cluster) (*Scheduler, error) {
	s, err := New(conf)
	if err != nil {
		return nil, err
	}
	var labels []yarn.Label
	known := map[string]bool{"": true}
	for _, l := range c.Labels {
		labels, known[l.Name] = append(labels, yarn.Label{Name: l.Name, Exclusive: l.Exclusive}), true
	}
	for i := range c.Nodes {
		if l := c.Nodes[i].Label; !known[l] {
			labels, known[l] = append(labels, yarn.Label{Name: l, Exclusive: true}), true
		}
	}
	if err := s.DeclareLabels(labels); err != nil {
		return nil, err
	}
	for i := range c.Nodes {
		n := &c.Nodes[i]
		size := yarn.Resource{Memory: n.Capacity[simcore.Memory], VCores: n.Capacity[simcore.VCores]}
		if _, err := s.AddNode(yarn.NodeSpec{Name: n.Name, Resource: size, Label: n.Label}); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Figures are the limits and the usage of a queue in a partition.
type Figures struct {
	yarnconf.Effective         // capacities and limits; AMLimit includes the headroom of this instant
	Accessible         bool    // the queue may use the partition
	AMPercent          float32 // maximum-am-resource-percent
	State              yarnconf.State

	Used, Reserved, Pending, AMUsed yarn.Resource // Reserved is contained in Used

	// Of the whole leaf, whatever the partition.
	Active, Waiting           int // applications: AM activated, AM not yet activated
	AskingUsers, WaitingUsers int // users with pending requests, users with waiting applications only (as last counted)
}

// Figures returns the figures of a queue in a partition.
func (s *Scheduler) Figures(queue, part int) Figures {
	s.settle()
	q := s.queues[queue]
	at := q.at(int32(part))
	f := Figures{Effective: at.eff, Accessible: at.accessible, AMPercent: at.label.AMPercent, State: q.state,
		Used: yarn.Resource(at.used), Reserved: yarn.Resource(at.reserved), Pending: yarn.Resource(at.pending),
		AMUsed: yarn.Resource(at.amUsed),
		Active: len(q.active), Waiting: len(q.waiting), AskingUsers: q.users.activeUsers, WaitingUsers: q.users.waitingOnly}
	if q.leaf {
		f.AMLimit = s.amLimitNow(q, at.part)
	}
	return f
}

// UserLimits are the limits of one user of a leaf in a partition.
type UserLimits struct {
	Weight float32
	Now    yarnconf.Resource // user limit at this instant
	Alone  yarnconf.Resource // user limit of a single user of an idle queue, by user-limit-factor
	AM     yarnconf.Resource // of the application masters
}

// UserLimits returns the limits of a user of a leaf in a partition.
func (s *Scheduler) UserLimits(leaf, part int, user string) UserLimits {
	s.settle()
	q, p := s.queues[leaf], int32(part)
	weight, tp := weightOf(q.conf, user), q.users.at(p)
	s.amLimitNow(q, p)
	now := tp.limits[forActive]
	if tp.versions[forActive] != q.users.version { // not kept: asking changes nothing, see renewLimit
		now = s.computeUserLimit(q, p, forActive)
	}
	return UserLimits{
		Weight: weight,
		Now:    s.weighted(weight, now),
		Alone:  s.weighted(weight, s.calc.RoundUp(q.at(p).userMost, s.minAlloc)),
		AM:     s.userAMLimitNow(q, weight, p),
	}
}

// SharedLimit returns the user limit while so many users are active and use together all
// that the leaf may use of a partition. The others have weight 1.
func (s *Scheduler) SharedLimit(leaf, part int, user string, users int) yarnconf.Resource {
	s.settle()
	q := s.queues[leaf]
	at, weight := q.at(int32(part)), weightOf(q.conf, user)
	limit := s.shareLimit(q, &userShare{total: s.parts[part].total, current: at.most, used: at.most,
		weights: float32(users-1) + weight, most: at.userMost})
	return s.weighted(weight, limit)
}

// Wanted returns what the active applications of a leaf still ask for of the nodes without
// label, as far as their users' limits allow.
func (s *Scheduler) Wanted(leaf int) yarn.Resource {
	s.settle()
	return yarn.Resource(s.pendingWithinLimits(s.queues[leaf], 0, false))
}
