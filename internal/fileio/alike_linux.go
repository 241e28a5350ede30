package fileio

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
)

// alike gives a new folder the owner, group, mode and access control lists of an existing one.
func alike(dir, existing string) error {
	var to, from syscall.Stat_t
	if err := errors.Join(syscall.Stat(dir, &to), syscall.Stat(existing, &from)); err != nil {
		return err
	}
	if to.Uid != from.Uid || to.Gid != from.Gid {
		if err := os.Chown(dir, int(from.Uid), int(from.Gid)); err != nil {
			return fmt.Errorf("its owner and group cannot be kept: %w", err)
		}
	}
	if err := syscall.Chmod(dir, from.Mode&0o7777); err != nil { // after chown, which clears bits
		return err
	}
	for _, list := range []string{"system.posix_acl_access", "system.posix_acl_default"} {
		n, err := syscall.Getxattr(existing, list, nil)
		if err != nil || n == 0 {
			continue // none, or not on this file system
		}
		value := make([]byte, n)
		if n, err = syscall.Getxattr(existing, list, value); err == nil {
			err = syscall.Setxattr(dir, list, value[:n], 0)
		}
		if err != nil {
			return fmt.Errorf("its access control list cannot be kept: %w", err)
		}
	}
	return nil
}

// mounted reports whether a folder is a mount point.
func mounted(dir string) bool {
	mounts, _ := os.ReadFile("/proc/self/mountinfo") // without it nothing is known
	for line := range strings.Lines(string(mounts)) {
		if f := strings.Fields(line); len(f) > 4 && strings.ReplaceAll(f[4], `\040`, " ") == dir {
			return true
		}
	}
	return false
}
