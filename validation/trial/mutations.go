//go:build linux

package trial

import (
	"bytes"
	"context"
	"embed"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"

	"schedtune/fairconf"
	"schedtune/internal/cli"
	"schedtune/internal/models"
	"schedtune/internal/rm"
	"schedtune/internal/scenario"
	"schedtune/simcore/yarn"
	"schedtune/trace"
	"schedtune/yarnconf"
)

// Bounds of what an input that is not valid may cost.
const (
	mostTime   = 10 * time.Second
	mostMemory = 512 << 20
)

// samples are inputs of kinds that no testdata folder has: mutated beside its
// files. The end of a name tells the readers.
//
//go:embed samples
var samples embed.FS

// readers are what a mutated file is given to, by the end of its name.
func readers(name string) []func([]byte) {
	read := func(data []byte) {
		_, _ = trace.Read(bytes.NewReader(data), "mutated", trace.Options{})
	}
	heartbeats := func(data []byte) {
		r, err := models.NewReader(bytes.NewReader(data), models.Names{})
		for n := 0; err == nil && n < 1_000_000; n++ {
			_, err = r.Next()
		}
	}
	cluster := func(data []byte) { _, _ = scenario.ParseCluster("mutated", data) }
	switch filepath.Ext(name) {
	case ".xml":
		return []func([]byte){func(data []byte) {
			if d, err := yarnconf.Parse("mutated", data); err == nil {
				_, _ = yarnconf.Evaluate(d)
				_ = d.Validate()
			}
		}, func(data []byte) { _, _ = fairconf.Parse("mutated", data) }}
	case ".yaml", ".csv":
		return []func([]byte){cluster, read, heartbeats}
	case ".json":
		return []func([]byte){cluster, read, func(data []byte) { _, _ = yarn.ParseCalibration(data) }, func(data []byte) {
			_, _ = rm.ParseScheduler(data)
		}}
	}
	return []func([]byte){read}
}

// corpus are the small files of the checkout's testdata folders.
func corpus() (names []string, files map[string][]byte) {
	files = map[string][]byte{}
	for in, part := range map[fs.FS]string{os.DirFS("."): "testdata", samples: "samples"} {
		_ = fs.WalkDir(in, ".", func(p string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.Contains(p, part) || strings.Contains(p, "fuzz") {
				return nil
			}
			if data, err := fs.ReadFile(in, p); err == nil && len(data) > 0 && len(data) < 64<<10 {
				files[p] = data
				names = append(names, p)
			}
			return nil
		})
	}
	slices.Sort(names)
	return names, files
}

// mutate changes a text at random.
func mutate(r *rand.Rand, data []byte) []byte {
	out := slices.Clone(data)
	at := func() int { return r.IntN(len(out) + 1) }
	for range 1 + r.IntN(4) {
		i, k := at(), at()
		i, k = min(i, k), max(i, k)
		switch r.IntN(7) {
		case 0:
			out = out[:i]
		case 1:
			out = slices.Delete(out, i, min(k, i+64))
		case 2:
			out = slices.Insert(out, k, out[i:min(k, i+256)]...)
		case 3:
			if len(out) > 0 {
				out[r.IntN(len(out))] = byte(r.UintN(256))
			}
		case 4:
			words := []string{"-1", "0", "1e308", "NaN", "9223372036854775808", "\x00", "\x1b[2J", "\xff", "[[[[[[[[",
				"{\"a\":", "<a>", "&lt;", "\n", ",", strings.Repeat("9", 400)}
			out = slices.Insert(out, i, []byte(words[r.IntN(len(words))])...)
		case 5:
			out = append(out, bytes.Repeat(out[i:min(k, i+32)], r.IntN(200))...)
		default:
			if j := bytes.IndexFunc(out[i:], func(c rune) bool { return '0' <= c && c <= '9' }); j >= 0 {
				out[i+j] = "0123456789-.e"[r.IntN(13)]
			}
		}
	}
	return out
}

// mutations gives mutated files to the readers: none may panic or take long.
func (t *trial) mutations(ctx context.Context, n int) {
	r := row{what: "mutated files read", asked: n}
	defer t.begin(ctx, &r)()
	draw := rand.New(rand.NewPCG(t.seed, 2))
	names, files := corpus()
	if len(names) == 0 {
		r.fault("no testdata here: run it in the source tree")
		return
	}
	for r.runs < n && ctx.Err() == nil {
		name := names[draw.IntN(len(names))]
		data := mutate(draw, files[name])
		for _, read := range readers(name) {
			began := time.Now()
			if text := panics(read, data); text != "" {
				r.fault("%s, mutated: %s", name, text)
			}
			took := time.Since(began)
			if r.slowest = max(r.slowest, took); took > mostTime {
				r.fault("%s, mutated, takes %s", name, took)
			}
			r.runs++
		}
	}
}

func panics(f func([]byte), data []byte) (text string) {
	defer func() {
		if v := recover(); v != nil {
			text = fmt.Sprintf("%v\n%s", v, debug.Stack())
		}
	}()
	f(data)
	return ""
}

// processes gives mutated files to the command itself, which must end in time,
// within its memory, with an exit code of its own and nothing a terminal obeys.
func (t *trial) processes(ctx context.Context, n int) {
	r := row{what: "commands with a mutated file", asked: n}
	defer t.begin(ctx, &r)()
	draw := rand.New(rand.NewPCG(t.seed, 3))
	names, files := corpus()
	for r.runs < n && ctx.Err() == nil && len(names) > 0 {
		name := names[draw.IntN(len(names))]
		path := filepath.Join(t.dir, "mutated"+filepath.Ext(name))
		if err := os.WriteFile(path, mutate(draw, files[name]), 0o600); err != nil {
			r.fault("%v", err)
			return
		}
		args := []string{"trace", "info", path}
		switch filepath.Ext(name) {
		case ".xml":
			args = []string{"check", path}
		case ".yaml":
			args = []string{"simulate", "--cluster", path, "--dataset", "none"} // ends before a run
		}
		t.process(ctx, &r, args)
	}
}

func (t *trial) process(ctx context.Context, r *row, args []string) {
	c := command{program: t.bin, args: args}
	end := c.start(ctx, t.dir, nil)
	if ctx.Err() != nil && end.code != 0 {
		return // the time is over
	}
	r.runs++
	r.slowest = max(r.slowest, end.took)
	if u, ok := end.state.SysUsage().(*syscall.Rusage); ok {
		r.peak = max(r.peak, u.Maxrss<<10)
	}
	switch {
	case end.code < 0 || end.code > 2 && end.code != cli.ExitFindings:
		r.fault("%v: exit %d", args, end.code)
	case strings.Contains(end.stderr, "internal error") || strings.Contains(end.stderr, "goroutine "):
		r.fault("%v: %.2000s", args, end.stderr)
	case strings.ContainsFunc(end.stderr, func(c rune) bool { return c < ' ' && c != '\n' && c != '\t' || c == 0x7f }):
		r.fault("%v: control characters in %.200q", args, end.stderr)
	case end.state.UserTime()+end.state.SystemTime() > mostTime: // others may have the processor
		r.fault("%v takes %s", args, end.took)
	case r.peak > mostMemory:
		r.fault("%v takes %d MiB", args, r.peak>>20)
	}
}
