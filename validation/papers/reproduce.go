package papers

import (
	"context"
	"fmt"
	"strings"

	"schedtune/datasets"
)

// Select returns the IDs of a paper's sections that a table argument names: "6", "table 6",
// "figure 12"; all when it is empty.
func Select(paper, table string) ([]string, error) {
	var all, some []string
	for _, line := range sectionList() {
		if id := line["id"]; line["paper"] == paper {
			all = append(all, id)
			if table == "" || id == table || id == "table "+table {
				some = append(some, id)
			}
		}
	}
	switch {
	case all == nil:
		return nil, fmt.Errorf("paper %q: must be one of %s", paper, strings.Join(datasets.Papers(), ", "))
	case some == nil:
		return nil, fmt.Errorf("table %q of %s: must be one of %s", table, paper, strings.Join(all, ", "))
	}
	return some, nil
}

// Run reproduces the sections of a paper; a table argument as in Select.
func Run(ctx context.Context, paper, table string, opt Options) ([]Section, error) {
	ids, err := Select(paper, table)
	if err != nil {
		return nil, err
	}
	r := newRunner(ctx, opt)
	var out []Section
	for _, id := range ids {
		s, err := r.fill(paper, id)
		if err != nil {
			return nil, err
		}
		out = append(out, *s)
	}
	return out, nil
}
