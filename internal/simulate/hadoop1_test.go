package simulate

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"schedtune/internal/fileio"
	"schedtune/internal/scenario"
)

func TestParseNumbers(t *testing.T) {
	names := []string{"ann", "bob", "eve"}
	for _, c := range []struct {
		name, text string
		want       [][]float64
		unknown    []string
		line       int64  // of the error, 0 for none
		key        string // of the error
	}{
		{"columns in another order", "weight,user,min-share\n2,bob,5\n", [][]float64{nil, {5, 2}, nil}, nil, 0, ""},
		{"everybody else", "user,min-share,weight\nann,1,1\n*,0,3\n", [][]float64{{1, 1}, {0, 3}, {0, 3}}, nil, 0, ""},
		{"a user without jobs", "user,min-share,weight\nzoe,1,1\n", [][]float64{nil, nil, nil}, []string{"zoe"}, 0, ""},
		{"no such column", "weight\n2\n", nil, nil, 1, "user"},
		{"unknown column", "user,colour\nann,3\n", nil, nil, 2, "colour"},
		{"no number", "user,min-share\nann,1\nbob,NaN\n", nil, nil, 3, "min-share"},
		{"twice", "user,min-share\nann,1\nann,2\n", nil, nil, 3, "ann"},
	} {
		t.Run(c.name, func(t *testing.T) {
			rows, unknown, err := parseNumbers("f.csv", []byte(c.text), "user", shareColumns, names)
			var f *fileio.FileError
			if c.line > 0 {
				if !errors.As(err, &f) || f.Line != c.line || f.Key != c.key {
					t.Errorf("got error %v, want one of line %d, %s", err, c.line, c.key)
				}
				return
			}
			if err != nil || !slices.EqualFunc(rows, c.want, slices.Equal) || !slices.Equal(unknown, c.unknown) {
				t.Errorf("got %v, %v, %v, want %v, %v", rows, unknown, err, c.want, c.unknown)
			}
		})
	}
}

// A table without a header is refused by the name of its file.
func TestParseNumbersOfNothing(t *testing.T) {
	_, _, err := parseNumbers("f.csv", nil, "user", shareColumns, nil)
	if f := (*fileio.FileError)(nil); !errors.As(err, &f) || f.File != "f.csv" {
		t.Errorf("got %v, want an error of f.csv", err)
	}
}

func FuzzParseNumbers(f *testing.F) {
	f.Add([]byte("user,min-share,weight\nann,1,2\n*,0,1\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		rows, _, err := parseNumbers("f.csv", data, "user", shareColumns, []string{"ann", "bob"})
		if err == nil && len(rows) != 2 {
			t.Errorf("got %d rows, want 2", len(rows))
		}
	})
}

// mr1Files are a trace of two queues and a queue file of Hadoop 1.
func mr1Files(t *testing.T, capacity string) scenario.Files {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	property := func(name, value string) string {
		return "<property><name>mapred.capacity-scheduler." + name + "</name><value>" + value + "</value></property>"
	}
	rest := map[string]string{"90": "10", "10": "90"}[capacity]
	return scenario.Files{
		Traces: []string{write("trace.swf", "1 0 0 20 80 -1 -1 80 60 -1 1 7 1 4 1 -1 -1 -1\n"+
			"2 0 0 20 80 -1 -1 80 60 -1 1 8 1 4 2 -1 -1 -1\n")},
		Cluster: write("cluster.yaml",
			"nodes:\n  - count: 4\n    memory: 4096\n    vcores: 4\n"),
		Config: write("mr1.xml", "<configuration>"+property("queue.queue1.capacity", capacity)+
			property("queue.queue2.capacity", rest)+property("queue.queue1.maximum-capacity", capacity)+"</configuration>"),
	}
}

// A queue file of Hadoop 1 decides: a queue held to 10 % ends later than one that may have 90 %.
func TestHadoop1QueueFile(t *testing.T) {
	span := map[string]float64{}
	for _, capacity := range []string{"90", "10"} {
		in := mr1Files(t, capacity)
		r, err := Load(in, "", Options{Scheduler: "capacity-mr1"})
		if err != nil {
			t.Fatal(err)
		}
		res, err := r.Run(context.Background(), Item{Slowstart: -1, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		span[capacity] = Value(res, "queue.queue1.makespan")
		if len(r.Ignored()) < 5 {
			t.Errorf("ignored parameters: got %v, want those of the file", r.Ignored())
		}
		if _, err := Load(in, "", Options{Scheduler: "capacity-mr1:maximum-system-jobs=1"}); err == nil {
			t.Error("a parameter that the file sets: got no error")
		}
		in.QueueMap = "q:queue2:other"
		var hint *scenario.HintError
		if _, err := Load(in, "", Options{Scheduler: "capacity-mr1"}); !errors.As(err, &hint) {
			t.Errorf("a queue that the file has not: got %v, want advice", err)
		}
	}
	if !(span["10"] > 2*span["90"]) {
		t.Errorf("makespan of the large queue: got %v with 10 %%, want more than twice %v", span["10"], span["90"])
	}
}
