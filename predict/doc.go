// Package predict holds the estimators that schedulers consult before they
// hand out a container: how often containers come free, when a job's reduces
// should start, whether finishing a job's last maps in one batch pays, how far
// a job's reduces lag behind its maps, and how long a job will take.
//
// Each file is one algorithm, named after it, with paper and equation numbers
// in its comment. Everything is arithmetic on values the caller observed: the
// package knows no cluster, reads no clock and holds no global state. Times
// are in seconds, rates per second, sizes in bytes, unless a comment says
// otherwise; any other unit works when used throughout.
package predict
