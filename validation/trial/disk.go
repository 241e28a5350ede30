//go:build linux

package trial

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
)

// disk runs studies on a file system in memory that is too small for them: the
// command must fail and say so, keep the log, and end with the whole folder once
// there is room.
func (t *trial) disk(ctx context.Context, n int) {
	r := row{what: "studies on a full disk", asked: n}
	defer t.begin(ctx, &r)()
	mount := filepath.Join(t.dir, "disk")
	if err := os.Mkdir(mount, 0o777); err != nil {
		r.fault("%v", err)
		return
	}
	if err := syscall.Mount("tmpfs", mount, "tmpfs", 0, "size=64m"); err != nil {
		r.left = "no right to mount a file system in memory"
		return
	}
	defer func() { _ = syscall.Unmount(mount, syscall.MNT_DETACH) }()
	_, want, err := t.whole(ctx)
	if err != nil {
		r.fault("%v", err)
		return
	}
	draw := rand.New(rand.NewPCG(t.seed, 6))
	for r.runs < n && ctx.Err() == nil {
		t.fullOnce(ctx, &r, mount, want, 4+draw.IntN(120))
	}
}

// fullOnce fills the file system up to a number of pages of 4 KiB, runs a study
// there until it fails, and once more with room.
func (t *trial) fullOnce(ctx context.Context, r *row, mount, want string, pages int) {
	out := filepath.Join(mount, "tuned")
	log := filepath.Join(out+".partial", "trials.jsonl")
	filler := filepath.Join(mount, "filler")
	if err := fill(filler, mount, pages); err != nil {
		r.fault("%v", err)
		return
	}
	r.runs++
	text, err := exec.CommandContext(ctx, t.bin, smallStudy(out)...).CombinedOutput()
	held, _ := os.ReadFile(log)
	switch {
	case ctx.Err() != nil:
		return
	case err != nil && !strings.Contains(string(text), "no space left"):
		r.fault("%d pages: %v: %.300s", pages, err, text)
	}
	if rmErr := os.Remove(filler); rmErr != nil {
		r.fault("%v", rmErr)
	}
	if err != nil {
		if text, err := exec.CommandContext(ctx, t.bin, smallStudy(out)...).CombinedOutput(); err != nil && ctx.Err() == nil {
			r.fault("%d pages, then room: %v: %.300s", pages, err, text)
		}
	}
	if ctx.Err() != nil {
		return
	}
	if got := digest(out); got != want {
		r.fault("%d pages: another folder than with room", pages)
	}
	whole, _ := os.ReadFile(filepath.Join(out, "trials.jsonl"))
	if end := bytes.LastIndexByte(held, '\n') + 1; !bytes.HasPrefix(whole, held[:end]) {
		r.fault("%d pages: the log lost lines", pages)
	}
	for _, dir := range []string{out, out + ".partial"} {
		if err := os.RemoveAll(dir); err != nil {
			r.fault("%v", err)
		}
	}
}

// fill writes a file that leaves so many pages free.
func fill(path, mount string, pages int) error {
	var s syscall.Statfs_t
	if err := syscall.Statfs(mount, &s); err != nil {
		return err
	}
	size := int64(s.Bavail)*s.Bsize - int64(pages)*4096
	if size < 0 {
		return fmt.Errorf("%s: %d bytes free: needs at least %d pages", mount, int64(s.Bavail)*s.Bsize, pages)
	}
	return os.WriteFile(path, make([]byte, size), 0o600)
}
