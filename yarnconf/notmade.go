package yarnconf

import (
	"fmt"
	"strings"
)

// NotMadeError says why a queue is not created on first use.
type NotMadeError struct {
	Parent   string // path of the queue whose setting refuses it
	Property string // the setting
	Present  int    // what counts against the limit with the queue made; 0 where it is no number
	Limit    int    // the most allowed
	Reason   string // one line, in the words of the original where it has any
}

// Error implements error.
func (e *NotMadeError) Error() string { return e.Reason }

// NotMade is the error of a queue that a setting of another refuses; Property is that setting's name.
func NotMade(parent, name string, present, limit int, reason string) *NotMadeError {
	return &NotMadeError{Parent: parent, Property: Key(parent, name), Present: present, Limit: limit, Reason: reason}
}

// Setting returns the property that decides about a queue's setting, given by name
// such as maximum-capacity: the queue's own; for a dynamic queue that of the
// template it comes from and, where none names it, the template that may.
func (c *Config) Setting(path, name string) string {
	own := Key(path, name)
	i := c.Find(path)
	if i < 0 || !c.Queues[i].Dynamic && !c.Queues[i].Managed {
		return own
	}
	if _, written := c.props.Get(own); written {
		return own
	}
	return c.TemplateSetting(&c.Queues[i], name)
}

// TemplateSetting is Setting of a dynamic queue for which the file says nothing itself.
func (c *Config) TemplateSetting(q *Queue, name string) string {
	up := &c.Queues[q.Parent]
	if q.Managed {
		return Key(up.Path, leafTmpl+"."+name)
	}
	kind := v2 + "parent-template."
	if q.Leaf {
		kind = v2 + "leaf-template."
	}
	for _, t := range []string{kind, v2 + "template."} {
		for _, above := range templatePaths(up) {
			if _, written := c.props.Get(Key(above, t+name)); written {
				return Key(above, t+name)
			}
		}
	}
	parts := strings.Split(up.Path, ".")
	for at := up; at.Dynamic; at = &c.Queues[at.Parent] { // dynamic parents are wildcards
		parts[strings.Count(at.Path, ".")] = "*"
	}
	return Key(strings.Join(parts, "."), kind+name)
}

// templatePaths are the paths whose templates count below a parent, the parent's own
// first, then those with its last parts replaced by wildcards.
func templatePaths(up *Queue) (out []string) {
	parts := strings.Split(up.Path, ".")
	levels := min(len(parts)-1, up.MaxDepth)
	for level := 0; level <= levels; level++ {
		out = append(out, strings.Join(parts, "."))
		parts[len(parts)-1-level] = "*"
	}
	return out
}

// tooMany is the error of a parent that has as many queues as it may; kind is that of
// the way in which it makes them.
func tooMany(up *Queue, kind, path string, limit int) *NotMadeError {
	return NotMade(up.Path, kind+"max-queues", len(up.Children)+1, limit,
		fmt.Sprintf("queue %s cannot be made: %s has %d queues: must be %d", path, up.Path, len(up.Children), limit))
}

// limit reads a whole number that is looked at only when a queue is made.
func (c *Config) limit(key string, def int) (int, error) {
	r := Reader{p: c.layers()}
	n := r.Integer(key, def)
	if len(r.errs) > 0 {
		return 0, r.errs[0]
	}
	return n, nil
}
