package script

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzPlay: no text makes the player or the scheduler panic.
func FuzzPlay(f *testing.F) {
	files, _ := filepath.Glob("../testdata/*.txt")
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(b))
	}
	f.Add("conf root.queues=a root.a.capacity=100\nnode n1 r 0 0\nsubmit x u a am=1\nbeat n1\nlose n1\nend " +
		"x\npreempt\nrefresh root.queues=b")
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Count(text, "\n") > 200 {
			return
		}
		_ = Play("fuzz", strings.NewReader(text))
	})
}
