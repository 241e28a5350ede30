package trace

import (
	"path"
	"slices"
	"strings"
)

func (c *converter) userOf(j *Job) string {
	if j.User == "" {
		c.notes.add(Assumed, "jobs without a user belong to the user \"unknown\"")
		return "unknown"
	}
	return j.User
}

// queueOf completes a recorded queue name.
func (c *converter) queueOf(j *Job) string {
	if j.Queue == "" {
		q := c.opt.DefaultQueue
		if q == "" {
			q = "root.default"
			if c.opt.Flat {
				q = "default"
			}
		}
		if !strings.HasPrefix(q, "(") {
			c.notes.add(Assumed, "jobs without a queue go to %s", q)
		}
		return q
	}
	if q, ok := c.queue[j.Queue]; ok {
		return q
	}
	q := c.resolve(j.Queue)
	c.queue[j.Queue] = q
	return q
}

// resolve finds the path of a queue: the name itself, else the one configured
// leaf of that name, else the name below root.
func (c *converter) resolve(name string) string {
	if c.opt.Flat {
		return name
	}
	if slices.Contains(c.opt.Queues, name) {
		return name
	}
	var hits []string
	for _, q := range c.opt.Queues {
		if strings.HasSuffix(q, "."+name) {
			hits = append(hits, q)
		}
	}
	switch {
	case len(hits) == 1:
		return hits[0]
	case len(hits) > 1:
		c.notes.add(Assumed, "queue %s: %d configured queues have this last name; %s is used", name, len(hits), hits[0])
		return hits[0]
	case name == "root" || strings.HasPrefix(name, "root."):
		return name
	}
	return "root." + name
}

// baseName is the name of a trace read from a path.
func baseName(p string) string {
	b := path.Base(strings.ReplaceAll(p, "\\", "/"))
	for _, ext := range []string{".gz", ".zst"} {
		b = strings.TrimSuffix(b, ext)
	}
	return b
}
