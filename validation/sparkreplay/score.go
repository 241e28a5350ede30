package sparkreplay

import (
	"cmp"
	"slices"

	"schedtune/simcore"
)

// targetScore says how the manager's targets agree with a recorded
// application's.
type targetScore struct {
	Changes                 int  // recorded
	Equal                   bool // same values in the same order
	Within100, Within200    int  // of the recorded changes
	Kills, SameKills, Extra int  // idle kills recorded; the same executor within 150 ms; others
	Loop                    Loop
	Got, Want               []Change
	GotKills, WantKills     []Kill
}

// Phases and periods of the loop that are tried: the original turns every
// 100 ms plus its own work, whose mean is known where turns are recorded.
const phases = 10

var periods = []simcore.Time{100800, 101200, 101600, 102200}

// meanPeriod returns the mean of the recorded gaps between turns, those in which a turn is missing
// aside; 0 if there are none.
func (a *App) meanPeriod() simcore.Time {
	sum, n := simcore.Time(0), simcore.Time(0)
	for i := 1; i < len(a.Turns); i++ {
		if gap := a.Turns[i] - a.Turns[i-1]; gap < 2*loopPeriod {
			sum, n = sum+gap, n+1
		}
	}
	return sum / max(n, 1)
}

// JudgeTargets runs the manager over an application with each phase and period
// of its loop and returns the best score.
func (r *Run) JudgeTargets(a *App) targetScore {
	s := newSteps(r, a)
	want, kills := s.recorded()
	best := targetScore{}
	list := periods
	if own := a.meanPeriod(); own > 0 {
		list = append([]simcore.Time{own}, periods...)
	}
	for at, period := range list {
		for k := range phases {
			l := Loop{From: a.Registered, Phase: period * simcore.Time(k) / phases, Period: period}
			got, gotKills := s.manage(l)
			score := targetScore{Changes: len(want), Kills: len(kills), Loop: l, Want: want, WantKills: kills}
			score.compare(got, a.Finish)
			score.compareKills(gotKills)
			if k == 0 && at == 0 || score.better(&best) {
				best = score
			}
		}
	}
	return best
}

func (t *targetScore) compare(got []Change, end simcore.Time) {
	for len(got) > 0 && got[len(got)-1].At >= end-lastMoments {
		got = got[:len(got)-1]
	}
	t.Got = got
	t.Equal = slices.EqualFunc(got, t.Want, func(a, b Change) bool { return a.Target == b.Target })
	for i := range min(len(got), len(t.Want)) {
		d := max(got[i].At-t.Want[i].At, t.Want[i].At-got[i].At)
		if got[i].Target != t.Want[i].Target {
			continue
		}
		if d <= 100*simcore.Millisecond {
			t.Within100++
		}
		if d <= 200*simcore.Millisecond {
			t.Within200++
		}
	}
}

func (t *targetScore) compareKills(got []Kill) {
	t.GotKills, t.Extra = got, len(got)
	for _, w := range t.WantKills {
		i := slices.IndexFunc(got, func(k Kill) bool { return k.Executor == w.Executor })
		if i >= 0 && max(got[i].At-w.At, w.At-got[i].At) <= 150*simcore.Millisecond {
			t.SameKills++
			t.Extra--
		}
	}
}

// better orders scores: the sequence, then the changes near their times, then
// the kills.
func (t *targetScore) better(o *targetScore) bool {
	if t.Equal != o.Equal {
		return t.Equal
	}
	return cmp.Or(cmp.Compare(t.Within100, o.Within100), cmp.Compare(t.Within200, o.Within200),
		cmp.Compare(t.SameKills-t.Extra, o.SameKills-o.Extra)) > 0
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}
