//go:build !linux

package fileio

import "os"

// alike gives a new folder the mode of an existing one.
func alike(dir, existing string) error {
	info, err := os.Stat(existing)
	if err != nil {
		return err
	}
	return os.Chmod(dir, info.Mode())
}

// mounted is known on Linux only.
func mounted(string) bool { return false }
