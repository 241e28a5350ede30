// Package snapshot starts simulations from the state of a downloaded cluster: running
// applications with their containers, whose remaining times are drawn from the history
// given their age, and pending ones. Replications predict when each pending application
// starts.
package snapshot
