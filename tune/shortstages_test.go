package tune

import (
	"fmt"
	"testing"
)

// A short study in two stages, with candidates for either and a limit that has the
// current configuration measured beside them, keeps its budget, too: the race between
// the stages is short and the halving takes no more runs than there are.
func TestBudgetHoldsInStages(t *testing.T) {
	p := hill(t, 24)
	ps := p.Space.Params()
	for i := range ps {
		ps[i].Costly = i%3 == 0
	}
	p.Space = mustSpace(t, ps...)
	for i, v := range []string{"0.3", "0.5", "0.6", "0.8"} {
		set := p.Space.PresentSettings()
		for k := range set {
			if i%2 == 0 || k%3 != 0 {
				set[k].Value = v
			}
		}
		p.Candidates = append(p.Candidates, Candidate{fmt.Sprint("all ", v), set})
	}
	limit := Constraint{Metric: "cost", Op: "<=", Factor: 1.2, Text: "cost <= present + 20 %"}
	for _, limits := range [][]Constraint{nil, {limit}} {
		p.Constraints = limits
		for budget := 50; budget <= 120; budget += 7 {
			r := search(t, p, Options{Seed: uint64(budget), Budget: budget, Off: PartAblation | PartConfirm})
			if r.Runs > budget {
				t.Errorf("%d limits: %d runs of %d", len(limits), r.Runs, budget)
			}
			if len(r.Changes) == 0 {
				t.Errorf("%d limits, %d runs: nothing is recommended", len(limits), budget)
			}
		}
	}
}

// A check of the noise measures a generation twice: every sixth one of a study of 300
// runs and more, none of a shorter one.
func TestShortStudiesDoNotCheckNoise(t *testing.T) {
	for budget, want := range map[int]bool{299: false, 300: true} {
		d, err := newDriver(hill(t, 5), Options{Budget: budget}.withDefaults())
		if err != nil {
			t.Fatal(err)
		}
		if got := d.generations.checksNoise(noiseEvery); got != want || d.generations.checksNoise(noiseEvery+1) {
			t.Errorf("%d runs: generation %d checked: %v", budget, noiseEvery, got)
		}
	}
}
