package fileio

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func TestOneLine(t *testing.T) {
	for want, e := range map[string]*FileError{
		"a.csv:7: nodes[2].memory: -5; allowed: 1 or more": {File: "a.csv", Line: 7, Place: "nodes[2].memory", Reason: "-5", Allowed: "1 or more"},
		"a.csv: two lines":           {File: "a.csv", Reason: "two\nlines"},
		"no file":                    {Reason: "no file", Line: 3},
		"a: x; allowed: y":           {File: "a", Reason: "x; allowed: y", Allowed: "z"},
		"a: is a folder; allowed: f": {File: "a", Err: errors.New("is a folder"), Allowed: "f"},
	} {
		if got := e.Error(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestOpening(t *testing.T) {
	path := filepath.Join(t.TempDir(), "none")
	_, err := os.Open(path)
	err = OpenError(path, err, "a model")
	if got := err.Error(); got != path+": no such file or directory; allowed: a model" || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%q", got)
	}
	if again := OpenError(path, err, "other"); again != err {
		t.Errorf("%q", again)
	}
	if OpenError(path, nil, "") != nil {
		t.Error("no error became one")
	}
}
