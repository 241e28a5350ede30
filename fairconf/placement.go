package fairconf

import (
	"fmt"
	"strings"
)

// Rule is one step in the search for an application's queue.
type Rule struct {
	Kind   RuleKind // which rule
	Create bool     // queues nobody configured may be made
	Queue  string   // of Default: full path
	Parent *Rule    // of User: below what this finds; nil = below root
}

// RuleKind names a rule.
type RuleKind uint8

// Rules by their names in the file.
const (
	Specified RuleKind = iota // what the submission names, unless that is "default"
	User                      // the user's name
	Default                   // one queue for all
	Reject                    // no queue: the submission is refused
)

// placement reads <queuePlacementPolicy>.
func (p *parser) placement(e *element) error {
	if !e.anyChild {
		return p.fail(e, "", "must have <rule name=…/> elements")
	}
	rules, end := []Rule{}, 0 // the last rule
	for i, r := range e.children {
		if strings.EqualFold(r.tag, "rule") {
			end = i
		}
	}
	for i, r := range e.children {
		if !strings.EqualFold(r.tag, "rule") {
			continue
		}
		rule, terminal, err := p.rule(r, true)
		if err != nil {
			return err
		}
		last := i == end
		if terminal && !last {
			return p.fail(r, "", fmt.Sprintf("rules after %q can never be reached: must be the last", r.name))
		}
		if !terminal && last {
			return p.fail(r, "", "the last rule must always find a queue, or reject")
		}
		rules = append(rules, rule)
	}
	if len(rules) > 0 {
		p.a.Placement = rules
	}
	return nil
}

// rule reads a rule and whether it always decides.
func (p *parser) rule(e *element, outer bool) (Rule, bool, error) {
	r := Rule{Create: e.attr("create") == "" || strings.EqualFold(e.attr("create"), "true")}
	const names = "specified, user, nestedUserQueue, default, reject"
	switch e.name {
	case "specified":
		r.Kind = Specified
	case "user", "nestedUserQueue":
		r.Kind = User
	case "default":
		r.Kind, r.Queue = Default, p.defaultQueue(e)
	case "reject":
		r.Kind = Reject
	case "primaryGroup", "secondaryGroupExistingQueue":
		return r, false, p.fail(e, "", fmt.Sprintf("rule %q cannot be simulated, because users have no groups here: must "+
			"be one of %s", e.name, names))
	default:
		return r, false, p.fail(e, "", fmt.Sprintf("rule %q: must be one of %s", e.name, names))
	}
	if !outer {
		if r.Kind == Reject || e.name == "nestedUserQueue" {
			return r, false, p.fail(e, "", fmt.Sprintf("rule %q inside another: must be specified or default", e.name))
		}
		return r, r.Kind != Specified && r.Create, nil
	}
	return p.nested(e, r)
}

// nested reads the rule inside a rule, of several the last.
func (p *parser) nested(e *element, r Rule) (Rule, bool, error) {
	terminal := r.Kind == Reject || r.Kind != Specified && r.Create
	for _, c := range e.children {
		if !strings.EqualFold(c.tag, "rule") {
			continue
		}
		parent, always, err := p.rule(c, false)
		if err != nil {
			return r, false, err
		}
		if r.Kind != User || parent.Kind == User {
			return r, false, p.fail(c, "", fmt.Sprintf("rule %q inside %q: must be specified or default inside user or "+
				"nestedUserQueue", c.name, e.name))
		}
		r.Parent = &parent
		terminal = terminal && always
	}
	if e.name == "nestedUserQueue" && r.Parent == nil {
		return r, false, p.fail(e, "", "nestedUserQueue must have a rule inside")
	}
	return r, terminal, nil
}

// defaultQueue is where the default rule points; a name the original finds
// illegal counts as not given.
func (p *parser) defaultQueue(e *element) string {
	q := e.attr("queue")
	if q == "" || !ValidName(q) {
		q = "default"
	}
	return FullPath(q)
}

// ValidName reports whether a submission may name a queue so.
func ValidName(q string) bool {
	return q == TrimName(q) && !strings.HasPrefix(q, ".") && !strings.HasSuffix(q, ".")
}

// FullPath puts root before a path that lacks it.
func FullPath(q string) string {
	if q == "root" || strings.HasPrefix(q, "root.") {
		return q
	}
	return "root." + q
}

// Rules returns the placement in force: the file's, or the one that properties
// ask for.
func (a *Allocations) Rules(s *Site) []Rule {
	if a.Placement != nil {
		return a.Placement
	}
	rules := []Rule{{Kind: Specified, Create: s.AllowUndeclared}}
	if s.UserAsDefault {
		rules = append(rules, Rule{Kind: User, Create: s.AllowUndeclared})
	}
	if !s.UserAsDefault || !s.AllowUndeclared {
		rules = append(rules, Rule{Kind: Default, Create: true, Queue: "root.default"})
	}
	return rules
}

// UserQueue is the queue name of a user: periods are spelled out.
func UserQueue(user string) string { return strings.ReplaceAll(TrimName(user), ".", "_dot_") }
