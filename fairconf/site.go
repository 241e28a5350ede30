package fairconf

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"schedtune/internal/java"
	"schedtune/yarnconf"
)

// Prefix begins the Fair Scheduler's own properties.
const Prefix = "yarn.scheduler.fair."

// Site is what yarn-site.xml says to the Fair Scheduler.
type Site struct {
	MinAllocation Resource // smallest container
	MaxAllocation Resource // largest container
	Increment     Resource // asks are rounded up to multiples of it

	ReservationMultiple float32 // asks of at least this many increments may reserve
	ReservableNodes     float32 // part of the nodes one application may have reserved
	NodeThreshold       float64 // part of the nodes to pass over before leaving the node; negative = no delay
	RackThreshold       float64 // the same for the rack
	AssignMultiple      bool    // several containers a heartbeat
	DynamicMaxAssign    bool    // up to half of what the node has free, instead of MaxAssign
	MaxAssign           int     // containers a heartbeat; 0 or less = no limit
	SizeBasedWeight     bool    // applications weigh the logarithm of their demand
	UserAsDefault       bool    // submissions without a queue go to one of the user's name
	AllowUndeclared     bool    // queues are dynamic
	UpdateInterval      int64   // milliseconds between updates of demand and shares

	Preemption            bool    // on
	PreemptionUtilisation float32 // of the cluster, above which to preempt
	WaitBeforeKill        int64   // milliseconds
	WaitBeforeNext        int64   // milliseconds
	AMPreemption          bool

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

// DefaultSite returns what holds where no property is set.
func DefaultSite() *Site {
	s, _ := ReadSite(yarnconf.Map{})
	return s
}

// ReadSite reads the properties, none where p is nil. All that is wrong is returned at once.
func ReadSite(p yarnconf.Props) (*Site, []*yarnconf.PropError) {
	if p == nil {
		p = yarnconf.Map(nil)
	}
	r := siteReader{p: p}
	s := &Site{
		MinAllocation: Resource{Memory: r.integer("yarn.scheduler.minimum-allocation-mb", 1024),
			VCores: r.integer("yarn.scheduler.minimum-allocation-vcores", 1)},
		MaxAllocation: Resource{Memory: r.integer("yarn.scheduler.maximum-allocation-mb", 8192),
			VCores: r.integer("yarn.scheduler.maximum-allocation-vcores", 4)},
		Increment: Resource{Memory: r.increment("memory-mb", "yarn.scheduler.increment-allocation-mb", "Mi",
			1024), VCores: int64(int32(r.increment("vcores", "yarn.scheduler.increment-allocation-vcores", "", 1)))},
		ReservationMultiple:   r.float("yarn.scheduler.reservation-threshold.increment-multiple", 2),
		ReservableNodes:       r.float(Prefix+"reservable-nodes", 0.05),
		NodeThreshold:         float64(r.float(Prefix+"locality.threshold.node", -1)),
		RackThreshold:         float64(r.float(Prefix+"locality.threshold.rack", -1)),
		AssignMultiple:        r.boolean(Prefix+"assignmultiple", false),
		DynamicMaxAssign:      r.boolean(Prefix+"dynamic.max.assign", true),
		MaxAssign:             int(r.integer(Prefix+"max.assign", -1)),
		SizeBasedWeight:       r.boolean(Prefix+"sizebasedweight", false),
		UserAsDefault:         r.boolean(Prefix+"user-as-default-queue", true),
		AllowUndeclared:       r.boolean(Prefix+"allow-undeclared-pools", true),
		UpdateInterval:        r.integer(Prefix+"update-interval-ms", 500),
		Preemption:            r.boolean(Prefix+"preemption", false),
		PreemptionUtilisation: r.float(Prefix+"preemption.cluster-utilization-threshold", 0.8),
		WaitBeforeKill:        r.integer(Prefix+"waitTimeBeforeKill", 15000),
		WaitBeforeNext:        r.integer(Prefix+"waitTimeBeforeNextStarvationCheck", 10000),
		AMPreemption:          r.boolean(Prefix+"am.preemption", true),
	}
	const each = Prefix + "am.preemption."
	for _, key := range p.Keys() {
		if queue, ok := strings.CutPrefix(key, each); ok {
			if s.amPreemption == nil {
				s.amPreemption = map[string]bool{}
			}
			s.amPreemption[queue] = r.boolean(key, true)
		}
	}
	if s.UpdateInterval <= 0 {
		s.UpdateInterval = 500
	}
	r.ranges(s)
	return s, r.errs
}

// ranges refuses what the scheduler refuses at its start, and what cannot be
// simulated.
func (r *siteReader) ranges(s *Site) {
	if m := s.MinAllocation; m.Memory < 0 || m.Memory > s.MaxAllocation.Memory {
		r.fail("yarn.scheduler.minimum-allocation-mb", fmt.Sprintf("must be between 0 and the maximum %d",
			s.MaxAllocation.Memory))
	}
	if m := s.MinAllocation; m.VCores < 0 || m.VCores > s.MaxAllocation.VCores {
		r.fail("yarn.scheduler.minimum-allocation-vcores", fmt.Sprintf("must be between 0 and the maximum %d",
			s.MaxAllocation.VCores))
	}
	if s.Increment.Memory <= 0 {
		r.fail("yarn.scheduler.increment-allocation-mb", "must be 1 or more")
	}
	if s.Increment.VCores <= 0 {
		r.fail("yarn.scheduler.increment-allocation-vcores", "must be 1 or more")
	}
	if r.boolean(Prefix+"continuous-scheduling-enabled", false) {
		r.fail(Prefix+"continuous-scheduling-enabled", "cannot be simulated: must be false")
	}
}

// siteReader reads typed properties as Hadoop's Configuration does.
type siteReader struct {
	p    yarnconf.Props
	errs []*yarnconf.PropError
}

func (r *siteReader) fail(key, reason string) {
	v, _ := r.p.Get(key)
	r.errs = append(r.errs, &yarnconf.PropError{Key: key, Value: v, Reason: reason})
}

// converted reads a property with a parser; def where it is not set or refused.
func converted[T any](r *siteReader, key string, def T, parse func(string) (T, error), what string) T {
	v, ok := r.p.Get(key)
	if !ok {
		return def
	}
	x, err := parse(v)
	if err != nil {
		r.fail(key, "must be "+what)
		return def
	}
	return x
}

func (r *siteReader) integer(key string, def int64) int64 {
	return converted(r, key, def, func(v string) (int64, error) {
		return strconv.ParseInt(strings.TrimSpace(v), 10, 32)
	}, "a 32-bit integer")
}

// increment reads the newer name of an increment, in MiB or cores, else the older.
// Unlike all other numbers the newer one is not trimmed.
func (r *siteReader) increment(resource, old, unit string, def int64) int64 {
	key := "yarn.resource-types." + resource + ".increment-allocation"
	v, ok := r.p.Get(key)
	if !ok {
		return r.integer(old, def)
	}
	n, good := parseQuantity(v, unit)
	if !good {
		r.fail(key, "must be a whole number, at most one space, and one of "+strings.Join(yarnconf.UnitNames(), " "))
	}
	return n
}

func (r *siteReader) float(key string, def float32) float32 {
	return converted(r, key, def, func(v string) (float32, error) {
		f, err := java.ParseFloat(v, 32)
		if math.IsNaN(f) {
			err = strconv.ErrSyntax
		}
		return float32(f), err
	}, "a number")
}

func (r *siteReader) boolean(key string, def bool) bool {
	v, _ := r.p.Get(key)
	switch strings.ToLower(java.Trim(v)) {
	case "true":
		return true
	case "false":
		return false
	}
	return def
}
