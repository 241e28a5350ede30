//go:build linux

package trial

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// kills kills studies with SIGKILL at random moments until so many kills are
// done. After some of them comes a command with a mistake. Whatever happens, the
// log only grows.
func (t *trial) kills(ctx context.Context, n int) {
	r := row{what: "studies killed at random moments", asked: n}
	defer t.begin(ctx, &r)()
	draw := rand.New(rand.NewPCG(t.seed, 1))
	t.studies(ctx, &r, n, func(out string, takes time.Duration) (ended bool) {
		log := filepath.Join(out+".partial", "trials.jsonl")
		before, _ := os.ReadFile(log)
		ended = r.killed(t.bin, smallStudy(out), time.Duration(draw.Float64()*1.3*float64(takes)))
		after, err := os.ReadFile(log)
		if err != nil { // killed after its folder was put in its place
			after, err = os.ReadFile(filepath.Join(out, "trials.jsonl"))
		}
		if !ended && !bytes.HasPrefix(after, before[:bytes.LastIndexByte(before, '\n')+1]) {
			r.fault("the log lost lines (%v)", err)
		}
		if draw.IntN(4) == 0 && !ended {
			t.mistake(&r, draw, out, log)
		}
		return ended
	})
}

// studies makes studies until n runs are counted; once starts or resumes one and reports
// whether it has ended. Each must end with the folder of one that was left alone, which
// takes as long as once is reported.
func (t *trial) studies(ctx context.Context, r *row, n int, once func(out string, takes time.Duration) (ended bool)) {
	takes, want, err := t.whole(ctx)
	if err != nil {
		r.fault("%v", err)
		return
	}
	for study := 0; r.runs < n && ctx.Err() == nil; study++ {
		out := filepath.Join(t.dir, fmt.Sprintf("study-%d", study), "tuned")
		for ended := false; !ended && ctx.Err() == nil; {
			ended = once(out, takes)
		}
		if got := digest(out); ctx.Err() == nil && got != want {
			r.fault("%s differs from a study that was left alone", out)
			return
		}
		os.RemoveAll(filepath.Dir(out))
	}
}

// smallStudy are the arguments of a study of a second.
func smallStudy(out string) []string {
	return []string{"--params", "capacity,slowstart", "--budget", "20", "--workers", "2", "--quiet", "--out", out}
}

// whole runs a study that is left alone: how long it takes and what it writes.
func (t *trial) whole(ctx context.Context) (takes time.Duration, want string, err error) {
	out := filepath.Join(t.dir, "whole", "tuned")
	defer os.RemoveAll(filepath.Dir(out))
	began := time.Now()
	if text, err := exec.CommandContext(ctx, t.bin, smallStudy(out)...).CombinedOutput(); err != nil {
		return 0, "", fmt.Errorf("%w: %.300s", err, text)
	}
	return time.Since(began), digest(out), nil
}

// killed runs a command and kills it after a time; it reports whether the
// command had ended before.
func (r *row) killed(bin string, args []string, after time.Duration) (ended bool) {
	began := time.Now()
	if ended = r.killedWhen(bin, args, func() bool { return time.Since(began) > after }); !ended {
		r.runs++
	}
	return ended
}

// killedWhen is killed on a condition.
func (r *row) killedWhen(bin string, args []string, when func() bool) (ended bool) {
	var text bytes.Buffer
	cmd := exec.Command(bin, args...)
	cmd.Stderr = &text
	if err := cmd.Start(); err != nil {
		r.fault("%v", err)
		return true
	}
	exited := make(chan error)
	go func() { exited <- cmd.Wait() }()
	for {
		select {
		case err := <-exited:
			var exit *exec.ExitError
			killed := errors.As(err, &exit) && exit.ExitCode() == -1
			if err != nil && !killed {
				r.fault("%v: %.300s", err, text.String())
			}
			return !killed
		case <-time.After(time.Millisecond):
			if when() {
				_ = cmd.Process.Kill()
			}
		}
	}
}

// mistake runs a command that must fail and leave the log as it is.
func (t *trial) mistake(r *row, draw *rand.Rand, out, log string) {
	before, _ := os.ReadFile(log)
	kinds := [][]string{{"--objective", "makspan"}, {"--trace", "none.json"}, {"--listen", "256.0.0.1:1"}, {"--seed", "2"}}
	args := append([]string{"--params", "capacity,slowstart", "--budget", "20", "--quiet", "--out", out},
		kinds[draw.IntN(len(kinds))]...)
	if draw.IntN(5) == 0 {
		args = []string{"collect", "--out", out}
	}
	if len(bytes.TrimSpace(before)) == 0 {
		return // nothing to be lost, and another seed may begin
	}
	if err := exec.Command(t.bin, args...).Run(); err == nil {
		r.fault("%s succeeded", strings.Join(args, " "))
	}
	if after, err := os.ReadFile(log); !bytes.Equal(before, after) {
		r.fault("%s touched the log (%v)", strings.Join(args, " "), err)
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

// digest is the hash of a folder by its names and contents.
func digest(dir string) string {
	h := sha256.New()
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(p)
		rel, _ := filepath.Rel(dir, p)
		fmt.Fprintf(h, "%s %d\n%s", rel, len(data), data)
		return err
	})
	if err != nil {
		return err.Error()
	}
	return hex.EncodeToString(h.Sum(nil))
}
