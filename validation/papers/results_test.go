package papers

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"schedtune/datasets"
)

// committed returns the rows of a paper's committed results by column.
func committed(t *testing.T, paper string) []record {
	t.Helper()
	lines, err := csv.NewReader(strings.NewReader(result(t, filepath.Join("papers", paper+".csv")))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var out []record
	for _, line := range lines[1:] {
		r := record{}
		for i, column := range lines[0] {
			r[column] = line[i]
		}
		out = append(out, r)
	}
	return out
}

// result reads a file of results/.
func result(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", "results", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// counted reports whether a committed row is evidence.
func counted(r record) bool {
	return (r["kind"] == string(Claim) || r["kind"] == string(Magnitude)) && r["verdict"] != string(Shown) &&
		r["why"] == ""
}

// The counts that the committed results state are those of their rows, on each paper's page,
// in the table of all papers and in the summary of results.
func TestStatedCountsAreTheRows(t *testing.T) {
	var all Tally
	for _, paper := range datasets.Papers() {
		var of Tally
		for _, r := range committed(t, paper) {
			if counted(r) {
				of.count(Kind(r["kind"]), Verdict(r["verdict"]))
			}
		}
		if !strings.Contains(result(t, "papers/"+paper+".md"), of.String()) {
			t.Errorf("papers/%s.md: want %q in it", paper, of)
		}
		all.Add(of)
	}
	if !strings.Contains(result(t, "papers/README.md"), all.String()) {
		t.Errorf("papers/README.md: want %q in it", all)
	}
	if want := fmt.Sprintf("%d of %d claims and %d of %d magnitudes", all.ClaimsMet, all.Claims, all.MagnitudesMet,
		all.Magnitudes); !strings.Contains(result(t, "README.md"), want) {
		t.Errorf("results/README.md: want %q in it", want)
	}
}

// Every headline names a counted row of the committed results, or a section with some.
func TestEveryHeadlineIsARow(t *testing.T) {
	for _, h := range headlines() {
		if !slices.ContainsFunc(committed(t, h["paper"]), func(r record) bool {
			return counted(r) && r["section"] == h["section"] && (h["row"] == "" || h["row"] == r["row"])
		}) {
			t.Errorf("%s, %s: no counted row %q", h["paper"], h["section"], h["row"])
		}
	}
}

// causes are the kinds of reasons for a missed row.
var causes = []string{"paper contradicts itself", "set-up not stated", "not simulated", "chance", "unknown"}

// Every section of the committed results with a missed row that counts has one reason of a
// known kind, every other section has none, and a reason that refers to another section
// refers to one that has a reason.
func TestEveryMissHasAReason(t *testing.T) {
	missed := map[string]bool{}
	for _, paper := range datasets.Papers() {
		for _, r := range committed(t, paper) {
			if counted(r) && r["verdict"] == string(Missed) {
				missed[paper+" "+r["section"]] = true
			}
		}
	}
	given := map[string]bool{}
	for _, r := range reasonList() {
		key := r["paper"] + " " + r["section"]
		if given[key] {
			t.Errorf("%s: has two reasons", key)
		}
		given[key] = true
		if !missed[key] {
			t.Errorf("%s: has a reason, and no row that counts is missed", key)
		}
		if !slices.Contains(causes, r["cause"]) {
			t.Errorf("%s: got cause %q, want one of %v", key, r["cause"], causes)
		}
		if other, ok := strings.CutPrefix(r["reason"], "as "); ok {
			other, _, _ = strings.Cut(other, ":")
			if reason(r["paper"], other) == "" || strings.HasPrefix(reason(r["paper"], other), "as ") {
				t.Errorf("%s: refers to %q, which has no reason of its own", key, other)
			}
		} else if len(strings.Fields(r["reason"])) < 8 {
			t.Errorf("%s: got %q, want a sentence", key, r["reason"])
		}
		if page := result(t, "papers/"+r["paper"]+".md"); !strings.Contains(page, r["reason"]) {
			t.Errorf("%s: its reason is not on the page", key)
		}
	}
	for key := range missed {
		t.Run(key, func(t *testing.T) {
			if !given[key] {
				t.Errorf("%s: has a missed row and no line in data/reasons.csv", key)
			}
		})
	}
}

// Pages and rows are what Write gives for the sections, whatever their order on disk.
func TestWriteOnePaper(t *testing.T) {
	dir := t.TempDir()
	s := &Section{Paper: "omo", ID: "table 6", Title: "T"}
	add(t, s, record{"what": "OMO below YARN:2", "unit": "% lower", "kind": "claim", "published": "17.3", "ours": "20",
		"rule": "gain"})
	if err := Write(dir, []Section{*s}, Provenance{Command: "c", Version: "v", Seed: 3}); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(dir, "omo.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"1 of 1 claims met, 0 of 0 magnitudes (`c`, seed 3, version v)",
		"| table 6: OMO below YARN:2 | % lower | 17.3 | 20 |", "| table 6: T |  | 1/1 |"} {
		t.Run(want, func(t *testing.T) {
			if !bytes.Contains(b, []byte(want)) {
				t.Errorf("page: want %q in it, got\n%s", want, b)
			}
		})
	}
	if _, err := os.Stat(filepath.Join(dir, "README.md")); err == nil {
		t.Error("a README without all papers")
	}
}
