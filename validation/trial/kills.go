//go:build linux

package trial

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// kills kills studies with SIGKILL at random moments until so many kills are
// done. After some of them comes a command with a mistake. Whatever happens, the
// log only grows.
func (t *trial) kills(ctx context.Context, n int) {
	r := row{what: "studies killed at random moments", asked: n}
	defer t.begin(ctx, &r)()
	draw := rand.New(rand.NewPCG(t.seed, 1))
	t.studies(ctx, &r, n, func(c *command, dir string) (ended bool) {
		log := filepath.Join(dir, "out.partial", "trials.jsonl")
		before, _ := os.ReadFile(log)
		ended = r.killed(ctx, c, dir, time.Duration(draw.Float64()*1.3*float64(c.takes)))
		after, err := os.ReadFile(log)
		if err != nil { // killed after its folder was put in its place
			after, err = os.ReadFile(filepath.Join(dir, "out", "trials.jsonl"))
		}
		if !ended && !bytes.HasPrefix(after, before[:bytes.LastIndexByte(before, '\n')+1]) {
			r.fault("the log lost lines (%v)", err)
		}
		if draw.IntN(4) == 0 && !ended {
			c.mistake(ctx, &r, draw, dir, log)
		}
		return ended
	})
}

// studies makes studies until n runs are counted; once starts or resumes one in a folder and reports
// whether it has ended. Each must end with the folder of one that was left alone.
func (t *trial) studies(ctx context.Context, r *row, n int, once func(c *command, dir string) (ended bool)) {
	c := t.command("a study", "folder", "--params capacity,slowstart --budget 20 --workers 2 --out OUT")
	if err := c.alone(ctx, filepath.Join(t.dir, "alone")); err != nil {
		r.fault("%v", err)
		return
	}
	dir := filepath.Join(t.dir, "study")
	for r.runs < n && ctx.Err() == nil {
		if err := os.Mkdir(dir, 0o777); err != nil {
			r.fault("%v", err)
			return
		}
		for ended := false; !ended && ctx.Err() == nil; {
			ended = once(&c, dir)
		}
		if got, err := contents(dir); ctx.Err() == nil && !maps.Equal(got, c.want) {
			r.fault("differs from a study that was left alone: %v (%v)", differing(got, c.want), err)
			return
		}
		os.RemoveAll(dir)
	}
}

// killed starts a command and kills it after a time; it reports whether the
// command had ended before.
func (r *row) killed(ctx context.Context, c *command, dir string, after time.Duration) (ended bool) {
	switch end := c.start(ctx, dir, sending(syscall.SIGKILL, after)); end.code {
	case -1:
		r.runs++
		return false
	case c.code:
	default:
		r.fault("exit %d: %.300s", end.code, end.stderr)
	}
	return true
}

// mistake runs a command that must fail and leave the log as it is.
func (c command) mistake(ctx context.Context, r *row, draw *rand.Rand, dir, log string) {
	before, _ := os.ReadFile(log)
	kinds := []string{"--objective makspan", "--trace none.json", "--listen 256.0.0.1:1", "--seed 2"}
	c.args = append(c.args[:len(c.args):len(c.args)], strings.Fields(kinds[draw.IntN(len(kinds))])...)
	if draw.IntN(5) == 0 {
		c.args = []string{"collect", "--out", "OUT"}
	}
	if len(bytes.TrimSpace(before)) == 0 {
		return // nothing to be lost, and another seed may begin
	}
	if end := c.start(ctx, dir, nil); end.code == 0 {
		r.fault("%v succeeded", c.args)
	}
	if after, err := os.ReadFile(log); !bytes.Equal(before, after) {
		r.fault("%v touched the log (%v)", c.args, err)
	}
}

// faultsShown is how many faults of a part are shown.
const faultsShown = 40

func (r *row) fault(format string, args ...any) {
	if r.ctx.Err() != nil {
		return // the time is over, and what was under way was stopped
	}
	if r.faults++; len(r.first) < faultsShown {
		r.first = append(r.first, fmt.Sprintf(format, args...))
	}
}

// contents are the hashes of the files below a folder but those under way.
func contents(dir string) (map[string]string, error) {
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasPrefix(d.Name(), ".") {
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
