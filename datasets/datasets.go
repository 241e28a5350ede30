// Package datasets holds what the commands run on when they are given nothing:
// a default workload with a cluster and a capacity-scheduler.xml, and the
// workloads, clusters, users and published results of the five papers.
//
// Every figure carries its unit and its source. What a paper leaves open is
// chosen once, in assumptions.go, and nowhere else. Generation is a pure
// function of the set's name: two loads give equal bytes.
package datasets

import (
	_ "embed"
	"fmt"
	"strings"

	"schedtune/simcore"
)

// Set is one embedded data set.
type Set struct {
	Name string
	// Doc says what the set is and where its figures come from.
	Doc      string
	Cluster  *simcore.Cluster
	Workload *simcore.Workload
	// Pools lists minimum share and weight per user of the workload, in the
	// order of Workload.Users; nil where the source has none.
	Pools []Pool
	// ConfigXML is the capacity-scheduler.xml of the set; nil for the sets of
	// Hadoop 1 schedulers without one.
	ConfigXML []byte
}

// Pool is what an operator grants one user.
type Pool struct {
	User     string
	MinShare int     // slots, maps and reduces together unless the source says otherwise
	Weight   float64 // relative share, 1 = ordinary
}

//go:embed config/default.xml
var defaultXML []byte

// builder makes a set; the catalogue below is the only list of them.
type builder struct {
	name  string
	doc   string
	build func() (*Set, error)
}

func catalogue() []builder {
	return []builder{
		{"default", "20 nodes of 16 GiB and 8 vcores, four queues set as they grow in practice, 88 MapReduce jobs of nine users over 32 minutes: interactive, batch and bursts of reports. Made for this project, no recorded data.", defaultSet},
	}
}

// Names lists the data sets in catalogue order.
func Names() []string {
	var names []string
	for _, b := range catalogue() {
		names = append(names, b.name)
	}
	return names
}

// Load builds the named data set. Each call returns a fresh value; callers
// that share it between runs must not write to it.
func Load(name string) (*Set, error) {
	for _, b := range catalogue() {
		if b.name != name {
			continue
		}
		s, err := b.build()
		if err != nil {
			return nil, fmt.Errorf("data set %s: %w", name, err)
		}
		s.Name, s.Doc = b.name, b.doc
		return s, nil
	}
	return nil, fmt.Errorf("data set %q is unknown; allowed: %s", name, strings.Join(Names(), ", "))
}
