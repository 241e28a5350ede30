package replay

import (
	"errors"
	"fmt"

	"schedtune/simcore"
	"schedtune/trace/runlog"
)

// Bounds of a recorded run: a damaged table is refused by its line and column
// before anything is computed from it.
const (
	maxTasks   = 1 << 20 // of a kind and job
	maxOrdinal = 1 << 22 // containers of a job
	maxMemory  = 1 << 31 // MiB
	maxNodes   = 100_000
)

// validate refuses a run whose tables contradict each other.
func (r *Run) validate() error {
	if err := r.validateNodes(); err != nil {
		return err
	}
	ids := map[string]bool{}
	for _, j := range r.Jobs {
		if ids[j.ID] {
			return fmt.Errorf("%s: job %.80q comes twice", r.path("jobs.csv"), j.ID)
		}
		ids[j.ID] = true
		if err := r.validateJob(j); err != nil {
			return err
		}
	}
	for _, s := range r.Scenario.Jobs {
		if err := CheckPlanned(&s); err != nil {
			return fmt.Errorf("%s: job %.80q: %w", r.path("scenario.json"), s.Name, err)
		}
	}
	return nil
}

// CheckPlanned bounds a planned MapReduce job.
func CheckPlanned(s *ScenarioJob) error {
	for _, v := range []float64{s.Submit, s.MapTime, s.RedTime} {
		if !(v >= 0 && v <= runlog.MaxMillis) {
			return fmt.Errorf("%g ms: must be from 0 to %g", v, runlog.MaxMillis)
		}
	}
	if min(int64(s.Maps), int64(s.Reduces), s.MapMiB, s.ReduceMiB, s.AMMiB) < 0 || max(s.Maps, s.Reduces) > maxTasks ||
		max(s.MapMiB, s.ReduceMiB, s.AMMiB) > maxMemory {
		return errors.New("its tasks or sizes are below 0 or too large")
	}
	return nil
}

func (r *Run) validateNodes() error {
	if len(r.Nodes) > maxNodes {
		return fmt.Errorf("%s: %d nodes: must be at most %d", r.path("nodes.csv"), len(r.Nodes), maxNodes)
	}
	for _, n := range r.Nodes {
		if n.MiB <= 0 || n.MiB > maxMemory || n.VCores < 1 || n.VCores > maxTasks {
			return fmt.Errorf("%s: node %.80q has %d MiB and %d vcores: must be from 1 to %d MiB and from 1 to %d vcores",
				r.path("nodes.csv"), n.Name, n.MiB, n.VCores, int64(maxMemory), maxTasks)
		}
	}
	return nil
}

func (r *Run) validateJob(j *Job) error {
	fail := func(file, format string, args ...any) error {
		return fmt.Errorf("%s: job %.80q: %s", r.path(file), j.ID, fmt.Sprintf(format, args...))
	}
	if j.Maps < 0 || j.Maps > maxTasks || j.Reduces < 0 || j.Reduces > maxTasks {
		return fail("jobs.csv", "%d maps and %d reduces: must be from 0 to %d", j.Maps, j.Reduces, maxTasks)
	}
	if j.Finish < j.Submit {
		return fail("jobs.csv", "ends before its submission")
	}
	masters := 0
	for k, c := range j.Containers {
		switch {
		case c.Node < 0:
			return fail("containers.csv", "container %.80q is on a node that the run has not", c.ID)
		case appOf(c.ID) != appOf(j.Containers[0].ID):
			return fail("containers.csv", "containers %.80q and %.80q are not of one application", j.Containers[0].ID, c.ID)
		case k > 0 && c.Ordinal == j.Containers[k-1].Ordinal && c.Try == j.Containers[k-1].Try:
			return fail("containers.csv", "container %.80q comes twice", c.ID)
		case c.MiB <= 0 || c.MiB > maxMemory:
			return fail("containers.csv", "container %.80q has %d MiB: must be from 1 to %d", c.ID, c.MiB, int64(maxMemory))
		case c.Kind != "AM" && c.Kind != "MAP" && c.Kind != "REDUCE" && c.Kind != "UNUSED":
			return fail("containers.csv", "container %.80q has kind %.80q: must be one of AM, MAP, REDUCE, UNUSED", c.ID, c.Kind)
		case c.Released != simcore.Never && c.Released < c.Allocated:
			return fail("containers.csv", "container %.80q is released before it is allocated", c.ID)
		}
		if c.Kind == "AM" {
			masters++
		}
		if most := map[string]int32{"MAP": j.Maps, "REDUCE": j.Reduces}[c.Kind]; c.Task >= most || c.Task < -1 {
			return fail("tasks.csv", "container %.80q ran task %d of %d", c.ID, c.Task, most)
		}
	}
	if most := max(len(j.Tries), 1); len(j.Containers) > 0 && masters != most {
		return fail("containers.csv", "%d application masters: must be one of each of %d attempts", masters, most)
	}
	return nil
}
