package capacity

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestMapOfFiles: the package's comment names every file of the package, and no other.
func TestMapOfFiles(t *testing.T) {
	text, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	for _, pattern := range regexp.MustCompile(`[a-z0-9_]+\*?\.go`).FindAllString(string(text), -1) {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Errorf("doc.go names %s, and there is no such file", pattern)
		}
		for _, f := range found {
			named[f] = true
		}
	}
	for _, f := range files {
		if f != "doc.go" && !strings.HasSuffix(f, "_test.go") && !named[f] {
			t.Errorf("doc.go does not say what %s is for", f)
		}
	}
}
