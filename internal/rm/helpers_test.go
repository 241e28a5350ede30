package rm

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// folder is a Sink on disk.
type folder string

func (f folder) WriteFile(name string, data []byte) error {
	p := filepath.Join(string(f), name)
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		return err
	}
	return os.WriteFile(p, data, 0o600)
}

func (f folder) Have(name string) bool {
	_, err := os.Stat(filepath.Join(string(f), name))
	return err == nil
}

// patience is the limit of time in tests of servers that exceed it: what answers
// at once must do so within it on a loaded machine too.
const patience = time.Second / 2

// tooLong exceeds it.
const tooLong = patience + patience/2

// quick is a client without pauses.
func quick(t *testing.T, base string, change func(*Options)) *Client {
	t.Helper()
	o := Options{Base: base, Rate: 1e6, Timeout: time.Minute, Backoff: time.Millisecond}
	if change != nil {
		change(&o)
	}
	c, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}
