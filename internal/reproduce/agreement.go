package reproduce

import (
	"fmt"
	"math"

	"schedtune/internal/stats"
)

// thesisAgreement sums up how near the simulator comes to chapter 6: the mean
// relative error of makespans and response ratios over the calibration's
// experiments 1 to 8 and over 9 to 32, which it did not see; what order of
// queues does to it; and how near a perfect model would come.
func thesisAgreement(r *runner) ([]Section, error) {
	s := Section{Paper: "thesis", ID: "agreement", Title: "Calibrated on experiments 1 to 8, judged on 9 to 32", Source: "Chauhan, thesis, tables 6.2 to 6.20",
		Setup: fmt.Sprintf("all cells of the tables together, %d replications; with queues sorted by load %d", thesisReps, thesisLoadReps)}
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
	load, err := r.thesisCached(1, 32, thesisWay{byLoad: true})
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
	s.holds("mean relative error of "+name+", experiments 9 to 32", "%", exact(e), "at most "+Number(most), e <= most)
	s.holds("rank correlation of "+name+", experiments 9 to 32", "Spearman", exact(rank), "at least 0.8", rank >= 0.8)
	other, _ := of(again, 9, 32)
	s.yardstick(name+" of experiments 9 to 32, ours against ours with other seeds", ours, other)
	miss("", runs, 9, 24)
	miss("", runs, 25, 32)
	miss(", queues sorted by load", load, 1, 8)
	miss(", queues sorted by load", load, 9, 24)
	miss(", queues sorted by load", load, 25, 32)
	return err
}

func nan() float64 { return math.NaN() }

const thesisOrderReason = "Section 3.3.2 of the thesis sorts queues by running tasks over capacity. Its tables show another order: queues of 70 % and 30 % end together unless limited, short queues wait for long ones that are further beyond their capacity, and jobs start early in experiment 1 but not in 3 (\"delayed map execution\"). Here the queue with the most pending tasks comes first, which gives all three. Experiments 1 to 8 decide against the order by load (12 % off in response ratios, against 8 %). Between this one and serving the queues in turn they do not (9 % each, with a slowstart of 5 %), and the latter would miss the makespans of 9 to 32 by 15 %, those of 25 to 32 by 26 %: for experiments 25 to 32 the order is no independent result."

const thesisLimitReason = "What is too long here has in common that a queue is limited: long queues with a user limit as well (14, 16, 30, 32) end 17 to 25 % later than published, without one (10, 13, 26, 29) 3 to 7 %, where the thesis's hardly feel either. The cause has not been found. Tried with a slowstart of 5 %: without limits for reduces experiment 30's long queues take 1306 s (published 1243, with limits 1560), but its short ones 833 s (published 432) and experiment 4 takes 1346 s (published 1229); without the user limit alone nothing changes."

// thesisReasons says why a table of chapter 6 is missed, or off in places.
var thesisReasons = map[string]string{
	"6.4":  "With a user limit (4, 6, 7, 8) the thesis's types 6 and 7 vary two to four times as much as here. The cause has not been found; with task times that vary by 10 %, as MRPERF's sizes do, it is no different.",
	"6.10": "As in table 6.4, with type 5 in experiments 12 and 15.",
	"6.11": "The thesis's own equal experiments (10 and 13, 14 and 16) rank the types hardly better.",
	"6.15": "The thesis's own equal experiments (18 and 21, 22 and 24) agree no better than it does with these runs; 0.8 for type 7 in experiment 21 looks like a misprint of 0.08.",
	"6.5":  "The thesis against itself. The published makespans differ by at most 3 %, and experiments 2 and 5, which are the same by construction, by as much: the thesis does not correlate with itself here.",
	"6.12": thesisLimitReason,
	"6.16": "The published makespans differ by at most 2 %, ours, experiment 17 aside, by less than 1 %, and ours under other seeds do not correlate with themselves as the rule asks: there is little to order.",
	"6.9":  "Where the small queue is limited (10, 13, 14, 16), the thesis's small jobs wait half as long again for their short execution as here. Not verified: here they execute longer, as they wait for reduce slots that long jobs of the same queue hold.",
	"6.18": thesisOrderReason,
	"6.19": "The thesis prints the figures of table 6.15 again, so that there is nothing to judge.",
	"6.20": thesisLimitReason + " " + thesisOrderReason,
}
