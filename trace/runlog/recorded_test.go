package runlog

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"

	"schedtune/simcore"
)

// folder writes files of a run; names that end in .gz are packed.
func folder(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		data := []byte(text)
		if strings.HasSuffix(name, ".gz") {
			var b bytes.Buffer
			z := gzip.NewWriter(&b)
			z.Write(data) //nolint:errcheck // a buffer
			z.Close()
			data = b.Bytes()
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestKindOf(t *testing.T) {
	tables := []string{"jobs.csv", "tasks.csv.gz", "containers.csv"}
	for _, c := range []struct {
		names []string
		want  Kind
	}{
		{nil, None},
		{[]string{"scenario.json", "jobs.csv"}, None},
		{tables[:2], None},
		{tables, Tables},
		{append([]string{"scenario.json"}, tables...), Tables},
		{append([]string{"scenario.json", "capacity-scheduler.xml"}, tables...), Planned},
		{append([]string{"scenario.json", "capacity-scheduler.xml", "executors.csv"}, tables...), Spark},
	} {
		files := map[string]string{}
		for _, n := range c.names {
			files[n] = ""
		}
		if got := KindOf(folder(t, files)); got != c.want {
			t.Errorf("%v: kind %d, want %d", c.names, got, c.want)
		}
	}
}

func TestTable(t *testing.T) {
	dir := folder(t, map[string]string{"a.csv.gz": "\ufefft_ms,n,name\r\n1.5,7,x\r\n,,y\r\n"})
	var rows []*Row
	if err := Table(dir, "a.csv", []string{"t_ms"}, func(r *Row) error {
		rows = append(rows, &Row{cols: r.cols, v: slices.Clone(r.v)})
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	a, b := rows[0], rows[1]
	if a.At("t_ms") != 1500*simcore.Microsecond || a.Int("n", -1) != 7 || a.Str("name") != "x" || a.Str("other") != "" {
		t.Errorf("first row: %v %v %q", a.At("t_ms"), a.Int("n", -1), a.Str("name"))
	}
	if b.At("t_ms") != simcore.Never || b.Int("n", -1) != -1 || b.Str("name") != "y" || (*Row)(nil).Str("name") != "" {
		t.Errorf("row of empty cells: %v %v %q", b.At("t_ms"), b.Int("n", -1), b.Str("name"))
	}
}

func TestTableFaults(t *testing.T) {
	own := errors.New("refused")
	for _, c := range []struct {
		text, want string
		need       []string
		f          func(*Row) error
	}{
		{"", "t.csv: the file is empty: must have a header", nil, nil},
		{"a,b\n1\n", "t.csv:2: wrong number of fields", nil, nil},
		{"a,b\n1,\"2\n", "t.csv:2: extraneous or missing", nil, nil},
		{"a,b\n", `t.csv:1: no column "c": the header must have a, c`, []string{"a", "c"}, nil},
		{"a,b\n1,2\n", `t.csv:2: no column "c"`, Every, func(r *Row) error { r.Str("c"); return nil }},
		{"a,b\n1,2\nx,2\n", `t.csv:3: column a: "x": must be a number`, nil, func(r *Row) error {
			r.Int("a", 0)
			r.Int("b", 0)
			return nil
		}},
		{"a,b\nNaN,2\n", `t.csv:2: column a: "NaN"`, nil, func(r *Row) error { r.At("a"); return nil }},
		{"a,b\n1e12,2\n", `t.csv:2: column a: "1e12": must be a number of at most 1e+11`, nil, func(r *Row) error {
			r.At("a")
			return nil
		}},
		{"a,b\n\n1,2\n", "t.csv:3: refused", nil, func(*Row) error { return own }},
	} {
		f := c.f
		if f == nil {
			f = func(*Row) error { return nil }
		}
		err := Table(folder(t, map[string]string{"t.csv": c.text}), "t.csv", c.need, f)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.text, err, c.want)
		}
	}
	if err := Table(t.TempDir(), "t.csv", nil, nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing table: %v", err)
	}
}

func TestEpoch(t *testing.T) {
	for text, want := range map[string]string{`{"t0_epoch_ms":7}`: "", `{}`: "no t0_epoch_ms",
		`{`: "result.json: unexpected end"} {
		at, err := Epoch(folder(t, map[string]string{"result.json": text}))
		if want == "" && (err != nil || at != 7) || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %d, %v, want %q", text, at, err, want)
		}
	}
}

// Whatever a table holds, reading it ends with rows or with an error that names
// the file.
func FuzzTable(f *testing.F) {
	f.Add("job,t_ms\na,1\n")
	f.Add("job\n\"\n")
	f.Fuzz(func(t *testing.T, text string) {
		dir := folder(t, map[string]string{"t.csv": text})
		err := Table(dir, "t.csv", nil, func(r *Row) error {
			if r.At("t_ms") != simcore.Never && r.Str("t_ms") == "" {
				t.Error("a time without a cell")
			}
			r.Int("n", 0)
			return nil
		})
		if err != nil && !strings.Contains(err.Error(), "t.csv") {
			t.Errorf("error without the file: %v", err)
		}
	})
}
