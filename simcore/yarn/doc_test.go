package yarn

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestMapsOfFiles: the comments of this package and of the Capacity Scheduler name every
// file of theirs, and no other.
func TestMapsOfFiles(t *testing.T) {
	for _, dir := range []string{".", "../sched/capacity"} {
		t.Run(dir, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join(dir, "doc.go"))
			if err != nil {
				t.Fatal(err)
			}
			named := map[string]bool{filepath.Join(dir, "doc.go"): true}
			for _, pattern := range regexp.MustCompile(`[a-z0-9_]+\*?\.go`).FindAllString(string(text), -1) {
				found, err := filepath.Glob(filepath.Join(dir, pattern))
				if err != nil || len(found) == 0 {
					t.Errorf("%s: doc.go names %s, and there is no such file", dir, pattern)
				}
				for _, f := range found {
					named[f] = true
				}
			}
			files, err := filepath.Glob(filepath.Join(dir, "*.go"))
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range files {
				if !strings.HasSuffix(f, "_test.go") && !named[f] {
					t.Errorf("%s: doc.go does not say what the file is for", f)
				}
			}
		})
	}
}
