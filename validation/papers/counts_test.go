package papers

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The counts that the committed results state are those of their rows, in the table of
// all papers, at the head of each and in the summary of results.
func TestStatedCountsAreTheRows(t *testing.T) {
	read := func(name string) string {
		b, err := os.ReadFile(filepath.Join("..", "..", "results", name))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	var all Tally
	for _, paper := range Papers() {
		of := tallyCSV(t, read(filepath.Join("papers", paper+".csv")))
		if stated := statedTally(of); !strings.Contains(read(filepath.Join("papers", paper+".md")), stated) {
			t.Errorf("%s.md does not say %q", paper, stated)
		}
		all.Add(of)
	}
	if stated := statedTally(all); !strings.Contains(read(filepath.Join("papers", "README.md")), stated) {
		t.Errorf("papers/README.md does not say %q", stated)
	}
	if stated := fmt.Sprintf("%d of %d claims and %d of %d magnitudes", all.ClaimsMet, all.Claims, all.MagnitudesMet, all.Magnitudes); !strings.Contains(read("README.md"), stated) {
		t.Errorf("results/README.md does not say %q", stated)
	}
}

func statedTally(t Tally) string {
	return fmt.Sprintf("%d of %d claims met, %d of %d magnitudes", t.ClaimsMet, t.Claims, t.MagnitudesMet, t.Magnitudes)
}

// tallyCSV counts the rows of a paper's table that are evidence.
func tallyCSV(t *testing.T, text string) (out Tally) {
	rows, err := csv.NewReader(bytes.NewReader([]byte(text))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]int{}
	for i, name := range rows[0] {
		at[name] = i
	}
	for _, r := range rows[1:] {
		if r[at["counted"]] != "true" {
			continue
		}
		met := 0
		if Verdict(r[at["verdict"]]) == Met {
			met = 1
		}
		switch Kind(r[at["kind"]]) {
		case Claim:
			out.Add(Tally{Claims: 1, ClaimsMet: met})
		case Magnitude:
			out.Add(Tally{Magnitudes: 1, MagnitudesMet: met})
		}
	}
	return out
}
