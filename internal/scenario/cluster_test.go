package scenario

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"schedtune/simcore"
	"schedtune/validation/testdata"
)

const sample = `# two kinds of machine
nodes:
  - {count: 20, memory: 16384, vcores: 16, rack: /r1}
  - name: big-%d
    count: 2
    memory: 65536
    vcores: 32
    rack: r2
    speed: 1.5
    disks: 8
    slots: {map: 4, reduce: 2}
    diskRate: 1e8
uplink: 1.25e9
`

func TestYAML(t *testing.T) {
	f, err := ParseCluster("c.yaml", []byte(sample))
	if err != nil {
		t.Fatal(err)
	}
	c := f.Cluster
	if len(c.Nodes) != 22 || len(c.Racks) != 2 || c.UplinkRate != 1.25e9 {
		t.Fatalf("%d nodes, racks %v, uplink %g", len(c.Nodes), c.Racks, c.UplinkRate)
	}
	if n := c.Nodes[19]; n.Name != "node20" || n.Capacity != (simcore.Vec{16384, 16}) || n.Rack != 0 {
		t.Errorf("node 20: %+v", n)
	}
	want := simcore.Node{Name: "big-2", Rack: 1, Capacity: simcore.Vec{65536, 32}, Slots: simcore.Vec{4, 2}, Speed: 1.5,
		Disks: 8, DiskRate: 1e8}
	if n := c.Nodes[21]; n != want {
		t.Errorf("big-2: %+v", n)
	}
	if c.Racks[1] != "/r2" {
		t.Errorf("rack without slash: %q", c.Racks[1])
	}
}

func TestJSONAsYAML(t *testing.T) {
	f, err := ParseCluster("c.json", []byte(`{"nodes": [{"count": 3, "memory": 1024, "vcores": 8}]}`))
	if err != nil || len(f.Cluster.Nodes) != 3 || f.Format != "yaml" {
		t.Fatalf("%+v %v", f, err)
	}
}

// Each mistake must name the file, the line, the place and the reason.
func TestErrors(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"empty", "  \n", "c: the file is empty: must be "},
		{"negative", "nodes:\n - {memory: -5, vcores: 1}\n", "c:2: nodes[0].memory: -5: must be MiB as a whole " +
			"number from 1"},
		{"unit", "nodes:\n - {memory: 64 GB, vcores: 1}\n", "c:2: nodes[0].memory: 64 GB: must be MiB"},
		{"part of a MiB", "nodes:\n - {memory: 1.5 MiB, vcores: 1}\n", "c:2: nodes[0].memory: 1.5 MiB: must be MiB"},
		{"word", "nodes:\n - {memory: 5, vcores: many}\n", "c:2: nodes[0].vcores: many: must be a whole number"},
		{"half", "nodes:\n - {memory: 5}\n", "c:2: nodes[0].vcores: missing: memory (MiB) and vcores must be given together"},
		{"nothing", "nodes:\n - {rack: /a}\n", "c:2: nodes[0]: the group must have memory and vcores, or slots"},
		{"unknown", "nodes:\n - {memory: 5, vcores: 1, cpu: 2}\n", "c:2: nodes[0].cpu: unknown key: must be one of " +
			"cores, count,"},
		{"nonodes", "uplink: 3\n", "c:1: nodes: missing: must be like ["},
		{"notlist", "nodes: 7\n", "c:1: nodes: must be a list"},
		{"twice", "nodes:\n - {memory: 5, vcores: 1, name: a}\n - {memory: 5, vcores: 1, name: a}\n",
			`c:3: nodes[1]: a second node is called "a"`},
		{"pattern", "nodes:\n - {memory: 5, vcores: 1, name: a, count: 2}\n", "c:2: nodes[0].name: "},
		{"toomany", "nodes:\n - {memory: 5, vcores: 1, count: 99999999999}\n", "99999999999: must be between 0 and 1000000"},
		{"speed", "nodes:\n - {memory: 5, vcores: 1, speed: -2}\n", "c:2: nodes[0].speed: -2: must be a number"},
		{"broken yaml", "nodes: [{memory: 5\n", "c:1: YAML: "},
		{"rm truncated", "{\"nodes\":\n{\"node\":[{\"id\":\"a\"", "c:2: JSON: unexpected end"},
		{"rm empty", `{"nodes":{"node":[]}}`, "c: nodes: no running node: applications stay ACCEPTED until a NodeManager registers"},
		{"rm null", `{"nodes":null}`, "c: nodes: no running node: applications stay ACCEPTED until a NodeManager registers"},
		{"rm size", `{"nodes":{"node":[{"id":"a:1","state":"RUNNING"}]}}`,
			`c: nodes.node[0]: "a:1" offers 0 MiB and 0 vcores: must be at least 1`},
		{"rm type", "{\"nodes\":{\n\"node\":[{\"totalResource\":7}]}}",
			"c:2: JSON: field nodes.node.totalResource: number where an object is expected"},
		{"sls type", "{\"rack\":\"r\",\"nodes\":[]}\n{\"rack\":\"q\",\n\"nodes\":[{\"node\":\"a\",\"vcores\":\"x\"}]}",
			"c:3: JSON: field nodes.vcores: string where a number is expected"},
		{"no form", "x\n", "c:1: neither a mapping nor a table: must be cluster YAML, "},
		{"csv column", "node,mib\na,1\n", "c:1: a table without the column vcores: must have a header with memory or mib " +
			"(MiB), vcores, and "},
		{"csv number", "mib,vcores\n1024,8\n\n1 GB,8\n", `c:4: mib: "1 GB": must be MiB as a whole number from 1`},
		{"csv zero", "memory,vcores\n0,8\n", `c:2: memory: "0": must be MiB as a whole number from 1`},
		{"csv ragged", "node,mib,vcores\na,1\n", "c:2: wrong number of fields"},
		{"csv twice", "node,mib,vcores\na,1,1\na,1,1\n", `c:3: node: a second node is called "a"`},
		{"sls short", "{\"rack\":\"r\",\n\"nodes\":[{\"node\":",
			"c:2: JSON: the file ends inside an object; it is truncated"},
	} {
		_, err := ParseCluster("c", []byte(c.in))
		if err == nil {
			t.Errorf("%s: accepted", c.name)
			continue
		}
		if !strings.HasPrefix(err.Error(), c.want) && !strings.Contains(err.Error(), c.want) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %q, want %q", c.name, err, c.want)
		}
	}
}

// A table as nodes.csv of a recorded run has it, and the least there may be.
func TestTable(t *testing.T) {
	f, err := ParseCluster("nodes.csv",
		[]byte("node,node_id,mib,vcores,rack\nn1,localhost:1,1024,8,/r1\nn2,localhost:2,2048,4,\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := []simcore.Node{{Name: "n1", Rack: 0, Capacity: simcore.Vec{1024, 8}, Speed: 1},
		{Name: "n2", Rack: 1, Capacity: simcore.Vec{2048, 4}, Speed: 1}}
	if f.Format != "table" || !reflect.DeepEqual(f.Cluster.Nodes, want) || !reflect.DeepEqual(f.Cluster.Racks,
		[]string{"/r1", defaultRack}) {
		t.Errorf("%s: %+v", f.Format, f.Cluster)
	}
	if f, err = ParseCluster("t", []byte("Memory, vCores\r\n1024, 8\r\n1024, 8\r\n")); err != nil ||
		len(f.Cluster.Nodes) != 2 || f.Cluster.Nodes[1].Name != "node2" {
		t.Errorf("%+v, %v", f, err)
	}
}

func TestRMStates(t *testing.T) {
	f, err := ParseCluster("n", []byte(`{"nodes":{"node":[
	 {"rack":"/a","state":"RUNNING","id":"h1:1","nodeHostName":"h1","usedMemoryMB":1000,"availMemoryMB":24,"usedVirtualCores":1,"availableVirtualCores":7},
	 {"rack":"/a","state":"LOST","id":"h2:1","nodeHostName":"h2"},
	 {"rack":"/b","state":"RUNNING","id":"h3:1","nodeHostName":"h3","totalResource":{"memory":2048,"vCores":4}}]}}`))
	if err != nil {
		t.Fatal(err)
	}
	if n := f.Cluster.Nodes; len(n) != 2 || n[0].Capacity != (simcore.Vec{1024, 8}) ||
		n[1].Capacity != (simcore.Vec{2048, 4}) {
		t.Errorf("%+v", n)
	}
	if len(f.Notes) != 1 || f.Notes[0] != "left out 1 node in state LOST" {
		t.Errorf("notes %q", f.Notes)
	}
}

// The made run's answer: three nodes with names of their own.
func TestMadeNodes(t *testing.T) {
	all, err := os.ReadFile(filepath.Join(testdata.Run(t, "mapreduce"), "rest-nodes.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	line, _, _ := bytes.Cut(all, []byte("\n"))
	var rec struct{ Body json.RawMessage }
	if err := json.Unmarshal(line, &rec); err != nil {
		t.Fatal(err)
	}
	f, err := ParseCluster("rest-nodes", rec.Body)
	if err != nil {
		t.Fatal(err)
	}
	if n := f.Cluster.Nodes; f.Format != "rm-nodes" || len(n) != 3 || n[2].Capacity != (simcore.Vec{1024, 4}) ||
		n[2].Name != "n3" {
		t.Errorf("%s %+v", f.Format, f.Cluster)
	}
}

// The recorded answer of a real ResourceManager: 4 node managers of 1,024 MiB
// and 8 vcores on one host, hence named by host and port.
func TestRecordedNodes(t *testing.T) {
	path := testdata.Shared(t, "traces", "minimr", "run-01-A-ss005", "rest-nodes.jsonl.gz")
	r, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	z, err := gzip.NewReader(r)
	if err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(z).ReadBytes('\n')
	if err != nil {
		t.Fatal(err)
	}
	var rec struct{ Body json.RawMessage }
	if err := json.Unmarshal(line, &rec); err != nil {
		t.Fatal(err)
	}
	f, err := ParseCluster("rest-nodes", rec.Body)
	if err != nil {
		t.Fatal(err)
	}
	if f.Format != "rm-nodes" || len(f.Cluster.Nodes) != 4 || f.Cluster.Nodes[0].Capacity != (simcore.Vec{1024, 8}) {
		t.Errorf("%+v", f.Cluster)
	}
	if n := f.Cluster.Nodes[0].Name; n != "localhost:36173" {
		t.Errorf("name %q", n)
	}
}

func TestHadoopSamples(t *testing.T) {
	for _, c := range []struct {
		file, format string
		nodes, racks int
		first        simcore.Vec
	}{
		{"nodes.json", "sls-nodes", 19, 5, simcore.Vec{10240, 10}},
		{"nodes-with-resources.json", "sls-nodes", 4, 1, simcore.Vec{2048, 6}},
		{"mumak-19-jobs.topology.json.gz", "rumen-topology", 1545, 41, simcore.Vec{10240, 10}},
	} {
		f, err := LoadCluster(testdata.Shared(t, "traces", "hadoop", c.file))
		if err != nil {
			t.Error(err)
			continue
		}
		if f.Format != c.format || len(f.Cluster.Nodes) != c.nodes || len(f.Cluster.Racks) != c.racks ||
			f.Cluster.Nodes[0].Capacity != c.first {
			t.Errorf("%s: %s, %d nodes, %d racks, first %v", c.file, f.Format, len(f.Cluster.Nodes), len(f.Cluster.Racks),
				f.Cluster.Nodes[0].Capacity)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(sample))
	f.Add([]byte(elasticSample))
	f.Add([]byte(`{"nodes":{"node":[{"id":"a","totalResource":{"memory":1,"vCores":1}}]}}`))
	f.Add([]byte(`{"rack":"r","nodes":[{"node":"a"}]}`))
	f.Add([]byte(`{"name":"<root>","children":[{"name":"r","children":[{"name":"h\\.x"}]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := ParseCluster("f", data)
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("error of several lines: %q", err)
			}
			return
		}
		for _, n := range file.Cluster.Nodes {
			if n.Name == "" || int(n.Rack) >= len(file.Cluster.Racks) {
				t.Errorf("bad node %+v", n)
			}
		}
		if err := file.Cluster.Elastic.Validate(file.Cluster.Nodes); err != nil {
			t.Error(err)
		}
	})
}

// Editors of Windows put a byte order mark before a text.
func TestByteOrderMark(t *testing.T) {
	for name, text := range map[string]string{"c.yaml": "nodes:\n  - {memory: 1024, vcores: 1}\n",
		"c.json": `{"rack":"/r1","nodes":[{"node":"n1"}]}`} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte("\xef\xbb\xbf"+text), 0o666); err != nil {
			t.Fatal(err)
		}
		if f, err := LoadCluster(path); err != nil || len(f.Cluster.Nodes) != 1 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Memory may have a unit, in YAML as in a table.
func TestMemoryUnits(t *testing.T) {
	for text, want := range map[string]int64{"65536": 65536, "64GiB": 65536, "64 gib": 65536, "1.5 GiB": 1536,
		"0.5TiB": 524288, "512 MiB": 512} {
		for name, file := range map[string]string{"c.yaml": "nodes: [{memory: " + text + ", vcores: 1}]",
			"c.csv": "memory,vcores\n" + text + ",1\n"} {
			c, err := ParseCluster(name, []byte(file))
			if err != nil {
				t.Errorf("%s: %v", file, err)
			} else if got := c.Cluster.Nodes[0].Capacity[simcore.Memory]; got != want {
				t.Errorf("%s: %d MiB, want %d", file, got, want)
			}
		}
	}
}
