package report

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"schedtune/internal/study"
	"schedtune/tune"
)

// Where nothing is recommended the page shows the best configuration found as “after” in
// every table and chart, by that name; the recommendation is the current configuration.
func TestPageShowsTheBestFound(t *testing.T) {
	s, err := study.Prepare(context.Background(), study.Request{Objectives: []string{"makespan"}, Workloads: -1,
		Options: tune.Options{Budget: 20, Seed: 1}})
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Run(context.Background(), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Changes) == 0 {
		t.Fatal("the study found nothing that the test could show")
	}
	r.Best, r.Decision = r.Present, tune.Decision{Reason: tune.ReasonGainUnsure} // as if it were not recommended
	var told [][2]int
	sum, err := Summarise(s, r, func(done, total int) { told = append(told, [2]int{done, total}) })
	if err != nil {
		t.Fatal(err)
	}
	for i, is := range told { // the current configuration and what was found
		if is != [2]int{i + 1, 2 * groupSeeds} || len(told) != 2*groupSeeds {
			t.Fatalf("told of runs: %v", told)
		}
	}
	if len(sum.Changes) != 0 || !sum.Best.Settings.Equal(sum.Present.Settings) || sum.BestFound == nil {
		t.Error("what is not recommended stands with the recommendation")
	}
	sum.Verdict = "not recommended: 90 % interval -10 to 12 %"
	d, err := newPage(s, sum, r, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	text := string(render(t, d))
	if want := ">Not recommended: 90 % interval −10 to 12 %.</p>"; !strings.Contains(text, want) {
		t.Errorf("no headline %q", want)
	}
	if strings.Contains(text, "recommended on") || !strings.Contains(text, "Current → best found") ||
		strings.Contains(text, "<h3>Apply") {
		t.Error("the page does not say that it shows the best found, which is not recommended")
	}
	run, err := s.Runner.Simulate(context.Background(), r.Found.Settings, groupSeedBase, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := completions(s.Runner.Windows()[0], run); !reflect.DeepEqual(d.Runs[1].completions, want) {
		t.Error("the charts do not show the best configuration found")
	}
	differ := 0
	for _, g := range d.Groups {
		if c := g.cells(false)[1]; c.Before != c.After {
			differ++
		}
	}
	if differ == 0 {
		t.Error("the tables by queue and user show the current configuration twice")
	}
	if first := d.headline()[0]; first.Before == first.After {
		t.Error("the first table shows the current configuration twice")
	}
}
