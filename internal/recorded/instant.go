package recorded

import "schedtune/simcore"

// Latest is the later of two instants of which either may be unknown
// (simcore.Never); unknown where both are.
func Latest(a, b simcore.Time) simcore.Time {
	if a == simcore.Never || b != simcore.Never && b > a {
		return b
	}
	return a
}
