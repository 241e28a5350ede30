package papers

import "testing"

// An experiment notes of every counted row whether its assumption gains or loses it.
func TestWhatIfComparesVerdicts(t *testing.T) {
	for _, c := range []struct {
		was, is Verdict
		want    string
	}{{Met, Met, stillMet}, {Met, Missed, lost}, {Missed, Met, gained}, {Missed, Missed, stillLost}} {
		t.Run(string(c.was)+" to "+string(c.is), func(t *testing.T) {
			if got := effect(&Row{Verdict: c.was}, &Row{Verdict: c.is}); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
	if got, want := tallied([]string{"figure 1", "table 4", "figure 1"}), "3: figure 1 (2), table 4"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// An experiment touches every section with counted rows that its patterns name, and nothing
// of it is counted.
func TestWhatIf(t *testing.T) {
	s := &Section{Paper: "omo", ID: "experiment maps"}
	base := newRunner(t.Context(), Options{})
	fill := func(ours string) *Section {
		out := &Section{Paper: "omo", ID: "table 6"}
		add(t, out, record{"what": "a", "kind": "claim", "published": "20", "ours": ours, "rule": "gain"})
		add(t, out, record{"what": "b", "ours": "1"})
		return out
	}
	base.filled["omo table 6"] = fill("1")
	err := s.whatIf(base, experiments["omo experiment maps"], "table 99")
	if err != nil || len(s.Rows) != 0 {
		t.Fatalf("no section: got %v, %v", s.Rows, err)
	}
	changed := newRunner(t.Context(), Options{})
	changed.filled["omo table 6"] = fill("20")
	if err := s.compare(base, changed, "table 6"); err != nil {
		t.Fatal(err)
	}
	if len(s.Rows) != 1 || s.Rows[0].Verdict != Shown || s.Rows[0].Note != gained || s.Rows[0].Counted() {
		t.Errorf("got %+v, want one row that is gained and not counted", s.Rows)
	}
}
