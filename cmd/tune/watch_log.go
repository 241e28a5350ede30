package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"schedtune/internal/accuracy"
	"schedtune/internal/fileio"
	"schedtune/internal/rm"
	"schedtune/yarnconf"
)

// loggedRound is the part of a logged round that a later call uses.
type loggedRound struct {
	State    *rm.State  `json:"state"`
	Drift    []rm.Drift `json:"drift"`
	Verified *struct {
		Advice string `json:"advice"`
	} `json:"verified"`
}

// earlier resumes the watch of an earlier call, for example if cron starts every round. It
// returns the state of the last round that read the cluster, nil for none, and restores the
// change that is being evaluated.
func (f *watchFlags) earlier() (*rm.State, error) {
	data, err := fileio.ReadFile(filepath.Join(f.search.out.Dir, watchLog), fileio.Table)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var last *rm.State
	for line := range strings.Lines(string(data)) {
		var r loggedRound
		if json.Unmarshal([]byte(line), &r) != nil || r.State == nil {
			continue // cut off, or a round that could not read the cluster
		}
		last = r.State
		f.change.begins(f.folder(r.State.Round), r.Drift)
		if r.Verified != nil && r.Verified.Advice != string(accuracy.Wait) {
			f.change.before = ""
		}
	}
	if last == nil {
		return nil, nil
	}
	doc, err := yarnconf.Load(filepath.Join(f.folder(last.Round), "pull", rm.FileConfig))
	if err == nil {
		last.Config = doc.Map()
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return last, nil
}

// folder returns the folder of a round.
func (f *watchFlags) folder(round int) string {
	return filepath.Join(f.search.out.Dir, fmt.Sprintf("round-%04d", round))
}

// begins records a round: after a drift of the configuration, the change is compared with
// the round before.
func (w *changeWatch) begins(round string, drift []rm.Drift) {
	if w.last != "" && slices.ContainsFunc(drift, func(d rm.Drift) bool { return d.What == "configuration" }) {
		w.before = w.last
	}
	w.last = round
}
