package replay

import (
	"fmt"
	"os"
	"sort"
	"testing"

	"schedtune/simcore"
	"schedtune/simcore/yarn"
)

func TestDebugTimeline(t *testing.T) {
	dir := os.Getenv("DBG_RUN")
	if dir == "" {
		t.Skip()
	}
	r, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	w, rec, err := r.Recorded()
	if err != nil {
		t.Fatal(err)
	}
	s, _ := r.simulator(w, yarn.AttemptTimes)
	s.sched.Reset()
	type al struct {
		at   simcore.Time
		text string
	}
	var a, b []al
	s.sim.Run(yarn.RunConfig{Slowstart: -1, Calibration: yarn.Default(), Recorded: rec, Observe: func(at simcore.Time, e *yarn.Event) {
		if e.Kind == yarn.Allocate && !e.Refused {
			a = append(a, al{at, fmt.Sprintf("%s %-10s %s", r.Nodes[e.Node].Name, r.Jobs[e.App].Name, eventKind(e))})
		}
	}}, s.sched)
	for i := range r.Jobs {
		for _, c := range r.Jobs[i].Containers {
			b = append(b, al{c.Allocated, fmt.Sprintf("%s %-10s %s", r.Nodes[c.Node].Name, r.Jobs[i].Name, c.Kind)})
		}
	}
	sort.SliceStable(b, func(i, j int) bool { return b[i].at < b[j].at })
	for i := range max(len(a), len(b)) {
		x, y := al{}, al{}
		if i < len(a) {
			x = a[i]
		}
		if i < len(b) {
			y = b[i]
		}
		mark := " "
		if x.text != y.text {
			mark = "*"
		}
		fmt.Printf("%s %9.3f %-28s | %9.3f %-28s\n", mark, x.at.Seconds(), x.text, y.at.Seconds(), y.text)
	}
}
