package yarnconf

import (
	"fmt"
	"schedtune/internal/text"
)

// Version is a line of Hadoop releases. The zero value is 3.4, whose rules are
// those of 3.4.1.
type Version uint8

// Versions whose rules are known.
const (
	Hadoop34 Version = iota
	Hadoop35
	Hadoop33
)

// String returns the line, like "3.4".
func (v Version) String() string { return text.Word(v, "Version", "3.4", "3.5", "3.3") }

// ParseVersion reads "3.4", or a release such as "3.4.1" or "3.4.1-amzn-0".
func ParseVersion(s string) (Version, error) {
	for v := Hadoop34; v <= Hadoop33; v++ {
		if len(s) >= 3 && s[:3] == v.String() && (len(s) == 3 || s[3] == '.' || s[3] == '-') {
			return v, nil
		}
	}
	return 0, fmt.Errorf("Hadoop version %q is not known: must be 3.3, 3.4, 3.5, or a release of them", s)
}

// Rules are the decisions in which versions differ, each with the number of the
// change in Hadoop's issue tracker or the method that changed. All are false in 3.4.
type Rules struct {
	// Since 3.5.
	AsyncByDefault      bool // YARN-7327: schedule-asynchronously.enable defaults to true
	AbsoluteAsWritten   bool // YARN-11641: a capacity of the form [...] is absolute also where it comes to nothing
	VectorWithoutMemory bool // YARN-11646: a vector need not name memory
	// YARN-11745: queues of equal use are compared by configured minimum if one of them has any
	MinimumOfEither bool
	// YARN-11798: an ask is checked before the nodes are gone through, its partition after the headroom
	CheckedBeforeNodes bool
	// YARN-11752: with many nodes an asynchronous round makes as many calls for a partition as it has nodes
	RoundPerNodeOfPartition bool
	Autocorrect             bool // YARN-11702: scheduler.autocorrect.container.allocation is known

	// In 3.3 and 3.5.
	// YARN-11801: preemption works while a managed parent has no leaf (FifoCandidatesSelector.selectCandidates)
	LeaflessPreempts bool

	// Until 3.3.
	NoWeights              bool // no weights, no flexible parents (YARN-10504, YARN-10506): refused
	NoVectors              bool // no capacity vectors, no queue mode without legacy rules (YARN-11000): refused
	WholeUserLimit         bool // minimum-user-limit-percent is a whole number
	NoUnlimitedFactor      bool // user-limit-factor -1 is no special value: nobody may use anything
	NoGlobalUserLimits     bool // YARN-10928: minimum-user-limit-percent and user-limit-factor for all queues are not read
	HeadroomByDominant     bool // YARN-10903: headrooms, and what a node has free, are compared by dominant share
	MaximumNotBelowMinimum bool // maximum-capacity below capacity is refused (dropped by YARN-10504)
	// the limit handed down is cut at the child's maximum, rounded down, not at the parent's own
	// (ParentQueue.getResourceLimitsOfChild)
	CutAtChild bool
	// YARN-11073: preemption offers siblings their share by guarantees alone, also where one rounds to nothing
	ShareOfGuarantee bool
	// a part of nothing is infinite (ParentQueue.deriveCapacityFromAbsoluteConfigurations)
	InfiniteShares bool
	// users of a leaf without guarantee have no more than user-limit-factor leaves
	// (UsersManager.computeUserLimit)
	UserLimitOfNothing bool
	// a refused refresh does not load the old configuration again (CapacityScheduler.reinitialize)
	KeptAfterRefusal bool
	// a refresh starts AMs of each leaf by its old figures, with the whole cluster as its limit
	// (LeafQueue.reinitialize)
	StartsInRefresh bool
	// maximum-applications of all queues is not bounded by that of the system (LeafQueue.setupQueueConfigs)
	ApplicationsByGlobal bool
	// what a queue has of a label is computed for the labels that its parent names
	// (ParentQueue.updateClusterResource)
	LabelsOfParent bool
	// AMs share no labelled nodes, have no default label, and an empty one means none
	// (RMAppManager.validateAndCreateResourceRequest)
	PlainMasters bool
	// rounds pass over no node because it is decommissioned (CapacityScheduler.shouldSkipNodeSchedule)
	VisitsDraining bool
	// each heartbeat of a decommissioned node computes all limits anew (AbstractYarnScheduler.nodeUpdate)
	UpdatesDraining bool
	// placement on several nodes works otherwise (CapacityScheduler.allocateContainersOnMultiNodes): not
	// simulated
	OfferedAlone bool
	// placement rules and managed parents work otherwise (UserGroupMappingPlacementRule, ManagedParentQueue):
	// not simulated
	FirstUseOtherwise bool
}

// Rules returns the rules of a version.
func (v Version) Rules() Rules {
	switch v {
	case Hadoop35:
		return Rules{AsyncByDefault: true, AbsoluteAsWritten: true, VectorWithoutMemory: true, MinimumOfEither: true,
			CheckedBeforeNodes: true, RoundPerNodeOfPartition: true, Autocorrect: true, LeaflessPreempts: true}
	case Hadoop33:
		return Rules{NoWeights: true, NoVectors: true, WholeUserLimit: true, NoUnlimitedFactor: true,
			NoGlobalUserLimits: true,
			HeadroomByDominant: true, MaximumNotBelowMinimum: true, CutAtChild: true, ShareOfGuarantee: true, InfiniteShares: true,
			UserLimitOfNothing: true, KeptAfterRefusal: true,
			StartsInRefresh: true, ApplicationsByGlobal: true, LabelsOfParent: true, PlainMasters: true, VisitsDraining: true,
			UpdatesDraining: true,
			OfferedAlone:    true, FirstUseOtherwise: true, LeaflessPreempts: true}
	}
	return Rules{}
}

// versionOf is the version that properties are for: a Document may say one.
func versionOf(p Props) Version {
	if v, ok := p.(interface{ Hadoop() Version }); ok {
		return v.Hadoop()
	}
	return Hadoop34
}
