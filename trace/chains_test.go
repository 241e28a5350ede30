package trace

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"schedtune/simcore"
)

// listed is an application of a ResourceManager's list: number, seconds of its submission and its
// end, user, name and tags.
type listed struct {
	n, from, to      int
	user, name, tags string
}

func readListed(t *testing.T, apps ...listed) *Trace {
	t.Helper()
	var text []string
	for _, a := range apps {
		text = append(text, fmt.Sprintf(`{"id":"application_1_%04d","user":%q,"name":%q,"queue":"q","state":"FINISHED",
			"finalStatus":"SUCCEEDED","startedTime":%d,"finishedTime":%d,"memorySeconds":%d,"vcoreSeconds":%d,
			"applicationTags":%q}`, a.n, a.user, a.name, 1e12+a.from*1000, 1e12+a.to*1000, 2048*(a.to-a.from), 2*(a.to-a.from),
			a.tags))
	}
	tr, err := Read(strings.NewReader(`{"apps":{"app":[`+strings.Join(text, ",")+`]}}`), "apps", Options{})
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// A job follows those of its run of a workflow that had ended when it was submitted, but not those
// that another of these followed.
func TestChains(t *testing.T) {
	const query, other = "hive_20240101120000_0001,userid=u", "hive_20240101130000_0002,userid=u"
	const launcher, child = "oozie:launcher:T=hive:W=w:A=load:ID=0000007-240101-oozie-W",
		"oozie-886e2bdba1c72e87e9253ceec55e9aca" // MD5 of 0000007-240101-oozie-W@load
	for _, c := range []struct {
		name string
		apps []listed
		want map[int]string // by number: those it follows, and the time after them in s
		near bool           // a note on jobs that may follow others
	}{
		{"three stages", []listed{{1, 0, 10, "u", "", query}, {2, 12, 20, "u", "", query}, {3, 21, 30, "u", "", query}},
			map[int]string{2: "1+2", 3: "2+1"}, false},
		{"side by side", []listed{{1, 0, 10, "u", "", query}, {2, 11, 20, "u", "", query}, {3, 11, 25, "u", "", query},
			{4, 26, 30, "u", "", query}}, map[int]string{2: "1+1", 3: "1+1", 4: "3,2+1"}, false},
		{"two queries", []listed{{1, 0, 10, "u", "", query}, {2, 11, 20, "u", "", other}, {3, 21, 30, "u", "", query}},
			map[int]string{3: "1+11"}, false},
		{"equal ids of two users", []listed{{1, 0, 10, "u", "", query}, {2, 11, 20, "v", "", query}}, nil, false},
		{"tags of many runs", []listed{{1, 0, 10, "u", "", "etl,userid=u"}, {2, 11, 20, "u", "", "etl,userid=u"}}, nil, true},
		{"no tags, long after", []listed{{1, 0, 10, "u", "", ""}, {2, 40, 50, "u", "", ""}}, nil, false},
		{"Oozie, a query beside its launcher", []listed{{1, 0, 30, "u", launcher, ""}, {2, 5, 28, "u", "", child},
			{3, 35, 50, "u", strings.Replace(launcher, "A=load", "A=next", 1), ""}}, map[int]string{3: "1,2+5"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			tr := readListed(t, c.apps...)
			w, _, err := tr.Workload(WorkloadOptions{})
			if err != nil {
				t.Fatal(err)
			}
			anonymous := tr.Anonymise()
			for i := range w.Jobs {
				j, got, names := &w.Jobs[i], "", []string{}
				for _, id := range j.After {
					names = append(names, strings.TrimLeft(strings.TrimPrefix(id, "application_1_"), "0"))
				}
				if len(names) > 0 {
					got = fmt.Sprintf("%s+%d", strings.Join(names, ","), j.Think/simcore.Second)
				}
				if want := c.want[c.apps[i].n]; got != want {
					t.Errorf("%s follows %q, want %q", j.ID, got, want)
				}
				if a := &anonymous.Jobs[i]; len(a.After) != len(j.After) || a.Workflow != "" ||
					slices.ContainsFunc(a.After, func(id string) bool { return !strings.HasPrefix(id, "job_") }) {
					t.Errorf("without names %s follows %v of %q, want %d jobs", a.ID, a.After, a.Workflow, len(j.After))
				}
			}
			notes := fmt.Sprint(tr.Notes)
			if got := strings.Contains(notes, "workflows of jobs"); got != c.near {
				t.Errorf("noted %v, want %v: %s", got, c.near, notes)
			}
		})
	}
}

// Histories tell the plan of a workflow (mapreduce.workflow.adjacency.*): a stage follows those that come before it
// there, whatever else of the workflow has ended.
func TestPlannedChain(t *testing.T) {
	history := func(n, from, to int, stage string) string {
		return fmt.Sprintf(`Avro-Json
{"type":"record","name":"Event","namespace":"org.apache.hadoop.mapreduce.jobhistory","fields":[]}
{"type":"JOB_SUBMITTED","event":{"org.apache.hadoop.mapreduce.jobhistory.JobSubmitted":{"jobid":"job_1_%04d",
"jobName":"q","userName":"u","submitTime":%d,"jobQueueName":"default","workflowId":{"string":"hive_1"},
"workflowNodeName":{"string":"Stage\\-%s"},
"workflowAdjacencies":{"string":"\"Stage\\-1\"=\"Stage\\-3\" \"Stage\\-2\"=\"Stage\\-4,Stage\\-5\" "}}}}
{"type":"JOB_FINISHED","event":{"org.apache.hadoop.mapreduce.jobhistory.JobFinished":{"jobid":"job_1_%04d",
"finishTime":%d}}}
`, n, 1e12+from*1000, stage, n, 1e12+to*1000)
	}
	joined := strings.NewReplacer(",\n\"", ",\"") // an event is a line
	dir := t.TempDir()
	for i, h := range []string{history(1, 0, 10, "1"), history(2, 0, 12, "2"), history(3, 13, 20, "3"),
		history(4, 14, 20, "4"), history(5, 30, 40, "6")} {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.jhist", i)), []byte(joined.Replace(h)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	tr, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for i := range tr.Jobs {
		got += fmt.Sprintf("%s%v+%d ", tr.Jobs[i].ID[len("job_1_000"):], tr.Jobs[i].After, tr.Jobs[i].Think)
	}
	if want := "1[]+0 2[]+0 3[job_1_0001]+3000 4[job_1_0002]+2000 5[job_1_0004 job_1_0003]+10000 "; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// The archive's preceding job and think time make chains, also of two merged logs with equal
// numbers, whose jobs get names of their own.
func TestChainsOfSWF(t *testing.T) {
	const log = "1 0 0 10 1 -1 -1 1 -1 -1 1 1 1 -1 1 1 -1 -1\n2 40 0 10 1 -1 -1 1 -1 -1 1 1 1 -1 1 1 1 30\n"
	read := func() *Trace {
		tr, err := Read(strings.NewReader(log), "log", Options{Format: "swf"})
		if err != nil {
			t.Fatal(err)
		}
		return tr
	}
	m, err := Merge(read(), read())
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for i := range m.Jobs {
		got += fmt.Sprintf("%s%v%d ", m.Jobs[i].ID, m.Jobs[i].After, m.Jobs[i].Think)
	}
	if want := "job_1[]0 job_1-2[]0 job_2[job_1]30000 job_2-2[job_1-2]30000 "; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
