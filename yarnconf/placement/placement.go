// Package placement holds the rules by which a ResourceManager with the Capacity
// Scheduler finds the queue of an application: queue mappings as a list or as
// JSON (CSMappingPlacementRule in Hadoop 3.4). It knows nothing of schedulers:
// queues are looked up in a Tree.
//
//	rules, err := placement.Read(get, readFile)       // get looks a property up
//	path, placed, err := rules.Place(tree, placement.App{User: "ann"})
//
// What is wrong with rules is a *Fault: property and reason.
package placement

import (
	"errors"
	"slices"
	"strings"

	"schedtune/internal/java"
)

// Queue is what the rules need to know of a queue.
type Queue struct {
	Path     string // "root.a.b"
	Leaf     bool
	Flexible bool // makes queues below it on first use (auto-queue-creation-v2), or was made so itself
	Managed  bool // makes leaves below it on first use (auto-create-child-queue)
}

// Tree is where queues are looked up.
type Tree interface {
	// Queue finds a queue by its full path, or by its short name where only one
	// queue has it.
	Queue(name string) (Queue, bool)
	// Ambiguous reports whether several queues have a short name.
	Ambiguous(name string) bool
}

// App is what the rules see of a submission.
type App struct {
	Name   string   // of the application
	User   string   // who submits it
	Groups []string // of the user, the primary one first; none if the user is not known
	Queue  string   // as submitted; "" means default
}

// DefaultQueue is the name that counts as no queue asked for.
const DefaultQueue = "default"

// ErrRejected is returned for an application that a rule rejects.
var ErrRejected = errors.New("rejected by a queue mapping")

// Rules is an ordered list of rules.
type Rules struct {
	Override bool   // also for applications that name a queue
	Missing  string // a file of rules that could not be read
	rules    []rule
	key      string // the property that holds them
}

// Len returns the number of rules; without any, applications go where they ask.
func (r *Rules) Len() int { return len(r.rules) }

// UsesGroups reports whether any rule looks at the groups of users.
func (r *Rules) UsesGroups() bool {
	for i := range r.rules {
		x := &r.rules[i]
		if x.match == byGroup || strings.Contains(x.value+x.target+x.setDefault, "_group") {
			return true
		}
	}
	return false
}

// Place returns the full path of an application's queue, which may not exist
// yet. placed is false if no rule decides: the application goes where it asks.
// The only error is ErrRejected.
func (r *Rules) Place(t Tree, a App) (path string, placed bool, err error) {
	steps, what := r.trace(t, a)
	switch what {
	case place:
		return steps[len(steps)-1].Path, true, nil
	case reject:
		return "", false, ErrRejected
	}
	return "", false, nil
}

// action is what becomes of an application at a rule.
type action uint8

const (
	skip action = iota
	place
	placeDefault
	reject
)

// matching says what a rule looks at.
type matching uint8

const (
	everybody matching = iota
	byUser
	byGroup
	byApplication
)

// rule is one mapping.
type rule struct {
	text   string // as it is written
	match  matching
	value  string // matched, with variables
	policy action // place, reject, or skip for setDefault
	target string // of place: a path with variables
	create bool   // place may make a queue

	setDefault string // the new value of %default
	sets       bool
	fallback   action // where the target is no place to go
}

func (r *rule) matches(v *variables) bool {
	switch r.match {
	case byUser:
		return v.replace(r.value) == v.app.User
	case byApplication:
		return v.replace(r.value) == v.get("%application")
	case byGroup:
		g := v.replace(r.value)
		return slices.Contains(v.app.Groups, g)
	}
	return true
}

// target checks a path that a rule has come to and returns it in full.
func target(t Tree, name string, create bool) (string, error) {
	parent, leaf, nested := cutLast(name)
	if emptyPart(parent, leaf, nested) {
		return "", errors.New("a part of the queue path is empty, as in root..prod")
	}
	path := ""
	if nested {
		p, err := fullPath(t, parent+"."+leaf)
		if err != nil {
			return "", err
		}
		made, err := creatable(t, p)
		if err != nil {
			return "", err
		}
		if made && !create {
			return "", errors.New("the rule does not create queues")
		}
		path = p
	} else {
		q, ok := t.Queue(leaf)
		if !ok {
			return "", errors.New("no such queue")
		}
		path = q.Path
	}
	if q, ok := t.Queue(path); ok && q.Path == path && !q.Leaf {
		return "", errors.New("not a leaf")
	}
	return path, nil
}

// cutLast splits a path at its last dot, blanks around both parts trimmed.
func cutLast(name string) (parent, leaf string, nested bool) {
	i := strings.LastIndexByte(name, '.')
	if i < 0 {
		return "", name, false
	}
	return strings.TrimSpace(name[:i]), strings.TrimSpace(name[i+1:]), true
}

func emptyPart(parent, leaf string, nested bool) bool {
	if leaf == "" {
		return true
	}
	if !nested {
		return false
	}
	return slices.Contains(split(parent+"."+leaf), "")
}

// split parts a path at its dots as the original does.
func split(path string) []string { return java.Split(path, ".") }

// fullPath replaces the first part of a path by the full path of the queue of
// that name.
func fullPath(t Tree, path string) (string, error) {
	parts := split(path)
	if len(parts) == 0 {
		return "", errors.New("an empty path")
	}
	q, ok := t.Queue(parts[0])
	if !ok {
		if t.Ambiguous(parts[0]) {
			return "", errors.New("several queues are called " + parts[0])
		}
		return "", errors.New("there is no queue " + parts[0])
	}
	parts[0] = q.Path
	return strings.Join(parts, "."), nil
}

// creatable returns nil if a path names a queue, or could: made.
func creatable(t Tree, path string) (made bool, err error) {
	if path == "" {
		return false, errors.New("empty")
	}
	if _, ok := t.Queue(path); ok {
		return false, nil
	}
	if t.Ambiguous(path) {
		return false, errors.New("several queues have this name")
	}
	parts := split(path)
	for n := 1; n <= 2; n++ { // the parent, and what may make that
		above := strings.Join(parts[:max(len(parts)-n, 0)], ".")
		switch q, ok := t.Queue(above); {
		case above == "":
			return false, errors.New("there is no such queue, and no parent is named")
		case t.Ambiguous(above):
			return false, errors.New("several queues have the name of the parent")
		case ok && (n == 1 && q.Managed || q.Flexible && !q.Leaf):
			return true, nil
		case ok:
			n = 2
		}
	}
	return false, errors.New("there is no such queue, and its parent does not create queues")
}
