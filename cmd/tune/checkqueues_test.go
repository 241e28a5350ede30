package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"schedtune/internal/diagnose"
	"schedtune/yarnconf"
)

// check names partitions, placement rules and parents that make queues; explain
// finds the queue of a user by the rules and gives the figures of a label.
func TestPartitionsAndQueuesMadeOnFirstUse(t *testing.T) {
	dir := t.TempDir()
	conf, cluster := filepath.Join(dir, "cs.xml"), filepath.Join(dir, "cluster.yaml")
	var changes []yarnconf.Change
	for _, l := range []string{"root.queues=prod,users", "root.prod.capacity=3w", "root.users.capacity=1w",
		"root.users.auto-queue-creation-v2.enabled=true",
		"queue-mappings=u:etl:root.prod,u:%user:root.users.%user", "root.prod.accessible-node-labels=gpu",
		"root.prod.accessible-node-labels.gpu.capacity=1w", "root.users.accessible-node-labels= "} {
		k, v, _ := strings.Cut(l, "=")
		changes = append(changes, yarnconf.Change{Key: yarnconf.Prefix + k, Value: v})
	}
	nodes := "labels: {gpu: {exclusive: false}, old: {}}\nnodes:\n- {count: 4, memory: 16384, vcores: 8, name: a%d}\n- " +
		"{count: 2, memory: 32768, vcores: 8, label: gpu, name: b%d}\n- {count: 1, memory: 1024, vcores: 8, label: old, " +
		"name: c%d}\n"
	for path, data := range map[string][]byte{conf: yarnconf.Fragment("", changes), cluster: []byte(nodes)} {
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	_, text, _ := command(t, "check", conf, "--cluster", cluster)
	for _, want := range []string{"no queue may use the nodes with label old (1 of 1024 MiB): they stand idle",
		"node label gpu: 2 nodes, 65536 MiB, idle resources shared", "below root: 1 in weights",
		"no access: root.users", "everybody to root.users.%user, created if missing", "below root.users (flexible): up to " +
			"2 levels deep"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	_, text, _ = command(t, "check", conf, "--cluster", cluster, "--json")
	var out checkJSON
	if err := json.Unmarshal([]byte(text), &out); err != nil || *out.Files[0].Hadoop != "3.4" ||
		len(out.Files[0].Groups) != 2 || len(out.Files[0].Rules) != 2 || len(out.Files[0].FirstUse) != 1 {
		t.Errorf("%v: %s", err, text)
	}
	if code, text, _ := command(t, "check", conf, "--hadoop", "3.3"); code != 5 ||
		!strings.Contains(text, "Hadoop 3.3 knows no weights") {
		t.Errorf("as 3.3: exit %d\n%s", code, text)
	}
	_, text, _ = command(t, "explain", conf, "--cluster", cluster, "--user", "ann", "--json")
	var a diagnose.LimitsDocument
	if err := json.Unmarshal([]byte(text), &a); err != nil || a.Queue != "root.users.ann" || !a.Made ||
		len(a.Placed) != 2 || len(a.Partitions) != 3 || a.Nodes != 4 {
		t.Errorf("%v: %s", err, text)
	}
	_, text, _ = command(t, "explain", conf, "--cluster", cluster, "--user", "etl", "--label", "gpu")
	if !strings.Contains(text, "queue root.prod, user etl, on 2 nodes with label gpu") {
		t.Errorf("%s", text)
	}
}

// Where no parent makes queues, no rule does, whatever it says.
func TestRulesWhereNothingIsMade(t *testing.T) {
	conf := filepath.Join(t.TempDir(), "cs.xml")
	var changes []yarnconf.Change
	for _, l := range []string{"root.queues=prod", "root.prod.capacity=100", "queue-mappings=u:%user:%user"} {
		k, v, _ := strings.Cut(l, "=")
		changes = append(changes, yarnconf.Change{Key: yarnconf.Prefix + k, Value: v})
	}
	if err := os.WriteFile(conf, yarnconf.Fragment("", changes), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, text, _ := command(t, "check", conf); !strings.Contains(text, "everybody to %user; if that is not possible") {
		t.Errorf("%s", text)
	}
}
