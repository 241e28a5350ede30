//go:build linux

package trial

import (
	"context"
	"fmt"
	"maps"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"schedtune/internal/remote"
	"schedtune/validation/rmtest"
)

// What commands write: files; a folder in whose place the new one is put, which may be that of another
// seed too. A folder that only grows is written, not exchanged; remote: by a worker.
const (
	files    = "written files"
	folder   = "written exchanged"
	replaced = folder + " replaced"
)

// command is one that writes or runs long, with what comes of it if it is left alone.
type command struct {
	name, program string
	args          []string // OUT is the place of its result
	// out says what it writes, in words: written, exchanged … "" = nothing.
	out       string
	equal     func(got, want map[string]string) bool
	stays     bool     // until a signal, after its result is there
	before    *command // what the folder needs before it
	stdin     string
	worker    *atomic.Pointer[os.Process] // nil = none
	stdout    *os.File                    // nil = looked at
	temporary string                      // folder for temporary files, "" = the system's

	code   int
	takes  time.Duration
	want   map[string]string
	prints bool
}

// same reports whether a folder is as the command leaves it.
func (c *command) same(got map[string]string) bool { return c.equal(got, c.want) }

// command returns a command of tune from its line.
func (t *trial) command(name, out, line string) command {
	return command{name: name, program: t.bin, args: strings.Fields(line), out: out,
		equal: maps.Equal[map[string]string, map[string]string]}
}

// prepare does what comes before the command.
func (c *command) prepare(ctx context.Context, dir string) error {
	if c.before == nil {
		return nil
	}
	if end := c.before.start(ctx, dir, nil); end.code != 0 {
		return fmt.Errorf("%s: exit %d: %.300s", c.before.name, end.code, end.stderr)
	}
	return nil
}

// How the results of two runs have to be alike: of a cluster's state at a moment the names are.
func sameNames(got, want map[string]string) bool {
	return slices.Equal(slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
}

func anything(map[string]string, map[string]string) bool { return true }

// commands returns what is tried, run once; done ends a cluster and a worker that some need.
func (t *trial) commands(ctx context.Context) (list []command, done func(), err error) {
	cluster := httptest.NewServer(rmtest.New(6))
	done = cluster.Close
	server, err := remote.Listen("127.0.0.1:0", filepath.Join(t.dir, "queue"), remote.Security{})
	if err != nil {
		return nil, done, err
	}
	ctx, cancel := context.WithCancel(ctx)
	done = func() {
		cancel()
		server.Close()
		cluster.Close()
	}
	worker := t.worker(ctx, server.URL())
	const data = "cmd/tune/testdata/"
	in := "--config " + data + "small.xml --cluster " + data + "four.yaml --trace " + data + "small.json "
	search, live := in+"--params capacity --workers 1 --budget ", "--rm "+cluster.URL+" --history "+cluster.URL+" "
	pulled, items := filepath.Join(t.dir, "pulled"), filepath.Join(t.dir, "items")
	add := func(name, out, line string) *command {
		list = append(list, t.command(name, out, line))
		return &list[len(list)-1]
	}
	add("tune", replaced, search+"60 --out OUT")
	add("tune --stability", replaced, search+"20 --stability 3 --out OUT")
	add("tune --scheduler", replaced, "--scheduler delay --dataset coupling-sequence --budget 40 --out OUT")
	nats := add("tune --nats", replaced+" remote", search+"40 --out OUT --ack-wait 1s --nats "+server.URL())
	nats.worker = worker
	add("tune --serve", folder, search+"20 --out OUT --serve 127.0.0.1:0").stays = true
	add("tune without a folder", "", search+"40")
	add("size", replaced, "size "+in+"--budget 20 --check 4 --nodes 2,4 --out OUT")
	add("timetable", replaced, "timetable --budget 100 --replications 1 --workers 1 --out OUT")
	add("compare", "", "compare "+in+"--replications 20")
	add("compare --against", "", "compare "+in+"--against "+data+"small.xml --workloads 64")
	add("simulate", files, "simulate "+in+"--timeline OUT.csv --perfetto OUT.json.gz --event-trace OUT.jsonl "+
		"--heartbeat-log OUT.beats")
	add("why", "", "why job_1700000000000_0001 --config "+data+"lone.xml --cluster "+data+"four.yaml --trace "+data+
		"lone.json --replications 20")
	add("verify", "", "verify "+data+"small.xml --config "+data+"small.xml --cluster "+data+"four.yaml --before "+data+
		"small.json --after "+data+"small.json")
	add("pull", folder, "pull "+live+"--since 1000000h --out OUT").equal = sameNames
	add("watch", "written", "watch "+live+"--window 1000000h --rounds 1 --budget 20 --out OUT").equal = anything
	add("doctor", "", "doctor "+pulled)
	add("import", files, "import "+data+"small.json OUT.json")
	add("trace info", files, "trace info "+data+"small.json --perfetto OUT.json")
	add("trace usage", files, "trace usage "+data+"small.json --picture OUT.svg")
	add("plan", folder, "plan "+search+"20 --out OUT")
	for name, out := range map[string]string{"classes": replaced, "contention": replaced, "durations": replaced,
		"overload": replaced, "release": folder, "allocation": folder, "mismatch": folder} {
		add("fit "+name, out, name+" --out OUT").program = filepath.Join(filepath.Dir(t.bin), "fit")
	}
	slices.SortFunc(list, func(a, b command) int { return strings.Compare(a.name, b.name) })
	plan := t.command("plan", folder, "plan "+search+"20 --out OUT")
	collecting := command{program: "sh", args: append([]string{"-c", collect, t.bin, items}, plan.args...)}
	if end := collecting.start(ctx, items, nil); end.code != 0 {
		return nil, done, fmt.Errorf("plan, worker and collect: exit %d: %s", end.code, end.stderr)
	}
	first, err := os.ReadFile(filepath.Join(items, "first"))
	if err != nil {
		return nil, done, err
	}
	add("worker", "", "worker --study "+filepath.Join(items, "study.bin")).stdin = string(first)
	add("collect", "written", "collect "+filepath.Join(items, "results")+" --out OUT").before = &plan
	pull := t.command("pull", "", "pull "+live+"--since 1000000h --out "+pulled)
	if end := pull.start(ctx, t.dir, nil); end.code != 0 {
		return nil, done, fmt.Errorf("pull: %s", end.stderr)
	}
	for i := range list {
		if err := list[i].alone(ctx, filepath.Join(t.dir, "alone")); err != nil {
			return nil, done, err
		}
	}
	return list, done, nil
}

// worker keeps one worker at a message server, in place of one that is killed.
func (t *trial) worker(ctx context.Context, url string) *atomic.Pointer[os.Process] {
	var running atomic.Pointer[os.Process]
	go func() {
		for ctx.Err() == nil {
			cmd := exec.CommandContext(ctx, t.bin, "worker", "--connect", url, "--slots", "1", "--quiet")
			if cmd.Start() != nil {
				return
			}
			running.Store(cmd.Process)
			_ = cmd.Wait() // it is killed
		}
	}()
	return &running
}

// collect plans a study and works until all its runs are known. It leaves its package, the items of
// the first generation, and all results.
const collect = `mkdir -p "$1" && cd "$1" && dir=$OLDPWD && shift
until [ -e out ]; do
	(cd "$dir" && "$0" "$@") > items || exit
	[ -e first ] || cp out.partial/study.bin . && cp -n items first
	"$0" worker --study study.bin < items >> results && "$0" collect results --out out || exit
done`

// alone runs the command once in a folder and notes what comes of it.
func (c *command) alone(ctx context.Context, dir string) error {
	defer os.RemoveAll(dir)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	if err := c.prepare(ctx, dir); err != nil {
		return err
	}
	end := c.start(ctx, dir, nil)
	if faults := end.faults(); end.code < 0 || end.code == 2 || len(faults) > 0 {
		return fmt.Errorf("%s: exit %d: %.300s", c.name, end.code, end.stderr)
	}
	c.code, c.takes, c.prints = end.code, end.took, end.stdout != ""
	var err error
	c.want, err = contents(dir)
	return err
}
