package main

import (
	"context"
	"maps"
	"runtime"

	"schedtune/internal/remote"
	"schedtune/internal/study"
	"schedtune/tune"
)

// entry adds the results of workers to a study.
type entry struct {
	e       *env
	hash    string
	results map[string]remote.Result
	check   remote.Lines
}

// newEntry prepares to check a share of what each machine has answered; below 0
// the share follows from the size of the study.
func newEntry(e *env, s *study.Study, hash string, results map[string]remote.Result, share float64) *entry {
	if share < 0 {
		hosts := map[string]bool{}
		for _, r := range results {
			hosts[r.Host] = true
		}
		share = remote.Share(s.Request.Options.Budget / max(len(hosts), 1))
	}
	return &entry{e, hash, results, remote.Lines{Run: s.Runner.Outcome, Metrics: s.Runner.Metrics(), Share: share,
		Slots: runtime.GOMAXPROCS(0)}}
}

// enter adds the known results to the study, in its order, and returns how many runs of the
// current generation are missing.
func (n *entry) enter(ctx context.Context, t *tune.Study) (missing int, err error) {
	for {
		items, err := t.Ask()
		if err != nil || items == nil {
			return 0, err
		}
		known, results, err := n.known(ctx, items)
		if err != nil {
			return 0, err
		}
		added := 0
		for added < len(known) && known[added] == added {
			if err := t.Tell(results[added].Outcome); err != nil {
				return 0, err
			}
			added++
		}
		if added < len(items) {
			return len(items) - len(known), nil
		}
	}
}

// known returns the items, by index, that have a result. Some are checked by running them
// again; a machine with a wrong one is ignored with all its results.
func (n *entry) known(ctx context.Context, items []tune.Item) (index []int, results []remote.Result, err error) {
	for {
		var runs []tune.Item
		index, results = nil, nil
		for i, run := range items {
			it, err := remote.NewItem(n.hash, run)
			if err != nil {
				return nil, nil, err
			}
			if r, ok := n.results[it.ID]; ok {
				index, results, runs = append(index, i), append(results, r), append(runs, run)
			}
		}
		host, diff, err := n.check.Liar(ctx, runs, results)
		if err != nil || diff == "" {
			return index, results, err
		}
		n.e.Warnf("results of machine %q differ from the same runs here (%s); all results of this machine are ignored", host,
			diff)
		maps.DeleteFunc(n.results, func(_ string, r remote.Result) bool { return r.Host == host })
	}
}
