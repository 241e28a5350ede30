package replay

import (
	"fmt"
	"io"
)

// Tally sums up a file.
type Tally struct {
	Scenarios int
	Steps     int // that agree
	Differ    int // scenarios with a difference
	First     *Difference
}

// File plays all scenarios of a file; one without any is an error.
func File(path string) (Tally, error) {
	var t Tally
	err := ReadFile(path, func(s *Scenario) error {
		d, n := Play(s)
		t.Scenarios++
		t.Steps += n
		if d != nil {
			t.Differ++
			if t.First == nil {
				t.First = d
			}
		}
		return nil
	})
	if err == nil && t.Scenarios == 0 {
		err = fmt.Errorf("%s: no scenario: it needs lines of JSON, the first of each scenario with \"scenario\" as its "+
			"first key", path)
	}
	return t, err
}

// Files plays files and prints one line each, with the first difference where
// there is one. It reports whether all agree.
func Files(out, errOut io.Writer, paths []string) bool {
	good := true
	for _, p := range paths {
		t, err := File(p)
		if err != nil {
			fmt.Fprintf(errOut, "conformance: %v\n", err)
			good = false
			continue
		}
		fmt.Fprintf(out, "%s: %d scenarios, %d steps agree, %d scenarios differ\n", p, t.Scenarios, t.Steps, t.Differ)
		if t.First != nil {
			good = false
			fmt.Fprintf(out, "  first: %v\n", t.First)
		}
	}
	return good
}
