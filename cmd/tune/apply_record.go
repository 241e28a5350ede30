package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"schedtune/internal/report"
	"schedtune/internal/rm"
	"schedtune/internal/study"
	"schedtune/tune"
)

// studied is the part of a study's summary that later commands read.
type studied struct {
	Recommended, Proven *bool // the second is of version 2
	Reason              string
	Study               struct{ Status tune.Status }
	Stability           *study.Stability
}

// notRecommended returns why the study of a folder recommends nothing; "" if it does, or if the
// folder has no summary of a study.
func notRecommended(dir string) string {
	data, err := os.ReadFile(filepath.Join(dir, report.FileSummary))
	var s studied
	if err == nil {
		err = json.Unmarshal(data, &s)
	}
	switch recommended := cmp.Or(s.Recommended, s.Proven); {
	case err != nil:
		return ""
	case s.Study.Status == tune.Cancelled:
		return fmt.Sprintf("%s: the study was interrupted and its settings are not confirmed; resume it with the same tune "+
			"command and --out %s, or use --unconfirmed", dir, dir)
	case recommended == nil || *recommended:
		return ""
	}
	why := dir + ": nothing is recommended"
	if s.Reason != "" {
		why += " (" + s.Reason + ")"
	}
	return why + "; --unconfirmed applies the best configuration found"
}

// completed marks a record as made whose command ended before it knew; nil: there is none.
func completed(path string) (*rm.Record, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	var r rm.Record
	if err = errors.Join(err, json.Unmarshal(data, &r)); err != nil || r.Status != rm.Intended {
		return nil, err
	}
	r.Status, r.ReadBack = rm.Made, true
	return &r, writeRecord(path, &r)
}

func writeRecord(path string, r *rm.Record) error {
	data, err := json.MarshalIndent(r, "", "  ")
	return errors.Join(err, writeBytes(path, append(data, '\n')))
}
