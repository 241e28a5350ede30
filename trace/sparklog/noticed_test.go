package sparklog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Numbers as Spark writes them, and as a number can be written besides.
func TestNumbers(t *testing.T) {
	for text, want := range map[string]int64{
		`3`: 3, `-3`: -3, ` 42`: 42, `"12"`: 12, `"-12"`: -12, `""`: -7, `null`: -7, `1e3`: 1000, `2.9`: 2, `-2.9`: -2,
		`"2.9"`:              2,
		`999999999999999999`: 999999999999999999, `9223372036854775807`: 9223372036854775807,
		`-9223372036854775808`: -9223372036854775808,
	} {
		for _, form := range []string{`{"a":%s}`, `{"a":%s,"b":1}`, `{"a": %s }`} {
			var e struct{ A num }
			err := json.Unmarshal(fmt.Appendf(nil, form, text), &e)
			got := e.A.V
			if !e.A.OK {
				got = -7
			}
			if got != want || err != nil {
				t.Errorf("%s: got %d, %v, want %d", text, got, err, want)
			}
		}
	}
	for text, want := range map[string]error{`9223372036854775808`: errType, `1e19`: errType, `-1e19`: errType,
		`1e400`: errType, `"x"`: errType, `true`: errType, `{"a":1}`: errType, `[1]`: errType, `1:2`: errSyntax} {
		line := `{"Event":"SparkListenerUnpersistRDD","RDD ID":` + text + `}`
		if err := NewReader().event([]byte(line)); !errors.Is(err, want) {
			t.Errorf("%s: got %v, want %v", text, err, want)
		}
	}
}

// What an answer of a history server comes to, member by member.
func TestRESTFigures(t *testing.T) {
	answers := maps.Clone(restAnswers)
	answers["environment"] = `{"sparkProperties":[],"resourceProfiles":[{"id":0,"executorResources":{"cores":{"amount":1},"memory":{"amount":1},"offHeap":{"amount":1},"pyspark.memory":{"amount":1},"memoryOverhead":{"amount":1}},"taskResources":{"cpus":{"amount":1}}},
		{"id":1,"executorResources":{"cores":{"amount":4},"gpu":{"amount":3}},"taskResources":{"cpus":{"amount":2},"gpu":{"amount":2}}},{"id":0},{"id":-1}]}`
	answers["tasks 1"] = `[{"taskId":2,"index":0,"attempt":0,"launchTime":"2023-11-14T22:13:30.020GMT","duration":2900,"gettingResultTime":300,"executorId":"1","status":"SUCCESS"}]`
	app, err := readREST(answers)
	if err != nil {
		t.Fatal(err)
	}
	if p := app.Profiles[0]; len(app.Profiles) != 2 || p.Cores != 1 || p.Memory != 1 || p.OffHeap != 1 ||
		p.PySpark != 1 || p.Overhead != 1 || p.TaskCPUs != 1 || p.TasksByOther != 0 {
		t.Errorf("profiles %+v", app.Profiles)
	}
	if p := app.Profiles[1]; p.Cores != 4 || p.Memory != 0 || p.Overhead != Unknown || p.TasksByOther != 1 {
		t.Errorf("profile %+v, of 3 devices 2 a task", p)
	}
	for i, j := range app.Jobs {
		if j.ID != int32(i) {
			t.Errorf("job %d stands at %d", j.ID, i)
		}
	}
	if x := app.Stages[1].Attempts[0]; x.Finish-x.Launch != 2900 || x.Finish-x.Getting != 300 {
		t.Errorf("task %+v, want 2900 ms with 300 to fetch its result", x)
	}
	if x := app.Stages[0].Attempts[0]; x.Getting.Known() {
		t.Errorf("task %+v fetches no result", x)
	}
	// What is negative can't be, whichever member it is.
	for _, s := range []string{`"stageId":-1,"attemptId":0,"numTasks":0`, `"stageId":0,"attemptId":-1,"numTasks":0`,
		`"stageId":0,"attemptId":0,"numTasks":-1`} {
		answers["stages"] = "[{" + s + "}]"
		if _, err := readREST(answers); err == nil || !strings.Contains(err.Error(), "must be 0 or more") {
			t.Errorf("%s: %v", s, err)
		}
	}
}

// What is written of profiles is read again, and a fault of the medium is noted.
func TestWrittenProfiles(t *testing.T) {
	app, err := readREST(restAnswers)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := app.Write(&b); err != nil {
		t.Fatal(err)
	}
	app.Profiles[1].PySpark = 512
	b.Reset()
	if err := app.Write(&b); err != nil {
		t.Fatal(err)
	}
	r := NewReader()
	if err := r.Read(&b, "log"); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(app.Profiles, r.App().Profiles); d != "" {
		t.Error(d)
	}
	full := fmt.Errorf("no space left")
	if err := app.Write(refusing{full}); !errors.Is(err, full) {
		t.Errorf("%v, want %v", err, full)
	}
}

type refusing struct{ err error }

func (w refusing) Write([]byte) (int, error) { return 0, w.err }

// Data sets that are dropped count only where they had been cached.
func TestUnpersist(t *testing.T) {
	for id, want := range map[string]int{"7": 1, "8": 0, `"7"`: 1, "[]": 0} {
		r := NewReader()
		r.caches = map[int32]int32{7: 0}
		err := r.event([]byte(`{"Event":"SparkListenerUnpersistRDD","RDD ID":` + id + `}`))
		if (err != nil) != (id == "[]") {
			t.Errorf("%s: %v", id, err)
		}
		if len(r.dropped) != want {
			t.Errorf("%s: dropped %v, want %d", id, r.dropped, want)
		}
	}
}

// The application lasts to the last thing that the answers tell of, whichever that is.
func TestRESTLast(t *testing.T) {
	last := func(executors, tasks string) Millis {
		r := NewREST("application_1_0001", "x", RESTAttempt{ID: "1", Start: 1700000000000})
		for _, err := range []error{r.Environment([]byte("{}")), r.Executors([]byte(executors)), r.Jobs([]byte("[]"))} {
			if err != nil {
				t.Fatal(err)
			}
		}
		if _, err := r.Stages(
			[]byte(`[{"status":"ACTIVE","stageId":0,"attemptId":0,"numTasks":2,"submissionTime":"2023-11-14T22:13:26.000GMT"}]`)); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Tasks(0, []byte(tasks)); err != nil {
			t.Fatal(err)
		}
		return r.App().Last - 1700000000000
	}
	const executor = `[{"id":"1","hostPort":"h1:7000","totalCores":2,"addTime":"2023-11-14T22:13:25.000GMT"}]`
	if got := last(executor, "[]"); got != 6000 {
		t.Errorf("a stage began after 6 s: %d ms", got)
	}
	if got := last(strings.Replace(executor, `"addTime"`, `"removeTime":"2023-11-14T22:13:50.000GMT","addTime"`, 1),
		"[]"); got != 30_000 {
		t.Errorf("an executor went after 30 s: %d ms", got)
	}
	if got := last(executor,
		`[{"taskId":0,"index":0,"attempt":0,"launchTime":"2023-11-14T22:13:27.000GMT","duration":8000,"executorId":"1","status":"SUCCESS"}]`); got != 15_000 {
		t.Errorf("a task ended after 15 s: %d ms", got)
	}
}

// Tasks that run are kept of an application under way alone.
func TestRESTUnderWay(t *testing.T) {
	for _, under := range []bool{false, true} {
		r := NewREST("application_1_0001", "x", RESTAttempt{ID: "1", Start: 1700000000000})
		r.UnderWay = under
		if _, err := r.Stages(
			[]byte(`[{"status":"ACTIVE","stageId":0,"attemptId":0,"numTasks":3,"submissionTime":"2023-11-14T22:13:26.000GMT"}]`)); err != nil {
			t.Fatal(err)
		}
		n, err := r.Tasks(0,
			[]byte(`[{"taskId":0,"index":0,"launchTime":"2023-11-14T22:13:27.000GMT","duration":8000,"executorId":"1","status":"SUCCESS"},
			{"taskId":1,"index":1,"launchTime":"2023-11-14T22:13:27.000GMT","duration":8000,"executorId":"1","status":"RUNNING"},
			{"taskId":2,"index":2,"executorId":"1","status":"RUNNING"}]`))
		if err != nil || n != 3 {
			t.Fatalf("%d tasks, %v", n, err)
		}
		st, want := r.App().Stages[0], 1
		if under {
			want = 2
		}
		if len(st.Attempts) != want || st.Started != 3 {
			t.Errorf("under way %v: %d attempts of %d started, want %d of 3", under, len(st.Attempts), st.Started, want)
		}
	}
}

// A packed log cut off within its first bytes, before any text, is noted and not an error.
func TestPackedCutAtOnce(t *testing.T) {
	for _, name := range []string{"app.gz", "app.zstd"} {
		head := map[string][]byte{"app.gz": {0x1f, 0x8b, 8, 0, 0}, "app.zstd": {0x28, 0xb5, 0x2f, 0xfd, 0x24}}[name]
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, head, 0o600); err != nil {
			t.Fatal(err)
		}
		r := NewReader()
		if err := r.readFile(path); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if notes := r.app.Notes; len(notes) == 0 || !strings.Contains(notes[0].Text, "cut off") {
			t.Errorf("%s: notes %v", name, notes)
		}
	}
}

// Data sets of a stage that are kept: sorted, once each, without those that are not.
func TestCachedSets(t *testing.T) {
	r := NewReader()
	at := func(id int64, l storageLevel) rddInfo { return rddInfo{ID: num{V: id, OK: true}, Level: l} }
	ids := r.cached([]rddInfo{at(9, storageLevel{Disk: true}), at(4, storageLevel{}), at(3, storageLevel{Memory: true}),
		at(9, storageLevel{OffHeap: true})})
	if !slices.Equal(ids, []int32{3, 9}) || len(r.app.Caches) != 2 || r.app.Caches[0].RDD != 9 || !r.app.Caches[0].Disk ||
		r.app.Caches[0].Memory {
		t.Errorf("%v, %+v", ids, r.app.Caches)
	}
}
