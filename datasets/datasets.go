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
	"slices"
	"strconv"
	"strings"
	"sync"

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
	// Shares lists minimum share (slots, maps and reduces together) and weight per user, in
	// the order of Workload.Users; nil where the source has none.
	Shares []simcore.UserShare
	// ByLack reports that the source's Fair orders users below their minimum share by
	// the slots they lack (sched.Options.ByLack).
	ByLack bool
	// Holders is how many nodes, the first, hold the input (Placed); 0 = by replication.
	Holders int
	// Hints describe the job classes to the learning scheduler, in the order
	// of Workload.Classes; nil where the source has none.
	Hints []simcore.JobHint
	// Config is how the source's experiments run on the Hadoop 1 runtime:
	// duration model, heartbeat, latencies, replication. Seed, pool and shares
	// are the caller's.
	Config mr1.Config
	// ConfigXML is the capacity-scheduler.xml of the set; nil for the sets of
	// Hadoop 1 schedulers without one.
	ConfigXML []byte
}

//go:embed config/default.xml
var defaultXML []byte

// entry is one line of sets.csv.
type entry struct{ name, doc string }

// catalogue lists the sets of sets.csv, where {n} stands for the experiments of the
// thesis.
var catalogue = sync.OnceValue(func() (out []entry) {
	for _, r := range list("sets.csv") {
		if !strings.Contains(r[0], "{n}") {
			out = append(out, entry{r[0], r[1]})
			continue
		}
		for n := 1; n <= 32; n++ {
			in := strings.NewReplacer("{n}", strconv.Itoa(n))
			out = append(out, entry{in.Replace(r[0]), in.Replace(r[1])})
		}
	}
	return out
})

// builders returns the function that makes each set.
func builders() map[string]func() *Set {
	of := map[string]func() *Set{
		"default":       nightsSet,
		"default-1":     defaultSet,
		"learning-runs": learningSet(1, 1120, 10, learningShortTask, sharedLearningRun),
		"learning-mix":  learningMix,

		"omo-terasort-1": omoTeraSort(1, 2),
		"omo-terasort-3": omoTeraSort(3, 10),

		"coupling-two-greps": couplingTwoGreps,
		"coupling-ten-greps": couplingTenGreps,
		"coupling-wordcount": couplingWordCount,
		"coupling-maps-only": couplingTable("3", 15, 7),
		"coupling-sequence":  couplingTable("4", 7, 7),
		"coupling-batches":   couplingBatches,

		"thesis-sensitivity-2":         thesisSensitivity(2, 1),
		"thesis-sensitivity-2-reduces": thesisSensitivity(2, 2),
		"thesis-sensitivity-3":         thesisSensitivity(3, 1),
		"thesis-user-limit":            thesisUserLimit(1),
		"thesis-user-limit-reduces":    thesisUserLimit(5),
		"thesis-validation-1":          thesisValidation(1),
		"thesis-validation-2":          thesisValidation(2),
	}
	for i, name := range []string{"textwriter", "wordcount", "wordcount-delay", "urlget", "urltodisk", "cpuactivity"} {
		of["learning-"+name] = learningSet(i, learningMaps, 1, learningTask, learningRun)
	}
	for _, n := range []string{"Terasort", "SeqCount", "WordCount"} {
		of["omo-"+strings.ToLower(n)] = omoSimple(n)
	}
	for _, n := range []string{"A", "B", "C", "D", "E", "F", "G", "H"} {
		of["omo-set-"+strings.ToLower(n)] = omoMixed(n)
	}
	for i, n := range []string{"grep", "randomwriter", "montecarlo", "sort1", "sort2"} {
		of["coupling-single-"+n] = couplingSingle(i)
	}
	for n := 1; n <= 32; n++ {
		of[fmt.Sprintf("thesis-%d", n)] = thesisSet(n)
	}
	return of
}

// Names lists the data sets in catalogue order.
func Names() []string {
	var names []string
	for _, e := range catalogue() {
		names = append(names, e.name)
	}
	return names
}

// Load builds the named data set, or one of COSHH's with another number of jobs or resources
// (coshhSet), which Names leaves out. Each call returns a new value; callers that share it
// between runs must not write to it.
func Load(name string) (*Set, error) {
	build, doc := builders()[name], ""
	if i := slices.IndexFunc(catalogue(), func(e entry) bool { return e.name == name }); i >= 0 {
		doc = catalogue()[i].doc
	}
	var s *Set
	var err error
	switch {
	case strings.HasPrefix(name, "coshh-") && (doc != "" || strings.Count(name, "-") == 3):
		if s, err = coshhSet(name); err != nil {
			return nil, fmt.Errorf("data set %s: %w", name, err)
		}
	case build != nil && doc != "":
		s = build()
	default:
		return nil, fmt.Errorf("data set %q: must be one of %s", name, strings.Join(Names(), ", "))
	}
	s.Name, s.Doc, s.Workload.Name = name, doc, name
	return s, nil
}
