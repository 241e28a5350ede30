package papers

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"schedtune/datasets"
)

// The sentences about the set-up depend on the reading alone: what is printed contradicts
// none that a printed figure states, one map and one reduce a job most of them.
func TestSentencesOfTheSetUp(t *testing.T) {
	contradicted := map[string][]int{}
	for _, reading := range datasets.CoshhReadings() {
		for i, s := range must("sentences") {
			holds, err := (&CoshhOutcome{CoshhReading: reading}).holds(s["check"])
			if err != nil {
				t.Fatal(err)
			}
			if s["about"] == "set-up" && !holds {
				contradicted[reading.Key] = append(contradicted[reading.Key], i+1)
			}
		}
	}
	printed := contradicted["as printed"]
	if len(printed) > 0 && printed[0] <= 4 {
		t.Errorf("as printed: got contradictions %v, want none of 1 to 4, which printed figures state", printed)
	}
	for _, r := range datasets.CoshhReadings()[1:] {
		if n := len(contradicted[r.Key]); n < len(printed) {
			t.Errorf("reading %q: got %d contradictions, want at least the %d of the printed one", r.Key, n, len(printed))
		}
	}
	if one := contradicted["one map and one reduce"]; len(one) < 3 || !slices.Contains(one, 1) ||
		!slices.Contains(one, 3) {
		t.Errorf("one map and one reduce: got contradictions %v, want at least three with 1 and 3", one)
	}
}

// A sentence about results does not hold without its rows.
func TestSentencesNeedRows(t *testing.T) {
	for i, s := range must("sentences") {
		holds, err := (&CoshhOutcome{}).holds(s["check"])
		if s["about"] == "results" && (holds || err != nil) {
			t.Errorf("sentence %d without any row: got %v, %v, want that it does not hold", i+1, holds, err)
		}
	}
}

// COSHH's headlines are explained by the readings that meet them.
func TestReadingTable(t *testing.T) {
	dir := t.TempDir()
	if got := readReadings(dir).beside(); got != "" {
		t.Errorf("without readings: got %q, want nothing", got)
	}
	text := "section,kind,row,unit,published,rule,a,a: verdict,b,b: verdict\n" +
		"figure 6,claim,COSHH below FIFO,% lower,74.49,r,40.3,missed,68.712,met\nfigure " +
		"1,claim,y,s,1,r,1,met,1,met\nfigure 1,magnitude,z,s,1,r,1,missed,1,missed\n"
	if err := os.WriteFile(filepath.Join(dir, readingsFile), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	readings := readReadings(dir)
	if got, want := readings.beside(),
		`"a" (used): 1 of 2 claims met, 0 of 1 magnitudes; "b" (most rows met): 2 of 2 claims met, 0 of 1 magnitudes.`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := readings.explain("figure 6", "COSHH below FIFO"), "b: 68.71"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	h := readings.headlines()
	if got, want := strings.Join(h.Rows, "; "), "figure 6, COSHH below FIFO"; got != want {
		t.Errorf("headline rows: got %q, want %q", got, want)
	}
	for i, want := range []string{"published 74.49", "a 40.3", "b **68.71**"} {
		t.Run(want, func(t *testing.T) {
			if got := strings.Join(h.Readings[i], " "); got != want {
				t.Errorf("reading %d: got %q, want %q", i, got, want)
			}
		})
	}
}
