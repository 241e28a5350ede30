package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"schedtune/internal/fileio"
	"schedtune/internal/rm"
	"schedtune/internal/text"
)

// before is the content of an earlier download in the folder. The zero value is nothing.
type before struct {
	there bool            // a folder of an earlier pull
	sum   *rm.PullSummary // of a pull of the same cluster that was incomplete, else nil
}

// earlierPull looks at the finished folder that a pull is about to replace, which is out.
// One of another command, such as a study, is refused.
func earlierPull(dir *fileio.Dir, manager, out string) (before, error) {
	data, err := dir.Earlier(rm.FileSummary)
	if err != nil {
		return before{}, nil
	}
	var sum rm.PullSummary
	switch {
	case json.Unmarshal(data, &sum) != nil || sum.Schema != text.SchemaPull:
		return before{}, fmt.Errorf("%s: contains files of another command; use another --out, or the folder of an "+
			"earlier download", out)
	case sum.RM != manager || len(sum.Missing) == 0:
		return before{there: true}, nil
	}
	return before{true, &sum}, nil
}

// dirSink writes into the new folder. It finds the files of an earlier download there, or in
// the incomplete folder that it will replace.
type dirSink struct {
	*fileio.Dir
	before before
}

// Have reports whether a file was written by an earlier pull. One of an incomplete folder
// is taken over.
func (s dirSink) Have(name string) bool {
	return fileExists(s.Path(name)) || s.before.take(s.Dir, name) == nil
}

var errNotEarlier = errors.New("not in an earlier incomplete download")

// take copies a file of the history from the incomplete folder into the new one.
func (b before) take(dir *fileio.Dir, name string) error {
	if b.sum == nil || !isHistory(name) {
		return errNotEarlier
	}
	data, err := dir.Earlier(name)
	if err != nil {
		return err
	}
	return dir.WriteFile(name, data)
}

// isHistory reports whether a file comes from a history server: one per job or attempt of a
// Spark application.
func isHistory(name string) bool {
	in, file := path.Split(name)
	return in == rm.DirTrace+"/" && (strings.HasPrefix(file, "job_") && path.Ext(file) == ".json" ||
		path.Ext(file) == ".zst")
}

// keep copies the files of the history that an earlier download has and this one lacks. An
// incomplete download does not replace a complete one.
func (b before) keep(dir *fileio.Dir, sum *rm.PullSummary) error {
	if b.there && b.sum == nil {
		return errors.New("the complete folder of an earlier download is not replaced, because this download is " +
			"incomplete; run the same command again or use another --out")
	}
	if b.sum == nil {
		return nil
	}
	jobs, logs := 0, 0
	for _, name := range b.sum.Files {
		if slices.Contains(sum.Files, name) || !isHistory(name) {
			continue
		}
		if err := b.take(dir, name); err != nil {
			return err
		}
		sum.Files = append(sum.Files, name)
		if path.Ext(name) == ".json" {
			jobs++
		} else {
			logs++
		}
	}
	sum.Jobs, sum.SparkApps = sum.Jobs+jobs, sum.SparkApps+logs
	if jobs+logs > 0 {
		sum.Notes = append(sum.Notes, fmt.Sprintf("%s and %s are from the earlier download in this folder",
			text.Count(jobs, "job"), text.Count(logs, "Spark application")))
	}
	return nil
}
