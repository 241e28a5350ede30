package replay

import (
	"errors"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"schedtune/simcore"
	"schedtune/trace/runlog"
)

// An application whose master is lost starts again with another attempt: its
// containers are numbered anew, its next master registers and asks anew.

// Try is an application attempt.
type Try struct {
	first, end            int // its containers
	Allocated, Registered simcore.Time
	Released              simcore.Time // its master's container
}

// numbersOf reads the application attempt, from 0, and the ordinal from
// container_[eEPOCH_]STAMP_APP_ATTEMPT_NUMBER.
func numbersOf(id string) (try, ordinal int32, ok bool) {
	f := strings.Split(id, "_")
	if len(f) < 2 {
		return 0, 0, false
	}
	n, err := strconv.Atoi(f[len(f)-1])
	if err != nil || n < 1 || n > maxOrdinal {
		return 0, 0, false
	}
	if len(f) >= 5 {
		if a, err := strconv.Atoi(f[len(f)-2]); err == nil && a >= 1 && a <= maxTries {
			try = int32(a - 1)
		}
	}
	return try, int32(n - 1), true
}

// maxTries bounds the attempts of an application that are distinguished.
const maxTries = 1000

// appOf is a container's id without the numbers of attempt and container.
func appOf(id string) string {
	for range 2 {
		if k := strings.LastIndexByte(id, '_'); k >= 0 {
			id = id[:k]
		}
	}
	return id + "_"
}

// loadTries finds the attempts of applications that had several.
func (r *Run) loadTries() error {
	several := false
	for _, j := range r.Jobs {
		for k, c := range j.Containers {
			if k > 0 && c.Try == j.Containers[k-1].Try {
				j.Tries[len(j.Tries)-1].end = k + 1
				continue
			}
			j.Tries = append(j.Tries, Try{k, k + 1, simcore.Never, simcore.Never, simcore.Never})
		}
		if len(j.Tries) < 2 {
			j.Tries = nil
		}
		several = several || j.Tries != nil
	}
	if !several {
		return nil
	}
	registered, err := r.registrations()
	for i := range r.Jobs {
		r.Jobs[i].dateTries(registered)
	}
	return err
}

// jobTry names an attempt of a job.
type jobTry struct {
	job string
	try int32
}

var registerLine = regexp.MustCompile(`AM registration appattempt_(\d+_\d+)_(\d+)`)

// registrations are the instants at which masters registered, by job and attempt.
func (r *Run) registrations() (map[jobTry]simcore.Time, error) {
	out := map[jobTry]simcore.Time{}
	t0, err := runlog.Epoch(r.Dir)
	if err != nil {
		return out, err
	}
	err = runlog.Lines(r.Dir, "cluster-events.log", t0, func(at simcore.Time, text string) {
		if m := registerLine.FindStringSubmatch(text); m != nil {
			out[jobTry{"job_" + m[1], count(m[2]) - 1}] = at
		}
	})
	if errors.Is(err, fs.ErrNotExist) {
		r.note("no cluster-events.log: of applications that started again only the last master's registration is known")
		err = nil
	}
	return out, err
}

// dateTries gives each attempt its master's times. A job's own are those of its first
// master's start and its last one's end.
func (j *Job) dateTries(registered map[jobTry]simcore.Time) {
	for k := range j.Tries {
		t := &j.Tries[k]
		master := j.Containers[t.first]
		t.Allocated, t.Released = master.Allocated, master.Released
		if at, ok := registered[jobTry{j.ID, master.Try}]; ok {
			t.Registered = at
		} else if k == len(j.Tries)-1 {
			t.Registered = j.Registered
		}
		if k+1 == len(j.Tries) {
			continue
		}
		for i := t.first; i < t.end; i++ { // their processes outlive the attempt
			c := j.Containers[i]
			c.Running, c.Gone = c.rmRunning, c.nmDone
		}
	}
	if len(j.Tries) > 0 {
		j.AMAllocated, j.Registered, j.Released = j.Tries[0].Allocated, j.Tries[0].Registered,
			j.Tries[len(j.Tries)-1].Released
	}
}

// views are the job as each of its attempts knows it.
func (j *Job) views() []Job {
	if len(j.Tries) == 0 {
		return []Job{*j}
	}
	var out []Job
	for _, t := range j.Tries {
		v := *j
		v.Containers = j.Containers[t.first:t.end:t.end]
		v.AMAllocated, v.Registered, v.Released, v.Tries, v.oneOf = t.Allocated, t.Registered, t.Released, nil, true
		out = append(out, v)
	}
	return out
}

// endedWith reports whether a container ended with its application's attempt, of which
// a later one took over.
func (j *Job) endedWith(c *Container) bool {
	for k := range j.Tries {
		if t := &j.Tries[k]; k+1 < len(j.Tries) && j.Containers[t.first].Try == c.Try {
			return c.Released != simcore.Never && t.Released != simcore.Never && c.Released >= t.Released
		}
	}
	return false
}

// outputLost finds maps that had finished and whose output was lost afterwards: the
// history has them as killed, at the time of the loss. Their process had ended before.
func (r *Run) outputLost() {
	var took []simcore.Time
	for _, c := range r.containers() {
		if c.Kind == "MAP" && c.Status == succeeded && c.Exited != simcore.Never && c.Exited >= c.Finished {
			took = append(took, c.Exited-c.Finished)
		}
	}
	slices.Sort(took)
	exit := simcore.Time(0)
	if len(took) > 0 {
		exit = took[len(took)/2]
	}
	for j, c := range r.containers() {
		if c.Kind != "MAP" || c.Status != killed || c.Exited == simcore.Never || c.Released == simcore.Never ||
			r.goneWith(c) || j.endedWith(c) {
			continue
		}
		last := r.Nodes[c.Node].stays().At(c.Released)
		if last == nil || last.To == simcore.Never {
			continue // its node stayed: it was killed
		}
		if c.Finished == simcore.Never || c.Finished > c.Exited {
			c.Finished = max(c.Exited-exit, c.Up)
		}
		c.Status = succeeded
	}
}
