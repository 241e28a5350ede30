package models

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"schedtune/classify/modelfile"
	"schedtune/internal/text"
	"schedtune/validation/testdata"
)

// all reads a log and prints its rows, one per line, and its unreadable rows.
func all(t *testing.T, text string) string {
	t.Helper()
	r, err := NewReader(strings.NewReader(text), Names{})
	if err != nil {
		return "error: " + err.Error()
	}
	var b strings.Builder
	form := "csv"
	switch {
	case r.polled:
		form = "rm-nodes"
	case r.json.keys != nil:
		form = "json-lines"
	}
	fmt.Fprintf(&b, "%s %v\n", form, r.Columns())
	for {
		row, err := r.Next()
		switch {
		case errors.Is(err, io.EOF):
			return b.String()
		case err != nil:
			t.Fatal(err)
		case row.Err != nil:
			fmt.Fprintf(&b, "bad line %d: %v\n", row.Line, row.Err)
		default:
			fmt.Fprintf(&b, "%d t=%v node=%s job=%s kind=%s decision=%v outcome=%d %v\n", row.Line, row.Time, row.Node, row.Job,
				row.Kind, row.Decision, row.Outcome, row.Values)
		}
	}
}

func TestForms(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"csv", "time,node,load1,cpus,outcome\n5,n1,4.4,4,bad\n\n10,\"n,2\",,4,\n", `csv [load1 cpus]
2 t=5 node=n1 job= kind= decision=true outcome=0 [4.4 4]
4 t=10 node=n,2 job= kind= decision=true outcome=-1 [NaN 4]
`},
		{"csv with faults", "a,decision\nx,1\n1\n2,0,3\n\"2,0\n3,0\n", `csv [a]
bad line 2: field 1: "x" where a number is expected
bad line 3: 1 fields: must be 2 as in the header
bad line 4: 3 fields: must be 2 as in the header
bad line 5: extraneous or missing " in quoted-field
6 t=NaN node= job= kind= decision=false outcome=-1 [3]
`},
		{"decisions", "a,decision\n1,0\n2,0.0\n3,FALSE\n4,1\n5,\n6,2\n7,no\n8,NaN\n", `csv [a]
2 t=NaN node= job= kind= decision=false outcome=-1 [1]
3 t=NaN node= job= kind= decision=false outcome=-1 [2]
4 t=NaN node= job= kind= decision=false outcome=-1 [3]
5 t=NaN node= job= kind= decision=true outcome=-1 [4]
6 t=NaN node= job= kind= decision=true outcome=-1 [5]
7 t=NaN node= job= kind= decision=true outcome=-1 [6]
bad line 8: field 2: decision "no": must be 0 or false where nothing was assigned, else another number or true
bad line 9: field 2: decision "NaN": must be 0 or false where nothing was assigned, else another number or true
`},
		{"a column named nodes", `{"node": "n1", "nodes": 5}`, `json-lines [nodes]
1 t=NaN node=n1 job= kind= decision=true outcome=-1 [5]
`},
		{"crlf and byte order mark", "\xef\xbb\xbfa,b\r\n1,2\r\n", `csv [a b]
2 t=NaN node= job= kind= decision=true outcome=-1 [1 2]
`},
		{"no end of line", "a\n7", `csv [a]
2 t=NaN node= job= kind= decision=true outcome=-1 [7]
`},
		{"json lines", `{"time": 5, "node": "n1", "load1": 4.5, "up": true, "outcome": "good"}
{"node":"n\u0032","load1":null,"new":3,"decision":false,"job":"sort","kind":"map"}
{"load1":"high"}
{"load1":{}}
{"load1":1} x
{"load1":1e999}
{"up":false,"outcome":false}
`, `json-lines [load1 up]
1 t=5 node=n1 job= kind= decision=true outcome=1 [4.5 1]
2 t=NaN node=n2 job=sort kind=map decision=false outcome=-1 [NaN NaN]
bad line 3: key "load1": "high" where a number is expected
bad line 4: key "load1": must be a number, a text, true, false or null
bad line 5: invalid character 'x' after top-level value
bad line 6: key "load1": "1e999" where a number is expected
7 t=NaN node= job= kind= decision=true outcome=0 [NaN 0]
`},
		{"resource manager",
			`{"t_ms":2000,"body":{"nodes":{"node":[{"id":"h:1","numContainers":3,"usedMemoryMB":768,"availMemoryMB":256,"usedVirtualCores":3,"availableVirtualCores":5,"resourceUtilization":{"nodePhysicalMemoryMB":512,"nodeCPUUsage":1.5}},{"id":"h:2","state":"LOST"}]}}}
{"nodes":{"node":[{"id":"h:1","availMemoryMB":1024,"lastHealthUpdate":7000}]}}
{"nodes":7}
{"apps":{}}
`, `rm-nodes [containers used_memory total_memory used_vcores total_vcores memory vcores cpu physical_memory]
1 t=2 node=h:1 job= kind= decision=true outcome=-1 [3 768 1024 3 8 0.75 0.375 1.5 0.5]
1 t=2 node=h:2 job= kind= decision=true outcome=-1 [0 0 0 0 0 NaN NaN NaN NaN]
2 t=7 node=h:1 job= kind= decision=true outcome=-1 [0 0 1024 0 0 0 NaN NaN NaN]
bad line 3: json: cannot unmarshal number into Go struct field rmAnswer.rmBody.nodes of type struct { Node []models.rmNode "json:\"node\"" }
bad line 4: no nodes in the answer; use an answer of /ws/v1/cluster/nodes
`},
		{"empty", " \n\n", "error: the log is empty; use CSV with a header, JSON lines, or answers of /ws/v1/cluster/nodes"},
		{"no header", "1,2\n", "error: header: column 1 is the number 1; use a header line with column names first"},
		{"semicolons", "a;b\n1;2\n",
			`error: header: one column, "a;b"; use names and numbers with commas between them`},
		{"tabs", "a\tb\n1\t2\n", `error: header: one column, "a\tb"; use names and numbers with commas between them`},
		{"column twice", "a,a\n", `error: header: column 2 is named "a": must be different names, not empty`},
		{"text column", `{"x":"y"}`, "json-lines [x]\nbad line 1: key \"x\": \"y\" where a number is expected\n"},
		{"unknown values", "a,b,c\nNA,null,-\nNaN,None,1\n", `csv [a b c]
2 t=NaN node= job= kind= decision=true outcome=-1 [NaN NaN NaN]
3 t=NaN node= job= kind= decision=true outcome=-1 [NaN NaN 1]
`},
		{"times of ISO 8601", "time,a\n2024-01-01T00:00:00Z,1\n2024-01-01 00:00:01.5,2\n2024-01-01T02:00:02+02:00,3\n" +
			"noon,4\n",
			`csv [a]
2 t=1.7040672e+09 node= job= kind= decision=true outcome=-1 [1]
3 t=1.7040672015e+09 node= job= kind= decision=true outcome=-1 [2]
4 t=1.704067202e+09 node= job= kind= decision=true outcome=-1 [3]
bad line 5: field 1: time "noon": must be seconds, or a time such as 2024-01-31T12:00:00Z
`},
		{"array", "[\n{\"x\": 1}]", "error: a JSON array: must be one object per line"},
	} {
		got := all(t, c.in)
		if c.name == "resource manager" { // the wording of encoding/json is not ours
			got, c.want = cutLine(got, "bad line 3"), cutLine(c.want, "bad line 3")
		}
		if got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

func cutLine(s, prefix string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, prefix) {
			lines[i] = prefix
		}
	}
	return strings.Join(lines, "\n")
}

func TestPacked(t *testing.T) {
	const text = "a\n1\n"
	var g, z bytes.Buffer
	gw := gzip.NewWriter(&g)
	gw.Write([]byte(text))
	gw.Close()
	zw, err := zstd.NewWriter(&z)
	if err != nil {
		t.Fatal(err)
	}
	zw.Write([]byte(text))
	zw.Close()
	if want := all(t, text); all(t, g.String()) != want || all(t, z.String()) != want {
		t.Error("packed logs must read as plain ones")
	}
}

// A line beyond the buffer is read, one beyond the limit is a bad row that does
// not stop the reading.
func TestLongLines(t *testing.T) {
	long := strings.Repeat(" ", 1<<17) + "1\n"
	if got := all(t, "a\n"+long+"2\n"); !strings.Contains(got, "2 t=NaN node= job= kind= decision=true outcome=-1 [1]") ||
		!strings.Contains(got, "3 t=NaN") {
		t.Errorf("long line: %s", got)
	}
	if testing.Short() {
		return
	}
	r, err := NewReader(io.MultiReader(strings.NewReader("a\n"), io.LimitReader(endless{}, 96<<20),
		strings.NewReader("\n5\n")), Names{})
	if err != nil {
		t.Fatal(err)
	}
	if row, err := r.Next(); err != nil || row.Err == nil || row.Line != 2 {
		t.Errorf("too long a line: %v, want a bad row at line 2", err)
	}
	if row, err := r.Next(); err != nil || row.Values[0] != 5 || row.Line != 3 {
		t.Errorf("the line after it: %v, %v", row, err)
	}
}

// endless is a stream of ones.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '1'
	}
	return len(p), nil
}

func TestWriterRoundTrip(t *testing.T) {
	var b bytes.Buffer
	w, err := NewWriter(&b, []string{"x", "y"})
	if err != nil {
		t.Fatal(err)
	}
	rows := []Row{
		{Time: 1.5, Node: "n1", Job: "sort", Kind: "map", Decision: true, Outcome: 0, Values: []float64{1, math.NaN()}},
		{Time: 2, Node: "n2", Decision: false, Outcome: -1, Values: []float64{0.1, 2}},
	}
	for i := range rows {
		if err := w.Write(&rows[i]); err != nil {
			t.Fatal(err)
		}
	}
	w.Flush()
	want := `csv [x y]
2 t=1.5 node=n1 job=sort kind=map decision=true outcome=0 [1 NaN]
3 t=2 node=n2 job= kind= decision=false outcome=-1 [0.1 2]
`
	if got := all(t, b.String()); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if w.Write(&Row{Values: []float64{1}}) == nil || w.Write(&Row{Node: "a\nb", Values: []float64{1, 2}}) == nil {
		t.Error("a short row and a name with a line break must be errors")
	}
}

// The sample reads without a bad row, is the same for the same seed, and holds
// both overloaded and idle nodes.
func TestSample(t *testing.T) {
	var a, b bytes.Buffer
	if err := WriteSample(&a, 3000, 1); err != nil {
		t.Fatal(err)
	}
	WriteSample(&b, 3000, 1)
	if a.String() != b.String() {
		t.Error("the same seed must give the same log")
	}
	r, err := NewReader(&a, Names{})
	if err != nil {
		t.Fatal(err)
	}
	over, err := (&modelfile.Space{Columns: r.Columns()}).Parse("load1/cpus > 1")
	if err != nil {
		t.Fatal(err)
	}
	rows, bad, decisions := 0, 0.0, 0
	for {
		row, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		rows++
		bad += over.Eval(row.Values)
		if row.Decision {
			decisions++
		}
	}
	if share := bad / float64(rows); rows != 3000 || share < 0.1 || share > 0.9 || decisions < 600 || decisions > 900 {
		t.Errorf("%d rows, %.2f overloaded, %d decisions; want 3000, both kinds, a quarter", rows, share, decisions)
	}
}

// Recorded answers of a ResourceManager with three or four nodes of 1024 MiB, one
// every two seconds for more than a minute.
func TestFitlogRecordedNodes(t *testing.T) {
	for _, run := range testdata.Runs(t, "minimr/run-01*") {
		t.Run(filepath.Base(run), func(t *testing.T) { recordedNodes(t, run) })
	}
}

func recordedNodes(t *testing.T, run string) {
	path := filepath.Join(run, "rest-nodes.jsonl")
	if _, err := os.Stat(path); err != nil {
		path += ".gz"
	}
	f := open(t, path)
	defer f.Close()
	r, err := NewReader(f, Names{})
	if err != nil {
		t.Fatal(err)
	}
	rows, nodes := 0, map[string]bool{}
	for {
		row, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		rows++
		nodes[row.Node] = true
		if row.Values[2] != 1024 {
			t.Fatalf("line %d: total memory %v, want 1024", row.Line, row.Values[2])
		}
	}
	if !r.polled || len(nodes) < 3 || rows < 30*len(nodes) {
		t.Errorf("%d rows of %d nodes, want at least 30 each of 3 or 4", rows, len(nodes))
	}
}

func FuzzReader(f *testing.F) {
	f.Add([]byte("time,node,load1\n1,n,2\n"))
	f.Add([]byte(`{"a":1,"outcome":"good"}` + "\n" + `{"a":2}`))
	f.Add([]byte(`{"nodes":{"node":[{"id":"x"}]}}`))
	f.Add([]byte("\x1f\x8b\x08"))
	f.Add([]byte("a,\"b\"\"c\"\n1,2\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := NewReader(bytes.NewReader(b), Names{})
		if err != nil {
			return
		}
		for i := 0; i < 10000; i++ {
			row, err := r.Next()
			if err != nil {
				return
			}
			if len(row.Values) != len(r.Columns()) {
				t.Fatalf("%d values for %d columns", len(row.Values), len(r.Columns()))
			}
		}
	})
}

// BenchmarkRead reads the standard columns: at least a million rows per minute
// and core are wanted, that is 16.7 k rows/s.
func BenchmarkRead(b *testing.B) {
	var csv bytes.Buffer
	if err := WriteSample(&csv, 20000, 1); err != nil {
		b.Fatal(err)
	}
	forms := map[string][]byte{"csv": csv.Bytes(), "json-lines": toJSON(b, csv.Bytes())}
	for _, form := range []string{"csv", "json-lines"} {
		b.Run("form="+form, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(forms[form])))
			rows, cpu := 0, text.Seconds()
			for range b.N {
				r, err := NewReader(bytes.NewReader(forms[form]), Names{})
				if err != nil {
					b.Fatal(err)
				}
				for {
					if _, err := r.Next(); err != nil {
						break
					}
					rows++
				}
			}
			if used := text.Seconds() - cpu; used > 0 {
				b.ReportMetric(float64(rows)*60/used/1e6, "Mrows/cpu-min")
			}
		})
	}
}

func toJSON(b *testing.B, csv []byte) []byte {
	r, err := NewReader(bytes.NewReader(csv), Names{})
	if err != nil {
		b.Fatal(err)
	}
	var out bytes.Buffer
	for {
		row, err := r.Next()
		if err != nil {
			return out.Bytes()
		}
		fmt.Fprintf(&out, `{"time":%v,"node":%q,"decision":%v`, row.Time, row.Node, row.Decision)
		for i, c := range r.Columns() {
			if v := row.Values[i]; v == v {
				fmt.Fprintf(&out, `,%q:%v`, c, v)
			} else {
				fmt.Fprintf(&out, `,%q:null`, c)
			}
		}
		out.WriteString("}\n")
	}
}

func open(t *testing.T, path string) *os.File {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return f
}
