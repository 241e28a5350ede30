package tune

import (
	"strings"
	"testing"
)

// As soon as the candidates have been measured once, the best of those that are better
// than the current configuration is the best guess, rounds of races before one of them is
// the incumbent; where none is better, it stays the current configuration. The result
// stays with what has won its race.
func TestLeaderOfCandidates(t *testing.T) {
	for _, c := range []struct {
		values []string // of all coordinates of a candidate; the optimum is 0.7, the present 0.2
		want   string
	}{{[]string{"0.5", "0.6", "0.1"}, "0.6"}, {[]string{"0.1", "0"}, "0.2"}} {
		p := hill(t, 5)
		for _, v := range c.values {
			set := p.Space.PresentSettings()
			for i := range set {
				set[i].Value = v
			}
			p.Candidates = append(p.Candidates, Candidate{Name: v, Settings: set})
		}
		st, err := NewStudy(p, Options{Seed: 3, Budget: 200})
		if err != nil {
			t.Fatal(err)
		}
		defer st.Close()
		for runs := 0; runs < 2+len(c.values); {
			if got := first(st.Incumbent()); got != "0.2" {
				t.Fatalf("%v: best guess %s after %d runs", c.values, got, runs)
			}
			runs += step(t, st, p)
		}
		if _, err := st.Ask(); err != nil {
			t.Fatal(err)
		}
		if got := first(st.Incumbent()); got != c.want {
			t.Errorf("%s: best guess %s once all are measured, want %s", strings.Join(c.values, ", "), got, c.want)
		}
		if r := st.Result(); len(r.Changes) != 0 {
			t.Errorf("%v: %d changes recommended before a race is over", c.values, len(r.Changes))
		}
	}
}

// first is the value of the first setting.
func first(s Settings) string { return s[0].Value }

// step does the runs that a study asks for, and tells how many.
func step(t *testing.T, st *Study, p Problem) int {
	t.Helper()
	items, err := st.Ask()
	if err != nil {
		t.Fatal(err)
	}
	for _, it := range items {
		if err := st.Tell(guarded(t.Context(), p.Evaluator.(*pool).run, it)); err != nil {
			t.Fatal(err)
		}
	}
	return len(items)
}
