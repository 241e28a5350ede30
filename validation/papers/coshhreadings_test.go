package papers

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"schedtune/datasets"
)

// The sentences about the set-up depend on the reading alone: what is printed contradicts
// none of those that a printed figure states, one map and one reduce a job most of them.
func TestCoshhSentencesOfTheSetUp(t *testing.T) {
	contradicted := func(key string) (n int, numbers map[int]bool) {
		numbers = map[int]bool{}
		for _, r := range datasets.CoshhReadings() {
			if r.Key != key {
				continue
			}
			o := &CoshhOutcome{CoshhReading: r}
			for i, s := range coshhSentences() {
				if !s.Outcome && !s.holds(o) {
					n, numbers[i+1] = n+1, true
				}
			}
		}
		return n, numbers
	}
	printed, which := contradicted("as printed")
	if which[1] || which[2] || which[3] || which[4] {
		t.Errorf("as printed contradicts %v, not a printed figure", which)
	}
	for _, r := range datasets.CoshhReadings()[1:] {
		if n, _ := contradicted(r.Key); n < printed {
			t.Errorf("reading %q contradicts %d sentences about the set-up, as printed %d", r.Key, n, printed)
		}
	}
	if n, which := contradicted("one map and one reduce"); n < 3 || !which[1] || !which[3] {
		t.Errorf("one map and one reduce contradicts %v", which)
	}
}

// A sentence about results does not hold where its rows are missing.
func TestCoshhSentencesNeedRows(t *testing.T) {
	o := &CoshhOutcome{}
	for i, s := range coshhSentences() {
		if s.Outcome && s.holds(o) {
			t.Errorf("sentence %d holds without any row", i+1)
		}
	}
}

func TestReadingsBeside(t *testing.T) {
	dir := t.TempDir()
	if got := readingsBeside(dir, "coshh"); got != "" {
		t.Errorf("without readings: %q", got)
	}
	text := "section,kind,what,unit,published,rule,a,a: verdict,b,b: verdict\n" +
		"figure 1,claim,x,s,1,r,1,met,1,met\nfigure 1,claim,y,s,1,r,1,missed,1,met\nfigure 1,magnitude,z,s,1,r,1,missed,1,missed\n"
	if err := os.WriteFile(filepath.Join(dir, "coshh-readings.csv"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	got := readingsBeside(dir, "coshh")
	for _, want := range []string{`"a"`, "1 of 2 claims met, 0 of 1 magnitudes", `"b"`, "2 of 2 claims met"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in %q", want, got)
		}
	}
	if readingsBeside(dir, "omo") != "" {
		t.Error("another paper has readings")
	}
}
