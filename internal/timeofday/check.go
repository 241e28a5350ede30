package timeofday

import (
	"fmt"

	"schedtune/yarnconf"
)

// CheckFiles refuses files that can't follow one another by refreshes of the queues,
// each of them after each other one: files with other queues, settings that need more
// than a refresh, and what a refresh would refuse. Errors name file and property.
func CheckFiles(docs []*yarnconf.Document) error {
	for _, d := range docs {
		if ps := d.Validate(); len(ps) > 0 {
			return ps[0]
		}
	}
	for _, from := range docs {
		for _, to := range docs {
			if from != to {
				if err := checkRefresh(from, to); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// checkRefresh refuses a refresh from one file to another.
func checkRefresh(from, to *yarnconf.Document) error {
	m, err := yarnconf.NewMutation(from, to)
	if err != nil {
		return err
	}
	for _, ch := range m.Changes() {
		if kind, why := yarnconf.RefreshKindOf(ch.Key); kind != yarnconf.AtRefresh {
			return yarnconf.Problem{File: to.Name(), Line: to.Line(ch.Key), Key: ch.Key,
				Reason: fmt.Sprintf("not the same as in %s, and takes effect only by a %s (%s): must be the same in all files",
					from.Name(), kind, why)}
		}
	}
	a, err := yarnconf.Evaluate(from)
	if err != nil {
		return err
	}
	b, err := yarnconf.Evaluate(to)
	if err != nil {
		return err
	}
	for _, e := range yarnconf.CheckRefresh(a, b, nil, to) {
		return fmt.Errorf("%s: a refresh from %s is refused: %w", to.Name(), from.Name(), e)
	}
	return nil
}

// SameQueues refuses a file with other queues than those of the one that jobs are
// placed by.
func SameQueues(from, to *yarnconf.Document) error {
	_, err := yarnconf.NewMutation(from, to)
	return err
}
