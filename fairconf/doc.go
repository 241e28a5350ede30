// Package fairconf reads what Hadoop's Fair Scheduler is configured with: the
// allocation file (fair-scheduler.xml) and the yarn.scheduler.* properties of
// yarn-site.xml. It accepts what Hadoop 3.4.1 accepts and refuses what that
// refuses, naming file, line, queue and reason. What would be accepted
// there and cannot be simulated (reservation queues, placement by groups,
// policies of one's own) is refused too, with that reason.
//
//	a, err := fairconf.Load("fair-scheduler.xml")
//	for _, w := range a.Warnings { … }        // what nothing reads, what counts as not set
//	site, errs := fairconf.ReadSite(yarnSite) // a *yarnconf.Document, say
//	s, err := yarnfair.New(a, site)
//
// What the package is not: a writer; an allocation file is not tuned.
package fairconf

import (
	"fmt"
	"math"

	"schedtune/internal/fileio"
	"schedtune/yarnconf"
)

// Resource is an amount of memory (MiB) and cores.
type Resource = yarnconf.Resource

// Unbounded is what a limit that was not set comes to.
func Unbounded() Resource { return Resource{Memory: math.MaxInt64, VCores: math.MaxInt32} }

// Policy decides between the children of a queue, or its applications.
type Policy uint8

// Policies by their names in the file: fair, fifo, drf.
const (
	Fair Policy = iota // memory against weight
	FIFO               // first come, first served; leaves only
	DRF                // dominant resource against weight
)

// String returns the name under which Hadoop reports the policy.
func (p Policy) String() string {
	switch p {
	case Fair:
		return "fair"
	case FIFO:
		return "FIFO"
	case DRF:
		return "DRF"
	}
	return fmt.Sprintf("Policy(%d)", uint8(p))
}

// AllowsChild reports whether a queue of this policy may hold a child queue of
// another: fifo holds none, fair holds no drf.
func (p Policy) AllowsChild(child Policy) bool {
	return p == DRF || p == Fair && child != DRF
}

// Error is something the file or a property is refused for: its Key is the XML element or
// property, after "queue PATH: " where it concerns one.
type Error = fileio.FileError
