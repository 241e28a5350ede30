package placement

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

const prefix = "yarn.scheduler.capacity."

// Properties that hold the rules.
const (
	Mappings    = prefix + "queue-mappings"
	ByName      = "yarn.scheduler.queue-placement-rules.app-name"
	OverrideKey = prefix + "queue-mappings-override.enable"
	Format      = prefix + "mapping-rule-format"
	JSON        = prefix + "mapping-rule-json"
	JSONFile    = prefix + "mapping-rule-json-file"
)

// Fault is a property that a load refuses.
type Fault struct {
	Key    string // property
	Reason string // what is wrong, and what would be accepted
}

// Error returns KEY: REASON.
func (f *Fault) Error() string { return f.Key + ": " + f.Reason }

// Read reads the rules of a configuration. readFile reads a file of rules by the
// path that the configuration gives; where it is nil or fails, the file's name is
// left in Missing. The error is a *Fault. Without get (nil) no property is set.
func Read(get func(key string) (string, bool), readFile func(path string) ([]byte, error)) (*Rules, error) {
	if get == nil {
		get = func(string) (string, bool) { return "", false }
	}
	r := &Rules{}
	if v, ok := get(OverrideKey); ok {
		r.Override = strings.EqualFold(strings.TrimSpace(v), "true")
	}
	format, ok := get(Format)
	var err error
	switch r.key = Mappings; {
	case !ok || format == "legacy":
		err = r.readList(get)
	case format == "json":
		err = r.readJSON(get, readFile)
	default:
		err = &Fault{Format, format + ": must be legacy or json"}
	}
	return r, err
}

// tokens splits a list; blanks are trimmed, empty items dropped.
func tokens(s, sep string) []string {
	var out []string
	for _, t := range strings.Split(s, sep) {
		if t = strings.TrimSpace(t); t != "" {
			out = append(out, t)
		}
	}
	return out
}

// items is tokens without repetitions, as the original reads lists of rules.
func items(s string) []string {
	var out []string
	for _, t := range tokens(s, ",") {
		if !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}

// readList reads u:user:queue,g:group:queue, and name:queue for applications.
func (r *Rules) readList(get func(string) (string, bool)) error {
	v, _ := get(Mappings)
	for _, item := range items(v) {
		m := tokens(item, ":")
		if len(m) != 3 || m[0] != "u" && m[0] != "g" {
			return &Fault{Mappings, item + ": must be u:USER:QUEUE or g:GROUP:QUEUE"}
		}
		match := byUser
		switch {
		case m[0] == "g":
			match = byGroup
		case m[1] == "%user":
			match = everybody
		}
		r.rules = append(r.rules, listed(item, match, m[1], m[2]))
	}
	v, _ = get(ByName)
	for _, item := range items(v) {
		m := tokens(item, ":")
		if len(m) != 2 {
			return &Fault{ByName, item + ": must be NAME:QUEUE"}
		}
		r.rules = append(r.rules, listed(item, byApplication, m[0], m[1]))
	}
	return nil
}

func listed(text string, match matching, value, queue string) rule {
	return rule{text: text, match: match, value: value, policy: place, target: queue, create: true, fallback: placeDefault}
}

// written is a rule in JSON.
type written struct {
	Type, Matches, Policy, ParentQueue, FallbackResult, Value, CustomPlacement *string
	Create                                                                     *bool
}

func (r *Rules) readJSON(get func(string) (string, bool), readFile func(string) ([]byte, error)) error {
	key := JSON
	text, _ := get(JSON)
	if text == "" {
		path, _ := get(JSONFile)
		if path == "" {
			return nil // a warning in Hadoop
		}
		key, path = JSONFile, strings.TrimSpace(path)
		if readFile == nil {
			r.Missing = path
			return nil
		}
		b, err := readFile(path)
		if err != nil {
			r.Missing = path
			return nil
		}
		text = string(b)
	}
	r.key = key
	var doc map[string]json.RawMessage
	if err := json.NewDecoder(strings.NewReader(text)).Decode(&doc); err != nil || doc == nil {
		return &Fault{key, `must be a JSON object like {"rules":[…]}`}
	}
	var raw []map[string]json.RawMessage
	if b, ok := doc["rules"]; ok {
		if err := json.Unmarshal(b, &raw); err != nil || raw == nil {
			return &Fault{key, `rules must be a list of objects, like {"rules":[…]}`}
		}
	}
	for i, m := range raw {
		w, bad := fields(m)
		if bad == "" {
			bad = r.add(w)
		}
		if bad != "" {
			return &Fault{key, fmt.Sprintf("rule %d: %s", i+1, bad)}
		}
	}
	return nil
}

// part is a text of a rule.
type part struct {
	name  string
	value **string
}

func (w *written) parts() []part {
	return []part{{"type", &w.Type}, {"matches", &w.Matches}, {"policy", &w.Policy}, {"parentQueue", &w.ParentQueue},
		{"customPlacement", &w.CustomPlacement}, {"value", &w.Value}, {"fallbackResult", &w.FallbackResult}}
}

// fields reads the known fields of a rule by their exact names.
func fields(m map[string]json.RawMessage) (w written, bad string) {
	for _, f := range w.parts() {
		name, into := f.name, f.value
		if b, ok := m[name]; ok && json.Unmarshal(b, into) != nil {
			if bytes.HasPrefix(b, []byte("{")) || bytes.HasPrefix(b, []byte("[")) {
				return w, name + " is not a text"
			}
			s := string(b) // numbers and truth values are taken as text
			*into = &s
		}
	}
	if b, ok := m["create"]; ok && json.Unmarshal(b, &w.Create) != nil {
		return w, "create is neither true nor false"
	}
	return w, ""
}

// add appends a rule, or says what is wrong with it.
func (r *Rules) add(w written) string {
	switch {
	case w.Policy == nil:
		return "policy is missing"
	case w.Type == nil:
		return "type is missing"
	case w.Matches == nil || *w.Matches == "":
		return "matches is missing"
	}
	x := rule{text: w.text(), value: *w.Matches, policy: place, create: w.Create == nil || *w.Create, fallback: skip}
	switch *w.Type {
	case "user":
		if x.match = byUser; x.value == "*" {
			x.match = everybody
		}
	case "group":
		if x.match = byGroup; x.value == "*" {
			return "groups cannot be matched by *"
		}
	case "application":
		x.match = byApplication
	default:
		return "no such type: " + *w.Type
	}
	if w.FallbackResult != nil {
		f, ok := map[string]action{"skip": skip, "placeDefault": placeDefault, "reject": reject}[*w.FallbackResult]
		if !ok {
			return "no such fallbackResult: " + *w.FallbackResult
		}
		x.fallback = f
	}
	if bad := x.setPolicy(&w); bad != "" {
		return bad
	}
	r.rules = append(r.rules, x)
	return ""
}

// belowParent are the policies that place below parentQueue.
var belowParent = map[string]string{
	"user": "%user", "primaryGroup": "%primary_group", "primaryGroupUser": "%primary_group.%user",
	"secondaryGroup": "%secondary_group", "secondaryGroupUser": "%secondary_group.%user",
	"applicationName": "%application",
}

func (x *rule) setPolicy(w *written) string {
	switch p := *w.Policy; p {
	case "reject":
		x.policy = reject
	case "defaultQueue":
		x.target, x.create = "%default", false
	case "specified":
		x.target = "%specified"
	case "custom":
		if w.CustomPlacement == nil {
			return "customPlacement is missing"
		}
		x.target = *w.CustomPlacement
	case "setDefaultQueue":
		if w.Value == nil {
			return "value is missing"
		}
		x.sets, x.setDefault = true, *w.Value
	default:
		v, ok := belowParent[p]
		if !ok {
			return "no such policy: " + p
		}
		x.target = v
		if w.ParentQueue != nil {
			x.target = *w.ParentQueue + "." + v
		}
	}
	return ""
}
