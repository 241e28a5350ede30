package yarnconf

import (
	_ "embed"
	"maps"
	"strings"

	"schedtune/internal/text"
)

// scope says where a queue setting counts.
type scope uint8

const (
	anyQueue scope = iota
	leafOnly
	parentOnly
)

// known.txt lists the settings of Hadoop 3.4: those of leaves, of parents, of any queue
// (CapacitySchedulerConfiguration, read by AbstractCSQueue, LeafQueue and ParentQueue), and of the
// scheduler as a whole. A name that ends in "." or "-" stands for everything that begins so.
//
//go:embed known.txt
var knownText string

// queueNames lists the per-queue settings.
func queueNames() map[string]scope {
	known := lines(knownText)
	m := names(leafOnly, known["leaf"])
	maps.Copy(m, names(parentOnly, known["parent"]))
	maps.Copy(m, names(anyQueue, known["queue"]))
	return m
}

// globalNames lists the settings of the scheduler as a whole.
func globalNames() map[string]scope { return names(anyQueue, lines(knownText)["global"]) }

// names puts the words of a text in a table.
func names(s scope, text string) map[string]scope {
	m := map[string]scope{}
	for _, n := range strings.Fields(text) {
		m[n] = s
	}
	return m
}

// group finds the names that a group may have: those below a prefix of a name, and what
// is left of the name there. Of a group that is not listed it may have any.
func group(name string) (prefix, rest string, table map[string]scope) {
	for _, p := range []string{v2 + "template.", v2 + "leaf-template.", v2 + "parent-template.", leafTmpl + "."} {
		if rest, ok := strings.CutPrefix(name, p); ok {
			return p, rest, queueNames()
		}
	}
	list := ""
	switch {
	case strings.HasPrefix(name, v2):
		prefix, list = v2, "enabled max-queues maximum-queue-depth queue-auto-removal.enable queue-expiration-time"
	case strings.HasPrefix(name, v1):
		prefix, list = v1, "enabled max-queues fail-on-exceeding-parent-capacity management-policy"
	case strings.HasPrefix(name, "accessible-node-labels."):
		prefix, list = "accessible-node-labels.", "capacity maximum-capacity maximum-am-resource-percent"
		label, _, ok := strings.Cut(name[len(prefix):], ".")
		if !ok {
			return "", name, nil
		}
		prefix += label + "."
	default:
		return "", name, nil
	}
	return prefix, name[len(prefix):], names(anyQueue, list)
}

// knownName reports whether a name, or its group, is in a table.
func knownName(name string, table map[string]scope) (scope, bool) {
	if s, ok := table[name]; ok {
		return s, true
	}
	if prefix, rest, names := group(name); prefix != "" {
		if _, ok := knownName(rest, names); !ok {
			return 0, false
		}
		return anyQueue, true
	}
	for group, s := range table {
		if last := group[len(group)-1]; (last == '.' || last == '-') && strings.HasPrefix(name, group) {
			return s, true
		}
	}
	return 0, false
}

// nearestName returns the table's name that a misspelt one most likely means,
// or "" if none is close: abbreviations are written out, then the edit
// distance decides. In a group the names of that group count.
func nearestName(name string, table map[string]scope) string {
	if prefix, rest, names := group(name); prefix != "" {
		if near := nearestName(rest, names); near != "" {
			return prefix + near
		}
		return ""
	}
	best, bestDistance := "", 4
	long := longWords(name)
	for n := range table {
		n = strings.TrimSuffix(n, ".")
		d := min(text.Distance(long, n), text.Distance(name, n))
		if len(name) >= 5 && strings.HasPrefix(n, name+"-") { // cut short
			d = min(d, 3)
		}
		if d < bestDistance || d == bestDistance && best != "" && n < best {
			best, bestDistance = n, d
		}
	}
	return best
}

// longWords writes max and min out, the commonest slip.
func longWords(name string) string {
	parts := strings.Split(name, "-")
	for i, p := range parts {
		switch p {
		case "max":
			parts[i] = "maximum"
		case "min":
			parts[i] = "minimum"
		}
	}
	return strings.Join(parts, "-")
}
