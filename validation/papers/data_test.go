package papers

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"schedtune/datasets"
)

func TestExpand(t *testing.T) {
	for _, c := range []struct{ name, list, want string }{
		{"no list", "", "{1}/{2}/{3}"},
		{"parts", "a~b~c|d~e~f", "a/b/c d/e/f"},
		{"product", "a|b;c~d|e~f", "a/c/d a/e/f b/c/d b/e/f"},
		{"numbers", "9..11;x~y", "9/x/y 10/x/y 11/x/y"},
		{"cells of a column", "cells 4 SC", "01/SC/Grep"},
		{"a list that depends on another", "1~2;{1}|{2}", "1/2/1 1/2/2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			lines := record{"what": "{1}/{2}/{3}", "for": c.list}.expand("coupling", 1)
			var got []string
			for _, l := range lines {
				got = append(got, l["what"])
			}
			if text := strings.Join(got, " "); text != c.want && (c.name != "cells of a column" || got[0] != c.want ||
				len(got) != 22) {
				t.Errorf("got %q, want %q", text, c.want)
			}
		})
	}
	if err := errorOf(func() { record{"for": "cells 99"}.expand("coupling", 1) }); err == nil {
		t.Error("cells of an unknown table: got no error")
	}
}

// described are published tables that describe experiments and are no outcome.
var described = map[string]string{
	"coshh": "1 2 3 4 5 10 11 claims", "learning": "5 7", "omo": "4 5 claims", "coupling": "2 3 files sets claims",
	"thesis": "2.1 4.1 4.2 4.3 claims",
}

// Every published table with outcomes has its section, tables and figures of the learning
// paper alike.
func TestEveryPublishedTableHasASection(t *testing.T) {
	for _, paper := range datasets.Papers() {
		ids, err := Select(paper, "")
		if err != nil {
			t.Fatal(err)
		}
		for i, id := range ids {
			if slices.Contains(ids[:i], id) {
				t.Errorf("%s %s: listed twice", paper, id)
			}
		}
		for _, id := range datasets.TableIDs(paper) {
			if !slices.Contains(strings.Fields(described[paper]), id) && !slices.Contains(ids, "table "+id) &&
				!slices.Contains(ids, "figure "+id) {
				t.Errorf("%s %s: has no section", paper, id)
			}
		}
	}
}

// Every figure stated in the texts is used by a row, a rule or a tolerance.
func TestEveryStatedFigureIsUsed(t *testing.T) {
	unused := map[string]string{ // by name: why
		"iowait": "not simulated", "error-insensitive": "the errors of figures 21 and 22",
		"scalability-overhead-seconds": "a note", "real-overhead-seconds": "measured on a machine",
		"sort2-shortest": "the tolerance of times", "sort2-longest": "the tolerance of times",
	}
	for _, paper := range []string{"coshh", "omo", "coupling", "thesis"} {
		t.Run(paper, func(t *testing.T) {
			claims, err := datasets.Published(paper, "claims")
			if err != nil {
				t.Fatal(err)
			}
			var text strings.Builder
			for _, line := range rowsOf(paper) {
				text.WriteString(line["published"] + "," + line["ours"] + "\n")
			}
			for _, r := range claims.Rows {
				used := regexp.MustCompile(`(^|[(,\n])` + regexp.QuoteMeta(r[0]) + `([),\n]|$)`).MatchString(text.String())
				if _, ok := unused[r[0]]; !used && !ok {
					t.Errorf("%s: %s is in no row", paper, r[0])
				}
			}
		})
	}
}

func rowsOf(paper string) []record { return records("rows-"+paper, paper) }

// errorOf returns the error that a wrong table, expression or rule ends in.
func errorOf(f func()) (err error) {
	defer caught(&err)
	f()
	return nil
}

// Every row belongs to a section, has a known kind, and names only runs that exist.
func TestRowsAreComplete(t *testing.T) {
	runs := map[string]bool{"computed/lp": true, "computed/equation 2": true}
	for _, line := range runList() {
		runs[line["scenario"]+"/"+line["label"]] = true
		runs[line["scenario"]+"/Fair best"] = runs[line["scenario"]+"/Fair best"] || strings.HasPrefix(line["label"], "Fair-")
	}
	for _, paper := range datasets.Papers() {
		ids, err := Select(paper, "")
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		for _, line := range rowsOf(paper) {
			where := paper + ", " + line["section"] + ", " + line["what"]
			if !slices.Contains(ids, line["section"]) {
				t.Errorf("%s: got section %q, want one of data/sections.csv", where, line["section"])
			}
			if key := line["section"] + line["what"]; seen[key] {
				t.Errorf("%s: listed twice", where)
			} else {
				seen[key] = true
			}
			if !slices.Contains([]string{"", string(Claim), string(Magnitude), string(Calibration)}, line["kind"]) {
				t.Errorf("%s: got kind %q", where, line["kind"])
			}
			if judged := line["kind"] != ""; judged != (line["rule"] != "") {
				t.Errorf("%s: got kind %q with rule %q", where, line["kind"], line["rule"])
			}
			for _, name := range regexp.MustCompile(`[^(),]+/[^(),]+/[^(),]+`).FindAllString(line["ours"], -1) {
				parts := strings.SplitN(name, "/", 3)
				if strings.ContainsAny(name, "*{") {
					continue
				}
				if !runs[parts[0]+"/"+parts[1]] {
					t.Errorf("%s: run %s/%s: not in data/runs.csv", where, parts[0], parts[1])
				}
			}
		}
	}
}

func TestSelect(t *testing.T) {
	if ids, err := Select("omo", "2"); err != nil || len(ids) != 1 || ids[0] != "table 2" {
		t.Errorf("omo 2: got %v, %v, want table 2", ids, err)
	}
	for _, c := range []struct{ name, paper, table, want string }{
		{"unknown paper", "nope", "", "coupling"},
		{"unknown table", "omo", "99", "figure 12"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := Select(c.paper, c.table); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want an error that lists %q", err, c.want)
			}
		})
	}
}

// Every choice names a section that exists, and one that was made after results were known
// is marked in the sections to which it applies.
func TestChoicesNameSections(t *testing.T) {
	for _, paper := range datasets.Papers() {
		ids, err := Select(paper, "")
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range datasets.Choices(paper) {
			found := len(c.Sections) == 0
			for _, id := range ids {
				found = found || slices.Contains(datasets.Seen(paper, id), c.Key)
			}
			if c.Seen && !found {
				t.Errorf("%s: choice %q applies to no section", paper, c.Key)
			}
		}
	}
}
