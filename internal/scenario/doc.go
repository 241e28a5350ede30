// Package scenario reads what a simulation needs, from files or from the embedded data
// sets: queue file and site file, cluster, trace with its jobs assigned to queues,
// placement rules, calibration. The outcome is a Case.
package scenario
