package scenario

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// FuzzQueueMap: under rules that are accepted every job goes to one of the leaves or to
// none, and where a queue is said to be found it is one of them.
func FuzzQueueMap(f *testing.F) {
	f.Add("u:alice:prod,q:*:root.dev.b", "alice", "old")
	f.Add("u:*:%user", "b", "")
	f.Add("q:old:root.%user , u::x", "dev.b", "old")
	leaves := []string{"root.prod", "root.dev.a", "root.dev.b", "root.test.b", "root.c_dot_d"}
	f.Fuzz(func(t *testing.T, mapping, user, queue string) {
		p, err := newPlacement(leaves, mapping, nil)
		if err != nil {
			if !strings.Contains(err.Error(), "--queue-map") {
				t.Errorf("%v", err)
			}
			return
		}
		leaf, ok, unknown := p.place("job", user, queue)
		if ok != slices.Contains(leaves, leaf) || ok && unknown {
			t.Errorf("leaf %q, found %v, unknown %v", leaf, ok, unknown)
		}
	})
}

// FuzzGroups: what is read without an error has names without separators.
func FuzzGroups(f *testing.F) {
	f.Add("alice: admins,dev # both\n\nbob:dev")
	f.Add("a:b\na:c")
	f.Add(":x\ny: ,\n")
	path := filepath.Join(f.TempDir(), "groups")
	f.Fuzz(func(t *testing.T, text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		all, err := LoadGroups(path)
		if err != nil {
			if !strings.Contains(err.Error(), path) {
				t.Errorf("%v", err)
			}
			return
		}
		for user, groups := range all {
			if user == "" || strings.ContainsAny(user, ":#\n") || len(groups) == 0 {
				t.Errorf("user %q in %q", user, groups)
			}
			for _, g := range groups {
				if g == "" || strings.ContainsAny(g, ", \t#\n") {
					t.Errorf("user %q in %q", user, groups)
				}
			}
		}
	})
}
