package predict

import (
	"fmt"
	"math"
)

// Container release frequency (Yang et al., OMO, IEEE Access 2021, section IV-A, equation 1).
//
// In window t of T_w seconds, R_t containers were released while a_t were
// "available" (held by maps, or by reduces of jobs whose maps are all done).
// With f_t = R_t / T_w both series are averaged by one EMA,
//
//	F_o(t) = beta f(t) + (1-beta) F_o(t-1)
//	A_o(t) = beta a(t) + (1-beta) A_o(t-1)
//
// and a scenario with A_e available containers is estimated to release
//
//	F_e = F_o A_e / A_o                                                  (1)
//
// containers per second. What differs: the averages are bias-corrected, so
// that the first windows do not look idle.

// Release averages how many containers come free (f_t = R_t / T_w) and how many could
// (a_t) in windows of T_w seconds, by
//
//	F_o(t) = beta f(t) + (1-beta) F_o(t-1),  A_o(t) = beta a(t) + (1-beta) A_o(t-1)
//
// with averages corrected for their start (OMO, section IV-A). Make it with NewRelease;
// the fields are its state.
type Release struct {
	Frequency EMA `json:"frequency"` // F_o, containers per second
	Available EMA `json:"available"` // A_o, containers
}

// NewRelease returns an average in which the newest window weighs beta,
// 0 < beta <= 1.
func NewRelease(beta float64) (*Release, error) {
	e, err := NewEMA(beta)
	if err != nil {
		return nil, err
	}
	return &Release{Frequency: e, Available: e}, nil
}

// Observe takes one window: released containers (R_t), available containers
// (a_t) and the window's length in seconds (T_w). Counts below 0, a window that is not
// above 0 and what is not finite are errors and change nothing.
func (r *Release) Observe(released, available, window float64) error {
	switch {
	case !(window > 0) || math.IsInf(window, 0):
		return fmt.Errorf("predict: release window is %v s: must be positive and finite", window)
	case !(released >= 0) || math.IsInf(released, 0):
		return fmt.Errorf("predict: released containers is %v: must be 0 or more", released)
	case !(available >= 0) || math.IsInf(available, 0):
		return fmt.Errorf("predict: available containers is %v: must be 0 or more", available)
	}
	r.Frequency.Add(released / window)
	r.Available.Add(available)
	return nil
}

// Estimate returns the observed averages F_o and A_o, zeros before the first
// window.
func (r *Release) Estimate() ReleaseEstimate {
	if !r.Frequency.Ready() {
		return ReleaseEstimate{}
	}
	return ReleaseEstimate{Frequency: r.Frequency.Value(), Available: r.Available.Value()}
}

// ReleaseEstimate is what the estimators of this package need to know about
// the cluster.
type ReleaseEstimate struct {
	Frequency float64 // F_o, containers released per second
	Available float64 // A_o, containers that can come free
}

// At returns F_e = F_o A_e / A_o (OMO, equation 1), in containers per second, for a
// scenario with available containers (A_e); 0 where nothing has been observed or nothing is available.
func (e ReleaseEstimate) At(available float64) float64 {
	if !(e.Available > 0) || !(available > 0) {
		return 0
	}
	return e.Frequency * available / e.Available
}

// FreeContainers returns R_t of section IV-A's YARN form: how many containers
// of the size request fit into what the nodes have free,
//
//	R_t = sum over nodes k of min over resources i of floor(R_ik / req_i)
//
// free[k][i] is the amount of resource i free on node k. A resource of which
// nothing is asked does not limit; a request of nothing at all, a negative
// amount or a node with another number of resources is an error.
func FreeContainers(free [][]int64, request []int64) (int64, error) {
	asks := false
	for i, q := range request {
		if q < 0 {
			return 0, fmt.Errorf("predict: request of resource %d is %d: must be 0 or more", i, q)
		}
		asks = asks || q > 0
	}
	if !asks {
		return 0, fmt.Errorf("predict: the request asks for nothing: must be at least one positive amount")
	}
	var sum int64
	for k, node := range free {
		if len(node) != len(request) {
			return 0, fmt.Errorf("predict: node %d has %d resources: must be %d as in the request", k, len(node), len(request))
		}
		sum += fits(node, request)
	}
	return sum, nil
}

func fits(node, request []int64) int64 {
	n := int64(math.MaxInt64)
	for i, q := range request {
		if q > 0 {
			n = min(n, max(node[i], 0)/q)
		}
	}
	return n
}
