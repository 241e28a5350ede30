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

	UserMaxApps        map[string]int // running applications, by user
	UserMaxAppsDefault int            // of users without their own; math.MaxInt32 = no limit
	Placement          []Rule         // nil: as the properties say

	other  Queue // what holds for a queue that says nothing
	root   Queue // timeouts and threshold of root where it says nothing
	queues map[string]*Queue
	leaves map[string]bool // the names in Leaves
	inner  map[string]bool // the names in Parents
}

// Queue holds the settings of one queue, defaults filled in.
type Queue struct {
	Weight        float32
	Min           Resource // zero unless set as an amount
	Max           Limit
	MaxChild      *Limit   // of children that the file does not name; nil: it says nothing of them
	MaxApps       int      // running applications; math.MaxInt32 = no limit
	MaxAMShare    float32  // of its fair share, for application masters, at most 1; -1 = no limit
	MaxContainer  Resource // the largest container, Unbounded unless set
	Policy        Policy   // between its children or applications
	MinTimeout    int64    // milliseconds below Min after which it is starved; -1 = as its parent
	FairTimeout   int64    // milliseconds below FairThreshold of its fair share likewise; -1 = as its parent
	FairThreshold float32  // of its fair share, 0 to 1; negative = as its parent
	Fixed         bool     // its containers may not be preempted, as far as the queue itself says
}

// Never stands for a timeout that was not set.
const Never = math.MaxInt64

// New returns the allocations of an empty file.
func New() *Allocations {
	return &Allocations{
		UserMaxApps: map[string]int{}, UserMaxAppsDefault: math.MaxInt32,
		other: Queue{Weight: 1, Max: Limit{Amount: Unbounded()}, MaxApps: math.MaxInt32, MaxAMShare: 0.5,
			MaxContainer: Unbounded(), MinTimeout: -1, FairTimeout: -1, FairThreshold: -1},
		root:   Queue{MinTimeout: Never, FairTimeout: Never, FairThreshold: 0.5},
		queues: map[string]*Queue{}, leaves: map[string]bool{}, inner: map[string]bool{},
	}
}

// enter lists a configured queue once.
func enter(path string, list *[]string, in map[string]bool) {
	if !in[path] {
		in[path], *list = true, append(*list, path)
	}
}

// Equal returns allocations of leaf queues of equal weight: what a file with
// nothing but their names says. A submission without a queue goes to
// root.default.
func Equal(names []string) *Allocations {
	a := New()
	a.File = "(equal weights)"
	for _, n := range names {
		enter(FullPath(n), &a.Leaves, a.leaves)
	}
	a.Placement = []Rule{{Kind: Specified, Create: true}, {Kind: Default, Create: true, Queue: "root.default"}}
	return a
}

// Of returns the settings of a queue.
func (a *Allocations) Of(path string) Queue {
	if q := a.queues[path]; q != nil {
		return *q
	}
	q := a.other
	if path == "root" {
		q.MinTimeout, q.FairTimeout, q.FairThreshold = a.root.MinTimeout, a.root.FairTimeout, a.root.FairThreshold
	}
	return q
}

// Configured reports whether the file names the queue.
func (a *Allocations) Configured(path string) bool { return a.leaves[path] || a.inner[path] }

// UserApps returns how many applications of a user may run at a time; math.MaxInt32
// unless set for the user or for all.
func (a *Allocations) UserApps(user string) int {
	if n, ok := a.UserMaxApps[user]; ok {
		return n
	}
	return a.UserMaxAppsDefault
}
