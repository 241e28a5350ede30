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

// Rule decides whether a node is overloaded; nil overloads nothing. A rule must stay the same
// while a classifier learns from it, and be false for unknown figures (NaN).
type Rule func(s NodeState) bool

// Overloaded reports whether the state is one of overload.
func (r Rule) Overloaded(s NodeState) bool { return r != nil && r(s) }

// NewRule returns the rule that a figure is above a limit, which must be positive: load is the
// paper's rule, the 1-minute load per processor, of which 1 stands for 100 % utilisation; cpu,
// memory, disk and network are shares in use, the last the paper's example for clusters that
// pay for it.
func NewRule(name string, limit float64) (Rule, error) {
	if !(limit > 0) {
		return nil, fmt.Errorf("classify: overload limit of %q is %v: must be above 0", name, limit)
	}
	figure := map[string]func(s NodeState) float64{
		"load":    func(s NodeState) float64 { return s.Load1 / s.CPUs },
		"cpu":     func(s NodeState) float64 { return s.CPU },
		"memory":  func(s NodeState) float64 { return s.Memory },
		"disk":    func(s NodeState) float64 { return s.Disk },
		"network": func(s NodeState) float64 { return s.Network },
	}[name]
	if figure == nil {
		return nil, fmt.Errorf("classify: overload rule %q: must be one of load, cpu, memory, disk, network", name)
	}
	return func(s NodeState) bool { return figure(s) > limit }, nil
}

// Label returns the class of a decision after which the node's state was s: Bad where the
// rule says overload, else Good, as without a rule (nil).
func Label(r Rule, s NodeState) int {
	if r.Overloaded(s) {
		return Bad
	}
	return Good
}
