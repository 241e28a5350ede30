package yarnconf

import (
	"slices"

	"schedtune/internal/text"
	"schedtune/yarnconf/placement"
)

// Mode is how a queue's capacity is written.
type Mode uint8

// Modes of a capacity. A weight counts as Percentage where Hadoop says so: its
// own report of a queue's mode knows only percentage and absolute.
const (
	Percentage Mode = iota
	Weight
	Absolute
)

// String returns the mode's name.
func (m Mode) String() string { return text.Word(m, "Mode", "percentage", "weight", "absolute") }

// State of a queue. Draining is reached at run time only: a stopped queue that
// still has applications.
type State uint8

// States of a queue.
const (
	Running State = iota
	Stopped
	Draining
)

// String returns the word Hadoop uses for the state.
func (s State) String() string { return text.Word(s, "State", "RUNNING", "STOPPED", "DRAINING") }

// AppOrder is a leaf's order among its applications.
type AppOrder uint8

// Orders among applications.
const (
	FIFO AppOrder = iota
	Fair
	// fifo-with-partitions: FIFO among the applications of each of ExclusivePartitions, and among all others
	FIFOPartitions
	FIFOPending // fifo-for-pending-apps
)

// String returns the configured name of the order.
func (o AppOrder) String() string {
	return text.Word(o, "AppOrder", "fifo", "fair", "fifo-with-partitions", "fifo-for-pending-apps")
}

// QueueOrder is a parent's order among its children.
type QueueOrder uint8

// Orders among queues.
const (
	Utilization QueueOrder = iota
	PriorityUtilization
)

// String returns the configured name of the order.
func (o QueueOrder) String() string {
	return text.Word(o, "QueueOrder", "utilization", "priority-utilization")
}

// Undefined is Hadoop's mark for a limit that is not set.
const Undefined = -1

// MaxInt is the default of max-parallel-apps: no limit.
const MaxInt = 1<<31 - 1

// Label is what a queue may use of the nodes with a label.
type Label struct {
	Name              string   // of the label
	Capacity          float32  // fraction of the parent's; 0 unless Percentage
	MaxCapacity       float32  // fraction; 1 where the maximum is a resource
	AMPercent         float32  // fraction for masters
	Weight            float32  // -1 unless Weight
	ConfiguredMin     Resource // Absolute only
	ConfiguredMax     Resource // maximum-capacity as a resource, possibly inherited; zero when not
	CarriedWeight     float32  // normalised weight from before a refresh: the original forgets to clear it
	Vector            Vector   // capacity resource by resource
	MaxVector         Vector   // maximum-capacity likewise
	absoluteAsWritten bool     // capacity has the form [...] without units of a vector
	set               bool     // else what stands for a queue without settings for the label
}

// share returns what is set for a label; for "" what is set without one.
func (q *Queue) share(label string) *Label {
	if label == "" {
		return &q.Label
	}
	if l := q.LabelOf(label); l != nil {
		return l
	}
	return &Label{Weight: -1}
}

// LabelOf returns the queue's settings for a label; nil when it has none.
func (q *Queue) LabelOf(name string) *Label {
	for i := range q.Labels {
		if q.Labels[i].Name == name {
			return &q.Labels[i]
		}
	}
	return nil
}

// Accessible reports whether the queue may use nodes with a label.
func (q *Queue) Accessible(label string) bool {
	return label == "" || slices.Contains(q.AccessibleLabels, label) || slices.Contains(q.AccessibleLabels, "*")
}

// Queue is one queue as configured, inheritance applied.
type Queue struct {
	Path                      string     // "root.a.b"
	Name                      string     // "b"
	Parent                    int        // index in Config.Queues, -1 for root
	Children                  []int      // in the order of the file
	Leaf                      bool       // has no children and makes none
	Mode                      Mode       // how its capacity is written
	Label                                // of the nodes without a label; AMPercent of leaves only
	AllowZeroSum              bool       // allow-zero-capacity-sum
	State                     State      // after load; a refresh may leave Draining
	NodeSorting               string     // class of the policy that orders nodes, "" for none
	StateSet                  bool       // state is written for this queue itself
	Priority                  int        // among its siblings, higher first
	Order                     QueueOrder // of its children
	MaxParallelApps           int        // running applications; MaxInt for no limit
	MaxAllocation             Resource   // largest container
	PreemptionDisabled        bool       // disable_preemption, or inherited
	IntraPreemptionDisabled   bool       // includes PreemptionDisabled
	intraDisabledInHierarchy  bool
	MaxLifetime               int64 // seconds; -1 for none
	DefaultLifetime           int64 // seconds, of applications that ask for none; -1 for none
	defaultLifetimeSet        bool
	AccessibleLabels          []string  // sorted; "*" is any
	LabelExpression           string    // default-node-label-expression
	Labels                    []Label   // with settings of their own, sorted by name; root has all
	AutoCreate, AutoCreateOld bool      // auto-queue-creation-v2, auto-create-child-queue
	Dynamic, Managed          bool      // dynamic, below a parent of one or the other kind
	AutoRemoval               bool      // a Dynamic queue is removed when it has not been used for a while
	MaxDepth                  int       // levels below it at which others may be created on first use
	Template                  *Template // of the leaves of a managed parent

	// Leaves only.
	UserLimit       float32            // percent
	UserLimitFactor float32            // -1 switches the cap off
	UserWeights     map[string]float32 // by user, 1 where not set
	MaxApplications int                // Undefined: derived from the capacity
	AppOrder        AppOrder
	// ExclusivePartitions are node labels whose nodes serve only the applications
	// submitted with the label, and these only there (ordering-policy.exclusive-enforced-partitions
	// of the order fifo-with-partitions, YARN-9730).
	ExclusivePartitions []string
	SizeBasedWeight     bool // ordering-policy.fair.enable-size-based-weight
	DefaultPriority     int  // of applications that ask for none
}

// Keeping holds which policies of dynamic queues the monitor runs, and
// how often, in milliseconds; 0 is never.
type Keeping struct {
	RemoveEvery int64 // removal of flexible parents' queues, which goes by the expiry time
	ShareEvery  int64 // capacity among the leaves of managed parents
}

// Preemption holds the settings of the proportional preemption policy.
type Preemption struct {
	Enabled              bool    // the scheduler monitor runs
	ObserveOnly          bool    `conf:"observe_only=false"`             // marks nothing
	MaxWaitBeforeKill    int64   `conf:"max_wait_before_kill=15000"`     // ms
	MonitoringInterval   int64   `conf:"monitoring_interval=3000"`       // ms
	TotalPerRound        float32 `conf:"total_preemption_per_round=0.1"` // of the cluster
	MaxIgnoredOver       float64 `conf:"max_ignored_over_capacity=0.1"`  // above the guarantee
	NaturalTermination   float64 `conf:"natural_termination_factor=0.2"` // asked back in a round
	ConservativeDRF      bool    `conf:"conservative-drf=false"`         // no resource beyond need
	ByReserved           bool    `conf:"select_based_on_reserved_containers=false"`
	AdditionalByReserved bool    `conf:"additional_res_balance_based_on_reserved_containers=false"`
	Underutilized
	// Between queues that have their guarantee; ms.
	BalanceAfterSatisfied bool  `conf:"preemption-to-balance-queue-after-satisfied.enabled=false"`
	BalanceWaitBeforeKill int64 `conf:"preemption-to-balance-queue-after-satisfied.max-wait-before-kill=300000"`
	// Within queues: from which use, and which share of a queue in a round, fractions; by priority first, else by user
	// limits first.
	Intra                bool    `conf:"intra-queue-preemption.enabled=false"`
	IntraMinThreshold    float32 `conf:"intra-queue-preemption.minimum-threshold=0.5"`
	IntraMaxLimit        float32 `conf:"intra-queue-preemption.max-allowable-limit=0.2"`
	IntraPriorityFirst   bool    // preemption-order-policy
	IntraConservativeDRF bool    `conf:"intra-queue-preemption.conservative-drf=true"` // as ConservativeDRF
}

// Underutilized holds underutilized-preemption of the order priority-utilization.
type Underutilized struct {
	ByPriority      bool  `conf:"enabled=false"`
	ByPriorityDelay int64 `conf:"reserved-container-delay-ms=60000"` // ms that a reservation waits before it preempts so
	ByPriorityMove  bool  `conf:"allow-move-reservation=false"`      // to a node where it can preempt enough
}

// Config is a Capacity Scheduler configuration that has been read: global
// settings and the queue tree.
type Config struct {
	Version       Version // whose rules count
	Calculator    Calculator
	MinAllocation Resource // smallest container, and the step that asks are rounded up to
	MaxAllocation Resource // largest container
	// MaxAppPriority: higher ones are cut to it.
	MaxAppPriority     int    `conf:"yarn.cluster.max-application-priority=0"`
	MaxSystemApps      int    `conf:"maximum-applications=10000"`
	GlobalQueueMaxApps int    `conf:"global-queue-max-application=-1"` // Undefined when not set
	UserMaxParallel    int    `conf:"user.max-parallel-apps=2147483647"`
	NodeLocalityDelay  int    `conf:"node-locality-delay=40"` // missed opportunities
	RackExtraDelay     int    `conf:"rack-locality-additional-delay=-1"`
	RackFullReset      bool   `conf:"rack-locality-full-reset=true"`
	MultipleAssign     bool   `conf:"per-node-heartbeat.multiple-assignments-enabled=true"`
	MaxAssign          int    `conf:"per-node-heartbeat.maximum-container-assignments=100"` // containers a heartbeat, -1 none
	MaxOffSwitch       int    // off-switch containers a heartbeat
	ContinueLooking    bool   `conf:"reservations-continue-look-all-nodes=true"`
	LazyPreemption     bool   `conf:"lazy-preemption-enabled=false"`
	SharedForMasters   bool   // node-labels.am.allow-non-exclusive-allocation
	MasterLabel        string // node-labels.am.default-node-label-expression
	// yarn.node-labels.exclusive-enforced-partitions: only applications submitted with the label ask for it, and
	// these for nothing else
	EnforcedPartitions []string
	MultiNode          bool `conf:"multi-node-placement-enabled=false"`
	SkipReserved       bool `conf:"skip-allocate-on-nodes-with-reserved-containers=false"`
	NodeSortings       []NodeSorting
	Asynchronous       bool // schedule-asynchronously.enable
	Async              Async
	Autocorrect        bool // yarn.resourcemanager.scheduler.autocorrect.container.allocation
	LegacyMode         bool // legacy-queue-mode.enabled
	Preemption         Preemption

	// Queues in depth-first order of the file; Queues[0] is root.
	Queues []Queue

	Placement    *placement.Rules
	Keeping      Keeping // of dynamic queues
	userParallel map[string]int
	props        Props             // what was read
	made         map[string]string // properties that dynamic queues have added
}

// UserParallel returns how many applications a user may run at a time.
func (c *Config) UserParallel(user string) int {
	if n, ok := c.userParallel[user]; ok {
		return n
	}
	return c.UserMaxParallel
}

// Find returns the index of a queue by its full path, or by its short name
// where that is unambiguous; -1 when there is none.
func (c *Config) Find(name string) int {
	found := -1
	for i := range c.Queues {
		if c.Queues[i].Path == name {
			return i
		}
		if c.Queues[i].Name == name {
			if found >= 0 {
				found = -2
			} else if found == -1 {
				found = i
			}
		}
	}
	return max(found, -1)
}

// StateFrom returns the path of the queue whose state setting queue i is in: its own, or one above
// where it has none.
func (c *Config) StateFrom(i int) string {
	for !c.Queues[i].StateSet && c.Queues[i].Parent >= 0 {
		i = c.Queues[i].Parent
	}
	return c.Queues[i].Path
}
