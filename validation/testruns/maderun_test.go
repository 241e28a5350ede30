package testruns

import (
	"bytes"
	"flag"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"schedtune/simcore/yarn"
	"schedtune/validation/replay"
	"schedtune/validation/sparkreplay"
)

var update = flag.Bool("update", false, "write the made run anew")

const folders = "../../internal/testdata/runs"

// The folders of the repository hold what the code makes.
func TestFoldersAreCurrent(t *testing.T) {
	for name, make := range map[string]func(uint64) (map[string][]byte, error){"mapreduce": Files,
		"elastic": ElasticFiles, "spark": SparkFiles} {
		files, err := make(1)
		if err != nil {
			t.Fatal(err)
		}
		checkFolder(t, filepath.Join(folders, name), files)
	}
}

func checkFolder(t *testing.T, folder string, files map[string][]byte) {
	t.Helper()
	if *update {
		if err := os.RemoveAll(folder); err != nil {
			t.Fatal(err)
		}
		write(t, folder, files)
	}
	found := 0
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		found++
		text, err := os.ReadFile(path)
		if err == nil && !bytes.Equal(text, files[filepath.ToSlash(name)]) {
			t.Errorf("%s is not what the code makes; -update writes it", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if found != len(files) {
		t.Errorf("%d files, want %d", found, len(files))
	}
}

// write writes the files of a run.
func write(t *testing.T, folder string, files map[string][]byte) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// decided is a made run, read back, and what our scheduler decides of it.
func decided(t *testing.T, files map[string][]byte) (*replay.Run, *replay.Decisions) {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, files)
	r, err := replay.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	d, err := r.Decisions()
	if err != nil {
		t.Fatal(err)
	}
	return r, d
}

// The replay agrees with runs of several seeds: every allocation, and each job's
// completion within 1 % given the launches. The simulator and this package hold
// one cluster's rules each on their own.
func TestReplayAgrees(t *testing.T) {
	for seed := range uint64(5) {
		files, err := Files(seed)
		if err != nil {
			t.Fatal(err)
		}
		r, d := decided(t, files)
		// 6 masters, 30 maps and 7 reduces; what was given back comes on top.
		if d.Agreeing != d.Total || d.Total < 43 || len(d.Modelled) > 0 {
			t.Errorf("seed %d: %d of %d allocations agree, %v", seed, d.Agreeing, d.Total, d.Exceptions)
		}
		e, err := r.Replay(t.Context(), yarn.Default())
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("seed %d: %d allocations, makespan error %.2f %%, completion errors: median %.2f %%, mean %.2f %%", seed,
			d.Total, 100*e.Makespan, 100*e.CompletionMedian, 100*e.CompletionMean)
		if e.Makespan > 0.01 || e.CompletionMean > 0.01 {
			t.Errorf("seed %d: %+v", seed, e)
		}
	}
}

// Driver, master and nodes of the made Spark runs and those of the project hold one
// set of rules each on their own: one step at a time every target, idle kill, ask
// and release of every application agrees. A replay with the recorded starts ends
// half of the applications within 1 %, and within 3 % in the mean: the simulated
// listener bus has no delay, so a turn of the loop within its 2 ms sees another
// state, and a call that follows comes up to 3 s later.
func TestSparkAgrees(t *testing.T) {
	var errs []float64
	for seed := range uint64(8) {
		files, err := SparkFiles(seed)
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		write(t, dir, files)
		r, err := sparkreplay.Load(dir)
		if err != nil {
			t.Fatal(err)
		}
		s := r.Judge()
		// Three applications allocate dynamically; the gap of one is longer than the
		// idle timeout, so that its executors, two at least, are given up.
		if s.Dynamic != 3 || s.EqualTargets != 3 || s.Changes < 15 || s.Within100 != s.Changes || s.Kills < 2 ||
			s.SameKills != s.Kills {
			t.Errorf("seed %d: targets and kills: %+v", seed, s)
		}
		e, err := r.Replay(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range e.Apps {
			errs = append(errs, math.Abs(a.Error))
		}
		if e.Makespan > 0.017 {
			t.Errorf("seed %d: makespan %.1f s, made %.1f s", seed, e.SimulatedSpan, e.RecordedSpan)
		}
	}
	slices.Sort(errs)
	sum := 0.0
	for _, e := range errs {
		sum += e
	}
	median, mean := errs[len(errs)/2], sum/float64(len(errs))
	t.Logf("%d applications: median %.2f %%, mean %.2f %%", len(errs), 100*median, 100*mean)
	if median > 0.01 || mean > 0.03 {
		t.Errorf("completion errors: median %.2f %%, mean %.2f %%; want 1 and 3", 100*median, 100*mean)
	}
}
