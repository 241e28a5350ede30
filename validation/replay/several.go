package replay

import (
	"cmp"
	"slices"

	"schedtune/simcore"
	"schedtune/simcore/yarn"
	"schedtune/trace/runlog"
)

// Tasks that had several attempts: lost with a node, run again because their output
// was, or killed by their master. Each attempt has its own times.

// severals are the attempts of such tasks of a job, by container; number is that of
// the job's first task.
func (j *Job) severals(number int32) map[*Container]yarn.Attempt {
	of := map[taskKey][]*Container{}
	for _, c := range j.Containers {
		if c.Task >= 0 && c.Kind != "AM" && c.Acquired != simcore.Never {
			key := taskKey{c.Kind, c.Task}
			of[key] = append(of[key], c)
		}
	}
	out := map[*Container]yarn.Attempt{}
	for key, list := range of {
		if len(list) < 2 {
			continue
		}
		at := number + key.index
		if key.kind == "REDUCE" {
			at += j.Maps
		}
		slices.SortFunc(list, func(a, b *Container) int {
			return cmp.Or(cmp.Compare(a.Acquired, b.Acquired), cmp.Compare(a.Try, b.Try), cmp.Compare(a.Ordinal, b.Ordinal))
		})
		for n, c := range list {
			out[c] = yarn.Attempt{Task: at, Try: int32(n)}
		}
	}
	return out
}

// recordedAttempt are the times of an attempt. How long one would have taken that was
// killed is not known: as long as the one that took its place (took), but no shorter than
// it did run.
func (r *Run) recordedAttempt(j *Job, c *Container, took simcore.Time) yarn.RecordedAttempt {
	a := yarn.RecordedAttempt{Launch: runlog.Since(c.Up, c.Acquired), Shuffle: -1, Work: -1, Exit: -1}
	if c.Status != succeeded || c.Finished == simcore.Never {
		if ran := runlog.Since(c.Exited, c.Up); ran >= took {
			a.Work = ran + simcore.Second
		}
		return a
	}
	start := c.Up
	if c.Kind == "REDUCE" {
		start = c.Shuffled
		a.Shuffle = runlog.Since(c.Shuffled, max(c.Up, j.lastMapBefore(c.Shuffled)))
	}
	a.Work = runlog.Since(c.Finished, start)
	if !r.goneWith(c) {
		a.Exit = runlog.Since(c.Released, c.Finished)
	}
	return a
}

// lastMapBefore is the end of the last map that finished up to an instant.
func (j *Job) lastMapBefore(at simcore.Time) simcore.Time {
	last := simcore.Time(0)
	for _, c := range j.Containers {
		if c.Kind == "MAP" && c.Status == succeeded && c.Finished <= at {
			last = max(last, c.Finished)
		}
	}
	return last
}

// mapsAgain reports whether maps of the job had several attempts.
func (j *Job) mapsAgain() bool {
	for c := range j.severals(0) {
		if c.Kind == "MAP" {
			return true
		}
	}
	return false
}

// restarts are the times that a job's masters after the first took to register.
func (j *Job) restarts() []simcore.Time {
	var out []simcore.Time
	for k := 1; k < len(j.Tries); k++ {
		out = append(out, runlog.Since(j.Tries[k].Registered, j.Tries[k].Allocated))
	}
	return out
}
