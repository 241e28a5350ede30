package predict

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// The threshold of Coupling's algorithm 1 from a log. While a job has maps to launch, its k-th of R
// reduces may start
//
//	by Coupling   once a share of the maps above delta k/R has finished, delta = 1 - exp(-R/threshold)
//	by a share    once a share s of the maps has finished (slowstart)
//
// For a given threshold or s the time in which a reduce slot is free somewhere falls into time in which
// the job's next reduce may start and time in which it may not. With n starts in T seconds of either,
// as of Poisson processes, the likelihood of the log is
//
//	sum over both of n log(n/T) - n
//
// whose largest value over all thresholds, and over all s, is found by sorting: what matters of a moment
// is only from which threshold on, or up to which s, it allows the start. Which rule the log follows is
// judged by their likelihoods job by job (Vuong, Likelihood Ratio Tests for Model Selection, 1989).

// MismatchFit is what a log shows of the start of reduces.
type MismatchFit struct {
	Jobs   int `json:"jobs"`   // with a start of a reduce while they had maps to launch
	Starts int `json:"starts"` // of reduces, then
	// Threshold, in reduces, is the one of algorithm 1 that explains the log best: Delta takes it.
	Threshold float64 `json:"threshold"`
	Low       float64 `json:"low"`       // 90 % interval of the threshold; high is at most 1e6
	High      float64 `json:"high"`      // 90 % interval of the threshold, at most 1e6
	Slowstart float64 `json:"slowstart"` // the share of maps that explains the log best
	// P is the probability of a lead of Coupling's rule as large over the share's if both were as good; 1
	// for fewer than two jobs.
	P       float64 `json:"p"`
	Reverse float64 `json:"p_slowstart"` // that of the share's lead
}

// mostThreshold stands for all thresholds under which reduces start at once.
const mostThreshold = 1e6

// startBeat is the least time that a start takes, in seconds, as no node is heard of more often.
const startBeat = 1

// spell is a time in which a job's next reduce could start for all that slots matter.
type spell struct {
	job       int
	threshold float64 // above which Coupling lets it start
	share     float64 // up to which a fixed share does
	seconds   float64
	start     float64 // 1: it ended with the start
}

// FitMismatch fits the threshold of Coupling's algorithm 1 to the tasks of logs; see MismatchFit.
func FitMismatch(logs ...[]TaskRun) MismatchFit {
	var spells []spell
	jobs := 0
	for _, runs := range logs {
		r := newReplay(runs)
		spells = append(spells, r.spells(jobs)...)
		jobs += len(r.jobs)
	}
	f := MismatchFit{P: 1, Reverse: 1}
	lead := map[int]float64{} // by job
	for _, s := range spells {
		if s.start > 0 {
			lead[s.job] = 0
			f.Starts++
		}
	}
	if f.Jobs = len(lead); f.Jobs == 0 {
		return f
	}
	spells = slices.DeleteFunc(spells, func(s spell) bool { _, ok := lead[s.job]; return !ok })
	byThreshold := func(s *spell) float64 { return s.threshold }
	byShare := func(s *spell) float64 { return -s.share }
	coupling, fixed := fitRule(spells, byThreshold), fitRule(spells, byShare)
	f.Threshold, f.Low, f.High = min(coupling.cut, mostThreshold), min(coupling.low, mostThreshold),
		min(coupling.high, mostThreshold)
	f.Slowstart = math.Max(-fixed.cut, 0)
	for i := range spells {
		s := &spells[i]
		lead[s.job] += coupling.likelihood(s, byThreshold) - fixed.likelihood(s, byShare)
	}
	var leads, reverse []float64
	for _, job := range slices.Sorted(maps.Keys(lead)) {
		leads, reverse = append(leads, lead[job]), append(reverse, -lead[job])
	}
	f.P, f.Reverse = leadP(leads), leadP(reverse)
	return f
}

// spells cuts the time of each job, numbered from first, at its starts of reduces and ends of maps.
func (r *replay) spells(first int) (out []spell) {
	free, last := 0.0, 0.0
	since := make([]float64, len(r.jobs)) // free reads at the job's last change
	r.each(func(t *TaskRun, start bool, at float64, j, _ jobCounts) {
		if r.free[reduceSlots] > 0 {
			free += at - last
		}
		last = at
		if j.begunMaps > 0 && j.begunMaps < j.maps && j.begunReduces < j.reduces {
			s := spell{job: first + t.Job, share: float64(j.doneMaps) / float64(j.maps), seconds: free - since[t.Job]}
			switch ready := s.share * float64(j.reduces) / float64(j.begunReduces+1); {
			case ready == 0:
				s.threshold = math.Inf(1)
			case ready < 1: // else every delta lets it start
				s.threshold = -float64(j.reduces) / math.Log1p(-ready)
			}
			if start && t.Reduce && !t.Again {
				s.start = 1
			}
			if s.seconds += startBeat * s.start; s.seconds > 0 {
				out = append(out, s)
			}
		}
		since[t.Job] = free
	})
	return out
}

// rule is a fitted rule: starts per second where it lets reduces start, and where not.
type rule struct{ cut, low, high, may, mayNot float64 }

// fitRule finds the cut above which spells let reduces start, at the largest likelihood, and the range of
// those whose likelihood is within what chance makes of the true one's in 90 % of cases.
func fitRule(spells []spell, critical func(*spell) float64) rule {
	order := make([]*spell, len(spells))
	n, seconds := 0.0, 0.0
	for i := range spells {
		order[i] = &spells[i]
		n, seconds = n+spells[i].start, seconds+spells[i].seconds
	}
	slices.SortFunc(order, func(a, b *spell) int { return cmp.Compare(critical(a), critical(b)) })
	part := func(n, seconds float64) float64 {
		if n <= 0 {
			return 0
		}
		return n * math.Log(n/seconds)
	}
	inf := math.Inf(1)
	best, most := rule{cut: inf, may: n / seconds, mayNot: n / seconds}, part(n, seconds)
	at := make([]float64, len(order)) // likelihood of a cut behind each
	k, t := 0.0, 0.0
	for i, s := range order {
		k, t, at[i] = k+s.start, t+s.seconds, math.Inf(-1)
		if i+1 == len(order) {
			at[i] = part(n, seconds)
		} else if next := critical(order[i+1]); next > critical(s) && k/t >= (n-k)/(seconds-t) {
			if at[i] = part(k, t) + part(n-k, seconds-t); at[i] > most {
				best, most = rule{cut: (critical(s) + next) / 2, may: k / t, mayNot: (n - k) / (seconds - t)}, at[i]
				if math.IsInf(next, 1) {
					best.cut = critical(s)
				}
			}
		}
	}
	within := func(l float64) bool { return l >= most-distuv.ChiSquared{K: 1}.Quantile(0.9)/2 }
	first, last := slices.IndexFunc(at, within), len(at)-1
	for !within(at[last]) {
		last--
	}
	best.low, best.high = critical(order[first]), inf
	if last+1 < len(order) {
		best.high = critical(order[last+1])
	}
	return best
}

// likelihood is the logarithm of a spell's.
func (r rule) likelihood(s *spell, critical func(*spell) float64) float64 {
	rate := r.may
	if critical(s) > r.cut {
		rate = math.Max(r.mayNot, 1e-9)
	}
	return s.start*math.Log(math.Max(rate, 1e-9)) - rate*s.seconds
}
