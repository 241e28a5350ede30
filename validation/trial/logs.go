//go:build linux

package trial

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// logs gives studies a log that was damaged: each is refused with the log left
// as it is, or goes on, and then ends with the folder of one that was left alone
// or has every line of the damaged log.
func (t *trial) logs(ctx context.Context, n int) {
	r := row{what: "studies with a damaged log", asked: n}
	defer t.begin(ctx, &r)()
	out := filepath.Join(t.dir, "logs", "tuned")
	if text, err := exec.CommandContext(ctx, t.bin, smallStudy(out)...).CombinedOutput(); err != nil {
		r.fault("%v: %.300s", err, text)
		return
	}
	want := digest(out)
	good, err := os.ReadFile(filepath.Join(out, "trials.jsonl"))
	if err != nil {
		r.fault("%v", err)
		return
	}
	draw := rand.New(rand.NewPCG(t.seed, 7))
	for r.runs < n && ctx.Err() == nil {
		r.runs++
		t.damagedLog(ctx, &r, draw, good, want)
	}
}

func (t *trial) damagedLog(ctx context.Context, r *row, draw *rand.Rand, good []byte, want string) {
	out := filepath.Join(t.dir, "damaged", "tuned")
	defer os.RemoveAll(filepath.Dir(out))
	log := filepath.Join(out+".partial", "trials.jsonl")
	// A killed study leaves the folder with its record; the log is changed in it.
	if r.killedWhen(t.bin, smallStudy(out), func() bool {
		info, err := os.Stat(log)
		return err == nil && info.Size() > 0
	}) {
		return
	}
	data := mutate(draw, good)
	if err := os.WriteFile(log, data, 0o600); err != nil {
		r.fault("%v", err)
		return
	}
	var text bytes.Buffer
	cmd := exec.CommandContext(ctx, t.bin, smallStudy(out)...)
	cmd.Stderr = &text
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
	case err == nil:
		// A figure that was changed within its line can't be told from a measured one:
		// the study then keeps the line as it found it.
		kept, _ := os.ReadFile(filepath.Join(out, "trials.jsonl"))
		whole := data[:bytes.LastIndexByte(data, '\n')+1]
		if digest(out) != want && !bytes.HasPrefix(kept, whole) {
			r.fault("goes on from a damaged log to another folder")
		}
	case errors.As(err, &exit) && exit.ExitCode() == 1 && strings.Contains(text.String(), "trials.jsonl:"):
		if after, _ := os.ReadFile(log); !bytes.Equal(after, data) {
			r.fault("refused, but the log was touched: %.300s", text.String())
		}
	default:
		r.fault("%v: %.500s", err, text.String())
	}
}
