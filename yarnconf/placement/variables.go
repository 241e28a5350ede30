package placement

import "strings"

// variables are the values that stand for %user and the like.
type variables struct {
	t    Tree
	app  *App
	list []variable // long names first: the order in which text is replaced

	secondary []string // groups of which the first with a queue counts; else in list
}

type variable struct{ name, value string }

func newVariables(t Tree, a *App) *variables {
	v := &variables{t: t, app: a}
	specified := a.Queue
	if specified == DefaultQueue {
		specified = ""
	}
	if len(a.Groups) == 1 {
		v.list = append(v.list, variable{"%secondary_group", ""})
	}
	if len(a.Groups) > 0 {
		v.list = append(v.list, variable{"%primary_group", queueName(a.Groups[0])})
		for _, g := range a.Groups[1:] {
			v.secondary = append(v.secondary, queueName(g))
		}
	}
	v.list = append(v.list, variable{"%application", a.Name}, variable{"%specified", specified},
		variable{"%default", "root.default"}, variable{"%user", queueName(a.User)})
	return v
}

// queueName makes a name that can be a queue's.
func queueName(s string) string { return strings.ReplaceAll(s, ".", "_dot_") }

func (v *variables) find(name string) *variable {
	for i := range v.list {
		if v.list[i].name == name {
			return &v.list[i]
		}
	}
	return nil
}

func (v *variables) get(name string) string {
	if x := v.find(name); x != nil {
		return x.value
	}
	return ""
}

func (v *variables) set(name, value string) { v.find(name).value = value }

// replace replaces variables anywhere in a text.
func (v *variables) replace(s string) string {
	for _, x := range v.list {
		s = strings.ReplaceAll(s, x.name, x.value)
	}
	return s
}

// path replaces the parts of a path that are variables.
func (v *variables) path(s string) string {
	parts := split(s)
	for i, p := range parts {
		if x := v.find(p); x != nil {
			parts[i] = x.value
		} else if p == "%secondary_group" && v.secondary != nil {
			parts[i] = v.group(parts[:i])
		}
	}
	return strings.Join(parts, ".")
}

// group is the first of the secondary groups with a queue below a path.
func (v *variables) group(above []string) string {
	prefix := ""
	for _, p := range above {
		prefix += p + "."
	}
	for _, g := range v.secondary {
		if _, ok := v.t.Queue(prefix + g); ok {
			return g
		}
	}
	return ""
}
