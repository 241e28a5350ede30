package classify

import "fmt"

// Overload rules supervise the classifier: the rule looks at a node's state in
// the heartbeat after a decision and says whether the node is overloaded
// (Dhok, Varma, section IV; the paper's DecisionEvaluator).

// NodeState is what a heartbeat tells about a node. Shares are of the node's
// capacity, 0 to 1; unknown figures are NaN and overload nothing.
type NodeState struct {
	Load1   float64 // 1-minute load average
	CPUs    float64 // processors
	CPU     float64 // share of processor time in use
	Memory  float64 // share of memory in use
	Swap    float64 // share of swap in use
	Disk    float64 // share of disk bandwidth in use
	Network float64 // share of network bandwidth in use
	Tasks   float64 // running tasks
}

// Rule decides whether a node is overloaded. A rule must stay the same while a
// classifier learns from it.
type Rule interface {
	// Overloaded reports whether the state is one of overload; unknown figures (NaN)
	// are none.
	Overloaded(s NodeState) bool
}

// RuleFunc makes a rule of a function.
type RuleFunc func(s NodeState) bool

// Overloaded calls the function; nil overloads nothing.
func (f RuleFunc) Overloaded(s NodeState) bool { return f != nil && f(s) }

// LoadAbove is the paper's rule: 1-minute load per processor above the limit;
// 1 stands for 100 % utilisation.
type LoadAbove float64

// Overloaded reports Load1 / CPUs > limit.
func (l LoadAbove) Overloaded(s NodeState) bool { return s.Load1/s.CPUs > float64(l) }

// CPUAbove overloads above a share of processor time.
type CPUAbove float64

// Overloaded reports CPU > limit.
func (l CPUAbove) Overloaded(s NodeState) bool { return s.CPU > float64(l) }

// MemoryAbove overloads above a share of memory.
type MemoryAbove float64

// Overloaded reports Memory > limit.
func (l MemoryAbove) Overloaded(s NodeState) bool { return s.Memory > float64(l) }

// DiskAbove overloads above a share of disk bandwidth.
type DiskAbove float64

// Overloaded reports Disk > limit.
func (l DiskAbove) Overloaded(s NodeState) bool { return s.Disk > float64(l) }

// NetworkAbove overloads above a share of network bandwidth, the paper's
// example for clusters that pay for it.
type NetworkAbove float64

// Overloaded reports Network > limit.
func (l NetworkAbove) Overloaded(s NodeState) bool { return s.Network > float64(l) }

// AnyOf overloads when one of its rules does; without rules never.
type AnyOf []Rule

// Overloaded reports whether any rule does; a rule that is nil does not.
func (a AnyOf) Overloaded(s NodeState) bool {
	for _, r := range a {
		if r != nil && r.Overloaded(s) {
			return true
		}
	}
	return false
}

// AllOf overloads when all of its rules do; without rules never.
type AllOf []Rule

// Overloaded reports whether every rule does; a rule that is nil does not.
func (a AllOf) Overloaded(s NodeState) bool {
	for _, r := range a {
		if r == nil || !r.Overloaded(s) {
			return false
		}
	}
	return len(a) > 0
}

// NewRule returns the rule of a name and a limit: load, cpu, memory, disk or
// network. The limit must be positive.
func NewRule(name string, limit float64) (Rule, error) {
	if !(limit > 0) {
		return nil, fmt.Errorf("classify: overload limit of %q is %v: must be above 0", name, limit)
	}
	switch name {
	case "load":
		return LoadAbove(limit), nil
	case "cpu":
		return CPUAbove(limit), nil
	case "memory":
		return MemoryAbove(limit), nil
	case "disk":
		return DiskAbove(limit), nil
	case "network":
		return NetworkAbove(limit), nil
	}
	return nil, fmt.Errorf("classify: overload rule %q: must be one of load, cpu, memory, disk, network", name)
}

// Label returns the class of a decision after which the node's state was s: Bad where the
// rule says overload, else Good, as without a rule (nil).
func Label(r Rule, s NodeState) int {
	if r != nil && r.Overloaded(s) {
		return Bad
	}
	return Good
}
