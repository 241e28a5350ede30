package runlog

import "schedtune/simcore"

// Latest is the later of two instants of which either may be unknown
// (simcore.Never); unknown where both are.
func Latest(a, b simcore.Time) simcore.Time {
	if a == simcore.Never || b != simcore.Never && b > a {
		return b
	}
	return a
}

// Since is the span from one instant to another, not below 0; -1 where either is unknown.
func Since(to, from simcore.Time) simcore.Time {
	if to == simcore.Never || from == simcore.Never {
		return -1
	}
	return max(to-from, 0)
}
