package study

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"schedtune/internal/simulate"
	"schedtune/simcore/sched/capacity"
	"schedtune/tune"
	"schedtune/yarnconf"
)

// Hints are what the simulator knows of a run that metrics do not show: which limit kept
// requests waiting while memory was free, and by how much it fell short (simulate.Account). A
// limit that was never reached gives none.

// limitSettings are the settings behind limits, of the queue whose limit it is.
var limitSettings = map[capacity.Limit]string{
	capacity.QueueMaximum:   yarnconf.MaximumCapacity,
	capacity.UserFactor:     yarnconf.UserFactor,
	capacity.UserShare:      yarnconf.MinimumUser,
	capacity.MastersOfQueue: yarnconf.AMShare,
	capacity.MastersOfUser:  yarnconf.UserFactor,
}

// hintOf returns the parameter behind a limit and how it would move from a value, of which the
// limit is a multiple: by the part of itself that it fell short. "" where no parameter is.
func hintOf(b *simulate.Blocked, value func(param string) float64) (param string, move float64) {
	switch kind := limitSettings[b.Limit]; {
	case b.Limit == capacity.Unlimited: // one more container a heartbeat
		return offSwitch, max(value(offSwitch), 0)
	case b.Limit == capacity.LocalityDelay:
		return localityDelay, -value(localityDelay) / 2
	case kind != "" && b.Label == "" && b.Most > 0:
		param = b.At + "." + kind
		return param, value(param) * b.Short / b.Most
	}
	return "", 0
}

// Hints returns what would have let more work run with settings, by the account of a run with
// them: at most tune.MaxHints, the heaviest first. A weight is the part of all that was blocked
// which free memory could have served.
func (s *Space) Hints(a *simulate.Account, set tune.Settings) []tune.Hint {
	present := s.PresentSettings()
	value := func(param string) float64 {
		text, ok := set.Get(param)
		if !ok {
			text, _ = present.Get(param)
		}
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || v < 0 { // no parameter, or a special value
			return 0
		}
		return v
	}
	sums := map[string]*tune.Hint{}
	for _, b := range a.List() {
		param, move := hintOf(&b, value)
		if move == 0 || math.IsNaN(move) || math.IsInf(move, 0) || b.Idle <= 0 {
			continue
		}
		h := sums[param]
		if h == nil {
			h = &tune.Hint{Param: param}
			sums[param] = h
		}
		// Users of one queue, or limits on one setting: each by its own share.
		h.Move += move * b.Idle
		h.Weight += b.Idle
	}
	var hints []tune.Hint
	for _, h := range sums {
		hints = append(hints, tune.Hint{Param: h.Param, Move: h.Move / h.Weight, Weight: h.Weight / a.Total()})
	}
	slices.SortFunc(hints, func(x, y tune.Hint) int {
		return cmp.Or(cmp.Compare(y.Weight, x.Weight), cmp.Compare(x.Param, y.Param))
	})
	return hints[:min(len(hints), tune.MaxHints)]
}
