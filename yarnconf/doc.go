// Package yarnconf reads, evaluates, checks and edits the configuration of YARN's
// Capacity Scheduler as Hadoop does: capacity-scheduler.xml with the yarn-site.xml
// behind it.
//
// Parse or Load give a Document, which keeps every byte that is not edited.
// Evaluate turns its properties into a Config: the tree of queues with the values
// that the ResourceManager computes, in 32-bit floats where it does, or the errors
// with which it refuses to load. Check lists what is wrong or has no effect,
// Document.EditValid applies Changes, Diff and NewMutation write them for people and
// for the scheduler-conf request.
//
// Capacities are percentages, weights, or absolute resources; memory is in MiB.
// Errors are *PropError: file, line, property, value, and what is allowed.
package yarnconf
