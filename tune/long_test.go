package tune

import "os"

// long reports whether the long variants of tests are wanted.
func long() bool { return os.Getenv("SCHEDTUNE_LONG") != "" }
