package report

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"schedtune/internal/report/html"
	"schedtune/internal/study"
	"schedtune/tune"
)

// Where no gain is proven the page shows the best configuration found as “after” in
// every table and chart, and says beside them that it is not what is recommended; the
// file of figures has the recommendation, which is the current configuration.
func TestUnprovenPageShowsOneConfiguration(t *testing.T) {
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
	for _, g := range sum.Groups {
		if g.Before != g.After {
			t.Errorf("%s: %v before, %v after, though the current configuration is recommended", g.Name, g.Before, g.After)
		}
	}
	sum.Verdict = "no proven improvement: p95-wait improves by 1.0 % (90 % interval -10.0 to 12.0)"
	d, page, err := reportPage(s, sum, r, "")
	if err != nil {
		t.Fatal(err)
	}
	if want := "No proven improvement: p95-wait improves by 1.0 % (90 % interval −10.0 to 12.0)."; d.Verdict != want {
		t.Errorf("headline %q, want %q", d.Verdict, want)
	}
	if n := strings.Count(string(page), "No gain is proven, so the current file is recommended."); n != 3 {
		t.Errorf("the page says %d times what “after” is, want it at the result, the queues and the timelines", n)
	}
	run, err := s.Runner.Simulate(context.Background(), r.Found.Settings, groupSeedBase, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := html.Completions(s.Runner.Windows()[0], run); !reflect.DeepEqual(d.After.Completions, want) {
		t.Error("the charts do not show the best configuration found")
	}
	differ := 0
	for _, g := range d.Groups {
		for _, row := range g.Rows {
			if row.Before[1] != row.After[1] {
				differ++
			}
		}
	}
	if differ == 0 {
		t.Error("the tables by queue and user show the current configuration twice")
	}
	if d.Headline[0].Before == d.Headline[0].After {
		t.Error("the first table shows the current configuration twice")
	}
}
