package report

import (
	"testing"

	"schedtune/internal/diagnose"
	"schedtune/internal/simulate"
	"schedtune/simcore"
)

// Time counts while a limit holds a queue and the cluster has room, and only then:
// a user stands at 4,096 MiB from 1 to 11 min, another queue fills the cluster from
// 5 to 7 min; the queue's maximum is never reached; one master runs while a second
// application waits from 2 to 11 min.
func TestReasons(t *testing.T) {
	w := &simcore.Workload{Queues: []string{"root.a", "root.b"}, Users: []string{"u", "v"},
		Jobs: []simcore.Job{{Queue: 0, User: 0}, {Queue: 0, User: 1, Submit: 2 * simcore.Minute},
			{Queue: 1, User: 1, Submit: 5 * simcore.Minute}}}
	terms := []diagnose.TermsChange{{Queue: "root.a", Leaf: true, Before: diagnose.Terms{Maximum: 8192, LoneUser: 4096,
		Running: 1}, After: diagnose.Terms{Maximum: 8193, LoneUser: 5120, Running: 2}}}
	settings := []string{"root.a.user-limit-factor", "root.a.maximum-capacity", "root.a.maximum-am-resource-percent"}
	f := follower{w: w, room: 10_000, submitted: make([]int64, 2)}
	for _, s := range settings {
		h := follow(w, s, terms)
		if h == nil {
			t.Fatalf("%s is not followed", s)
		}
		f.hs = append(f.hs, h)
	}
	for _, s := range []string{"root.b.user-limit-factor", "slowstart", "root.a.ordering-policy"} {
		if follow(w, s, terms) != nil {
			t.Errorf("%s is followed", s)
		}
	}
	lower := []diagnose.TermsChange{{Queue: "root.a", Leaf: true, Before: terms[0].After, After: terms[0].Before}}
	for _, s := range settings {
		if follow(w, s, lower) != nil {
			t.Errorf("%s is followed though its limit becomes smaller", s)
		}
	}
	at := func(minute float64, job simcore.JobID, delta int, memory int64, master bool) {
		event := "allocated"
		if delta < 0 {
			event = "released"
		}
		f.watch(simulate.Change{At: simcore.Time(minute * float64(simcore.Minute)), Job: job, Delta: delta, Memory: memory,
			Master: master, Event: event})
	}
	at(0, 0, 1, 1024, true)
	at(1, 0, 1, 3072, false)
	at(2, 0, 1, 0, false) // nothing but a moment at which the second application is there
	at(5, 2, 1, 8192, true)
	at(7, 2, -1, 8192, true)
	at(11, 0, -1, 3072, false)
	at(12, 0, -1, 1024, true)
	for i, want := range []string{
		"a user of root.a stood at the limit of 4 GiB for 8 min while a fifth or more of the cluster was free", "",
		"root.a ran 1 application and others waited, for 8 min while a fifth or more of the cluster was free",
	} {
		if got := f.hs[i].text(w); got != want {
			t.Errorf("%s: %q, want %q", settings[i], got, want)
		}
	}
}
