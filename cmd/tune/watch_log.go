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

// loggedRound is what a later call needs to know of a round.
type loggedRound struct {
	State    *rm.State  `json:"state"`
	Drift    []rm.Drift `json:"drift"`
	Verified *struct {
		Advice string `json:"advice"`
	} `json:"verified"`
}

// earlier takes up a watch that an earlier call began, as one that cron starts for every
// round: the state of the last round that read the cluster, against which the next is
// held, and the change that is still followed. nil: there is none.
func (f *watchFlags) earlier() (*rm.State, error) {
	data, err := fileio.ReadFile(filepath.Join(f.search.out, watchLog), fileio.Table)
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

// folder is that of a round.
func (f *watchFlags) folder(round int) string {
	return filepath.Join(f.search.out, fmt.Sprintf("round-%04d", round))
}

// begins takes note of a round: with a drift of the configuration, the round before is
// what the change is compared with.
func (w *changeWatch) begins(round string, drift []rm.Drift) {
	if w.last != "" && slices.ContainsFunc(drift, func(d rm.Drift) bool { return d.What == "configuration" }) {
		w.before = w.last
	}
	w.last = round
}
