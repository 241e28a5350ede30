// Package diagnose explains what limits a queue and why an application is pending: which
// limit is reached first, with the scheduler's own figures, and the smallest change of
// settings that would start it. Every change is tried: on a copy of the scheduler, or by
// simulation.
//
// A standing (capacity.Standing) is taken from a simulated run or from a
// ResourceManager's answers (/ws/v1/cluster/scheduler, /apps and /nodes); the causes are
// a pure function of it.
package diagnose
