// Package sched holds the schedulers: the baselines every paper compares with
// and the papers' own, one file each, in the paper's order and letters.
//
// A scheduler is named by a spec string, "fair" or
// "coupling:threshold=3,beta=0.5". schedulers.csv and params.csv list names and
// parameters; the command line, the search space and the error messages come
// from them. The mathematics is in lp, cluster, classify and predict; what is
// here turns a heartbeat into numbers for them and their answer into a task.
//
// On the Hadoop 1 runtime (simcore/mr1):
//
//	s, err := sched.New("coupling:threshold=3", sched.Options{Seed: 1})
//	result, err := mr1.Run(mr1.Config{}, cluster, workload, s)
//
// On YARN (simcore/yarn), whose schedulers have packages of their own (capacity, yarnfair)
// and take a queue file, while parameters of the spec replace rules of the masters:
//
//	spec, err := sched.Parse("capacity:reduces=omo")
//	s, err := spec.NewYARN(sched.YARNOptions{Queues: config})
//	policies, err := spec.Policies(1)
//
// A dynamic container pool is what schedulers with Entry.Pool need (mr1.Config.Pool).
// What the package is not: a place for the rules of YARN's own schedulers.
//
// Every scheduler serves one run and is built anew for the next. Draws are
// counter-based and keyed by Options.Seed.
package sched
