//go:build linux

package trial

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"schedtune/internal/cli"
)

// matrix runs commands that write or run long, each hindered in each way: by a signal while it
// reads, runs or writes, by a disk or an output that takes nothing, and by a place that cannot be
// exchanged. What has the name of a result is then a whole one, the exit code is that of the table,
// one line says what went wrong, and the same command afterwards ends as if nothing had been.
func (t *trial) matrix(ctx context.Context, n int) {
	r := row{what: "commands hindered", asked: n}
	defer t.begin(ctx, &r)()
	list, done, err := t.commands(ctx)
	defer done()
	if err != nil {
		r.fault("%v", err)
		return
	}
	draw := rand.New(rand.NewPCG(t.seed, 7))
	for r.runs < n && ctx.Err() == nil {
		for _, k := range draw.Perm(len(list) * len(hindrances)) {
			c, h := &list[k/len(hindrances)], hindrances[k%len(hindrances)]
			if h.on != "" && !strings.Contains(c.out, h.on) {
				continue
			}
			if r.runs >= n || ctx.Err() != nil {
				return
			}
			r.runs++
			run := &cell{c, &r, h.name, filepath.Join(t.dir, "cell"), draw}
			run.temporary = filepath.Join(t.dir, "temporary")
			if err := run.judge(ctx, h); err != nil {
				run.fault("%v", err)
			}
			if err := os.RemoveAll(run.dir); err != nil {
				r.fault("%v", err)
				return
			}
		}
	}
}

// hindrance is a way in which a command is kept from its end.
type hindrance struct {
	name string
	on   string // the kind of output that it needs, "" = any command
	do   func(c *cell, ctx context.Context) error
}

var hindrances = slices.Concat(signals(), []hindrance{
	{"a full disk", "o", (*cell).fullDisk}, {"a folder that is read-only", "o", (*cell).readOnly},
	{"output that is closed", "", func(c *cell, ctx context.Context) error { return c.unprinted(ctx, ">&-") }},
	{"output that is full", "", func(c *cell, ctx context.Context) error { return c.unprinted(ctx, ">/dev/full") }},
	{"output without a reader", "", func(c *cell, ctx context.Context) error { return c.unprinted(ctx, "") }},
	{"a folder with a group", "folder", (*cell).setGroup}, {"a mount point", "folder", (*cell).mountPoint},
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
				return c.signalled(ctx, s, moment(c), nil)
			}}, hindrance{s.String() + " while " + phase + " beside an earlier result", "replaced",
				func(c *cell, ctx context.Context) error { return c.replacing(ctx, s, moment(c)) }})
		}
	}
	return list
}

// cell is one command hindered in one way, in a folder of its own.
type cell struct {
	*command
	r    *row
	what string
	dir  string
	draw *rand.Rand
}

func (c *cell) fault(format string, args ...any) {
	c.r.fault("%s, %s: "+format, slices.Concat([]any{c.name, c.what}, args)...)
}

// judge hinders the command, and then runs it again without the hindrance.
func (c *cell) judge(ctx context.Context, h hindrance) error {
	if err := errors.Join(os.MkdirAll(c.dir, 0o777), os.MkdirAll(c.temporary, 0o777)); err != nil {
		return err
	}
	if err := c.prepare(ctx, c.dir); err != nil {
		return err
	}
	if err := h.do(c, ctx); err != nil || ctx.Err() != nil {
		return err
	}
	again := c.start(ctx, c.dir, nil)
	if again.code != c.code {
		c.fault("the next run: exit %d, want %d: %.300s", again.code, c.code, again.stderr)
	}
	if got, err := contents(c.dir); err != nil || !c.same(got) {
		c.fault("the next run: another result: %v (%v)", differing(got, c.want), err)
	}
	return nil
}

// beforeMain is how long a process may take to its first statement, before which a signal ends it.
const beforeMain = 100 * time.Millisecond

// signalled sends a signal at a moment. earlier is what had the name of the result before.
func (c *cell) signalled(ctx context.Context, s syscall.Signal, after time.Duration, earlier map[string]string) error {
	end := c.start(ctx, c.dir, func(p *os.Process, began time.Time) {
		time.Sleep(after - time.Since(began))
		_ = p.Signal(s) // it may have ended
	})
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

// confirmed checks that what has the name of a result is a whole one, the earlier one, or an
// interrupted study whose configuration is the current one. Only a killed process leaves files that
// it had begun.
func (c *cell) confirmed(killed bool, earlier map[string]string) error {
	entries, err := os.ReadDir(c.dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if begun := strings.HasPrefix(e.Name(), "."); begun && killed {
			continue
		} else if begun || !strings.HasPrefix(e.Name(), "out") || c.out == "" {
			c.fault("%s is left", e.Name())
		}
	}
	left, err := os.ReadDir(c.temporary)
	if err != nil {
		return err
	}
	for _, e := range left {
		if !killed {
			c.fault("%s is left where temporary files are", e.Name())
		}
		if err := os.RemoveAll(filepath.Join(c.temporary, e.Name())); err != nil {
			return err
		}
	}
	got, err := contents(c.dir)
	if err != nil {
		return err
	}
	maps.DeleteFunc(got, func(name, _ string) bool { return strings.HasPrefix(name, "out.partial") })
	switch {
	case len(got) == 0 || c.same(got) || earlier != nil && maps.Equal(got, earlier):
	case strings.Contains(c.out, "files"): // each appears alone
		for name, sum := range got {
			if sum != c.want[name] {
				c.fault("%s is not whole", name)
			}
		}
	case got["out/capacity-scheduler.xml"] == "" || got["out/capacity-scheduler.xml"] != got["out/rollback.xml"] ||
		earlier != nil:
		c.fault("unconfirmed under the name of a result: %v", differing(got, c.want))
	}
	return nil
}

// fullDisk leaves a drawn number of pages free, at most what the result takes.
func (c *cell) fullDisk(ctx context.Context) error {
	return c.mounted(ctx, c.dir, func() error {
		pages := c.draw.IntN(int(c.size>>12) + len(c.want) + 4)
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

// readOnly has the result in a folder that cannot be written.
func (c *cell) readOnly(ctx context.Context) error {
	return c.mounted(ctx, c.dir, func() error {
		if err := syscall.Mount("", c.dir, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
			return err
		}
		end := c.start(ctx, c.dir, nil)
		c.failed(end, c.dir)
		if c.out != "files" && end.took > time.Second+c.takes/2 {
			c.fault("refused after %v", end.took)
		}
		return nil
	})
}

// mountPoint has the folder of the result be one that cannot be exchanged.
func (c *cell) mountPoint(ctx context.Context) error {
	out := filepath.Join(c.dir, "out")
	if err := os.Mkdir(out, 0o777); err != nil {
		return err
	}
	err := c.mounted(ctx, out, func() error {
		end := c.start(ctx, c.dir, nil)
		c.failed(end, out)
		if end.took > time.Second+c.takes/2 {
			c.fault("refused after %v", end.took)
		}
		return c.confirmed(false, nil)
	})
	return errors.Join(err, os.Remove(out))
}

// mounted has work done with a small file system in memory at a place, and again without it.
func (c *cell) mounted(ctx context.Context, at string, work func() error) error {
	if err := syscall.Mount("tmpfs", at, "tmpfs", 0, "size=64m"); err != nil {
		return fmt.Errorf("no right to mount a file system in memory: %w", err)
	}
	err := c.prepare(ctx, c.dir)
	if err == nil {
		err = work()
	}
	return errors.Join(err, syscall.Unmount(at, syscall.MNT_DETACH))
}

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

// failed checks that a command failed with one line that names something.
func (c *cell) failed(end ending, named string) {
	if faults := end.faults(); end.code != cli.ExitFailure || len(faults) != 1 || !strings.Contains(faults[0], named) {
		c.fault("exit %d, want %d and one line that names %q: %.600s", end.code, cli.ExitFailure, named, end.stderr)
	}
}

// ending is how a command ended.
type ending struct {
	code           int // -1: killed
	took           time.Duration
	stdout, stderr string
}

// faults are the lines that are neither warnings nor advice.
func (e ending) faults() (list []string) {
	for line := range strings.Lines(e.stderr) {
		if _, text, _ := strings.Cut(line, ": "); !strings.HasPrefix(line, "hint: ") && !strings.HasPrefix(text, "warning: ") &&
			!strings.HasPrefix(text, "progress at ") && !strings.HasPrefix(text, "report at ") {
			list = append(list, line)
		}
	}
	return list
}

// start runs the command with its result in a folder; meanwhile, if not nil, is called beside it.
func (c *command) start(ctx context.Context, dir string, meanwhile func(*os.Process, time.Time)) (end ending) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute+10*c.takes)
	defer cancel()
	var args []string
	for _, a := range append(slices.Clone(c.args), "--quiet") {
		args = append(args, strings.ReplaceAll(a, "OUT", filepath.Join(dir, "out")))
	}
	cmd := exec.CommandContext(ctx, c.program, args...)
	cmd.WaitDelay = time.Second
	var stdout, stderr bytes.Buffer
	if cmd.Stdout, cmd.Stderr = &stdout, &stderr; c.stdout != nil {
		cmd.Stdout = c.stdout
	}
	cmd.Env = append(os.Environ(), "TMPDIR="+c.temporary)
	cmd.Stdin = strings.NewReader(c.stdin)
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return ending{code: -2, stderr: err.Error()}
	}
	if meanwhile != nil {
		go meanwhile(cmd.Process, began)
	}
	if c.stays {
		go c.leave(ctx, dir, cmd.Process)
	}
	_ = cmd.Wait() // the code tells
	return ending{cmd.ProcessState.ExitCode(), time.Since(began), stdout.String(), stderr.String()}
}

// leave ends a command that stays after its result is there.
func (c *command) leave(ctx context.Context, dir string, p *os.Process) {
	for ctx.Err() == nil {
		if _, err := os.Stat(filepath.Join(dir, "out", "SHA256SUMS")); err == nil {
			time.Sleep(300 * time.Millisecond)
			_ = p.Signal(syscall.SIGTERM) // it may have ended
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// contents are the hashes of the files below a folder but those under way.
func contents(dir string) (map[string]string, error) {
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasPrefix(d.Name(), ".") {
			return err
		}
		rel, _ := filepath.Rel(dir, path)
		all[rel] = digest(path)
		return nil
	})
	return all, err
}

// differing are the names that two folders have not in common.
func differing(got, want map[string]string) (names []string) {
	for name := range maps.All(got) {
		if got[name] != want[name] {
			names = append(names, "+"+name)
		}
	}
	for name := range want {
		if got[name] == "" {
			names = append(names, "-"+name)
		}
	}
	slices.Sort(names)
	return names
}
