package yarnconf

import (
	"errors"
	"slices"

	"encoding/json"
	"fmt"
	"strings"
)

// Mutation is the body of the ResourceManager's PUT
// /ws/v1/cluster/scheduler-conf. Settings of existing queues go under their
// queue with short names, everything else under global with full names. A setting is removed
// by an entry without a value: an empty one works for queues only, and makes a global setting
// the empty string, which the refresh then fails on (tried on 3.4.1).
type Mutation struct {
	Queues []QueueUpdate `json:"update-queue,omitempty"` // settings below a queue of the present file
	Global []Entries     `json:"global-updates,omitempty"`
}

// QueueUpdate changes settings of one queue.
type QueueUpdate struct {
	Queue   string  `json:"queue-name"` // full path
	Entries Entries `json:"params"`
}

// Entries are the settings of one part of a Mutation.
type Entries struct {
	List []Entry `json:"entry"`
}

// Entry is one setting of a Mutation.
type Entry struct {
	Key   string  `json:"key"`             // full name, or below a queue the name without the queue's path
	Value *string `json:"value,omitempty"` // nil = unset
}

// NewMutation returns the request that turns one configuration into another.
// With the arguments swapped it is the rollback. Errors: the two have different
// queues. Adding and removing queues is no tuner's business, and the
// ResourceManager demands a stopped queue for it.
func NewMutation(from, to *Document) (Mutation, error) {
	if from == nil || to == nil {
		return Mutation{}, errors.New("yarnconf: mutation: two documents are needed")
	}
	a, errs := evaluate(from, versionOf(from), Resource{})
	if len(errs) > 0 {
		return Mutation{}, from.locate(errs[0])
	}
	b, errs := evaluate(to, versionOf(to), Resource{})
	if len(errs) > 0 {
		return Mutation{}, to.locate(errs[0])
	}
	if err := sameQueues(a, b, to); err != nil {
		return Mutation{}, err
	}
	return mutationOf(Changes(from, to), a), nil
}

func sameQueues(a, b *Config, to *Document) error {
	paths := queuePaths(a)
	for i := range b.Queues {
		if !paths[b.Queues[i].Path] {
			return Problem{File: to.name, Key: b.Queues[i].Path, Reason: "the queue is not in the current configuration: a " +
				"mutation can only change settings"}
		}
	}
	if len(a.Queues) != len(b.Queues) {
		return Problem{File: to.name, Reason: fmt.Sprintf("%d of %d queues are left: a mutation can only change settings",
			len(b.Queues), len(a.Queues))}
	}
	return nil
}

// Changes returns what turns one document's properties into another's, in
// alphabetical order of names. nil has no properties.
func Changes(from, to Props) []Change {
	from, to = given(from), given(to)
	var out []Change
	for _, k := range mergedKeys(from.Keys(), to.Keys()) {
		old, had := from.Get(k)
		now, has := to.Get(k)
		switch {
		case had && !has:
			out = append(out, Change{Key: k, Unset: true})
		case has && (!had || strings.TrimSpace(old) != strings.TrimSpace(now)):
			out = append(out, Change{Key: k, Value: strings.TrimSpace(now)})
		}
	}
	return out
}

// SchedulerChanges are the changes of settings of the Capacity Scheduler alone; those of
// yarn-site.xml stay as they are.
func SchedulerChanges(from, to Props) []Change {
	return slices.DeleteFunc(Changes(from, to), func(c Change) bool { return !strings.HasPrefix(c.Key, Prefix) })
}

// mergedKeys are the names of two lists in alphabetical order, each once.
func mergedKeys(a, b []string) []string {
	keys := slices.Concat(a, b)
	slices.Sort(keys)
	return slices.Compact(keys)
}

// mutationOf sorts changes under the queues of a configuration.
func mutationOf(changes []Change, c *Config) Mutation {
	var m Mutation
	at, paths := map[string]int{}, queuePaths(c)
	for _, ch := range changes {
		e := Entry{Key: ch.Key}
		if !ch.Unset {
			v := ch.Value
			e.Value = &v
		}
		queue, name := queueOf(ch.Key, paths)
		if queue == "" {
			if m.Global == nil {
				m.Global = []Entries{{}}
			}
			m.Global[0].List = append(m.Global[0].List, e)
			continue
		}
		e.Key = name
		i, ok := at[queue]
		if !ok {
			i = len(m.Queues)
			at[queue] = i
			m.Queues = append(m.Queues, QueueUpdate{Queue: queue})
		}
		m.Queues[i].Entries.List = append(m.Queues[i].Entries.List, e)
	}
	return m
}

// queueOf splits a property into the longest queue path it begins with and the
// rest; an empty queue means that it belongs to none.
func queueOf(key string, paths map[string]bool) (queue, name string) {
	rest, ok := strings.CutPrefix(key, Prefix)
	if !ok {
		return "", ""
	}
	for i := strings.LastIndexByte(rest, '.'); i > 0; i = strings.LastIndexByte(rest[:i], '.') {
		if paths[rest[:i]] {
			return rest[:i], rest[i+1:]
		}
	}
	return "", ""
}

func queuePaths(c *Config) map[string]bool {
	m := make(map[string]bool, len(c.Queues))
	for i := range c.Queues {
		m[c.Queues[i].Path] = true
	}
	return m
}

// Empty reports whether there is nothing to change.
func (m Mutation) Empty() bool { return len(m.Queues) == 0 && len(m.Global) == 0 }

// Changes gives the mutation back as changes of full property names, in the
// mutation's order.
func (m Mutation) Changes() []Change {
	var out []Change
	add := func(prefix string, es Entries) {
		for _, e := range es.List {
			c := Change{Key: prefix + e.Key, Unset: e.Value == nil}
			if e.Value != nil {
				c.Value = *e.Value
			}
			out = append(out, c)
		}
	}
	for _, q := range m.Queues {
		add(Prefix+q.Queue+".", q.Entries)
	}
	for _, g := range m.Global {
		add("", g)
	}
	return out
}

// JSON returns the request's body, content type application/json.
func (m Mutation) JSON() ([]byte, error) {
	data, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("writing the mutation: %w", err)
	}
	return append(data, '\n'), nil
}
