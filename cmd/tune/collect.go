package main

import (
	"schedtune/internal/remote"
	"schedtune/tune"
)

// enter adds the known results, by the ids of their items, to a study in its order, and
// returns how many runs of the current generation are missing. hash is that of the package.
func enter(t *tune.Study, hash string, results map[string]remote.Result) (missing int, err error) {
	for missing == 0 {
		items, err := t.Ask()
		if err != nil || items == nil {
			return 0, err
		}
		for _, run := range items {
			it, err := remote.NewItem(hash, run)
			if err != nil {
				return 0, err
			}
			r, known := results[it.ID]
			if !known {
				missing++
			} else if missing == 0 {
				if err := t.Tell(r.Outcome); err != nil {
					return 0, err
				}
			}
		}
	}
	return missing, nil
}
