package trace

import (
	"cmp"
	"path"
	"strings"
)

func (c *converter) userOf(j *Job) string {
	if j.User == "" {
		c.notes.add(Assumed, "jobs without a user belong to the user \"unknown\"")
		return "unknown"
	}
	return j.User
}

// queueOf is the job's queue, by its path unless names are kept as they were recorded.
func (c *converter) queueOf(j *Job) string {
	if j.Queue == "" && c.opt.DefaultQueue != "" {
		return c.opt.DefaultQueue
	}
	q := cmp.Or(j.Queue, "default")
	if !c.opt.Flat && q != "root" && !strings.HasPrefix(q, "root.") {
		q = "root." + q
	}
	if j.Queue == "" {
		c.notes.add(Assumed, "jobs without a queue go to %s", q)
	}
	return q
}

// baseName is the name of a trace read from a path.
func baseName(p string) string {
	b := path.Base(strings.ReplaceAll(p, "\\", "/"))
	for _, ext := range []string{".gz", ".zst"} {
		b = strings.TrimSuffix(b, ext)
	}
	return b
}
