package fileio

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFileErrorText(t *testing.T) {
	for want, e := range map[string]*FileError{
		"a.csv:7: nodes[2].memory: -5: must be 1 or more": {File: "a.csv", Line: 7, Key: "nodes[2].memory",
			Reason: "-5: must be 1 or more"},
		"a.csv: two lines":              {File: "a.csv", Reason: "two\nlines"},
		"no file":                       {Reason: "no file", Line: 3},
		"a: is a folder":                {File: "a", Err: errors.New("is a folder")},
		"a:3: counted once":             {File: "a", Line: 3, Err: errors.New("line 3: counted once")},
		strings.Repeat("x", 1000) + "…": {Reason: strings.Repeat("x", 1001)},
		"a: job ? 1: bad ? text":        {File: "a", Key: "job \xff\n1", Reason: "bad \xfe text"},
	} {
		t.Run(want, func(t *testing.T) {
			if got := e.Error(); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

func TestOpenError(t *testing.T) {
	path := filepath.Join(t.TempDir(), "none")
	_, cause := os.Open(path)
	err := OpenError(path, cause, "a model")
	if got, want := err.Error(), path+": no such file or directory: must be a model"; got != want ||
		!errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %q, want %q with the cause fs.ErrNotExist", got, want)
	}
	if again := OpenError(path, err, ""); again != err {
		t.Errorf("got %q for an error that names its file, want it unchanged", again)
	}
	if got := OpenError(path, nil, ""); got != nil {
		t.Errorf("got %v for no error, want nil", got)
	}
}
