package papers

import (
	"context"
	"fmt"
	"strings"

	"schedtune/datasets"
)

// experiment is a set of runs that fills one or more sections.
type experiment struct {
	paper string
	ids   []string // sections it fills
	run   func(*runner) ([]Section, error)
}

// experiments lists them in the order of the results.
func experiments() []experiment {
	return []experiment{
		{"coupling", []string{"figure 1", "figure 5", "figure 6", "table 1", "figure 8"}, couplingPairs},
		{"coupling", []string{"figure 10", "figure 11", "figure 13", "figure 14", "figure 15"}, couplingMaps},
		{"coupling", []string{"figure 12"}, couplingSingle},
		{"coupling", []string{"figure 3", "table 4"}, couplingSequence},
		{"coupling", []string{"figure 16"}, couplingBatches},
		{"coupling", []string{"experiment copying"}, couplingCopying},
		{"coupling", []string{"experiment racks"}, couplingRacks},
		{"coupling", []string{"experiment wait"}, couplingWaits},
		{"coshh", []string{"section 3.2"}, coshhProgram},
		{"coshh", []string{"figure 6", "table 6", "figure 7", "figure 5", "table 7", "figure 8", "figure 10", "table 8", "figure 11", "figure 9", "table 9", "figure 12"}, coshhMain},
		{"coshh", []string{"figure 13", "figure 14", "figure 15", "figure 16"}, coshhJobs},
		{"coshh", []string{"figure 17", "figure 18", "figure 19", "figure 20"}, coshhResources},
		{"coshh", []string{"figure 21", "figure 22", "figure 23", "figure 24"}, coshhSensitivity},
		{"coshh", []string{"table 12", "figure 25", "figure 26", "figure 27", "figure 28"}, coshhReal},
		{"learning", []string{"figure 8"}, learningRuns},
		{"learning", []string{"figure 9"}, learningUtilisation},
		{"learning", []string{"figure 10"}, learningAccuracy},
		{"learning", []string{"figure 11"}, learningTasks},
		{"omo", []string{"table 2", "table 3"}, omoTable23},
		{"omo", []string{"figure 7", "figure 8", "figure 9", "figure 10", "figure 11", "figure 12", "figure 13"}, omoFigures},
		{"omo", []string{"table 6", "table 7", "figure 14"}, omoTable67},
		{"omo", []string{"experiment maps"}, omoFaster},
		{"omo", []string{"experiment heap"}, omoHeap},
		{"thesis", []string{"table 5.1"}, thesisTable51},
		{"thesis", []string{"table 5.2", "table 5.3", "table 5.4"}, thesisPairs},
		{"thesis", thesisIDs(1), thesisGroup(1)},
		{"thesis", thesisIDs(9), thesisGroup(9)},
		{"thesis", thesisIDs(17), thesisGroup(17)},
		{"thesis", thesisIDs(25), thesisGroup(25)},
		{"thesis", []string{"question 1", "question 2", "question 3"}, thesisFindings},
		{"thesis", []string{"agreement"}, thesisAgreement},
		{"thesis", []string{"experiment queues"}, thesisPending},
	}
}

// Papers lists the papers that can be reproduced.
func Papers() []string {
	var out []string
	for _, e := range experiments() {
		if len(out) == 0 || out[len(out)-1] != e.paper {
			out = append(out, e.paper)
		}
	}
	return out
}

// Select returns the ids of a paper's sections that a table argument names:
// "6", "table 6", "figure 12"; all when it is empty.
func Select(paper, table string) ([]string, error) {
	var all, some []string
	known := false
	for _, e := range experiments() {
		if e.paper != paper {
			continue
		}
		known = true
		for _, id := range e.ids {
			all = append(all, id)
			if table == "" || id == table || id == "table "+table {
				some = append(some, id)
			}
		}
	}
	switch {
	case !known:
		return nil, fmt.Errorf("paper %q is unknown; allowed: %s", paper, strings.Join(Papers(), ", "))
	case some == nil:
		return nil, fmt.Errorf("paper %s has no %q; allowed: %s", paper, table, strings.Join(all, ", "))
	}
	return some, nil
}

// Run reproduces the sections of a paper; a table argument as in Select.
func Run(ctx context.Context, paper, table string, opt Options) ([]Section, error) {
	ids, err := Select(paper, table)
	if err != nil {
		return nil, err
	}
	out, err := newRunner(ctx, opt).sections(paper, ids...)
	for i := range out {
		s := &out[i]
		s.Seen = datasets.Seen(s.Paper, s.ID)
		if s.Missed() {
			s.Notes = append(s.Notes, fmt.Sprintf("Why missed: [why.md](why.md#%s).", anchor(whyHeading(s.Paper, s.ID))))
		}
	}
	return out, err
}

// whyHeading is the heading of results/papers/why.md under which it is written by
// hand why rows of a section are missed.
func whyHeading(paper, id string) string { return paper + " " + id }

// anchor is a heading's name in a link.
func anchor(heading string) string {
	return strings.ReplaceAll(strings.ReplaceAll(heading, ".", ""), " ", "-")
}

func anyOf(ids []string, want map[string]bool) bool {
	for _, id := range ids {
		if want[id] {
			return true
		}
	}
	return false
}

// thesisIDs lists the tables of the eight experiments from a first one on.
func thesisIDs(from int) []string {
	var ids []string
	for _, t := range thesisTables {
		if t.from == from {
			ids = append(ids, "table "+t.id)
		}
	}
	return ids
}
