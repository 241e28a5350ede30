package tezlog_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"schedtune/internal/fileio"
	"schedtune/trace/tezlog"
)

var update = flag.Bool("update", false, "write the files of testdata again")

// read reads texts one after another.
func read(t testing.TB, texts ...[]byte) (*tezlog.Reader, []*tezlog.App) {
	t.Helper()
	r := tezlog.NewReader()
	for _, text := range texts {
		if err := r.Read(bytes.NewReader(text), "x"); err != nil {
			t.Fatal(err)
		}
	}
	return r, r.Apps()
}

// entries are the files of an archive.
func entries(t testing.TB, b []byte) (texts [][]byte) {
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(text, []byte("[]}")) || len(text) > 20 { // not the empty part
			texts = append(texts, text)
		}
	}
	return texts
}

// All forms tell the same.
func TestForms(t *testing.T) {
	list := sample()
	_, want := read(t, simple(list))
	a := want[0]
	if len(want) != 1 || a.User != "secret-ann" || a.Queue != "root.etl" || !a.Session() || len(a.DAGs) != 2 ||
		len(a.Containers) != 4 || a.TaskCount() != 12 || a.Caller != "HIVE_QUERY_ID" || len(a.Conf) != 6 {
		t.Fatalf("got %+v", a)
	}
	v := a.DAGs[1].Vertices[1]
	if len(v.Sources) != 1 || v.Sources[0] != (tezlog.Source{Edge: tezlog.Broadcast}) || v.Tasks != 2 {
		t.Errorf("got %+v", v)
	}
	halves := history(list)
	zipped := append(entries(t, archive(list, 1)), entries(t, archive(list, 2))...)
	for _, c := range []struct {
		name  string
		texts [][]byte
		apps  bool // the form has the application itself
	}{
		{"simple in two files", [][]byte{simple(list[40:]), simple(list[:40])}, true},
		{"protobuf", [][]byte{sequence(halves[:30], true), sequence(halves[30:], false)}, true},
		{"timeline server", [][]byte{ats(list)}, true},
		{"archive", zipped, false},
		{"twice", [][]byte{simple(list), sequence(halves, true)}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, got := read(t, c.texts...)
			if len(r.Notes()) > 0 {
				t.Errorf("notes: %+v", r.Notes())
			}
			opts := cmp.Options{cmp.AllowUnexported(tezlog.DAG{})}
			if !c.apps {
				opts = append(opts, cmpopts.IgnoreFields(tezlog.App{}, "Conf", "Attempt", "Submit", "Launched", "Ready"),
					cmpopts.IgnoreFields(tezlog.Container{}, "Launched"))
			}
			if diff := cmp.Diff(want, got, opts); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Hive's history tells when a query was submitted; queries without a DAG are noted.
func TestArrivals(t *testing.T) {
	r, apps := read(t, sequence(queries(), true), simple(sample()))
	for i, want := range []tezlog.Millis{tezlog.Millis(epoch) + 3000, tezlog.Millis(epoch) + 16_000} {
		if d := apps[0].DAGs[i]; d.Arrival != want || d.Wish != "etl" {
			t.Errorf("DAG %d: arrival %d, want %d; wish %s", d.ID, d.Arrival, want, d.Wish)
		}
	}
	if n := r.Notes(); len(n) != 1 || n[0].Kind != tezlog.Dropped || n[0].Count != 1 {
		t.Errorf("notes: %+v", n)
	}
}

// What is kept has no name of a DAG, a vertex, a query or a setting beyond those that matter.
func TestPrivateTexts(t *testing.T) {
	_, apps := read(t, simple(sample()), sequence(queries(), true))
	for _, a := range []*tezlog.App{apps[0], apps[0].Anonymous("job_1", "user1", func(string) string { return "host1" })} {
		b, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		text := strings.NewReplacer("secret-ann", "", "secret-host0", "", "secret-host1", "").Replace(string(b))
		if a != apps[0] {
			text = string(b)
		}
		for _, word := range []string{"secret", "select", "Map", "key", "container_"} {
			if strings.Contains(text, word) && (word != "container_" || a != apps[0]) {
				t.Errorf("%s is left in %s", word, text)
			}
		}
		var back tezlog.App
		if err := json.Unmarshal(b, &back); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(*a, back, cmpopts.IgnoreUnexported(tezlog.DAG{})); diff != "" {
			t.Error(diff)
		}
	}
}

// Damage is noted, and what can be read counts.
func TestDamage(t *testing.T) {
	list := sample()
	plain, packed := simple(list), sequence(history(list), true)
	lines := bytes.SplitAfter(plain, []byte("\n"))
	for _, c := range []struct {
		name  string
		text  []byte
		kind  string // of the note, empty: an error
		tasks int
	}{
		{"last record cut off", plain[:len(plain)-40], tezlog.Missing, 12},
		{"a line of nothing", append(append(bytes.Clone(lines[0]), "}{\n"...), bytes.Join(lines[1:], nil)...),
			tezlog.Dropped, 12},
		{"another type", bytes.ReplaceAll(plain, []byte(`"events":[{"eventtype":"AM_STARTED"`),
			[]byte(`"events":7,"x":[{"eventtype":"AM_STARTED"`)), tezlog.Dropped, 12},
		{"sequence cut in a record", packed[:len(packed)-5], tezlog.Missing, 12},
		{"wrong record length", append(bytes.Clone(packed[:len(packed)-5]), bytes.Repeat([]byte{0x7f}, 40)...), "", 0},
		{"wrong varint", badVarint(), "", 0},
		{"header cut", packed[:60], "", 0},
		{"no record of Tez", []byte(`{"entities":[]}`), "", 0},
		{"document cut", ats(list)[:4000], "", 0},
		{"deep", bytes.Repeat([]byte(`{"a":[`), 10_000), "", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := tezlog.NewReader()
			err := r.Read(bytes.NewReader(c.text), "x")
			var known *fileio.FileError
			if (err != nil) != (c.kind == "") || err != nil && (!errors.As(err, &known) || known.File != "x") {
				t.Fatalf("error %v", err)
			}
			if err != nil {
				return
			}
			apps := r.Apps()
			if n := r.Notes(); len(n) != 1 || n[0].Kind != c.kind || n[0].Count != 1 {
				t.Errorf("notes %+v", n)
			}
			if got := apps[0].TaskCount(); got != c.tasks {
				t.Errorf("%d tasks, want %d", got, c.tasks)
			}
		})
	}
}

// badVarint is a file whose second message is longer than its record.
func badVarint() []byte {
	m := history(sample())[:2]
	good, b := sequence(m[:1], false), sequence(m, false)
	b[len(good)+8] |= 0x80 // where the length begins
	b[len(good)+9] = 0x7f
	return b
}

// The files that other packages' tests read are those that the forms write.
func TestFixtures(t *testing.T) {
	list := sample()
	for name, want := range map[string][]byte{
		"simple/history.txt.appattempt_" + app + "_000001": simple(list),
		"archive/dag_" + app + "_1.zip":                    archive(list, 1),
		"ats/entities.json":                                ats(list),
	} {
		path := filepath.Join("testdata", name)
		if *update {
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s differs from what the form is (go test -update writes it): %v", path, err)
		}
	}
	for name, messages := range map[string][][]byte{"proto/dag_data/date=2020-09-13/dag_" + app: history(list),
		"query_data/date=2020-09-13/hive_1": queries()} {
		path := filepath.Join("testdata", name)
		if *update {
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, sequence(messages, true), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(path) // pairs of a message have no order
		if err != nil || len(got) == 0 {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// fuzz reads whatever there is: the error names the file, and an application that comes can
// be written and read again.
func fuzz(f *testing.F, seeds ...[]byte) {
	for _, s := range seeds {
		f.Add(s)
		f.Add(s[:len(s)/2])
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		r := tezlog.NewReader()
		var known *fileio.FileError
		if err := r.Read(bytes.NewReader(b), "x"); err != nil && (!errors.As(err, &known) || known.File != "x") {
			t.Fatalf("%v names no file", err)
		}
		for _, a := range r.Apps() {
			text, err := json.Marshal(a)
			if err != nil {
				t.Fatal(err)
			}
			var back tezlog.App
			if err := json.Unmarshal(text, &back); err != nil {
				t.Fatal(err)
			}
			if err := back.Check(); err != nil {
				t.Fatal(err)
			}
			back.Shift(-5).Scale(0.5)
			back.Lives(1)
		}
	})
}

func FuzzSimple(f *testing.F)   { fuzz(f, simple(sample()[:30])) }
func FuzzTimeline(f *testing.F) { fuzz(f, ats(sample()[:30])) }
func FuzzSequence(f *testing.F) {
	fuzz(f, sequence(history(sample()[:30]), false), sequence(history(sample()[:30]), true), sequence(queries(), false))
}
