//go:build !linux

package text

import "time"

// Thread returns the time by the clock: a thread's processor time is not known here.
func Thread() time.Duration { return time.Since(began) }

var began = time.Now()
