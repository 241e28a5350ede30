package yarnconf

import "github.com/aymanbagabas/go-udiff"

// Diff returns the unified diff, three lines of context, that turns one file into another; empty
// when they are equal. Diff with the arguments swapped is the rollback. The names are in the
// header.
func Diff(fromName, toName string, from, to []byte) string {
	return udiff.Unified(fromName, toName, string(from), string(to))
}
