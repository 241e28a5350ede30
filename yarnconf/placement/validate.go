package placement

import "slices"

import "strings"

// known are the variables that a path may hold.
var known = []string{"%user", "%primary_group", "%secondary_group", "%application", "%specified", "%default"}

// Validate returns the rules that a load refuses because of where they lead.
func (r *Rules) Validate(t Tree) []*Fault {
	var faults []*Fault
	for i := range r.rules {
		x := &r.rules[i]
		if x.sets || x.policy != place {
			continue
		}
		if bad := checkPath(t, x.target); bad != "" {
			faults = append(faults, &Fault{r.key, "the mapping to " + x.target + " leads to no queue: " + bad +
				": must be a leaf, or a path below a parent of dynamic queues"})
		}
	}
	return faults
}

func isVariable(part string) bool {
	return slices.Contains(known, part)
}

// checkPath says what is wrong with the target of a rule.
func checkPath(t Tree, path string) string {
	if path == "" {
		return "no queue is named"
	}
	for _, p := range split(path) {
		if p == "" {
			return "a part is empty"
		}
		if isVariable(p) {
			return checkStaticPart(t, path)
		}
	}
	return checkStatic(t, path)
}

func checkStatic(t Tree, path string) string {
	p, err := fullPath(t, trimmed(path))
	if err != nil {
		return err.Error()
	}
	made, err := creatable(t, p)
	if err != nil {
		return err.Error()
	}
	if q, _ := t.Queue(p); !made && !q.Leaf {
		return "it is not a leaf"
	}
	return ""
}

// trimmed is a path without blanks around its last part and around what is before it.
func trimmed(path string) string {
	if parent, leaf, nested := cutLast(path); nested {
		return parent + "." + leaf
	}
	return path
}

// checkStaticPart checks the part of a path before its first variable.
func checkStaticPart(t Tree, path string) string {
	parts := split(trimmed(path))
	n := 0
	for n < len(parts) && !isVariable(parts[n]) {
		n++
	}
	if n == 0 {
		return ""
	}
	p, err := fullPath(t, strings.Join(parts[:n], "."))
	if err != nil {
		return err.Error()
	}
	if q, ok := t.Queue(p); ok {
		if q.Leaf {
			return p + " is a leaf, below which there are no queues"
		}
		return ""
	}
	if n > 1 {
		if p, err = fullPath(t, strings.Join(parts[:n-1], ".")); err != nil {
			return err.Error()
		}
		if q, ok := t.Queue(p); ok && !q.Leaf && (q.Managed || q.Flexible) {
			return ""
		}
	}
	return "no parent on the path makes queues"
}
