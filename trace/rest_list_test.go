package trace

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// A list of the ResourceManager is handed on application by application, with what the whole would
// give: what follows the list counts too, and of an application that still ran the last answer.
func TestListIsHandedOn(t *testing.T) {
	app := func(i int, state string, finished int) string {
		return fmt.Sprintf(`{"id":"application_1_%04d","user":"u","state":%q,"startedTime":%d,"finishedTime":%d,`+
			`"memorySeconds":%d,"vcoreSeconds":%d,"elapsedTime":9000,"allocatedMB":2048,"allocatedVCores":2,"runningContainers":2}`,
			i, state, i*1000+1, finished, 1024*(i+100), i+100)
	}
	list := "{\n\"apps\": {\"app\": [" + app(1, "RUNNING", 0) + ",\n" + app(2, "FINISHED", 20000) + ",\n" +
		app(3, "KILLED", 30000) + "], \"more\": [{}]}}\n" +
		`{"t_ms": 5, "body": {"apps":{"app":[` + app(2, "FINISHED", 20000) + "," + app(1, "FINISHED", 40000) + "]}}}\n" +
		`{"nodes":{"node":[{"id":"n:1","nodeHostName":"n","totalResource":{"memory":4096,"vCores":4}}]}}`
	whole, err := Read(strings.NewReader(list), "list", Options{})
	if err != nil {
		t.Fatal(err)
	}
	key := func(j Job) string { return fmt.Sprint(j.ID, j.Submit, j.Finish, j.Maps, j.MapTime, len(j.Tasks)) }
	var got, want []string
	for _, j := range whole.Jobs {
		want = append(want, key(j))
	}
	rest, err := Read(strings.NewReader(list), "list", Options{Each: func(part *Trace) error {
		for _, j := range part.Jobs {
			got = append(got, key(j))
		}
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	if slices.Sort(got); !slices.Equal(got, want) || len(want) != 3 {
		t.Errorf("handed on\n%q\nwant\n%q", got, want)
	}
	if len(rest.Nodes) != 1 || fmt.Sprint(rest.Notes) != fmt.Sprint(whole.Notes) {
		t.Errorf("nodes %v, notes %v; want those of the whole, %v", rest.Nodes, rest.Notes, whole.Notes)
	}
	for name, c := range map[string]struct {
		text string
		line int64
	}{
		"cut off":        {list[:60], 2},
		"cut after list": {list[:strings.Index(list, `, "more"`)], 4},
		"a wrong member": {strings.Replace(list, `"user":"u","state":"KILLED"`, `"user":[],"state":"KILLED"`, 1), 4},
	} {
		_, err := Read(strings.NewReader(c.text), "list", Options{})
		var e *Error
		if !errors.As(err, &e) || e.Line != c.line {
			t.Errorf("%s: %v, want an error of line %d", name, err, c.line)
		}
	}
}
