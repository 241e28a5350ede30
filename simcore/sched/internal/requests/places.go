package requests

import (
	"cmp"
	"fmt"
	"slices"

	"schedtune/simcore/yarn"
	"schedtune/yarnconf"
)

// Places numbers the names of nodes and racks; 0 is "*". The zero value knows that one only.
type Places struct {
	ids   map[string]yarn.Place
	names []string // by place, less 1
}

// Place interns the name of a node, of a rack, or "*".
func (t *Places) Place(name string) yarn.Place {
	p, ok := t.ids[name]
	if ok || name == "*" {
		return p
	}
	if t.ids == nil {
		t.ids = map[string]yarn.Place{}
	}
	t.names = append(t.names, name)
	p = yarn.Place(len(t.names))
	t.ids[name] = p
	return p
}

// NameOfPlace returns the name that was interned.
func (t *Places) NameOfPlace(p yarn.Place) string {
	if p == yarn.AnyPlace {
		return "*"
	}
	return t.names[p-1]
}

// Losses collects containers that end against their masters' will, between Begin and Take.
type Losses struct {
	taking bool
	lost   []yarn.Container
}

// Begin starts to collect.
func (l *Losses) Begin() { l.lost, l.taking = l.lost[:0], true }

// Add notes a container that is lost.
func (l *Losses) Add(app yarn.AppID, ordinal int32) {
	if l.taking {
		l.lost = append(l.lost, yarn.Container{App: app, Ordinal: ordinal})
	}
}

// Take ends the collection and appends what was collected to dst, by application and ordinal.
func (l *Losses) Take(dst []yarn.Container) []yarn.Container {
	l.taking = false
	slices.SortFunc(l.lost, ByName)
	return append(dst, l.lost...)
}

// ByName orders containers by application and ordinal.
func ByName(a, b yarn.Container) int {
	return cmp.Or(cmp.Compare(a.App, b.App), cmp.Compare(a.Ordinal, b.Ordinal))
}

// At returns the element of a number, nil where there is none.
func At[E any, N ~int32](list []*E, i N) *E {
	if i < 0 || int(i) >= len(list) {
		return nil
	}
	return list[i]
}

// Tell hands over to a master the first of the containers that are over, as many as told says, by
// ordinal, and returns the others.
func Tell(over []int32, told int, resp *yarn.AskResponse) []int32 {
	slices.Sort(over[:told])
	resp.Completed = append(resp.Completed, over[:told]...)
	return over[:copy(over, over[told:])]
}

// CheckSize returns an error where an application's request, or its master, is for more than a
// container may have; what names it in the message.
func CheckSize(app, what string, size, most yarnconf.Resource) error {
	if size.Memory >= 0 && size.VCores >= 0 && size.FitsIn(most) {
		return nil
	}
	return fmt.Errorf("application %s: %s %d MiB and %d vcores: must be at most %d MiB and %d vcores "+
		"(maximum-allocation-mb, maximum-allocation-vcores)", app, what, size.Memory, size.VCores, most.Memory, most.VCores)
}
