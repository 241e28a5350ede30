package script

import (
	"os"
	"path/filepath"
	"testing"
)

// TestScripts plays every text scenario of validation/conformance/testdata.
func TestScripts(t *testing.T) {
	paths, err := filepath.Glob("../testdata/*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			f, err := os.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if err := Play(filepath.Base(path), f); err != nil {
				t.Error(err)
			}
		})
	}
}
