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
	"schedtune/simcore/mr1"
)

// Set is one embedded data set.
type Set struct {
	Name string // as given to Load
	// Doc says what the set is and where its figures come from.
	Doc      string
	Cluster  *simcore.Cluster
	Workload *simcore.Workload // must not be changed
	// Pools lists minimum share and weight per user of the workload, in the
	// order of Workload.Users; nil where the source has none.
	Pools []Pool
	// ByLack tells that the source's Fair orders users below their minimum share by
	// the slots they lack (sched.Options.ByLack).
	ByLack bool
	// Profiles describe the job classes to the learning scheduler, in the order
	// of Workload.Classes; nil where the source has none.
	Profiles []JobProfile
	// Config is how the source's experiments run on the Hadoop 1 runtime:
	// duration model, heartbeat, latencies, replication. Seed, pool and shares
	// are the caller's.
	Config mr1.Config
	// ConfigXML is the capacity-scheduler.xml of the set; nil for the sets of
	// Hadoop 1 schedulers without one.
	ConfigXML []byte
}

// Pool is what an operator grants one user.
type Pool struct {
	User     string  // as in Workload.Users
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
	list := []builder{
		{"default", "20 nodes of 16 GiB and 8 vcores, four queues set as they grow in practice, 88 MapReduce jobs of nine users over 32 minutes: interactive, batch and bursts of reports. Made for this project, no recorded data.", defaultSet},
	}
	for _, of := range []func() []builder{coshhSets, learningSets, omoSets, couplingSets, thesisSets} {
		list = append(list, of()...)
	}
	return list
}

func coshhSets() []builder {
	return []builder{
		{"coshh-facebook", "COSHH, tables 3 to 5: the 100 jobs in the proportions of a Facebook trace (102, as every class is rounded by itself), ten users with minimum shares, six heterogeneous nodes.", coshhSet("Facebook", false)},
		{"coshh-yahoo", "COSHH, tables 3 to 5: the 100 jobs in the proportions of a Yahoo! trace (102, as every class is rounded by itself), eight users with minimum shares, six heterogeneous nodes.", coshhSet("Yahoo!", false)},
		{"coshh-facebook-homogeneous", "COSHH, section 6.1: coshh-facebook without minimum shares and weights.", coshhSet("Facebook", true)},
		{"coshh-yahoo-homogeneous", "COSHH, section 6.1: coshh-yahoo without minimum shares and weights.", coshhSet("Yahoo!", true)},
		{"coshh-real", "COSHH, section 7: the Facebook jobs on the four nodes of table 11.", coshhRealSet(true)},
		{"coshh-real-users", "COSHH, section 7, table 12: the same with the users of table 5.", coshhRealSet(false)},
	}
}

func learningSets() (list []builder) {
	for i, name := range []string{"textwriter", "wordcount", "wordcount-delay", "urlget", "urltodisk", "cpuactivity"} {
		list = append(list, builder{"learning-" + name, "Learning scheduler, figures 7 and 11: one job in isolation on seven workers of four processors; tasks of 60 s.", learningSet(i, learningMaps, 1, learningTask, learningRun)})
	}
	return append(list, builder{"learning-runs", "Learning scheduler, figure 8: WordCount over 70 GB (1120 maps), ten runs one after the other.", learningSet(1, 1120, 10, learningShortTask, sharedLearningRun)},
		builder{"learning-mix", "Learning scheduler, figure 9: TextWriter, then WordCount and Grep over its 10 GB (160 maps each).", learningMix})
}

func omoSets() (list []builder) {
	for _, n := range []string{"Terasort", "SeqCount", "WordCount"} {
		list = append(list, builder{"omo-" + strings.ToLower(n), "OMO, figures 9 to 13: eight " + n + " jobs of 20 GB on 20 nodes of four containers.", omoSimple(n)})
	}
	for _, n := range []string{"A", "B", "C", "D", "E", "F", "G", "H"} {
		list = append(list, builder{"omo-set-" + strings.ToLower(n), "OMO, table 5: mixed jobs of set " + n + ".", omoMixed(n)})
	}
	return append(list,
		builder{"omo-terasort-1", "OMO, tables 2 and 3: one TeraSort of 8 GB on two nodes.", omoTeraSort(1, 2)},
		builder{"omo-terasort-3", "OMO, tables 2 and 3: three TeraSorts of 8 GB on ten nodes.", omoTeraSort(3, 10)},
	)
}

func couplingSets() []builder {
	list := []builder{
		{"coupling-two-greps", "Coupling, figures 1 and 2: two Grep jobs a minute apart on seven nodes.", couplingTwoGreps},
		{"coupling-ten-greps", "Coupling, figures 5 to 8: ten Grep jobs five minutes apart on eight nodes.", couplingTenGreps},
		{"coupling-wordcount", "Coupling, figures 10 and 11: WordCount on 15 nodes, seven of which hold its input.", couplingWordCount},
		{"coupling-maps-only", "Coupling, table III on set B: ten Grep jobs without reduces.", couplingTable("3", 15, 7)},
		{"coupling-sequence", "Coupling, table IV on set A: 22 jobs, small ones after large ones.", couplingTable("4", 7, 7)},
		{"coupling-batches", "Coupling, section III.D on set C: 200 jobs in ten batches on 62 nodes.", couplingBatches},
	}
	for i, n := range []string{"grep", "randomwriter", "montecarlo", "sort1", "sort2"} {
		list = append(list, builder{"coupling-single-" + n, "Coupling, table II on set A: one " + n + " job alone.", couplingSingle(i)})
	}
	return list
}

func thesisSets() []builder {
	list := []builder{
		{"thesis-sensitivity-2", "Thesis, section 5.1: two queues of three jobs on five workers, one reduce per job.", thesisSensitivity(2, 1)},
		{"thesis-sensitivity-2-reduces", "Thesis, figure 5.4: the same with two reduces per job.", thesisSensitivity(2, 2)},
		{"thesis-sensitivity-3", "Thesis, section 5.1: three queues of three jobs on five workers.", thesisSensitivity(3, 1)},
		{"thesis-user-limit", "Thesis, figure 5.3: four users with a TeraSort each in one queue.", thesisUserLimit(1)},
		{"thesis-user-limit-reduces", "Thesis, figure 5.3c: the same with five reduces per job.", thesisUserLimit(5)},
		{"thesis-validation-1", "Thesis, section 5.2.1: two queues of two users on four workers with one reduce slot.", thesisValidation(1)},
		{"thesis-validation-2", "Thesis, section 5.2.2: the same with two reduce slots per node.", thesisValidation(2)},
	}
	for n := 1; n <= 32; n++ {
		list = append(list, builder{fmt.Sprintf("thesis-%d", n), fmt.Sprintf("Thesis, tables 4.1 to 4.3: experiment %d, 100 jobs of seven types on 30 nodes.", n), thesisSet(n)})
	}
	return list
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
		s.Name, s.Doc, s.Workload.Name = b.name, b.doc, b.name
		return s, nil
	}
	return nil, fmt.Errorf("data set %q is unknown; allowed: %s", name, strings.Join(Names(), ", "))
}
