// Package predict holds the estimators that schedulers consult before they
// hand out a container: how often containers come free, when a job's reduces
// should start, whether finishing a job's last maps in one batch pays, how far
// a job's reduces lag behind its maps, near which node they should run, and with what
// probability a map should run far from its input.
//
// Each file is one algorithm, named after it, with paper and equation numbers
// in its comment:
//
//	EMA, Release, FitBeta, FitRelease            OMO, section IV-A
//	LazyStart, MapStage.Gap, ShuffleTime         OMO, sections IV-B and C, algorithm 1
//	BatchFinish, MapStage.BatchTimes             OMO, section IV-D, algorithm 2
//	Progress.Mismatch, Delta                     Coupling, algorithm 1
//	Centrality, TransferCost, WaitScheduler      Coupling, equation 1, algorithm 2
//	AllLocalProbability                          Coupling, equation 2
//	Peek, Sampled                                Coupling, equation 3, algorithm 3
//
// OMO is Yang et al., IEEE Access 2021; Coupling is Tan, Meng, Zhang, INFOCOM 2013.
//
// A scheduler with dynamic containers, for example, observes every window and asks both
// of OMO's algorithms for each container that comes free:
//
//	r, err := predict.NewRelease(0.3)
//	…
//	err = r.Observe(released, available, 10) // each 10 s
//	…
//	i := predict.LazyStart{}.Pick(jobs, r.Estimate()) // whose first reduce, or -1
//	k := predict.BatchFinish(jobs, r.Estimate())      // whose pending map, or -1
//
// Everything is arithmetic on values the caller observed: the
// package knows no cluster, reads no clock and holds no global state. Times
// are in seconds, rates per second, sizes in bytes, unless a comment says
// otherwise; any other unit works when used throughout.
package predict
