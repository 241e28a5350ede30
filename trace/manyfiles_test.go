package trace

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/gzip"
)

// These tests hold one record in several files, as clusters keep them, against the same
// record in one.

// rmLines are the audit lines of four applications of three containers each, one every
// ten seconds, and their summaries; the clock is two hours ahead of UTC.
func rmLines() (audit, summary []string) {
	t0 := time.Date(2026, 3, 1, 6, 0, 0, 0, time.UTC)
	stamp := func(s int) string {
		return t0.Add(2*time.Hour + time.Duration(s)*time.Second).Format("2006-01-02 15:04:05,000")
	}
	type line struct {
		at   int
		text string
	}
	var lines []line
	for a := range 4 {
		id := fmt.Sprintf("1772000000000_%04d", a+1)
		at := a * 10
		add := func(s int, format string, args ...any) {
			lines = append(lines, line{at + s, fmt.Sprintf("USER=u%d\t", a%2) + fmt.Sprintf(format, args...) +
				"\tRESULT=SUCCESS\tAPPID=application_" + id})
		}
		add(0, "OPERATION=Submit Application Request\tQUEUENAME=q%d", a%2)
		for c := range 3 {
			add(1+2*c, "OPERATION=AM Allocated Container\tCONTAINERID=container_%s_01_%06d\tRESOURCE=<memory:%d, "+
				"vCores:1>\tQUEUENAME=q%d", id, c+1, 512*(c+1), a%2)
			add(20+c, "OPERATION=AM Released Container\tCONTAINERID=container_%s_01_%06d\tRESOURCE=<memory:%d, vCores:1>", id,
				c+1, 512*(c+1))
		}
		add(23, "OPERATION=Application Finished - Succeeded\tTARGET=RMAppManager")
		from := t0.UnixMilli() + int64(at)*1000
		summary = append(summary,
			fmt.Sprintf(
				"%s INFO S: appId=application_%s,name=n,user=u%d,queue=root.q%d,submitTime=%d,startTime=%d,launchTime=%d,finishTime=%d,finalStatus=SUCCEEDED,memorySeconds=9,vcoreSeconds=8,applicationType=TEZ,applicationNodeLabel=gpu,totalAllocatedContainers=3",
				stamp(at+23), id, a%2, a%2, from-50, from-40, from+1500, from+23_000))
	}
	for s := range 60 {
		for _, l := range lines {
			if l.at == s {
				audit = append(audit, stamp(s)+" INFO RMAuditLogger: "+l.text)
			}
		}
	}
	return audit, summary
}

// folderOf writes files into a new folder; those named .gz are packed.
func folderOf(t *testing.T, files map[string][]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, lines := range files {
		text := []byte(strings.Join(lines, "\n") + "\n")
		if strings.HasSuffix(name, ".gz") {
			var b bytes.Buffer
			z := gzip.NewWriter(&b)
			z.Write(text) //nolint:errcheck // a buffer
			z.Close()
			text = b.Bytes()
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// sameTrace compares but for names.
func sameTrace(t *testing.T, what string, want, got *Trace) {
	t.Helper()
	w, g := *want, *got
	w.Name, g.Name, w.Format, g.Format = "", "", "", ""
	if d := cmp.Diff(&w, &g); d != "" {
		t.Errorf("%s: %.3000s", what, d)
	}
}

// A ResourceManager's log that was cut anywhere, whose parts are numbered backwards as
// log4j does, packed, copied twice, or with its summaries in a file of their own, in one
// folder or in two paths, is the same log.
func TestLogInParts(t *testing.T) {
	audit, summary := rmLines()
	all := append(append([]string(nil), audit...), summary...)
	want := openT(t, filepath.Join(folderOf(t, map[string][]string{"log": all}), "log"))
	if len(want.Jobs) != 4 || len(want.Jobs[0].Tasks) != 3 || len(want.Notes) != 1 {
		t.Fatalf("%d jobs, notes %v", len(want.Jobs), want.Notes)
	}
	for i := range want.Jobs {
		j := &want.Jobs[i]
		if at := j.Tasks[0].Attempts[0].Allocated; at != j.Submit+1050 || j.MasterLaunch != j.Submit+1550 ||
			j.Labels == nil || j.Labels.App != "gpu" {
			t.Errorf("%s: submitted %d, first container at %d, master at %d, labels %v", j.ID, j.Submit, at, j.MasterLaunch,
				j.Labels)
		}
	}
	for cut := 1; cut < len(audit); cut++ {
		dir := folderOf(t, map[string][]string{"rm-audit.log.1": audit[:cut], "rm-audit.log": audit[cut:],
			"a-summary.log": summary})
		sameTrace(t, fmt.Sprintf("cut behind line %d", cut), want, openT(t, dir))
	}
	a, b := len(audit)/3, len(audit)/2
	for what, files := range map[string]map[string][]string{
		"a part twice, another packed": {"1": audit[:b], "2": audit[a:b], "3.gz": audit[b:], "s": summary},
		"summaries first":              {"0": append(append([]string(nil), summary...), audit...)},
	} {
		sameTrace(t, what, want, openT(t, folderOf(t, files)))
	}
	dir := folderOf(t, map[string][]string{"x": audit[a:], "y": audit[:a], "z": summary})
	apart, err := OpenAll([]string{filepath.Join(dir, "x"), filepath.Join(dir, "y"), filepath.Join(dir, "z")}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	sameTrace(t, "three paths", want, apart)
}

// Of a log whose first part is lost, the containers allocated in it are held from its
// first line on.
func TestLogWithoutItsBeginning(t *testing.T) {
	audit, _ := rmLines()
	tr, err := Read(strings.NewReader(strings.Join(audit[3:], "\n")), "log", Options{})
	if err != nil {
		t.Fatal(err)
	}
	held := 0
	for _, a := range tr.Jobs[0].Tasks {
		if c := &a.Attempts[0]; !c.Allocated.Known() && c.Released > c.Start && c.Size.MiB > 0 {
			held++
		}
	}
	if !tr.Jobs[0].Standing() || held != 2 {
		t.Errorf("standing load %v, %d containers from before, want 2", tr.Jobs[0].Standing(), held)
	}
}

// A part that cannot be read counts for nothing, and the others as if it were not there.
func TestLogWithABrokenPart(t *testing.T) {
	audit, summary := rmLines()
	want := openT(t, folderOf(t, map[string][]string{"a": audit, "s": summary}))
	broken := append(append([]string(nil), audit[0]), "no time USER=x\tOPERATION=AM Allocated "+
		"Container\tAPPID=application_1772000000000_0009")
	dir := folderOf(t, map[string][]string{"a": audit, "b": broken, "s": summary})
	if _, err := Open(dir, Options{}); err == nil || !strings.Contains(err.Error(), filepath.Join(dir, "b")+":2: ") {
		t.Errorf("error %v, want one of line 2 of b", err)
	}
	got, err := Open(dir, Options{SkipBroken: true})
	if err != nil {
		t.Fatal(err)
	}
	if k := len(got.Notes) - 1; k < 0 || !strings.HasPrefix(got.Notes[k].Text, "files that cannot be read") &&
		!strings.HasPrefix(got.Notes[0].Text, "files that cannot be read") {
		t.Errorf("notes %v", got.Notes)
	}
	got.Notes, want.Notes = nil, nil
	sameTrace(t, "without b", want, got)
}

// epochHistory is history at real times: all of its instants a billion seconds later,
// of the job of that number.
func epochHistory(number int) string {
	s := strings.ReplaceAll(failedMap, "_1_0007", fmt.Sprintf("_1000000000000_%04d", number))
	for _, key := range []string{"startTime", "submitTime", "launchTime", "finishTime", "shuffleFinishTime",
		"sortFinishTime"} {
		parts := strings.Split(s, `"`+key+`":`)
		for i := 1; i < len(parts); i++ {
			n := strings.IndexAny(parts[i], ",}")
			var v int64
			fmt.Sscan(parts[i][:n], &v)
			parts[i] = fmt.Sprint(1_000_000_000_000+v) + parts[i][n:]
		}
		s = strings.Join(parts, `"`+key+`":`)
	}
	return s
}

// Histories are read several at a time and come in order of path, with the same errors and
// notes, whatever the number of processors.
func TestHistoriesAtATime(t *testing.T) {
	files := map[string][]string{"apps.json": {appsAnswer}}
	for i := range 40 {
		h := epochHistory(i + 100)
		if i%9 == 5 {
			h = strings.Replace(h, `"uberized":false`, `"uberized":true`, 1)
		}
		if i%10 == 7 {
			h = h[:len(h)/2] // its last line is a part of one
		}
		files[fmt.Sprintf("%02d.jhist", i)] = []string{h}
	}
	dir := folderOf(t, files)
	var want *Trace
	var failed string
	for _, n := range []int{1, 2, 8} {
		before := runtime.GOMAXPROCS(n)
		got, err := Open(dir, Options{SkipBroken: true})
		_, strict := Open(dir, Options{})
		runtime.GOMAXPROCS(before)
		if err != nil || strict == nil {
			t.Fatal(err, strict)
		}
		if want == nil {
			want, failed = got, strict.Error()
			if len(got.Jobs) != 38 || strings.Count(failed, "jhist:") != 4 ||
				said(got.Notes, "jobs that ran in the container of their master") == 0 {
				t.Errorf("%d jobs, notes %v, error %s", len(got.Jobs), got.Notes, failed)
			}
		}
		sameTrace(t, fmt.Sprint(n, " processors"), want, got)
		if strict.Error() != failed {
			t.Errorf("%d processors: %v, want %s", n, strict, failed)
		}
	}
}

const appsAnswer = `{"apps":{"app":[
{"id":"application_1000000000000_0007","user":"ann","name":"sort","queue":"root.prod","finalStatus":"SUCCEEDED","applicationType":"MAPREDUCE","priority":4,"startedTime":1000000000490,"launchTime":1000000000900,"finishedTime":1000000037000,"memorySeconds":40000,"vcoreSeconds":40},
{"id":"application_1000000000000_0008","user":"ann","name":"k","queue":"root.prod","finalStatus":"SUCCEEDED","applicationType":"TEZ","priority":0,"startedTime":1000000005000,"launchTime":1000000005300,"finishedTime":1000000009000,"memorySeconds":4000,"vcoreSeconds":4}]}}`

// A history and the ResourceManager's list in two folders are one workload, as in one
// folder: each application is there once.
func TestSourcesApart(t *testing.T) {
	h, apps := []string{epochHistory(7)}, []string{appsAnswer}
	want := openT(t, folderOf(t, map[string][]string{"h.jhist": h, "apps.json": apps}))
	if len(want.Jobs) != 2 {
		t.Fatalf("%d jobs in one folder, want 2", len(want.Jobs))
	}
	one, two := folderOf(t, map[string][]string{"h.jhist": h}), folderOf(t, map[string][]string{"apps.json": apps})
	for _, paths := range [][]string{{one, two}, {two, one}, {filepath.Join(one, "h.jhist"), two}} {
		got, err := OpenAll(paths, Options{})
		if err != nil {
			t.Fatal(err)
		}
		got.Notes, want.Notes = nil, nil // in the order of their sources
		sameTrace(t, fmt.Sprint(paths), want, got)
	}
}

// A history is in the folder of those that are done and once more in the one where
// running jobs write: it counts once, and of two parts the later.
func TestHistoryTwice(t *testing.T) {
	h := epochHistory(7)
	lines := strings.SplitAfter(h, "\n")
	part := strings.Join(lines[:len(lines)-4], "")
	want := openT(t, folderOf(t, map[string][]string{"h.jhist": {h}, "i.jhist": {epochHistory(9)}}))
	for what, files := range map[string]map[string][]string{
		"twice":                  {"h.jhist": {h}, "h2.jhist": {h}, "i.jhist": {epochHistory(9)}},
		"a part of it before it": {"a.jhist": {part}, "h.jhist": {h}, "i.jhist": {epochHistory(9)}},
	} {
		got := openT(t, folderOf(t, files))
		said := false
		for _, n := range got.Notes {
			said = said || strings.HasPrefix(n.Text, "applications that are also in another file") && n.Count == 1
		}
		if !said {
			t.Errorf("%s: notes %v", what, got.Notes)
		}
		got.Notes, want.Notes = nil, nil
		sameTrace(t, what, want, got)
	}
}

// Two attempts of a Spark application in two folders are one application, the later.
func TestSparkAttemptsApart(t *testing.T) {
	first, second := app(), app()
	first.Attempt, second.Attempt = "1", "2"
	first.Stages = first.Stages[:1]
	one := folderOf(t, map[string][]string{"application_1700000000000_0007_1": {string(eventLog(t, first))}})
	two := folderOf(t, map[string][]string{"application_1700000000000_0007_2": {string(eventLog(t, second))}})
	got, err := OpenAll([]string{one, two}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Jobs) != 1 || got.Jobs[0].Spark.Attempt != "2" {
		t.Errorf("%d jobs", len(got.Jobs))
	}
}

// Copies of a job that a transform made, beside a source of the job itself, stay.
func TestCopiesAreJobs(t *testing.T) {
	tr, err := Read(strings.NewReader(epochHistory(7)), "h.jhist", Options{})
	if err != nil {
		t.Fatal(err)
	}
	copies := *tr
	copies.Jobs = []Job{tr.Jobs[0], tr.Jobs[0]}
	copies.Jobs[0].ID += "-w0"
	copies.Jobs[1].ID += "-w1"
	var b bytes.Buffer
	if err := copies.Write(&b, "x.jsonl", "native"); err != nil {
		t.Fatal(err)
	}
	got := openT(t, folderOf(t, map[string][]string{"x.jsonl": {strings.TrimRight(b.String(), "\n")},
		"apps.json": {appsAnswer}}))
	if len(got.Jobs) != 4 {
		t.Errorf("%d jobs, want 2 copies and 2 applications", len(got.Jobs))
	}
}
