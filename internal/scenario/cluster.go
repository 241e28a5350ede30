package scenario

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"schedtune/internal/fileio"
	"schedtune/simcore"
)

// This file reads the machines of a cluster from the forms an
// administrator has at hand: a short YAML of our own, the ResourceManager's
// /ws/v1/cluster/nodes answer, the node list of Hadoop's Scheduler Load
// Simulator, a Rumen topology, and a CSV table such as a recorded run's nodes.csv.
//
// The YAML:
//
//	nodes:
//	  - {count: 20, memory: 16384, vcores: 16, rack: /r1}
//	  - {name: big-%d, count: 4, memory: 65536, vcores: 32, rack: /r2, speed: 1.5, disks: 8}
//	uplink: 1.25e9        # optional: a rack's link to the core, bytes/s
//	labels:               # optional: node labels that are not exclusive
//	  gpu: {exclusive: false}
//
// Per group: memory (MiB), vcores, and optionally count (default 1), name (a
// pattern with one %d, or a plain name when count is 1), rack (default
// /default-rack), speed (1 = reference), cores, disks, slots ({map: 2,
// reduce: 1} or [2, 1]), diskRate and nicRate (bytes/s), price (of one machine per
// hour, in any currency), label (the node label,
// exclusive unless labels says otherwise). A group needs memory
// and vcores, or slots, or both. What changes while the cluster runs (kind, spot,
// changes, scaling, expiry) is in cluster_elastic.go.
//
// A CSV table has a node per row: memory or mib (MiB) and vcores, and optionally
// node or name, rack, and label. Other columns are passed over.

// Bounds on what a file may ask for: beyond them it is a mistake, and reading
// it would cost memory without end.
const (
	maxBytes = 128 << 20
	maxNodes = 1_000_000
)

// Defaults of Hadoop's Scheduler Load Simulator, used where a form of file has
// no size for a node (SLS node lists, Rumen topologies).
const (
	defaultMemory = 10240 // MiB
	defaultVCores = 10
	defaultRack   = "/default-rack"
)

// File is what a cluster file held.
type ClusterFile struct {
	Cluster *simcore.Cluster
	Format  string   // "yaml", "rm-nodes", "sls-nodes", "rumen-topology" or "table"
	Notes   []string // what was left out or assumed, one line each
}

// ClusterError is a mistake in a cluster file.
type ClusterError = fileio.FileError

// OpenCluster reads a cluster file and tells its notes.
func OpenCluster(path string, notef func(format string, args ...any)) (*simcore.Cluster, error) {
	f, err := LoadCluster(path)
	if err != nil {
		return nil, err
	}
	for _, n := range f.Notes {
		notef("%s: %s", path, n)
	}
	return f.Cluster, nil
}

// LoadCluster reads a cluster file, packed or not.
func LoadCluster(path string) (*ClusterFile, error) {
	f, err := fileio.OpenBounded(path)
	if err != nil {
		return nil, fileio.OpenError(path, err, "")
	}
	defer f.Close()
	r, err := fileio.OpenText(f)
	if err != nil {
		return nil, &ClusterError{File: path, Err: err}
	}
	data, err := io.ReadAll(io.LimitReader(r, maxBytes+1))
	if err != nil {
		return nil, fileio.OpenError(path, err, "")
	}
	return ParseCluster(path, data)
}

const clusterForms = "cluster YAML, ResourceManager /ws/v1/cluster/nodes JSON, SLS nodes JSON, Rumen topology JSON, " +
	"or a CSV table with memory and vcores"

// Parse reads a cluster from the bytes of a file; name is in errors only.
func ParseCluster(name string, data []byte) (*ClusterFile, error) {
	if len(data) > maxBytes {
		return nil, &ClusterError{File: name, Reason: "larger than 128 MiB"}
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, &ClusterError{File: name, Reason: "the file is empty: must be " + clusterForms}
	}
	b := &clusterBuilder{file: name, names: map[string]bool{}}
	format, err := b.read(data)
	if err != nil {
		return nil, err
	}
	if len(b.cluster.Nodes) == 0 {
		return nil, &ClusterError{File: name, Key: "nodes", Reason: strings.Join(append([]string{"no running node: applications stay " +
			"ACCEPTED until a NodeManager registers"}, b.notes...), "; ")}
	}
	b.gatherLabels()
	return &ClusterFile{Cluster: &b.cluster, Format: format, Notes: b.notes}, nil
}

// read picks the form of the file by the keys of its first JSON object;
// anything that is no JSON is taken as a table or as YAML.
func (b *clusterBuilder) read(data []byte) (string, error) {
	if trimmed := bytes.TrimSpace(data); trimmed[0] == '{' {
		form := formOf(trimmed)
		if read := map[string]func([]byte) error{"rm-nodes": b.readRM, "sls-nodes": b.readSLS,
			"rumen-topology": b.readRumen}[form]; read != nil {
			return form, read(data)
		}
	}
	if isTable(data) {
		return "table", b.readTable(data)
	}
	return "yaml", b.readYAML(data)
}

// builder collects nodes and keeps their names and racks unique.
type clusterBuilder struct {
	file    string
	cluster simcore.Cluster
	notes   []string
	racks   fileio.Index
	names   map[string]bool
	groups  []group // with a kind; YAML only
	assumed int     // nodes without a size
}

func (b *clusterBuilder) note(format string, args ...any) {
	b.notes = append(b.notes, fmt.Sprintf(format, args...))
}

func (b *clusterBuilder) fail(line int, key, format string, args ...any) error {
	return &ClusterError{File: b.file, Line: int64(line), Key: key, Reason: fmt.Sprintf(format, args...)}
}

// rack returns the dense id of a rack. Racks are written with a leading slash
// throughout, as the ResourceManager does.
func (b *clusterBuilder) rack(name string) int32 {
	if !strings.HasPrefix(name, "/") {
		name = "/" + name
	}
	return b.racks.ID(&b.cluster.Racks, name)
}

// add appends a node unless its name is taken.
func (b *clusterBuilder) add(line int, place string, n simcore.Node) error {
	if b.names[n.Name] {
		return b.fail(line, place, "a second node is called %q", n.Name)
	}
	if len(b.cluster.Nodes) >= maxNodes {
		return b.fail(line, place, "more than %d nodes", maxNodes)
	}
	b.names[n.Name] = true
	b.cluster.Nodes = append(b.cluster.Nodes, n)
	return nil
}

// OneMachine reports whether all node managers share a host, as in a mini
// cluster: they are then named host:port.
func OneMachine(c *simcore.Cluster) bool {
	host := ""
	for _, n := range c.Nodes {
		h, _, ok := strings.Cut(n.Name, ":")
		if !ok || host != "" && h != host {
			return false
		}
		host = h
	}
	return len(c.Nodes) > 1
}
