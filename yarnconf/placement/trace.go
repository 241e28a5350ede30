package placement

import (
	"cmp"
	"fmt"
	"strings"
)

// Step is what one rule comes to for an application.
type Step struct {
	Rule   int    `json:"-"`                // from 1, in the order of the file
	Text   string `json:"rule"`             // as it is written
	Effect string `json:"effect"`           // "does not match", "sets %default", "places", "rejects", "leads nowhere"
	Path   string `json:"path,omitempty"`   // where it places, or the new %default
	Reason string `json:"reason,omitempty"` // why its target, which is named, is no place to go, and what then
}

// Trace is Place with what each rule looked at came to. It ends with the rule that
// decides.
func (r *Rules) Trace(t Tree, a App) []Step {
	steps, _ := r.trace(t, a)
	return steps
}

// trace asks the rules and returns what becomes of the application as well: place, at the path of
// the last step, reject, or skip.
func (r *Rules) trace(t Tree, a App) (out []Step, what action) {
	if a.Queue == "" {
		a.Queue = DefaultQueue
	}
	if !r.Applies(a.Queue) {
		return nil, skip
	}
	v := newVariables(t, &a)
	for i := 0; i < len(r.rules) && what == skip; i++ {
		x := &r.rules[i]
		s := Step{Rule: i + 1, Text: x.text, Effect: "does not match"}
		if x.matches(v) {
			what = x.step(t, v, &s)
		}
		out = append(out, s)
	}
	return out, what
}

// step fills in what a rule that matches comes to.
func (x *rule) step(t Tree, v *variables, s *Step) action {
	if x.sets {
		v.set("%default", v.replace(x.setDefault))
		s.Effect, s.Path = "sets %default", v.get("%default")
		return skip
	}
	if x.policy == reject {
		s.Effect = "rejects"
		return reject
	}
	to := v.path(x.target)
	path, err := target(t, to, x.create)
	if s.Effect, s.Path = "places", path; err == nil {
		return place
	}
	s.Effect, s.Reason = "leads nowhere", fmt.Sprintf("%v; %s", err, x.fallback.then())
	if to != "" {
		s.Reason = to + ": " + s.Reason
	}
	if x.fallback != placeDefault {
		return x.fallback
	}
	if s.Path, err = target(t, v.path("%default"), false); err != nil {
		s.Effect, s.Reason = "rejects", s.Reason+", which is no leaf"
		return reject
	}
	s.Effect = "places"
	return place
}

// Applies reports whether the rules are asked for an application that names a queue
// ("" or "default": none).
func (r *Rules) Applies(queue string) bool {
	return len(r.rules) > 0 && (queue == "" || queue == DefaultQueue || r.Override)
}

// then says what follows where a rule leads nowhere.
func (a action) then() string {
	switch a {
	case reject:
		return "the application is rejected"
	case placeDefault:
		return "it goes to %default"
	}
	return "the next rule is asked"
}

// Outline is one rule as a reader of the file needs it.
type Outline struct {
	Text   string `json:"rule"`                 // as it is written
	Who    string `json:"who"`                  // "everybody", "user u1", "members of g2", "applications called etl"
	Target string `json:"target,omitempty"`     // path with variables; "" for a rule that rejects
	Makes  bool   `json:"makes"`                // the rule may make its queue on first use
	Sets   bool   `json:"sets_default"`         // the target becomes %default, nobody is placed
	Else   string `json:"else,omitempty"`       // what follows where the target is no place to go
	After  int    `json:"decided_by,omitempty"` // from 1: the rule before that decides for all whom this one is for; 0: none
	Same   bool   `json:"-"`                    // that rule is for the same user, group or application, not for everybody
}

// Outlines lists the rules in their order.
func (r *Rules) Outlines() []Outline {
	var out []Outline
	decided, of := 0, map[string]int{} // for everybody, and by whom a rule is for
	for i := range r.rules {
		x := &r.rules[i]
		o := Outline{Text: x.text, Who: x.who(), Target: x.target, Makes: x.create && x.policy == place && !x.sets,
			Sets: x.sets, After: decided, Else: x.fallback.then()}
		if x.sets {
			o.Target = x.setDefault
		}
		if x.policy == reject && !x.sets {
			o.Target = ""
		}
		if first := of[o.Who]; first > 0 && decided == 0 {
			o.After, o.Same = first, true
		}
		out = append(out, o)
		if x.sets || x.policy != reject && x.fallback == skip {
			continue
		}
		if x.match == everybody {
			decided = cmp.Or(decided, i+1)
		} else if !strings.Contains(x.value, "%") {
			of[o.Who] = cmp.Or(of[o.Who], i+1)
		}
	}
	return out
}

func (r *rule) who() string {
	switch r.match {
	case byUser:
		return "user " + r.value
	case byGroup:
		return "members of " + r.value
	case byApplication:
		return "applications called " + r.value
	}
	return "everybody"
}

// Key is the property that holds the rules.
func (r *Rules) Key() string { return r.key }

// text is a rule of a JSON document on one line.
func (w *written) text() string {
	var b strings.Builder
	for _, p := range w.parts() {
		if *p.value != nil {
			fmt.Fprintf(&b, " %s=%s", p.name, **p.value)
		}
	}
	if w.Create != nil {
		fmt.Fprintf(&b, " create=%t", *w.Create)
	}
	return strings.TrimSpace(b.String())
}
