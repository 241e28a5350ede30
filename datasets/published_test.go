package datasets

import (
	"strconv"
	"strings"
	"testing"
)

func TestEveryPublishedTableParses(t *testing.T) {
	n := 0
	for _, p := range Papers() {
		for _, id := range TableIDs(p) {
			tab, err := Published(p, id)
			if err != nil {
				t.Fatal(err)
			}
			if tab.Title == "" || tab.Source == "" || tab.Units == "" {
				t.Errorf("%s %s: title, source or units missing", p, id)
			}
			n++
		}
	}
	// 5 tables of experiments and 19 of results in the thesis's chapters 4 to
	// 6 with 2.1 and 5.1 to 5.4, 12 and the claims of COSHH, and so on.
	if n < 55 {
		t.Errorf("%d tables, want at least 55", n)
	}
}

func TestTableOrder(t *testing.T) {
	ids := TableIDs("thesis")
	if got := strings.Join(ids[len(ids)-3:], " "); got != "6.19 6.20 claims" {
		t.Errorf("last tables: got %s, want 6.19 6.20 claims", got)
	}
}

func TestUnknownTableListsTheKnown(t *testing.T) {
	if _, err := Published("omo", "99"); err == nil || !strings.Contains(err.Error(), "claims") {
		t.Errorf("want an error that lists the tables, got %v", err)
	}
	if _, err := Published("nope", "1"); err == nil || !strings.Contains(err.Error(), "coupling") {
		t.Errorf("want an error that lists the papers, got %v", err)
	}
}

// Checksums a reader of the papers can repeat: table 4 of COSHH lists 200 jobs
// per trace, table 4.1 of the thesis sums to 100 %, table 3 of COSHH has 54
// slots (31 maps and 23 reduces in section 6.2.1), table IV of Coupling 22 jobs.
func TestSums(t *testing.T) {
	sum := func(paper, id, column, filter string) float64 {
		t.Helper()
		tab, err := Published(paper, id)
		if err != nil {
			t.Fatal(err)
		}
		c, err := tab.Column(column)
		if err != nil {
			t.Fatal(err)
		}
		var s float64
		for _, r := range tab.Rows {
			if filter == "" || r[0] == filter {
				v, err := strconv.ParseFloat(r[c], 64)
				if err != nil {
					t.Fatal(err)
				}
				s += v
			}
		}
		return s
	}
	for _, c := range []struct {
		paper, id, column, filter string
		want                      float64
	}{
		{"coshh", "4", "jobs", "Facebook", 200},
		{"coshh", "4", "jobs", "Yahoo!", 200},
		{"thesis", "4.1", "percent", "", 100},
		{"coshh", "3", "slots", "", 54},
		{"coupling", "4", "reduces", "", 195},
	} {
		t.Run(c.paper+" "+c.id+" "+c.column+" "+c.filter, func(t *testing.T) {
			if got := sum(c.paper, c.id, c.column, c.filter); got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}
