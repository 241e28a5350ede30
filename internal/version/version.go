// Package version says which code is running. Work items carry it, so that a
// worker of another version refuses them.
package version

import "runtime/debug"

// Number is the released version.
const Number = "0.1.0"

// String returns the version with the source revision where it is known.
func String() string {
	rev, dirty := revision()
	if rev == "" {
		return Number
	}
	if len(rev) > 12 {
		rev = rev[:12]
	}
	if dirty {
		rev += "+changes"
	}
	return Number + " (" + rev + ")"
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
