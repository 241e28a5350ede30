//go:build linux

package trial

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"schedtune/internal/cli"
)

// hindrance is a way in which a command is kept from its end.
type hindrance struct {
	name string
	on   string // the kind of output that it needs, "" = any command
	do   func(c *cell, ctx context.Context) error
	root bool // it mounts a file system, or changes a group
}

var hindrances = slices.Concat(signals(), []hindrance{
	{"a full disk", "written", (*cell).fullDisk, true},
	{"a folder that is read-only", "written", (*cell).readOnly, true},
	{"output that is closed", "", func(c *cell, ctx context.Context) error { return c.unprinted(ctx, ">&-") }, false},
	{"output that is full", "", func(c *cell, ctx context.Context) error { return c.unprinted(ctx, ">/dev/full") }, false},
	{"output without a reader", "", func(c *cell, ctx context.Context) error { return c.unprinted(ctx, "") }, false},
	{"a worker that is killed", "remote", (*cell).workerKilled, false},
	{"a folder with a group", "exchanged", (*cell).setGroup, true},
	{"a mount point", "exchanged", (*cell).mountPoint, true},
})

// signals are the signals at drawn moments of three phases, alone and where an earlier result is.
func signals() (list []hindrance) {
	phases := []string{"reading", "running", "writing"}
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGKILL} {
		for i, phase := range phases {
			moment := func(c *cell) time.Duration {
				return time.Duration((float64(i) + c.draw.Float64()) / float64(len(phases)) * 1.05 * float64(c.takes))
			}
			list = append(list, hindrance{s.String() + " while " + phase, "", func(c *cell, ctx context.Context) error {
				err := c.signalled(ctx, s, moment(c), nil)
				for err == nil && s == syscall.SIGKILL && c.draw.IntN(3) > 0 {
					err = c.signalled(ctx, s, moment(c), nil)
				}
				return err
			}, false}, hindrance{s.String() + " while " + phase + " beside an earlier result", "replaced",
				func(c *cell, ctx context.Context) error { return c.replacing(ctx, s, moment(c)) }, false})
		}
	}
	return list
}

// beforeMain is how long a process may take to its first statement on a machine that others load, before
// which a signal ends it.
const beforeMain = 200 * time.Millisecond

// signalled sends a signal at a moment. earlier is what had the name of the result before.
func (c *cell) signalled(ctx context.Context, s syscall.Signal, after time.Duration, earlier map[string]string) error {
	before := c.log("out.partial")
	end := c.start(ctx, c.dir, sending(s, after))
	if log := c.log("out.partial", "out"); log != nil && !bytes.HasPrefix(log, before) {
		c.fault("after %v: the log of the study lost lines", after)
	}
	code := cli.ExitInterrupted
	if s == syscall.SIGKILL {
		code = -1
	}
	early := end.code == -1 && after < beforeMain && len(end.stderr) == 0
	if end.code != code && end.code != c.code && !early {
		c.fault("after %v: exit %d, want %d or %d: %.300s", after, end.code, code, c.code, end.stderr)
	}
	if end.code == code && len(end.faults()) > 0 {
		c.fault("after %v: %q, want no line of a fault", after, end.faults())
	}
	return c.confirmed(s == syscall.SIGKILL, earlier)
}

// log is that of a study in the first of some folders that has one, to the end of its last whole line.
func (c *cell) log(dirs ...string) []byte {
	for _, dir := range dirs {
		if log, err := os.ReadFile(filepath.Join(c.dir, dir, "trials.jsonl")); err == nil {
			return log[:bytes.LastIndexByte(log, '\n')+1]
		}
	}
	return nil
}

// workerKilled has another worker go on with what a killed one had.
func (c *cell) workerKilled(ctx context.Context) error {
	end := c.start(ctx, c.dir, func(*os.Process) {
		time.Sleep(time.Duration(c.draw.Float64() * float64(c.takes)))
		_ = c.worker.Load().Kill() // it may have ended
	})
	if end.code != c.code {
		c.fault("exit %d, want %d: %.300s", end.code, c.code, end.stderr)
	}
	return c.confirmed(false, nil)
}

// replacing is signalled where the result of another seed is to be replaced.
func (c *cell) replacing(ctx context.Context, s syscall.Signal, after time.Duration) error {
	other := *c.command
	other.args = append(slices.Clone(c.args), "--seed", "2")
	if end := other.start(ctx, c.dir, nil); end.code != c.code {
		return fmt.Errorf("with another seed: exit %d: %s", end.code, end.stderr)
	}
	earlier, err := contents(c.dir)
	if err != nil {
		return err
	}
	replaces := *c.command
	replaces.args = append(slices.Clone(c.args), "--replace")
	c.command = &replaces
	return c.signalled(ctx, s, after, earlier)
}

// fullDisk leaves a drawn number of pages free, from none to more than most results take.
func (c *cell) fullDisk(ctx context.Context) error {
	return c.mounted(ctx, c.dir, func() error {
		pages := c.draw.IntN(1 << (1 + c.draw.IntN(8)))
		filler := filepath.Join(c.dir, ".filler")
		if err := fill(filler, c.dir, pages); err != nil {
			return err
		}
		end := c.start(ctx, c.dir, nil)
		if err := os.Remove(filler); err != nil {
			return err
		}
		if end.code != c.code {
			c.failed(end, "no space left on device")
		}
		return c.confirmed(false, nil)
	})
}

// fill writes a file that leaves so many pages free.
func fill(path, mount string, pages int) error {
	var s syscall.Statfs_t
	if err := syscall.Statfs(mount, &s); err != nil {
		return err
	}
	return os.WriteFile(path, make([]byte, max(0, int64(s.Bavail)*s.Bsize-int64(pages)*4096)), 0o600)
}

// readOnly has the result in a folder that cannot be written.
func (c *cell) readOnly(ctx context.Context) error {
	return c.mounted(ctx, c.dir, func() error {
		if err := syscall.Mount("", c.dir, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
			return err
		}
		c.refused(ctx, c.dir)
		return nil
	})
}

// refused checks that the command fails early for a place where it cannot write.
func (c *cell) refused(ctx context.Context, place string) {
	end := c.start(ctx, c.dir, nil)
	c.failed(end, place)
	if !strings.Contains(c.out, "files") && end.took > time.Second+c.takes/2 {
		c.fault("refused after %v", end.took)
	}
}

// mountPoint has the folder of the result be one that cannot be exchanged.
func (c *cell) mountPoint(ctx context.Context) error {
	out := filepath.Join(c.dir, "out")
	if err := os.Mkdir(out, 0o777); err != nil {
		return err
	}
	err := c.mounted(ctx, out, func() error {
		c.refused(ctx, out)
		return c.confirmed(false, nil)
	})
	return errors.Join(err, os.Remove(out))
}

// mounted has work done with a small file system in memory at a place, and again without it.
func (c *cell) mounted(ctx context.Context, at string, work func() error) error {
	if err := mount(at); err != nil {
		return err
	}
	err := c.prepare(ctx, c.dir)
	if err == nil {
		err = work()
	}
	return errors.Join(err, unmount(at))
}

func mount(at string) error { return syscall.Mount("tmpfs", at, "tmpfs", 0, "size=64m") }

func unmount(at string) error { return syscall.Unmount(at, syscall.MNT_DETACH) }

// setGroup has the folder of the result exist already, with a mode and a group.
func (c *cell) setGroup(ctx context.Context) error {
	const mode, group = 0o2750, 12
	out := filepath.Join(c.dir, "out")
	if err := errors.Join(os.MkdirAll(out, 0o777), os.Chown(out, 0, group), syscall.Chmod(out, mode)); err != nil {
		return err
	}
	if end := c.start(ctx, c.dir, nil); end.code != c.code {
		c.fault("exit %d, want %d: %.300s", end.code, c.code, end.stderr)
	}
	var s syscall.Stat_t
	if err := syscall.Stat(out, &s); err != nil {
		return err
	}
	if s.Gid != group || s.Mode&0o7777 != mode {
		c.fault("mode %o of group %d, want %o of %d", s.Mode&0o7777, s.Gid, mode, group)
	}
	return nil
}

// unprinted has standard output take nothing: redirected, or to a pipe without a reader.
func (c *cell) unprinted(ctx context.Context, redirect string) error {
	shell := *c.command
	shell.args = append([]string{"-c", `exec "$0" "$@" ` + redirect, c.program}, c.args...)
	shell.program = "sh"
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	defer w.Close()
	r.Close()
	shell.stdout = w
	end := shell.start(ctx, c.dir, nil)
	if redirect == ">&-" || c.prints {
		c.failed(end, "")
	} else if end.code != c.code {
		c.fault("exit %d, want %d: %.300s", end.code, c.code, end.stderr)
	}
	return c.confirmed(false, nil)
}
