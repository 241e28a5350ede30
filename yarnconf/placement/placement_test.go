package placement

import (
	"errors"
	"strings"
	"testing"
)

// queues is a tree of static queues by path; a path that ends in "/" is a parent
// that makes queues, one in "." a parent that does not.
type queues []string

func (q queues) Queue(name string) (Queue, bool) {
	var found []Queue
	for _, p := range q {
		path := strings.TrimRight(p, "./")
		n := Queue{Path: path, Leaf: path == p, Flexible: strings.HasSuffix(p, "/")}
		if path == name {
			return n, true
		}
		if path[strings.LastIndexByte(path, '.')+1:] == name {
			found = append(found, n)
		}
	}
	if len(found) == 1 {
		return found[0], true
	}
	return Queue{}, false
}

func (q queues) Ambiguous(name string) bool {
	n := 0
	for _, p := range q {
		path := strings.TrimRight(p, "./")
		if path[strings.LastIndexByte(path, '.')+1:] == name {
			n++
		}
	}
	return n > 1
}

var tree = queues{"root.", "root.etl", "root.pool/", "root.pool.ann", "root.a.", "root.a.twin", "root.b.",
	"root.b.twin", "root.default"}

func read(t testing.TB, props map[string]string) (*Rules, error) {
	return Read(func(k string) (string, bool) { v, ok := props[k]; return v, ok }, nil)
}

// What each rule decides is what the original's classes say; the recordings of
// the conformance folder judge whole submissions.
func TestPlace(t *testing.T) {
	ann := App{Name: "job", User: "ann", Groups: []string{"staff", "etl"}}
	dotted := App{Name: "job", User: "a.b", Groups: []string{"staff"}}
	asked := App{Name: "job", User: "ann", Queue: "root.etl"}
	for _, x := range []struct {
		key, rules string
		app        App
		want       string // "-" no rule decides, "!" rejected
	}{
		{Mappings, "u:%user:root.pool.%user", ann, "root.pool.ann"},
		{Mappings, "u:%user:pool.%user", ann, "root.pool.ann"}, // a path may begin with a short name
		{Mappings, "u:%user:root.pool.%user", dotted, "root.pool.a_dot_b"},
		{Mappings, "u:a.b:root.etl", dotted, "root.etl"}, // compared as it is
		{Mappings, "u:bob:root.etl,g:staff:etl", ann, "root.etl"},
		{Mappings, "g:etl:root.pool.%primary_group.%user", ann, "root.pool.staff.ann"},
		{Mappings, "u:%user:root.%secondary_group", ann, "root.etl"},
		{Mappings, "u:%user:twin", ann, "root.default"},         // two queues have the name: the default queue
		{Mappings, "u:%user:root.a.%user", ann, "root.default"}, // a parent that makes none
		{Mappings, "u:bob:root.etl", ann, "-"},
		{Mappings, "u:%user:root.pool.%user", asked, "-"},
		{ByName, "job:root.etl", ann, "root.etl"},
		{JSON, `{"rules":[{"type":"user","matches":"*","policy":"reject"}]}`, ann, "!"},
		{JSON, `{"rules":[{"type":"user","matches":"*","policy":"user","parentQueue":"root.pool","create":false}]}`, dotted,
			"-"},
		{JSON, `{"rules":[{"type":"user","matches":"*","policy":"setDefaultQueue","value":"root.pool.%user"},{"type":"application","matches":"job","policy":"defaultQueue"}]}`, ann, "root.pool.ann"},
		{JSON, `{"rules":[{"type":"user","matches":"*","policy":"custom","customPlacement":"root.nosuch","fallbackResult":"reject"}]}`, ann, "!"},
		{JSON, `{"rules":[{"type":"group","matches":"staff","policy":"primaryGroupUser","parentQueue":"root.pool","fallbackResult":"placeDefault"}]}`, ann, "root.pool.staff.ann"},
		{JSON, `{"rules":[{"type":"user","matches":"*","policy":"specified"}]}`, ann, "-"},
	} {
		props := map[string]string{x.key: x.rules}
		if x.key == JSON {
			props[Format] = "json"
		}
		r, err := read(t, props)
		if err != nil {
			t.Fatalf("%s: %v", x.rules, err)
		}
		got, placed, err := r.Place(tree, x.app)
		switch {
		case errors.Is(err, ErrRejected):
			got = "!"
		case !placed:
			got = "-"
		}
		if got != x.want {
			t.Errorf("%s for %s: %s, want %s", x.rules, x.app.User, got, x.want)
		}
	}
}

// With the override, applications that name a queue are placed as well.
func TestOverride(t *testing.T) {
	r, err := read(t, map[string]string{Mappings: "u:%user:root.pool.%user", OverrideKey: "true"})
	if err != nil {
		t.Fatal(err)
	}
	if got, _, _ := r.Place(tree, App{User: "ann", Queue: "root.etl"}); got != "root.pool.ann" {
		t.Errorf("placed in %q", got)
	}
}

func TestRefused(t *testing.T) {
	for _, x := range []struct{ key, value string }{
		{Mappings, "u:ann"}, {Mappings, "x:ann:etl"}, {Mappings, ":::"}, {ByName, "a:b:c"}, {Format, "xml"},
		{JSON, "{"}, {JSON, `{"rules":7}`}, {JSON, `{"rules":[{"type":"user","matches":"*"}]}`},
		{JSON, `{"rules":[{"type":"group","matches":"*","policy":"user"}]}`},
		{JSON, `{"rules":[{"type":"user","matches":"*","policy":"nosuch"}]}`},
	} {
		props := map[string]string{x.key: x.value}
		if x.key == JSON {
			props[Format] = "json"
		}
		_, err := read(t, props)
		var f *Fault
		if !errors.As(err, &f) || f.Key != x.key || f.Reason == "" {
			t.Errorf("%s=%s: %v", x.key, x.value, err)
		}
	}
	for rules, n := range map[string]int{"u:a:nosuch,u:b:root.etl.x,u:c:root": 3, "u:a:root.pool.new,u:%user:%user": 0,
		"u:a:root.a.%user": 0, "u:a:twin": 1, "u:a:root.nosuch.%user": 1} {
		r, err := read(t, map[string]string{Mappings: rules})
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Validate(tree); len(got) != n {
			t.Errorf("%s: %d faults, want %d: %v", rules, len(got), n, got)
		}
	}
}

// Whatever the text, rules are read or refused, and a place is a full path.
func FuzzRules(f *testing.F) {
	f.Add("u:%user:root.pool.%user,g:x:etl", "")
	f.Add("", `{"rules":[{"type":"user","matches":"*","policy":"custom","customPlacement":"root.pool.%secondary_group"}]}`)
	f.Fuzz(func(t *testing.T, list, doc string) {
		props := map[string]string{Mappings: list}
		if doc != "" {
			props[Format], props[JSON] = "json", doc
		}
		r, err := read(t, props)
		if err != nil {
			return
		}
		r.Validate(tree)
		path, placed, err := r.Place(tree, App{Name: "n", User: "u.v", Groups: []string{"g", "h"}})
		if placed && err == nil && !strings.HasPrefix(path, "root.") {
			t.Errorf("placed in %q", path)
		}
	})
}

// Every rule that is asked says what it came to, and the last one decides as Place
// does.
func TestTrace(t *testing.T) {
	for _, x := range []struct {
		key, rules string
		app        App
		effects    string
		path       string
	}{
		{Mappings, "u:bob:root.etl,u:%user:root.pool.%user,g:etl:root.etl", App{User: "ann", Groups: []string{"g"}},
			"does not match, places", "root.pool.ann"},
		{Mappings, "u:ann:root.a.%user", App{User: "ann"}, "places", "root.default"}, // below a parent that makes none
		{JSON, `{"rules":[{"type":"user","matches":"*","policy":"setDefaultQueue","value":"root.etl"},{"type":"user","matches":"*","policy":"custom","customPlacement":"root.nosuch","fallbackResult":"skip"},{"type":"user","matches":"ann","policy":"reject"}]}`,
			App{User: "ann"}, "sets %default, leads nowhere, rejects", ""},
		{JSON, `{"rules":[{"type":"user","matches":"*","policy":"setDefaultQueue","value":"root.nosuch"},{"type":"user","matches":"*","policy":"custom","customPlacement":"root.b","fallbackResult":"placeDefault"}]}`,
			App{User: "ann"}, "sets %default, rejects", ""},
	} {
		props := map[string]string{x.key: x.rules}
		if x.key == JSON {
			props[Format] = "json"
		}
		r, err := read(t, props)
		if err != nil {
			t.Fatalf("%s: %v", x.rules, err)
		}
		var effects []string
		last := Step{}
		for _, s := range r.Trace(tree, x.app) {
			effects, last = append(effects, s.Effect), s
			if s.Text == "" || s.Effect == "leads nowhere" && !strings.HasPrefix(s.Reason, "root.nosuch: ") {
				t.Errorf("%s: step %+v", x.rules, s)
			}
		}
		if got := strings.Join(effects, ", "); got != x.effects || x.path != last.Path {
			t.Errorf("%s: %s to %q, want %s to %q", x.rules, got, last.Path, x.effects, x.path)
		}
		if path, _, err := r.Place(tree, x.app); path != x.path || (err != nil) != (last.Effect == "rejects") {
			t.Errorf("%s: Place says %q, %v", x.rules, path, err)
		}
	}
}

// A rule after one that decides for everybody is never asked.
func TestOutlines(t *testing.T) {
	r, err := read(t, map[string]string{Mappings: "u:bob:root.etl,u:%user:root.pool.%user,g:x:root.etl"})
	if err != nil {
		t.Fatal(err)
	}
	all := r.Outlines()
	if len(all) != 3 || all[0].After+all[1].After != 0 || all[2].After != 2 || all[2].Who != "members of x" ||
		all[1].Target != "root.pool.%user" || !all[1].Makes {
		t.Errorf("%+v", all)
	}
}
