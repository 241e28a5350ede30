package main

import (
	"context"
	"fmt"
	"path/filepath"

	"schedtune/internal/accuracy"
	"schedtune/internal/rm"
	"schedtune/yarnconf"
)

// verifyReplications is less than the default of tune verify, since every round compares.
const verifyReplications = 5

// changeWatch evaluates a change of the configuration until the result is clear.
type changeWatch struct {
	before string // folder of the last round before the change, empty = none to follow
	last   string // folder of the round before
}

// compare evaluates the window after the last change of the configuration against the one
// before it; nil if there is no change.
func (w *changeWatch) compare(ctx context.Context, round string, drift []rm.Drift,
	seed uint64) (*accuracy.ChangeReport, error) {
	w.begins(round, drift)
	if w.before == "" {
		return nil, nil
	}
	before, after := filepath.Join(w.before, "pull"), filepath.Join(round, "pull")
	if !fileExists(filepath.Join(before, rm.DirTrace)) || !fileExists(filepath.Join(after, rm.DirTrace)) {
		return nil, nil // no jobs in one of them
	}
	q := accuracy.Request{Tuned: filepath.Join(after, rm.FileConfig), Before: []string{before}, After: []string{after},
		Options: accuracy.ChangeOptions{Seed: seed, Replications: verifyReplications}}
	if tuned := filepath.Join(w.before, "tuned"); sameSettings(filepath.Join(tuned, rm.FileConfig), q.Tuned) {
		q.Tuned = tuned // the recommendation of that round was applied
	}
	q.Inputs.Config = filepath.Join(before, rm.FileConfig)
	r, err := accuracy.Run(ctx, q)
	if err != nil {
		return nil, fmt.Errorf("change of the configuration: %w", err)
	}
	if r.Advice != accuracy.Wait {
		w.before = ""
	}
	return r, nil
}

// sameSettings reports whether two queue files set the same.
func sameSettings(a, b string) bool {
	x, err := yarnconf.Load(a)
	if err != nil {
		return false
	}
	y, err := yarnconf.Load(b)
	return err == nil && len(yarnconf.Changes(x.Map(), y.Map())) == 0
}
