package fairconf

import (
	"fmt"
	"strings"

	"schedtune/yarnconf"
)

// Prefix begins the Fair Scheduler's own properties.
const Prefix = "yarn.scheduler.fair."

// Site is what yarn-site.xml says to the Fair Scheduler.
type Site struct {
	MinAllocation Resource // smallest container
	MaxAllocation Resource // largest container
	Increment     Resource // asks are rounded up to multiples of it

	// Asks of at least so many increments may reserve, an application on a part of the nodes.
	ReservationMultiple float32 `conf:"yarn.scheduler.reservation-threshold.increment-multiple=2"`
	ReservableNodes     float32 `conf:"reservable-nodes=0.05"`
	// Part of the nodes to pass over before leaving the node, or the rack; negative = no delay.
	NodeThreshold float32 `conf:"locality.threshold.node=-1"`
	RackThreshold float32 `conf:"locality.threshold.rack=-1"`

	AssignMultiple   bool  `conf:"assignmultiple=false"`        // several containers a heartbeat
	DynamicMaxAssign bool  `conf:"dynamic.max.assign=true"`     // up to half of what the node has free, instead of MaxAssign
	MaxAssign        int   `conf:"max.assign=-1"`               // containers a heartbeat; 0 or less = no limit
	SizeBasedWeight  bool  `conf:"sizebasedweight=false"`       // applications weigh the logarithm of their demand
	UserAsDefault    bool  `conf:"user-as-default-queue=true"`  // submissions without a queue go to one of the user's name
	AllowUndeclared  bool  `conf:"allow-undeclared-pools=true"` // queues are dynamic
	UpdateInterval   int64 `conf:"update-interval-ms=500"`      // milliseconds between updates of demand and shares

	Preemption            bool    `conf:"preemption=false"`
	PreemptionUtilisation float32 `conf:"preemption.cluster-utilization-threshold=0.8"` // of the cluster, to preempt above
	WaitBeforeKill        int     `conf:"waitTimeBeforeKill=15000"`                     // milliseconds
	WaitBeforeNext        int64   `conf:"waitTimeBeforeNextStarvationCheck=10000"`      // milliseconds
	AMPreemption          bool    `conf:"am.preemption=true"`

	amPreemption map[string]bool // by queue, where a property says otherwise
}

// PreemptsMasters reports whether AMs of a queue's applications may be
// preempted.
func (s *Site) PreemptsMasters(queue string) bool {
	if v, ok := s.amPreemption[queue]; ok {
		return v
	}
	return s.AMPreemption
}

// ReadSite reads the properties, none where p is nil. All that is wrong is returned at once.
func ReadSite(p yarnconf.Props) (*Site, []*yarnconf.PropError) {
	if p == nil {
		p = yarnconf.Map(nil)
	}
	r := yarnconf.NewReader(p)
	amount := func(key string, def int) int64 { return int64(r.Integer("yarn.scheduler."+key, def)) }
	s := &Site{
		MinAllocation: Resource{Memory: amount("minimum-allocation-mb", 1024),
			VCores: amount("minimum-allocation-vcores", 1)},
		MaxAllocation: Resource{Memory: amount("maximum-allocation-mb", 8192),
			VCores: amount("maximum-allocation-vcores", 4)},
		Increment: Resource{Memory: increment(r, p, "memory-mb", "yarn.scheduler.increment-allocation-mb", "Mi", 1024),
			VCores: int64(int32(increment(r, p, "vcores", "yarn.scheduler.increment-allocation-vcores", "", 1)))},
	}
	r.Fill(Prefix, s)
	const each = Prefix + "am.preemption."
	for _, key := range p.Keys() {
		if queue, ok := strings.CutPrefix(key, each); ok {
			if s.amPreemption == nil {
				s.amPreemption = map[string]bool{}
			}
			s.amPreemption[queue] = r.Boolean(key, true)
		}
	}
	if s.UpdateInterval <= 0 {
		s.UpdateInterval = 500
	}
	ranges(r, s)
	return s, r.Refused()
}

// ranges refuses what the scheduler refuses at its start, and what cannot be
// simulated.
func ranges(r *yarnconf.Reader, s *Site) {
	if m := s.MinAllocation; m.Memory < 0 || m.Memory > s.MaxAllocation.Memory {
		r.Fail("yarn.scheduler.minimum-allocation-mb", fmt.Sprintf("must be between 0 and the maximum %d",
			s.MaxAllocation.Memory))
	}
	if m := s.MinAllocation; m.VCores < 0 || m.VCores > s.MaxAllocation.VCores {
		r.Fail("yarn.scheduler.minimum-allocation-vcores", fmt.Sprintf("must be between 0 and the maximum %d",
			s.MaxAllocation.VCores))
	}
	if s.Increment.Memory <= 0 {
		r.Fail("yarn.scheduler.increment-allocation-mb", "must be 1 or more")
	}
	if s.Increment.VCores <= 0 {
		r.Fail("yarn.scheduler.increment-allocation-vcores", "must be 1 or more")
	}
	for _, v := range []struct {
		key   string
		value float32
	}{{"yarn.scheduler.reservation-threshold.increment-multiple", s.ReservationMultiple},
		{Prefix + "reservable-nodes", s.ReservableNodes}, {Prefix + "locality.threshold.node", s.NodeThreshold},
		{Prefix + "locality.threshold.rack", s.RackThreshold},
		{Prefix + "preemption.cluster-utilization-threshold", s.PreemptionUtilisation}} {
		if v.value != v.value {
			r.Fail(v.key, "must be a number")
		}
	}
	if r.Boolean(Prefix+"continuous-scheduling-enabled", false) {
		r.Fail(Prefix+"continuous-scheduling-enabled", "cannot be simulated: must be false")
	}
}

// increment reads the newer name of an increment, in MiB or cores, else the older.
// Unlike all other numbers the newer one is not trimmed.
func increment(r *yarnconf.Reader, p yarnconf.Props, resource, old, unit string, def int) int64 {
	key := "yarn.resource-types." + resource + ".increment-allocation"
	v, ok := p.Get(key)
	if !ok {
		return int64(r.Integer(old, def))
	}
	n, good := parseQuantity(v, unit)
	if !good {
		r.Fail(key, "must be a whole number, at most one space, and one of "+strings.Join(yarnconf.UnitNames(), " "))
	}
	return n
}
