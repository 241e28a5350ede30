package yarnfair

import "schedtune/fairconf"

// Ignored lists what the real scheduler would follow and this one does not.
// What changes every decision is refused by package fairconf instead.
func Ignored(a *fairconf.Allocations) []*fairconf.Error {
	return a.Access
}
