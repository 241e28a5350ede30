// Package accuracy compares simulations with what was observed: the recorded period
// with its simulation under the current configuration (Compare, before each study), a
// downloaded cluster with its simulation (Examine), and the periods before and after a
// change with what the study predicted (Verify). It also holds the simulator's error
// about the effect of a change, which every prediction contains.
package accuracy
