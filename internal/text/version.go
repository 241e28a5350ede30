package text

import "runtime/debug"

// Number is the released version.
const Release = "0.1.0"

// Version returns the released version with the source revision and whether files were
// modified, as the build recorded them; go run and -buildvcs=false record none.
func Version() string {
	rev, dirty := revision()
	if rev == "" {
		return Release + " (revision unknown)"
	}
	if len(rev) > 12 {
		rev = rev[:12]
	}
	if dirty {
		rev += "+modified"
	}
	return Release + " (" + rev + ")"
}

func revision() (rev string, dirty bool) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "", false
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			rev = s.Value
		case "vcs.modified":
			dirty = s.Value == "true"
		}
	}
	return rev, dirty
}
