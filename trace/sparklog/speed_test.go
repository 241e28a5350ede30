package sparklog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"schedtune/internal/fileio"
)

// A member that is not read may hold anything.
func TestOtherMembers(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		text, err := json.Marshal(value(rt, 4))
		if err != nil {
			rt.Fatal(err)
		}
		r := NewReader()
		r.caches = map[int32]int32{7: 0}
		line := fmt.Sprintf(`{"Event":"SparkListenerUnpersistRDD","x":%s, "RDD ID":7,"y": %s}`, text, text)
		if err := r.event([]byte(line)); err != nil || len(r.dropped) != 1 {
			rt.Fatalf("%s: got %v, dropped %v, want one", line, err, r.dropped)
		}
	})
}

func value(rt *rapid.T, depth int) any {
	switch k := rapid.IntRange(0, 6).Draw(rt, "kind"); {
	case k == 0 && depth > 0:
		m := map[string]any{}
		for range rapid.IntRange(0, 3).Draw(rt, "members") {
			m[rapid.String().Draw(rt, "key")] = value(rt, depth-1)
		}
		return m
	case k == 1 && depth > 0:
		list := []any{}
		for range rapid.IntRange(0, 3).Draw(rt, "elements") {
			list = append(list, value(rt, depth-1))
		}
		return list
	case k < 4:
		return rapid.String().Draw(rt, "text")
	case k == 4:
		return rapid.Float64Range(-1e9, 1e9).Draw(rt, "number")
	case k == 5:
		return rapid.Bool().Draw(rt, "bool")
	}
	return nil
}

// big is a log of one stage with n tasks, with the accumulables and metrics
// that real lines have.
func big(n int) []byte {
	var b bytes.Buffer
	b.WriteString(
		`{"Event":"SparkListenerApplicationStart","App Name":"x","App ID":"application_1_1","Timestamp":1700000000000,"User":"u"}` + "\n")
	var acc strings.Builder
	for i := range 20 {
		if i > 0 {
			acc.WriteByte(',')
		}
		fmt.Fprintf(&acc,
			`{"ID":%d,"Name":"internal.metrics.figure%d","Update":"%d","Value":"%d","Internal":true,"Count Failed Values":true}`, i+40, i, i*977, i*97777)
	}
	for i := range n {
		info := `"Task Info":{"Task ID":%d,"Index":%d,"Attempt":0,"Partition ID":%d,"Launch Time":%d,"Executor ID":"%d","Host":"worker-%d.example.org","Locality":"NODE_LOCAL","Speculative":false,"Getting Result Time":0,"Finish Time":%d,"Failed":false,"Killed":false,"Accumulables":[%s]}`
		t := 1700000001000 + int64(i)*3
		fmt.Fprintf(&b, `{"Event":"SparkListenerTaskStart","Stage ID":0,"Stage Attempt ID":0,`+info+"}\n", i, i, i, t, i%40,
			i%40, 0, "")
		fmt.Fprintf(&b,
			`{"Event":"SparkListenerTaskEnd","Stage ID":0,"Stage Attempt ID":0,"Task Type":"ShuffleMapTask","Task End Reason":{"Reason":"Success"},`+info+
				`,"Task Metrics":{"Executor Deserialize Time":12,"Executor Deserialize CPU Time":9000000,"Executor Run Time":2875,"Executor CPU Time":2500000000,"Peak Execution Memory":0,"Result Size":1830,"JVM GC Time":4,"Result Serialization Time":0,"Memory Bytes Spilled":0,"Disk Bytes Spilled":0,"Shuffle Read Metrics":{"Remote Blocks Fetched":1,"Local Blocks Fetched":2,"Fetch Wait Time":0,"Remote Bytes Read":10,"Remote Bytes Read To Disk":0,"Local Bytes Read":20,"Total Records Read":3},"Shuffle Write Metrics":{"Shuffle Bytes Written":4711,"Shuffle Write Time":8,"Shuffle Records Written":9},"Input Metrics":{"Bytes Read":100,"Records Read":1},"Output Metrics":{"Bytes Written":0,"Records Written":0},"Updated Blocks":[]}}`+"\n",
			i, i, i, t, i%40, i%40, t+2900, acc.String())
	}
	return b.Bytes()
}

// BenchmarkRead gives megabytes a second; "encoding/json" decodes the same
// lines into a struct with the same members, which is what it replaces.
func BenchmarkRead(b *testing.B) {
	text := big(4000)
	run := func(text []byte) func(b *testing.B) {
		return func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				r := NewReader()
				if err := r.Read(bytes.NewReader(text), "x"); err != nil {
					b.Fatal(err)
				}
				if r.App() == nil {
					b.Fatal("nothing read")
				}
			}
		}
	}
	b.Run("log=synthetic", run(text))
	if path := os.Getenv("SPARK_EVENT_LOG"); path != "" { // a plain one
		own, err := os.ReadFile(path)
		if err != nil {
			b.Fatal(err)
		}
		b.Run("log=given", run(own))
	}
	b.Run("reference=encoding-json", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		b.ReportAllocs()
		for b.Loop() {
			dec := json.NewDecoder(bytes.NewReader(text))
			for {
				var e struct {
					Event    string
					StageID  int `json:"Stage ID"`
					TaskInfo struct {
						Index      int
						LaunchTime int64  `json:"Launch Time"`
						FinishTime int64  `json:"Finish Time"`
						ExecutorID string `json:"Executor ID"`
						Host       string
						Locality   string
					} `json:"Task Info"`
					TaskMetrics struct {
						Run   int64 `json:"Executor Run Time"`
						Input struct {
							Bytes int64 `json:"Bytes Read"`
						} `json:"Input Metrics"`
					} `json:"Task Metrics"`
				}
				if err := dec.Decode(&e); err == io.EOF {
					break
				} else if err != nil {
					b.Fatal(err)
				}
			}
		}
	})
}

// Events after the start of a second application may be of either: the log is refused, with
// the line and both ids. A log that was written twice into one file is the same.
func TestSecondApplication(t *testing.T) {
	start := func(id string) string {
		return `{"Event":"SparkListenerApplicationStart","App ID":"` + id + `","Timestamp":1700000000000}` + "\n"
	}
	log := start("a") + `{"Event":"SparkListenerApplicationEnd","Timestamp":1700000001000}` + "\n"
	for _, c := range []struct{ text, want string }{
		{log + `{"Event":"SparkListenerLogStart","Spark Version":"3.5.5"}` + "\n" + start("b"),
			"x:4: application b starts in the log of a: "},
		{log + log, "x:3: application a starts in the log of a: "},
	} {
		err := NewReader().Read(strings.NewReader(c.text), "x")
		var at *fileio.FileError
		if !errors.As(err, &at) || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
}

// What a log ends without is said once for all of it: jobs, stages, tasks and the
// application; a time of 0 is none.
func TestLogThatStops(t *testing.T) {
	a := read(t, `{"Event":"SparkListenerApplicationStart","App ID":"a","Timestamp":1700000000000}
{"Event":"SparkListenerJobStart","Job ID":0,"Submission Time":0,"Stage IDs":[0]}
{"Event":"SparkListenerJobStart","Job ID":1,"Submission Time":1700000001000,"Stage IDs":[1]}
{"Event":"SparkListenerJobEnd","Job ID":1,"Completion Time":1700000009000,"Job Result":{"Result":"JobSucceeded"}}
{"Event":"SparkListenerStageSubmitted","Stage Info":{"Stage ID":0,"Number of Tasks":1,"Submission Time":1700000002000}}
`)
	if a.Jobs[0].Submit != Unknown || a.Jobs[1].Submit != 1700000001000 {
		t.Errorf("jobs begin at %d and %d", a.Jobs[0].Submit, a.Jobs[1].Submit)
	}
	for text, count := range map[string]int{"ends of jobs": 1, "ends of stages": 1, "the end of the application: it " +
		"was running, or its driver died": 1} {
		found := 0
		for _, n := range a.Notes {
			if n.Text == text {
				found += n.Count
			}
		}
		if found != count {
			t.Errorf("%q is noted %d times, want %d; %+v", text, found, count, a.Notes)
		}
	}
}
