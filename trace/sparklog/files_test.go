package sparklog

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"schedtune/validation/testdata"
)

func write(t testing.TB, path string, b []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b, 0o644); err != nil {
		t.Fatal(err)
	}
}

func gzipped(b []byte) []byte {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	z.Write(b)
	z.Close()
	return out.Bytes()
}

func zstded(t testing.TB, b []byte) []byte {
	var out bytes.Buffer
	z, err := zstd.NewWriter(&out)
	if err != nil {
		t.Fatal(err)
	}
	z.Write(b)
	z.Close()
	return out.Bytes()
}

// The same application comes out of one file, of a packed one, and of a folder
// whose parts are packed one by one.
func TestFilesAndFolders(t *testing.T) {
	text := []byte(logText(t))
	want := read(t, string(text))
	dir := t.TempDir()
	lines := bytes.SplitAfter(text, []byte("\n"))
	part := func(from, to int) []byte { return bytes.Join(lines[from:to], nil) }
	write(t, dir+"/plain", text)
	write(t, dir+"/app.gz", gzipped(text))
	write(t, dir+"/app.zstd.inprogress", zstded(t, text))
	roll := dir + "/eventlog_v2_application_1700000000000_0001_1"
	for i := range 11 { // part 10 and 11 come after part 9
		to := (i + 1) * len(lines) / 11
		write(t, filepath.Join(roll, "events_"+strconv.Itoa(i+1)+"_application_1700000000000_0001_1.zstd"),
			zstded(t, part(i*len(lines)/11, to)))
	}
	write(t, roll+"/appstatus_application_1700000000000_0001_1", nil)
	for _, f := range []string{dir + "/plain", dir + "/app.gz", dir + "/app.zstd.inprogress", roll} {
		got, err := Open(f)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", f, d)
		}
	}
}

// A compacted part stands for all before it; those that are still there are
// not read.
func TestCompacted(t *testing.T) {
	dir := t.TempDir() + "/eventlog_v2_application_1_1"
	start := `{"Event":"SparkListenerApplicationStart","App ID":"application_1_1","Timestamp":1700000000000}` + "\n"
	job := func(id string) string {
		return `{"Event":"SparkListenerJobStart","Job ID":` + id + `,"Submission Time":1700000001000,"Stage IDs":[]}` + "\n"
	}
	write(t, dir+"/events_1_application_1_1", []byte(start+job("0")))
	write(t, dir+"/events_2_application_1_1", []byte(job("1")))
	write(t, dir+"/events_2_application_1_1.compact", []byte(start+job("1")))
	write(t, dir+"/events_3_application_1_1", []byte(job("2")))
	a, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Jobs) != 2 || a.Jobs[0].ID != 1 || a.Jobs[1].ID != 2 {
		t.Errorf("%+v", a.Jobs)
	}
	if !strings.Contains(a.Notes[0].Text, "compacted") || !strings.HasSuffix(a.Notes[0].Where, ".compact:0") {
		t.Errorf("%+v", a.Notes)
	}
}

// A packed log that is cut off in a block, as that of a running application,
// is read up to there.
func TestPackedCutOff(t *testing.T) {
	_, later, _ := strings.Cut(logText(t), "ApplicationStart") // the rest of that line is none
	text := []byte(logText(t) + strings.Repeat(later, 39))
	for name, b := range map[string][]byte{"gz": gzipped(text), "zstd": zstded(t, text)} {
		path := t.TempDir() + "/application_1_1." + name
		write(t, path, b[:len(b)-40])
		a, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, n := range a.Notes {
			found = found || strings.Contains(n.Text, "packed text is cut off") && strings.HasPrefix(n.Where, path+":")
		}
		if !found || a.Events.Read < 20 {
			t.Errorf("%s: %+v %v", name, a.Events, a.Notes)
		}
	}
}

func TestNotALog(t *testing.T) {
	path := t.TempDir() + "/x"
	write(t, path, []byte("hello\n"))
	if _, err := Open(path); err == nil || !strings.Contains(err.Error(), "no event of a Spark application") {
		t.Error(err)
	}
}

// The public logs: counts by their own lines, see each row.
func TestPublicLogs(t *testing.T) {
	dir := testdata.Shared(t, "traces/spark")
	for _, c := range []struct {
		path                              string
		version                           string
		manager                           Manager
		jobs, stages, tasks, execs, lines int // as grep -c counts them
		note                              string
	}{
		{"nds_q72_dataproc_2_2.zstd", "3.5.3", YARN, 49, 49, 13504, 8, 27321, ""},
		{"spark2-eventlog.zstd", "2.2.3", Local, 6, 6, 6, 1, 58, ""},
		{"eventlog_v2_local-1623876083964", "3.1.1", Local, 1, 4, 2801, 1, 5621, ""},
		{"cluster_information/eventlog_4nodes_8cores_dynamic_alloc.zstd", "3.2.1", YARN, 20, 20, 235, 15, 665, ""},
		{"cluster_information/eventlog_3nodes_12cores_multiple_executors.gz", "", Local, 3, 3, 3, 5, 40, ""},
		{"multiple_attempts/attempt_1_eventlog.zstd", "", YARN, 5, 5, 107, 10, 275, ""},
		{"truncated_eventlog.gz", "3.1.1", Local, 2, 3, 21, 1, 62, "ends of tasks that started"},
		{"malformed_json_eventlog.zstd", "3.1.1", YARN, 2, 5, 217, 9, 477, "lines that are not events"},
	} {
		a, err := Open(filepath.Join(dir, c.path))
		if err != nil {
			t.Fatal(err)
		}
		tasks := 0
		for i := range a.Stages {
			tasks += len(a.Stages[i].Attempts)
		}
		got := []int{len(a.Jobs), len(a.Stages), tasks, len(a.Executors), int(a.Events.Lines)}
		if d := cmp.Diff([]int{c.jobs, c.stages, c.tasks, c.execs, c.lines}, got); d != "" {
			t.Errorf("%s: jobs, stages, tasks, executors, lines: %s", c.path, d)
		}
		if c.version != "" && a.Version != c.version || a.Manager() != c.manager || a.Events.Unknown != 0 {
			t.Errorf("%s: version %s, manager %s, events %+v", c.path, a.Version, a.Manager(), a.Events)
		}
		found := c.note == ""
		for _, n := range a.Notes {
			found = found || c.note != "" && strings.Contains(n.Text, c.note)
		}
		if !found {
			t.Errorf("%s: no note %q in %+v", c.path, c.note, a.Notes)
		}
	}
}

// A folder in the folder of a rolling log is no part of it, whatever its name.
func TestFolderInARollingLog(t *testing.T) {
	dir := t.TempDir() + "/eventlog_v2_application_1_1"
	write(t, dir+"/events_1_application_1_1", []byte(
		`{"Event":"SparkListenerApplicationStart","App ID":"application_1_1","Timestamp":1700000000000}`+"\n"))
	write(t, dir+"/events_2_application_1_1/events_3_x", []byte("nothing\n"))
	a, err := Open(dir)
	if err != nil || a.Events.Lines != 1 {
		t.Errorf("%v, %+v", err, a)
	}
	if _, err := Open(dir + "/none"); err == nil {
		t.Error("what is not there was read")
	}
}
