package fairconf

import (
	"math"
)

// Allocations is an allocation file as read; New makes that of an empty file, where the
// zero value would forbid everything. Queues are named by full path ("root.a.b"); one
// that the file does not name has the defaults.
type Allocations struct {
	File     string   // its name, for messages
	Leaves   []string // configured leaf queues by full path, in the order of the file
	Parents  []string // configured parents, children before their parent
	Warnings []*Error // elements nothing reads
	Access   []*Error // access lists: read, and nobody is kept out in a simulation

	UserMaxApps          map[string]int // running applications, by user
	UserMaxAppsDefault   int            // of users without their own; math.MaxInt32 = no limit
	QueueMaxAppsDefault  int            // of queues; math.MaxInt32 = no limit
	MaxDefault           Limit          // maxResources of queues without their own
	MaxAMShareDefault    float32        // of a queue's fair share, at most 1; -1 = no limit
	DefaultPolicy        Policy
	MinTimeoutDefault    int64   // milliseconds; of root, as the next two
	FairTimeoutDefault   int64   // milliseconds
	FairThresholdDefault float32 // of a fair share, 0 to 1
	Placement            []Rule  // nil: as the properties say

	queues map[string]*settings
	leaves map[string]bool // the names in Leaves
	inner  map[string]bool // the names in Parents
}

// settings are what the file says of one queue; unset pointers mean nothing.
type settings struct {
	min          *Resource
	max          *Limit
	maxChild     *Limit
	maxApps      *int
	maxAMShare   *float32
	maxContainer *Resource
	weight       *float32
	policy       *Policy
	minTimeout   *int64
	fairTimeout  *int64
	threshold    *float32
	fixed        bool // may not be preempted from
}

// Never stands for a timeout that was not set.
const Never = math.MaxInt64

// New returns the allocations of an empty file.
func New() *Allocations {
	return &Allocations{
		UserMaxApps: map[string]int{}, UserMaxAppsDefault: math.MaxInt32, QueueMaxAppsDefault: math.MaxInt32,
		MaxDefault: Limit{Amount: Unbounded()}, MaxAMShareDefault: 0.5,
		MinTimeoutDefault: Never, FairTimeoutDefault: Never, FairThresholdDefault: 0.5,
		queues: map[string]*settings{}, leaves: map[string]bool{}, inner: map[string]bool{},
	}
}

// addLeaf and addParent enter a configured queue once.
func (a *Allocations) addLeaf(path string) {
	if !a.leaves[path] {
		a.leaves[path], a.Leaves = true, append(a.Leaves, path)
	}
}

func (a *Allocations) addParent(path string) {
	if !a.inner[path] {
		a.inner[path], a.Parents = true, append(a.Parents, path)
	}
}

// Equal returns allocations of leaf queues of equal weight: what a file with
// nothing but their names says. A submission without a queue goes to
// root.default.
func Equal(names []string) *Allocations {
	a := New()
	a.File = "(equal weights)"
	for _, n := range names {
		a.addLeaf(FullPath(n))
	}
	a.Placement = []Rule{{Kind: Specified, Create: true}, {Kind: Default, Create: true, Queue: "root.default"}}
	return a
}

func (a *Allocations) of(path string) *settings {
	if s := a.queues[path]; s != nil {
		return s
	}
	return &settings{}
}

func (a *Allocations) set(path string) *settings {
	s := a.queues[path]
	if s == nil {
		s = &settings{}
		a.queues[path] = s
	}
	return s
}

func or[T any](p *T, def T) T {
	if p != nil {
		return *p
	}
	return def
}

// Configured reports whether the file names the queue.
func (a *Allocations) Configured(path string) bool { return a.leaves[path] || a.inner[path] }

// Weight of a queue, 1 unless set.
func (a *Allocations) Weight(path string) float32 { return or(a.of(path).weight, 1) }

// Min returns a queue's minResources, zero unless set as an amount.
func (a *Allocations) Min(path string) Resource { return or(a.of(path).min, Resource{}) }

// Max returns a queue's maxResources, MaxDefault unless set.
func (a *Allocations) Max(path string) Limit { return or(a.of(path).max, a.MaxDefault) }

// MaxChild returns what a queue says about children the file does not name.
func (a *Allocations) MaxChild(path string) (Limit, bool) {
	m := a.of(path).maxChild
	return or(m, Limit{}), m != nil
}

// MaxApps returns how many applications of a queue may run at a time; math.MaxInt32
// unless set for it or for all.
func (a *Allocations) MaxApps(path string) int { return or(a.of(path).maxApps, a.QueueMaxAppsDefault) }

// MaxAMShare returns the share of a queue's fair share for masters; -1 = no limit.
func (a *Allocations) MaxAMShare(path string) float32 {
	return or(a.of(path).maxAMShare, a.MaxAMShareDefault)
}

// MaxContainer returns the largest container of a queue, Unbounded unless set.
func (a *Allocations) MaxContainer(path string) Resource {
	return or(a.of(path).maxContainer, Unbounded())
}

// Policy returns how a queue decides between its children or applications,
// DefaultPolicy unless set.
func (a *Allocations) Policy(path string) Policy { return or(a.of(path).policy, a.DefaultPolicy) }

// UserApps returns how many applications of a user may run at a time; math.MaxInt32
// unless set for the user or for all.
func (a *Allocations) UserApps(user string) int {
	if n, ok := a.UserMaxApps[user]; ok {
		return n
	}
	return a.UserMaxAppsDefault
}

// MinTimeout returns after how many milliseconds below its minResources a queue
// is starved; -1 = as its parent.
func (a *Allocations) MinTimeout(path string) int64 {
	return or(a.of(path).minTimeout, a.rootOnly(path, a.MinTimeoutDefault))
}

// FairTimeout returns after how many milliseconds below FairThreshold of its fair share
// a queue is starved; -1 = as its parent.
func (a *Allocations) FairTimeout(path string) int64 {
	return or(a.of(path).fairTimeout, a.rootOnly(path, a.FairTimeoutDefault))
}

func (a *Allocations) rootOnly(path string, v int64) int64 {
	if path == "root" {
		return v
	}
	return -1
}

// FairThreshold returns which part of its fair share a starved application has
// less than; negative = as the parent.
func (a *Allocations) FairThreshold(path string) float32 {
	def := float32(-1)
	if path == "root" {
		def = a.FairThresholdDefault
	}
	return or(a.of(path).threshold, def)
}

// Preemptable reports whether containers of a queue may be preempted, as far as
// the queue itself says.
func (a *Allocations) Preemptable(path string) bool { return !a.of(path).fixed }
