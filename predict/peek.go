package predict

import "math"

// Random peeking of maps (Tan, Meng, Zhang, Coupling, INFOCOM 2013, section
// II-B, equation 3, algorithm 3).
//
// A job without local data on the node whose heartbeat came launches a remote
// map there with probability
//
//	p = 1 - alpha pm^beta (1 - exp(-Nm))                                 (3)
//	beta = 0.1 + 0.9 (1 - exp(-pending / max(Nm, 1)))
//
// where pm is the share of nodes that hold input of its pending maps and Nm
// the number of nodes with a free map slot, both estimated from K nodes drawn
// at random; alpha is 0.7 with rack-local data and a reduce of the job on the
// node, 0.8 with rack-local data only, 1 otherwise. With local data p = 1.
//
// The text below equation 3 calls p the probability of skipping the heartbeat;
// algorithm 3 and p = 1 with local data make it that of launching, as here.

// Peek is what a heartbeat tells about one job: the node that sent it and a sample of the
// others (see Sampled).
type Peek struct {
	Local         bool    // the node holds input of a pending map
	RackLocal     bool    // the node's rack does
	RunsReduce    bool    // a reduce of the job runs on the node
	Pending       int     // the job's pending maps
	LocalShare    float64 // share of the nodes with input of its pending maps, 0 to 1
	FreeNodes     float64 // estimated nodes with a free map slot
	BetaOverwrite float64 // 0: equation 3's beta; else this value (figure 11 fixes 0.1 and 0.5)
}

// Sampled turns the counts of a sample into LocalShare and FreeNodes: of
// sample nodes looked at (K), local hold input (K1) and free have a map slot
// (K2), in a cluster of nodes (N). An empty sample gives zeros.
func Sampled(local, free, sample, nodes int) (localShare, freeNodes float64) {
	if sample <= 0 {
		return 0, 0
	}
	return float64(local) / float64(sample), float64(nodes) * float64(free) / float64(sample)
}

// Beta returns the exponent of equation 3, 0.1 + 0.9 (1 - exp(-Pending / max(FreeNodes, 1))),
// or BetaOverwrite.
func (p Peek) Beta() float64 {
	if p.BetaOverwrite > 0 {
		return p.BetaOverwrite
	}
	return 0.1 - 0.9*math.Expm1(-float64(p.Pending)/math.Max(p.FreeNodes, 1))
}

// Probability returns with what probability the job launches a map on the node (Coupling,
// equation 3): 1 with local data, else
//
//	1 - alpha LocalShare^Beta (1 - exp(-FreeNodes))
//
// alpha is 0.7 with rack-local data and a reduce of the job on the node, 0.8 with rack-local
// data only, 1 otherwise.
func (p Peek) Probability() float64 {
	if p.Local {
		return 1
	}
	alpha := 1.0
	switch {
	case p.RackLocal && p.RunsReduce:
		alpha = 0.7
	case p.RackLocal:
		alpha = 0.8
	}
	return 1 + alpha*math.Pow(p.LocalShare, p.Beta())*math.Expm1(-p.FreeNodes)
}
