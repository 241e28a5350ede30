package maderun

import (
	"bytes"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"schedtune/internal/replay"
	"schedtune/simcore/yarn"
)

var update = flag.Bool("update", false, "write the made run anew")

const folder = "../testdata/runs/mapreduce"

// The folder of the repository holds what the code makes.
func TestFolderIsCurrent(t *testing.T) {
	files, err := Files(1)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.RemoveAll(folder); err != nil {
			t.Fatal(err)
		}
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
	found := 0
	err = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
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

// The replay agrees with runs of several seeds: every allocation, and each job's
// completion within 1 % given the launches. The simulator and this package hold
// one cluster's rules each on their own.
func TestReplayAgrees(t *testing.T) {
	for seed := range uint64(5) {
		files, err := Files(seed)
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		for name, text := range files {
			path := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, text, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		r, err := replay.Load(dir)
		if err != nil {
			t.Fatal(err)
		}
		d, err := r.Decisions()
		if err != nil {
			t.Fatal(err)
		}
		// 6 masters, 30 maps and 7 reduces; what was given back comes on top.
		if d.Agreeing != d.Total || d.Total < 43 || len(d.Modelled) > 0 {
			t.Errorf("seed %d: %d of %d allocations agree, %v", seed, d.Agreeing, d.Total, d.Exceptions)
		}
		e, err := r.Replay(yarn.Default())
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("seed %d: %d allocations, makespan error %.2f %%, completion errors: median %.2f %%, mean %.2f %%", seed, d.Total, 100*e.Makespan, 100*e.CompletionMedian, 100*e.CompletionMean)
		if e.Makespan > 0.01 || e.CompletionMean > 0.01 {
			t.Errorf("seed %d: %+v", seed, e)
		}
	}
}
