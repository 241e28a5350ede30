package study

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"schedtune/internal/scenario"
	"schedtune/validation/testdata"
	"schedtune/yarnconf"
)

// tunedBases are queue files of all modes, as properties below the prefix.
var tunedBases = map[string][]string{
	"percentages": {"root.queues=prod,batch,adhoc,reports", "root.prod.capacity=40", "root.batch.capacity=30",
		"root.adhoc.capacity=20", "root.reports.capacity=10", "root.prod.maximum-capacity=70"},
	"weights": {"root.queues=prod,batch,adhoc,reports", "root.prod.capacity=4w", "root.batch.capacity=3w",
		"root.adhoc.capacity=2w", "root.reports.capacity=1.5w", "root.prod.maximum-capacity=70"},
	"absolute": {"root.queues=prod,batch,adhoc,reports", "root.prod.capacity=[memory=65536,vcores=32]",
		"root.batch.capacity=[memory=32768,vcores=16]",
		"root.adhoc.capacity=[memory=16384,vcores=8]", "root.reports.capacity=[memory=8192,vcores=4]",
		"root.prod.maximum-capacity=[memory=131072,vcores=64]"},
	"vectors": {"legacy-queue-mode.enabled=false", "root.queues=prod,batch,adhoc,reports",
		"root.prod.capacity=[memory=40%,vcores=2w]", "root.batch.capacity=[vcores=1w, memory=20%]",
		"root.adhoc.capacity=[memory=16384,vcores=8]", "root.reports.capacity=[memory=8192,vcores=10%]",
		"root.prod.maximum-capacity=80"},
	"mixed": {"legacy-queue-mode.enabled=false", "root.queues=prod,batch,adhoc,reports", "root.prod.capacity=30",
		"root.batch.capacity=20.5", "root.adhoc.capacity=2w", "root.reports.capacity=1w"},
	"flexible": {"root.queues=prod,users", "root.prod.capacity=2w", "root.users.capacity=3w",
		"root.users.auto-queue-creation-v2.enabled=true",
		"root.users.auto-queue-creation-v2.template.user-limit-factor=2",
		"queue-mappings=u:etl:root.prod,u:%user:root.users.%user", "queue-mappings-override.enable=true"},
	"labels": labelledBase,
	"managed": {"root.queues=prod,users", "root.prod.capacity=40", "root.users.capacity=60",
		"root.users.auto-create-child-queue.enabled=true",
		"root.users.leaf-queue-template.capacity=20", "queue-mappings=u:etl:root.prod,u:%user:root.users.%user",
		"queue-mappings-override.enable=true"},
}

// TestTunedFilesLoad: random settings of the space of files of all modes are
// files that load by the rules of 3.4 and 3.5, and what is not changed is kept
// byte for byte; so are those of files of each mode with a tree of their own.
// TUNED_FILES sets how many of each mode, TUNED_FIRST where the
// draws begin; with TUNED_OUT they are
// written as scenarios without steps, which validation/conformance/judge/tuned hands to the
// original.
func TestTunedFilesLoad(t *testing.T) {
	n := testdata.Cases(40)
	if v, err := strconv.Atoi(os.Getenv("TUNED_FILES")); err == nil {
		n = v
	}
	first, _ := strconv.Atoi(os.Getenv("TUNED_FIRST")) // of the draws; 0 where it is not set
	var out *os.File
	if path := os.Getenv("TUNED_OUT"); path != "" {
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		out = f
	}
	draw := func(name string, c *scenario.Case, only []string, first, n int) {
		s, _, err := NewSpace(c, only)
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, c.Doc.Bytes())
		}
		if changes, _ := s.Changes(s.PresentSettings()); len(changes) > 0 {
			t.Errorf("%s: the present point changes %v\n%s", name, changes, c.Doc.Bytes())
		}
		moved := false
		for k, p := range points(s, first+n)[first:] {
			changes, _ := s.Changes(s.Decode(p))
			moved = moved || len(changes) > 0
			doc, err := c.Doc.EditValid(changes)
			if err != nil {
				t.Fatalf("%s %d: %v: %v\n%s", name, k, changes, err, c.Doc.Bytes())
			}
			for _, v := range []yarnconf.Version{yarnconf.Hadoop34, yarnconf.Hadoop35} {
				if _, err := yarnconf.EvaluateAs(doc, v, yarnconf.Resource{}); err != nil {
					t.Fatalf("%s %d: Hadoop %s refuses %v: %v\n%s", name, k, v, changes, err, c.Doc.Bytes())
				}
			}
			kept(t, c.Doc, doc, changes)
			if out != nil {
				writeHeader(t, out, fmt.Sprintf("%s-%d", name, first+k), doc)
			}
		}
		if !moved {
			t.Errorf("%s: nothing moves\n%s", name, c.Doc.Bytes())
		}
	}
	made := func(mode string, base []string) *scenario.Case {
		if strings.HasPrefix(mode, "labels") {
			return labelledCase(t, base)
		}
		return tunedCase(t, base)
	}
	for _, mode := range []string{"percentages", "weights", "absolute", "vectors", "mixed", "flexible", "managed",
		"labels"} {
		draw(mode, made(mode, tunedBases[mode]), nil, first, n)
	}
	// Files of other shapes: for every eight draws of a fixed one a drawn one of each mode.
	const each = 8
	for _, mode := range drawnModes {
		for k := 0; k < n; k += each {
			seed := uint64(first + k)
			only := []string(nil)
			if k/each%2 == 1 { // queues without jobs too
				only = []string{"root.*"}
			}
			draw(fmt.Sprintf("drawn-%s-%d", mode, seed), made(mode, drawnBase(mode, seed)), only, 0, min(each, n-k))
		}
	}
}

// tunedCase is the embedded case with a queue file of these properties.
func tunedCase(t *testing.T, properties []string) *scenario.Case {
	t.Helper()
	var x strings.Builder
	x.WriteString("<configuration>\n")
	for _, p := range properties {
		k, v, _ := strings.Cut(p, "=")
		fmt.Fprintf(&x, "  <property>\n    <name>%s%s</name>\n    <value>%s</value>\n  </property>\n", yarnconf.Prefix, k, v)
	}
	x.WriteString("</configuration>\n")
	path := filepath.Join(t.TempDir(), "capacity-scheduler.xml")
	if err := os.WriteFile(path, []byte(x.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	c, err := (&scenario.Files{Config: path, Embedded: true, Dataset: "default-1"}).Load()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// kept checks that the edited file differs from the one before in the lines of
// changed properties only.
func kept(t *testing.T, before, after *yarnconf.Document, changes []yarnconf.Change) {
	t.Helper()
	changed := map[string]bool{}
	for _, ch := range changes {
		changed[ch.Key] = true
	}
	plain := func(d *yarnconf.Document) string {
		var lines []string
		for _, l := range strings.SplitAfter(string(d.Bytes()), "</property>") {
			name, _, _ := strings.Cut(l[strings.Index(l, "<name>")+1:], "</name>")
			if !changed[strings.TrimPrefix(name, "name>")] {
				lines = append(lines, l)
			}
		}
		return strings.Join(lines, "")
	}
	if a, b := plain(before), plain(after); a != b {
		t.Errorf("changes %v touch other bytes:\n%s\n%s", changes, a, b)
	}
}

func writeHeader(t *testing.T, out *os.File, name string, doc *yarnconf.Document) {
	t.Helper()
	conf := map[string]string{}
	for _, k := range doc.Keys() {
		conf[k], _ = doc.Get(k)
	}
	b, err := json.Marshal(struct {
		Scenario string            `json:"scenario"`
		Nodes    []map[string]any  `json:"nodes"`
		Labels   []map[string]any  `json:"labels"`
		Conf     map[string]string `json:"conf"`
	}{name, []map[string]any{{"id": "n1", "rack": "/r1", "memory": 262144, "vcores": 128}},
		[]map[string]any{{"name": "gpu", "exclusive": false}, {"name": "ssd", "exclusive": true}}, conf})
	if err == nil {
		_, err = fmt.Fprintf(out, "%s\n", b)
	}
	if err != nil {
		t.Fatal(err)
	}
}
