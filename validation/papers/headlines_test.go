package papers

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Every headline names a counted row of the committed results, or a section with some.
func TestEveryHeadlineIsARow(t *testing.T) {
	for _, paper := range Papers() {
		rows, at := committed(t, paper)
		for _, h := range headlines() {
			found := h.paper != paper
			for _, r := range rows {
				if r[at["section"]] == h.id && r[at["counted"]] == "true" && (h.what == "" || r[at["what"]] == h.what) {
					found = true
				}
			}
			if !found {
				t.Errorf("%s, %s: no counted row %q", paper, h.id, h.what)
			}
		}
	}
}

// A missed headline is held against its own rule in the experiment that has its row.
func TestHeadlineIsExplainedByItsRule(t *testing.T) {
	figure := Section{Paper: "omo", ID: "figure 12"}
	figure.gain("OMO below FRESH, mean of five workloads", 29.3, exact(10)) // 15.92 to 50.02
	with := func(ours float64) string {
		what := Section{Paper: "omo", ID: "experiment maps"}
		what.show(rowOf("figure 12", "OMO below FRESH, mean of five workloads"), "% lower", 29.3, exact(ours))
		return string(headlineTable(t.TempDir(), []Section{figure, what}))
	}
	for ours, want := range map[float64]string{25: "[maps](omo.md): 25, met", 12: "[maps](omo.md): 12, missed there too"} {
		if got := with(ours); !strings.Contains(got, want) || !strings.Contains(got, "0 of 1 met") {
			t.Errorf("%v: %s, want %q in it", ours, got, want)
		}
	}
	if got := headlineTable(t.TempDir(), nil); got != nil {
		t.Errorf("no rows: %s", got)
	}
}

// COSHH's headlines are explained by the readings that meet them.
func TestHeadlineIsExplainedByReadings(t *testing.T) {
	dir := t.TempDir()
	table := "section,kind,what,unit,published,rule,as printed,as printed: verdict,40 MB/s,40 MB/s: verdict\n" +
		"figure 6,claim,COSHH below FIFO,% lower,74.49,x,40.3,missed,68.7,met\n"
	if err := os.WriteFile(filepath.Join(dir, "coshh-readings.csv"), []byte(table), 0o644); err != nil {
		t.Fatal(err)
	}
	f := Section{Paper: "coshh", ID: "figure 6"}
	f.gain("COSHH below FIFO", 74.49, exact(40.3))
	got := string(headlineTable(dir, []Section{f}))
	for _, want := range []string{"[readings](coshh-readings.md) 40 MB/s: 68.7", "of the 1 missed, 1 come out", "| 40 MB/s | **68.7** |", "| as printed | 40.3 |", "meets are 1 of 1 (40 MB/s)"} {
		if !strings.Contains(got, want) {
			t.Errorf("%s, want %q in it", got, want)
		}
	}
}

// An experiment says of every counted row whether its assumption gains or loses it.
func TestWhatIfComparesVerdicts(t *testing.T) {
	for _, c := range []struct {
		was, is Verdict
		want    string
	}{{Met, Met, stillMet}, {Met, Missed, lost}, {Missed, Met, gained}, {Missed, Missed, stillLost}} {
		if got := effect(&Row{Verdict: c.was}, &Row{Verdict: c.is}); got != c.want {
			t.Errorf("%s to %s: %q", c.was, c.is, got)
		}
	}
	if got := tallied([]string{"figure 1", "table 4", "figure 1"}); got != "3: figure 1 (2), table 4" {
		t.Errorf("%q", got)
	}
	base, changed := newRunner(t.Context(), Options{}), newRunner(t.Context(), Options{})
	fill := func(v float64) []Section {
		s := Section{Paper: "coupling", ID: "figure 16"}
		s.gain("a", 20, exact(v))
		s.show("b", "", math.NaN(), exact(1))
		return []Section{s}
	}
	base.filled["coupling figure 16"], changed.filled["coupling figure 16"] = fill(1), fill(20)
	s := Section{Paper: "coupling"}
	if err := s.whatIf(base, changed, "figure 16"); err != nil {
		t.Fatal(err)
	}
	if len(s.Rows) != 1 || s.Rows[0].Verdict != Shown || s.Rows[0].Note != gained || s.Rows[0].Counted() {
		t.Errorf("%+v", s.Rows)
	}
}
