//go:build linux

package trial

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/google/go-cmp/cmp"

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
	hindrances, at := hindrances, filepath.Join(t.dir, "mount")
	if errors.Join(os.Mkdir(at, 0o777), mount(at), unmount(at)) != nil {
		hindrances = slices.DeleteFunc(slices.Clone(hindrances), func(h hindrance) bool { return h.root })
		r.what += ", without the right to mount a file system"
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
		c.fault("the next run: another result: %s (%v)", cmp.Diff(c.want, got), err)
	}
	return nil
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
		c.fault("unconfirmed under the name of a result: %s", cmp.Diff(c.want, got))
	}
	return nil
}

// failed checks that a command failed with one line that names something, a warning where it goes on.
func (c *cell) failed(end ending, named string) {
	if len(end.faults()) > 1 || end.code != cli.ExitFailure || end.stderr == "" || !strings.Contains(end.stderr, named) {
		c.fault("exit %d, want %d and one line that names %q: %.600s", end.code, cli.ExitFailure, named, end.stderr)
	}
}

// ending is how a command ended.
type ending struct {
	code           int // -1: killed
	took           time.Duration
	stdout, stderr string
	state          *os.ProcessState
}

// aside are lines that tell of no fault.
var aside = regexp.MustCompile(`^(hint|[a-z]+: (warning|progress at|report at)\b)`)

// faults are the lines that are neither warnings nor advice.
func (e ending) faults() (list []string) {
	for line := range strings.Lines(e.stderr) {
		if !aside.MatchString(line) {
			list = append(list, line)
		}
	}
	return list
}

// start runs the command with its result in a folder; meanwhile, if not nil, is called beside it.
func (c *command) start(ctx context.Context, dir string, meanwhile func(*os.Process)) (end ending) {
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
		go meanwhile(cmd.Process)
	}
	if c.stays {
		go c.leave(ctx, dir, cmd.Process)
	}
	_ = cmd.Wait() // the code tells
	return ending{cmd.ProcessState.ExitCode(), time.Since(began), stdout.String(), stderr.String(), cmd.ProcessState}
}

// sending sends a signal to a process after a time.
func sending(s syscall.Signal, after time.Duration) func(*os.Process) {
	return func(p *os.Process) {
		time.Sleep(after)
		_ = p.Signal(s) // it may have ended
	}
}

// leave ends a command that stays after its result is there, which takes that of an interrupted one.
func (c *command) leave(ctx context.Context, dir string, p *os.Process) {
	for ctx.Err() == nil {
		if text, err := os.ReadFile(filepath.Join(dir, "out", "summary.json")); err == nil &&
			!bytes.Contains(text, []byte(`"cancelled"`)) {
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
		switch {
		case err == nil && d.IsDir() && strings.HasPrefix(d.Name(), "."): // as of a commit that was killed
			return fs.SkipDir
		case err != nil || d.IsDir() || strings.HasPrefix(d.Name(), "."):
			return err
		}
		data, err := os.ReadFile(path)
		sum := sha256.Sum256(data)
		rel, _ := filepath.Rel(dir, path)
		all[rel] = hex.EncodeToString(sum[:])
		return err
	})
	return all, err
}
