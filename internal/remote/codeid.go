package remote

// Which code computes: workers and logs carry its identity, because the same
// version can be built from other sources, and the same sources can come out with
// other numbers.

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"
	"sync"

	"schedtune"
	"schedtune/internal/study"
	"schedtune/tune"
)

// CodeID returns the identity of this program's simulations: 16 hexadecimal digits of
// the hash of the sources that a simulation runs and of a self-test. Revisions and
// release numbers are not part of it: machines, compilers and builds that compute equal
// numbers from equal sources have equal identities.
func CodeID() (string, error) { return codeID() }

var codeID = sync.OnceValues(func() (string, error) {
	test, err := selfTest()
	if err != nil {
		return "", err
	}
	src, err := sourceHash(schedtune.Source)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(src + " " + test))
	return hex.EncodeToString(sum[:8]), nil
})

// sourceHash returns the hash of a tree's files but tests, by name and content.
func sourceHash(tree fs.FS) (string, error) {
	h := sha256.New()
	err := fs.WalkDir(tree, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(path, "_test.go") {
			return err
		}
		data, err := fs.ReadFile(tree, path)
		fmt.Fprintf(h, "%s %d\n%s\n", path, len(data), data)
		return err
	})
	return hex.EncodeToString(h.Sum(nil)), err
}

// selfTest runs the embedded example under its current configuration with two seeds
// and returns the hash of all measurements.
func selfTest() (string, error) {
	s, err := study.Prepare(context.Background(), study.Request{Objectives: []string{"makespan"},
		Options: tune.Options{Seed: 1}})
	if err != nil {
		return "", fmt.Errorf("self-test: %w", err)
	}
	h := sha256.New()
	for seed := range uint64(2) {
		o := s.Runner.Outcome(context.Background(), tune.Item{Settings: s.Space.PresentSettings(), Seed: seed})
		if o.Err != "" {
			return "", fmt.Errorf("self-test: %s", o.Err)
		}
		text, err := json.Marshal(o) // keys in order, numbers to the last bit
		if err != nil {
			return "", fmt.Errorf("self-test: %w", err)
		}
		h.Write(text)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
