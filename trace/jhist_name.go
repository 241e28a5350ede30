package trace

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
)

// parseJhistName reads the summary that a history file's name holds:
// jobid-submit-user-name-finish-maps-reduces-status-queue-start.jhist, with a
// hyphen inside a part written %2D (Hadoop, FileNameIndexUtils). Files of
// Hadoop 0.23 end with the queue.
func parseJhistName(path string) (Job, error) {
	base := baseName(path)
	fail := func(format string, args ...any) (Job, error) {
		return Job{}, &Error{File: path, Err: fmt.Errorf("file name: "+format, args...)}
	}
	body, ok := strings.CutSuffix(base, ".jhist")
	if !ok {
		return fail("it does not end in .jhist")
	}
	parts := strings.Split(body, "-")
	if len(parts) != 9 && len(parts) != 10 {
		return fail("%d parts between hyphens: must be 9 or 10", len(parts))
	}
	for i, p := range parts {
		s, err := url.QueryUnescape(p)
		if err != nil {
			return fail("part %q: %v", clip(p), err)
		}
		parts[i] = s
	}
	j := NewJob(parts[0])
	j.Type, j.User, j.Name = "MAPREDUCE", parts[2], parts[3]
	j.Result, j.Queue = parseResult(parts[7]), parts[8]
	var err error
	num := func(i int) int64 {
		v, e := strconv.ParseInt(parts[i], 10, 64)
		if e != nil || v < -1 || v > 1<<53 {
			err = errors.Join(err, fmt.Errorf("part %d is %q where a number is expected", i+1, clip(parts[i])))
		}
		return v
	}
	j.Submit, j.Finish = Millis(num(1)), Millis(num(4))
	j.Maps, j.Reduces = int(num(5)), int(num(6))
	if len(parts) == 10 {
		j.Launch = Millis(num(9))
	}
	if err != nil {
		return fail("%v", err)
	}
	if err := checkSpan(j.ID, "job", j.Submit, j.Finish); err != nil {
		return fail("%v", err)
	}
	return j, nil
}

// namesOnlyTimes derives task times of a job of which only the summary is
// known: its maps run in one wave that takes two thirds of launch to finish
// (all of it without reduces), its reduces in one wave that takes the rest.
func namesOnlyTimes(j *Job, n *notes) {
	start := zeroUnknown(j.Launch).Or(j.Submit)
	if !start.Known() || !j.Finish.Known() || j.Maps <= 0 && j.Reduces <= 0 {
		return
	}
	span := max(0, j.Finish-start)
	switch {
	case j.Reduces <= 0:
		j.MapTime = span
	case j.Maps <= 0:
		j.ReduceTime, j.ShuffleTime = span, 0
	default:
		j.MapTime = span * 2 / 3
		j.ReduceTime, j.ShuffleTime = span-j.MapTime, 0
	}
	n.add(Assumed, "task times from the job's own time: one wave of maps takes two thirds of launch to finish, one of "+
		"reduces the rest")
}

// isJhist reports whether a file name is that of a history file.
func isJhist(path string) bool {
	return strings.HasSuffix(baseName(filepath.Base(path)), ".jhist")
}
