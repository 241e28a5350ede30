// Package sched holds the schedulers: the baselines every paper compares with
// and the papers' own, one file each, in the paper's order and letters.
//
// A scheduler is named by a spec string, "fair" or
// "coupling:threshold=3,beta=0.5". The table in new.go lists names and
// parameters; the command line, the search space and the error messages come
// from it. The mathematics stands in lp, cluster, classify and predict; what is
// here turns a heartbeat into numbers for them and their answer into a task.
//
// Every scheduler serves one run and is built anew for the next. Draws are
// counter-based and keyed by Options.Seed.
package sched
