package scenario

import (
	"reflect"
	"strings"
	"testing"

	"schedtune/simcore"
)

const elasticSample = `nodes:
  - {kind: core, count: 2, memory: 8192, vcores: 8, price: 0.4}
  - {kind: task, count: 1, name: t-%d, memory: 4096, vcores: 4, price: 0.1, spot: {rate: 0.05, notice: 2m}}
  - {kind: late, count: 0, memory: 4096, vcores: 4}
changes:
  - {at: 2h, lose: node2}
  - {at: 30m, join: task, count: 3}
  - {at: 1h, decommission: task, count: 2}
  - {at: 90m, decommission: task, timeout: never}
  - {at: 40m, join: late}
scaling:
  - {rule: pending-memory, kind: task, min: 1, max: 4, up: 0.5}
expiry: 5m
`

func TestElasticYAML(t *testing.T) {
	f, err := ParseCluster("c", []byte(elasticSample))
	if err != nil {
		t.Fatal(err)
	}
	c := f.Cluster
	e := &c.Elastic
	const minute = simcore.Minute
	want := []simcore.NodeChange{
		{At: 30 * minute, What: simcore.Join, Kind: "task", Count: 3}, {At: 40 * minute, What: simcore.Join, Kind: "late",
			Count: 1},
		{At: 60 * minute, What: simcore.Decommission, Kind: "task", Count: 2, Timeout: 60 * minute},
		{At: 90 * minute, What: simcore.Decommission, Kind: "task", Count: 1, Timeout: simcore.Never},
		{At: 120 * minute, What: simcore.Lose, Node: "node2", Count: 1}}
	if !reflect.DeepEqual(e.Changes, want) {
		t.Errorf("changes %+v, want %+v", e.Changes, want)
	}
	var names []string
	for _, n := range c.All() {
		names = append(names, n.Name)
	}
	// Of task 3 join, and a rule may have 4 while 4 others are on their way out: ten
	// beside the one there is.
	if got := strings.Join(names, " "); got != "node1 node2 t-1 t-2 t-3 t-4 t-5 t-6 t-7 t-8 t-9 t-10 t-11 late-1" {
		t.Errorf("nodes %s", got)
	}
	if n := c.All()[4]; n.Spot != 0.05 || n.Notice != 2*minute || n.Price != 0.1 || n.Kind != "task" ||
		n.Capacity[0] != 4096 {
		t.Errorf("a node that joins: %+v", n)
	}
	if s := e.Scaling; len(s) != 1 || s[0].Cooldown != 2*minute || s[0].Up != 0.5 || s[0].Down != 1 || s[0].Max != 4 ||
		e.Expiry != 5*minute || c.Still() {
		t.Errorf("scaling %+v, expiry %v", s, e.Expiry.Std())
	}
	if err := e.Validate(c.Nodes); err != nil {
		t.Error(err)
	}
}

// A mistake names its line and what is allowed.
func TestElasticErrors(t *testing.T) {
	const nodes = "nodes:\n - {kind: k, memory: 5, vcores: 1}\n"
	for _, c := range []struct{ in, want string }{
		{"changes: 3\n", "c:3: changes: must be a list"},
		{"changes:\n - {join: k}\n", "c:4: changes[0].at: missing"},
		{"changes:\n - {at: soon, join: k}\n", "c:4: changes[0].at: soon: must be a duration from 0s"},
		{"changes:\n - {at: 5m}\n", "c:4: changes[0]: must have exactly one of join, decommission, lose"},
		{"changes:\n - {at: 5m, join: x}\n", `c:4: changes[0].join: "x": must be a kind of nodes (k) or the name of a node`},
		{"changes:\n - {at: 5m, join: k, count: 2000000}\n", "c:4: changes[0].count: 2000000: must be between 1 and 1000000"},
		{"changes:\n - {at: 5m, join: k, count: 1000000}\n", "c:2: nodes: 1000000 of kind k may join: must be at most " +
			"1000000"},
		{"changes:\n - {at: 5m, join: k, timeout: 3m}\n", "c:4: changes[0].timeout: must stand with decommission, not " +
			"with join"},
		{"scaling:\n - {rule: load, kind: k, max: 3}\n",
			`c:4: scaling[0].rule: "load": must be pending-memory or utilisation`},
		{"scaling:\n - {rule: utilisation, kind: k, min: 3, max: 2}\n", "c:4: scaling[0].max: 2: must be min or more"},
		{"scaling:\n - {rule: utilisation, kind: q, max: 2}\n", `c:4: scaling[0].kind: "q": must be a kind of nodes (k)`},
		{"expiry: 0s\n", "c:3: expiry: 0s: must be a duration from 1ms"},
	} {
		_, err := ParseCluster("c", []byte(nodes+c.in))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.in, err, c.want)
		}
	}
	if _, err := ParseCluster("c", []byte("nodes:\n - {count: 0, memory: 5, vcores: 1}\n")); err == nil ||
		!strings.Contains(err.Error(), "c:2: nodes[0].count: 0: must be 1 or more, or 0 with a kind") {
		t.Errorf("no nodes of no kind: %v", err)
	}
}
