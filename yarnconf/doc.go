// Package yarnconf reads, evaluates, checks and edits the configuration of YARN's
// Capacity Scheduler as Hadoop does: capacity-scheduler.xml with the yarn-site.xml
// behind it.
//
//	d, err := yarnconf.Load("capacity-scheduler.xml")
//	site, err := yarnconf.Load("yarn-site.xml")
//	d = d.WithSite(site)
//	report := yarnconf.Check(d)                    // for people
//	conf, err := yarnconf.Evaluate(d)              // for a simulation, or what a load refuses
//	tuned, err := d.EditValid(changes)             // every other byte as it was
//	rollback, err := yarnconf.NewMutation(tuned, d) // a request to a running ResourceManager
//
// Parse or Load give a Document, which keeps every byte that is not edited.
// Evaluate turns its properties into a Config: the tree of queues with the values
// that the ResourceManager computes, in 32-bit floats where it does, or the errors
// with which it refuses to load. Check lists what is wrong or has no effect,
// Document.EditValid applies Changes, Diff and NewMutation write them for people and
// for the scheduler-conf request.
//
// Capacities are percentages, weights, or absolute resources; memory is in MiB.
// Errors of a load are *PropError: property, value and reason; of a Document they
// are Problems, which name file and line too. Documents and Configs may be read from several
// goroutines. What the package is not: a judge of which settings are good, and a client of
// the ResourceManager.
package yarnconf
