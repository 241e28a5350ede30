package models

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"schedtune/internal/cli"
	"schedtune/internal/fileio"
)

// A saved classification is written and read job by job, with the bytes and the errors of a whole.
func TestClassesFile(t *testing.T) {
	r, err := FitClasses("made", kinds(), ClassOptions{Seed: 3}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := r.Model.Write(&b); err != nil {
		t.Fatal(err)
	}
	if whole, _ := cli.EncodeJSON(*r.Model); cmp.Diff(string(whole), b.String()) != "" {
		t.Error(cmp.Diff(string(whole), b.String()))
	}
	path := filepath.Join(t.TempDir(), "model.json")
	open := func(text string, jobs bool) (*ClassesModel, error) {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return OpenClasses(path, jobs)
	}
	for _, jobs := range []bool{true, false} {
		m, err := open(b.String(), jobs)
		want := *r.Model
		if !jobs {
			want.Jobs = nil
		}
		if d := cmp.Diff(&want, m, cmpopts.EquateEmpty()); err != nil || d != "" {
			t.Errorf("with jobs %v: %v %s", jobs, err, d)
		}
	}
	for name, c := range map[string]struct {
		text string
		line int
	}{
		"cut off":      {b.String()[:b.Len()/2], strings.Count(b.String()[:b.Len()/2], "\n") + 1},
		"two":          {b.String() + "{}", strings.Count(b.String(), "\n") + 1},
		"a list":       {"[]", 1},
		"no job":       {strings.Replace(b.String(), `"jobs": [`, `"jobs": [null,`, 1), 0},
		"jobs no list": {"\n{\"jobs\": 3}", 2},
	} {
		_, err := open(c.text, true)
		var e *fileio.FileError
		if !errors.As(err, &e) || e.File != path || int(e.Line) != c.line {
			t.Errorf("%s: %v; want an error of %s, line %d", name, err, path, c.line)
		}
	}
}
