package scenario

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"schedtune/internal/fileio"
	"schedtune/yarnconf"
)

// write puts a file into a folder of the test's own.
func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func flexible(t *testing.T, more ...string) string {
	var changes []yarnconf.Change
	for _, s := range append([]string{"root.queues=etl,users", "root.etl.capacity=1w", "root.users.capacity=3w",
		"root.users.auto-queue-creation-v2.enabled=true"}, more...) {
		k, v, _ := strings.Cut(s, "=")
		changes = append(changes, yarnconf.Change{Key: yarnconf.Prefix + k, Value: v})
	}
	return write(t, "cs.xml", string(yarnconf.Fragment("", changes)))
}

// Jobs go where the file's mappings send them: below a parent that makes queues,
// by the groups of --groups, or of the user's own name where none is given.
func TestJobsFollowTheMappings(t *testing.T) {
	const rules = "queue-mappings=u:%user:root.users.%primary_group"
	for _, x := range []struct {
		groups string
		want   []string
	}{
		{"", []string{"root.users.dora", "root.users.etl"}},
		{write(t, "groups", "# users\ndora: staff, lab\netl: staff\n"), []string{"root.users.staff"}},
	} {
		c, err := (&Files{Config: flexible(t, rules, "queue-mappings-override.enable=true"), Groups: x.groups,
			Embedded: true, Dataset: "default-1"}).Load()
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range x.want {
			if !slices.Contains(c.Work.Queues, q) {
				t.Errorf("groups %q: queues %v lack %s", x.groups, c.Work.Queues, q)
			}
		}
		if notes := strings.Join(c.Notes, "\n"); !strings.Contains(notes, "created dynamically") ||
			!strings.Contains(notes, "--groups") {
			t.Errorf("notes: %s", notes)
		}
	}
}

// --queue-map goes before the file's rules, and its target may be made too.
func TestQueueMapGoesFirst(t *testing.T) {
	c, err := (&Files{Config: flexible(t, "queue-mappings=u:%user:etl", "queue-mappings-override.enable=true"),
		QueueMap: "u:dora:root.users.special", Embedded: true, Dataset: "default-1"}).Load()
	if err != nil {
		t.Fatal(err)
	}
	got := slices.Sorted(slices.Values(c.Work.Queues))
	if want := []string{"root.etl", "root.users.special"}; !slices.Equal(got, want) {
		t.Errorf("queues %v, want %v", got, want)
	}
}

// %user in a rule's target is the job's user; the embedded users are dora and etl, and a
// dot in a name would part the path. Other variables are refused, not taken as names.
func TestQueueMapByUser(t *testing.T) {
	c, err := (&Files{Config: flexible(t), QueueMap: "q:*:root.users.%user", Embedded: true, Dataset: "default-1"}).Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range []string{"root.users.dora", "root.users.etl"} {
		if !slices.Contains(c.Work.Queues, q) {
			t.Errorf("queues %v lack %s", c.Work.Queues, q)
		}
	}
	if got := forUser("root.users.%user", "a.b"); got != "root.users.a_dot_b" {
		t.Errorf("user a.b goes to %s", got)
	}
	_, err = (&Files{Config: flexible(t), QueueMap: "q:*:root.users.%primary_group", Embedded: true}).Load()
	if err == nil || !strings.Contains(err.Error(), "%primary_group") || !strings.Contains(err.Error(), "%user") {
		t.Errorf("a variable that is not known: %v", err)
	}
}

// A queue of the trace that is a parent by now is reported with what would do.
func TestUnknownBesideQueuesMadeOnFirstUse(t *testing.T) {
	e := &UnknownQueueError{Trace: "t", Job: "j", Jobs: 1, Queues: []string{"users"}, Allowed: []string{"root.etl"},
		Parents: []string{"root.users"}}
	if got := e.Error(); !strings.HasSuffix(got, "root.etl, any name below root.users (created dynamically)") {
		t.Error(got)
	}
	if got := e.Hint(); !strings.Contains(got, "'q:users:root.users.%user'") {
		t.Error(got)
	}
	doc, err := yarnconf.Load(flexible(t))
	if err != nil {
		t.Fatal(err)
	}
	own, err := newRouter(doc, nil)
	if err != nil || !slices.Equal(own.parents(), []string{"root.users"}) {
		t.Errorf("parents %v, %v", own.parents(), err)
	}
}

func TestMappingsThatReject(t *testing.T) {
	_, err := (&Files{Config: flexible(t, "mapping-rule-format=json", "queue-mappings-override.enable=true",
		`mapping-rule-json={"rules":[{"type":"user","matches":"*","policy":"reject"}]}`), Embedded: true}).Load()
	if err == nil || !strings.Contains(err.Error(), "rejected by a queue mapping") || !strings.Contains(err.Error(),
		"--queue-map") {
		t.Errorf("%v", err)
	}
}

func TestGroupsFile(t *testing.T) {
	for text, want := range map[string]int64{"ann staff\n": 1, "ann: a\nann: b\n": 2, "ann:\n": 1,
		"ann: a\nb\x00b: c\n": 2, "\x80\xfe: a\n": 1} {
		_, err := LoadGroups(write(t, "groups", text))
		var at *fileio.FileError
		if !errors.As(err, &at) || at.Line != want {
			t.Errorf("%q: got error %v, want one at line %d", text, err, want)
		}
	}
}
