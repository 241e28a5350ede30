package papers

import (
	"fmt"

	"schedtune/internal/stats"
)

// thesisAgreement sums up how near the simulator comes to chapter 6: the mean
// relative error of makespans and response ratios over the calibration's
// experiments 1 to 8 and over 9 to 32, which it did not see; what order of
// queues does to it; and how near a perfect model would come.
func thesisAgreement(r *runner) ([]Section, error) {
	s := Section{Paper: "thesis", ID: "agreement", Title: "Calibrated on experiments 1 to 8, judged on 9 to 32", Source: "Chauhan, thesis, tables 6.2 to 6.20",
		Setup: fmt.Sprintf("all cells of the tables together, %d replications; with another order of queues %d", thesisReps, thesisOtherReps)}
	for _, kind := range []struct {
		code byte
		name string
		most float64
	}{{'m', "makespans", 10}, {'r', "response ratios", 30}} {
		if err := s.agreement(r, kind.code, kind.name, kind.most); err != nil {
			return nil, err
		}
	}
	return []Section{s}, nil
}

// agreement adds the rows of one kind of table.
func (s *Section) agreement(r *runner, kind byte, name string, most float64) error {
	runs, err := r.thesisCached(1, 32, thesisWay{})
	if err != nil {
		return err
	}
	again, err := r.thesisCached(1, 32, thesisAgain)
	if err != nil {
		return err
	}
	other, err := r.thesisCached(1, 32, thesisWay{pending: true})
	if err != nil {
		return err
	}
	of := func(runs map[int]*thesisRun, from, to int) (ours, theirs []float64) {
		for _, t := range thesisTables {
			if t.kind != kind || t.from < from || t.from > to || err != nil {
				continue
			}
			var o, p []float64
			o, p, err = thesisCells(t.id, t.kind, t.half, runs)
			ours, theirs = append(ours, o...), append(theirs, p...)
		}
		return ours, theirs
	}
	miss := func(what string, runs map[int]*thesisRun, from, to int) {
		o, p := of(runs, from, to)
		s.show(fmt.Sprintf("mean relative error of %s, experiments %d to %d%s", name, from, to, what), "%", nan(), exact(100*meanRelativeError(o, p)))
	}
	miss(" (calibrated)", runs, 1, 8)
	ours, theirs := of(runs, 9, 32)
	e, rank := 100*meanRelativeError(ours, theirs), stats.Spearman(ours, theirs)
	s.add(Row{What: "mean relative error of " + name + ", experiments 9 to 32", Unit: "%", Kind: Magnitude, Published: nan(), Ours: exact(e),
		Rule: "at most " + Number(most), Verdict: verdict(e <= most), Apart: "repeats tables 6.6 to 6.20"})
	s.add(Row{What: "rank correlation of " + name + ", experiments 9 to 32", Unit: "Spearman", Kind: Claim, Published: nan(), Ours: exact(rank),
		Rule: "at least 0.8", Verdict: verdict(rank >= 0.8), Apart: "repeats tables 6.6 to 6.20"})
	repeat, _ := of(again, 9, 32)
	s.yardstick(name+" of experiments 9 to 32, ours against ours with other seeds", ours, repeat)
	miss("", runs, 9, 24)
	miss("", runs, 25, 32)
	miss(", queue with the most pending tasks first", other, 1, 8)
	miss(", queue with the most pending tasks first", other, 9, 24)
	miss(", queue with the most pending tasks first", other, 25, 32)
	return err
}
