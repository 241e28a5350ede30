package rm

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"schedtune/trace"
	"schedtune/validation/rmtest"
	"schedtune/validation/testdata"
	"schedtune/yarnconf"
)

func wide() PullOptions {
	return PullOptions{Since: 0, Until: time.Now().Add(time.Hour).UnixMilli(), Encode: json.Marshal}
}

// total is three nodes.
var total = yarnconf.Resource{Memory: 3 * 4096, VCores: 3 * 8}

// TestRealCircle: pull, change, apply, read back, roll back, and everything
// that must be refused on the way.
func TestRealCircle(t *testing.T) {
	ctx := context.Background()
	rm := rmtest.StartRM(t, "memory")
	for i := 0; i < 5; i++ {
		if a := rm.Tell(t, "submit alice prod"); !strings.HasPrefix(a, "SUBMITTED") {
			t.Fatal(a)
		}
		time.Sleep(2 * time.Millisecond) // more than a page that start in one millisecond can't be told apart
	}
	c := quick(t, rm.URL, func(o *Options) { o.Timeout = 20 * time.Second; o.Auth = mustAuth(t, "simple:root") })
	dir := folder(t.TempDir())
	opt := wide()
	opt.Page = 2
	sum, err := Pull(ctx, c, nil, dir, opt)
	if err != nil {
		t.Fatal(err)
	}
	if sum.Nodes != 3 || sum.Apps != 5 || sum.Hadoop != rmtest.Version() || sum.Store != "mutable" {
		t.Errorf("%+v", sum)
	}
	from := pulledFile(t, dir)
	agree(t, c, from)
	to, err := from.EditValid([]yarnconf.Change{
		{Key: yarnconf.Key("root.prod", yarnconf.Capacity), Value: "55.5"},
		{Key: yarnconf.Key("root.adhoc", yarnconf.Capacity), Value: "44.5"},
		{Key: yarnconf.Key("root.prod", yarnconf.UserFactor), Unset: true},
		{Key: yarnconf.Key("root.adhoc", yarnconf.OrderingPolicy), Value: "fair"},
		{Key: yarnconf.LocalityDelay, Value: "3"}})
	if err != nil {
		t.Fatal(err)
	}
	p, err := Prepare(ctx, c, from, to)
	if err != nil {
		t.Fatal(err)
	}
	r, err := p.Send(ctx, c, SendOptions{})
	if err != nil || !r.ReadBack || r.VersionAfter != r.VersionBefore+1 || len(r.Warnings) > 0 {
		t.Fatalf("%+v %v", r, err)
	}
	agree(t, c, to)
	realRefusals(t, c, from, to)
	back, err := Prepare(ctx, c, to, from)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := back.Send(ctx, c, SendOptions{}); err != nil {
		t.Fatal(err)
	}
	agree(t, c, from)
	live, err := ReadConfig(ctx, c)
	if err != nil || len(yarnconf.SchedulerChanges(from, live.Props)) > 0 {
		t.Errorf("after the rollback: %v %v", yarnconf.SchedulerChanges(from, live.Props), err)
	}
}

// agree holds our evaluation against the live effective values.
func agree(t *testing.T, c *Client, doc *yarnconf.Document) {
	t.Helper()
	data, err := c.Get(context.Background(), cluster+"/scheduler", nil)
	if err != nil {
		t.Fatal(err)
	}
	queues, err := ParseScheduler(data)
	if err != nil {
		t.Fatal(err)
	}
	cmp, err := Compare(doc, total, queues)
	if err != nil || len(cmp.Diffs) > 0 || cmp.Queues != 3 {
		t.Errorf("%+v %v", cmp, err)
	}
}

func pulledFile(t *testing.T, dir folder) *yarnconf.Document {
	t.Helper()
	d, err := yarnconf.Load(filepath.Join(string(dir), FileConfig))
	if err != nil {
		t.Fatal(err)
	}
	site, err := yarnconf.Load(filepath.Join(string(dir), FileSite))
	if err != nil {
		t.Fatal(err)
	}
	return d.WithSite(site)
}

// realRefusals: drift, a second application, a mutation that the
// ResourceManager rejects and that leaves all as it was.
func realRefusals(t *testing.T, c *Client, from, to *yarnconf.Document) {
	t.Helper()
	ctx := context.Background()
	if _, err := Prepare(ctx, c, from, to); !errors.Is(err, ErrApplied) {
		t.Errorf("second time: %v", err)
	}
	other, err := from.Edit([]yarnconf.Change{{Key: yarnconf.LocalityDelay, Value: "9"}})
	if err != nil {
		t.Fatal(err)
	}
	var drift *DriftError
	if _, err := Prepare(ctx, c, other, from); !errors.As(err, &drift) {
		t.Errorf("drift: %v", err)
	}
	bad := yarnconf.Mutation{Queues: []yarnconf.QueueUpdate{
		{Queue: "root.prod", Entries: yarnconf.Entries{
			List: []yarnconf.Entry{{Key: "capacity", Value: ptr("70")}}}}}}
	live, err := ReadConfig(ctx, c)
	if err != nil {
		t.Fatal(err)
	}
	p := &Plan{From: to, To: to, Mutation: bad, Live: live}
	if err := p.validate(ctx, c); err == nil || !strings.Contains(err.Error(), "Illegal capacity sum") {
		t.Errorf("validation: %v", err)
	}
	if _, err := p.Send(ctx, c, SendOptions{}); err == nil || !strings.Contains(err.Error(),
		"the configuration is unchanged") {
		t.Errorf("rejected: %v", err)
	}
	agree(t, c, to)
	p.Live.Version--
	if _, err := p.Send(ctx, c, SendOptions{}); err == nil || !strings.Contains(err.Error(), "version conflict") {
		t.Errorf("conflict: %v", err)
	}
}

func ptr(s string) *string { return &s }

// TestRealFileStore: nothing can be sent; the file is checked against the live
// effective values, and a refresh brings the new file in.
func TestRealFileStore(t *testing.T) {
	ctx := context.Background()
	rm := rmtest.StartRM(t, "file")
	c := quick(t, rm.URL, func(o *Options) { o.Timeout = 20 * time.Second })
	from, err := yarnconf.Load(rm.Conf)
	if err != nil {
		t.Fatal(err)
	}
	to, err := from.EditValid([]yarnconf.Change{
		{Key: yarnconf.Key("root.prod", yarnconf.Capacity), Value: "55"},
		{Key: yarnconf.Key("root.adhoc", yarnconf.Capacity), Value: "45"}})
	if err != nil {
		t.Fatal(err)
	}
	p, err := Prepare(ctx, c, from, to)
	if err != nil || !p.FileStore {
		t.Fatalf("%+v %v", p, err)
	}
	var drift *DriftError
	if _, err := Prepare(ctx, c, to, from); !errors.As(err, &drift) {
		t.Errorf("a file that is not in force: %v", err)
	}
	if err := os.WriteFile(rm.Conf, to.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	if a := rm.Tell(t, "refresh"); a != "REFRESHED" {
		t.Fatal(a)
	}
	agree(t, c, to)
	// Placement rules in JSON, which Hadoop reads with the Jackson that its version needs.
	rules, err := to.EditValid([]yarnconf.Change{{Key: yarnconf.Prefix + "mapping-rule-format", Value: "json"},
		{Key: yarnconf.Prefix + "mapping-rule-json",
			Value: `{"rules":[{"type":"user","matches":"ana","policy":"custom","customPlacement":"root.prod","fallbackResult":"skip"}]}`}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(rm.Conf, rules.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	if a := rm.Tell(t, "refresh"); a != "REFRESHED" {
		t.Fatal(a)
	}
	rm.Tell(t, "submit ana default") // a queue that is named stays without queue-mappings-override
	apps, err := c.Get(ctx, cluster+"/apps", nil)
	if err != nil || !strings.Contains(string(apps), `"queue":"root.prod"`) {
		t.Errorf("%s, %v", apps, err)
	}
}

// TestRealHistory reads the jobs of a recorded run from Hadoop's own
// JobHistoryServer: the trace must be that of the history files themselves.
func TestRealHistory(t *testing.T) {
	recorded := testdata.Shared(t, "traces", "minimr", "run-04-B-ss005", "history")
	inter := t.TempDir()
	unpackHistory(t, recorded, filepath.Join(inter, "user"))
	hist := quick(t, rmtest.StartHistory(t, inter), func(o *Options) { o.Timeout = 30 * time.Second })
	rm := quick(t, rmtest.New(0).Serve(t).URL, nil)
	dir := folder(t.TempDir())
	opt := wide()
	opt.Page = 4
	var sum *PullSummary
	for try := 0; try < 20; try++ { // the server looks for new jobs now and then
		var err error
		if sum, err = Pull(context.Background(), rm, hist, dir, opt); err != nil {
			t.Fatal(err)
		}
		if sum.Jobs == 9 {
			break
		}
		time.Sleep(2 * time.Second)
	}
	want, err := trace.Open(recorded, trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := trace.Open(filepath.Join(string(dir), DirTrace), trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	sameJobs(t, got, want)
}

func sameJobs(t *testing.T, got, want *trace.Trace) {
	t.Helper()
	if len(got.Jobs) != len(want.Jobs) || len(got.Jobs) != 9 {
		t.Fatalf("%d jobs, want %d", len(got.Jobs), len(want.Jobs))
	}
	for i := range got.Jobs {
		g, w := &got.Jobs[i], &want.Jobs[i]
		if g.ID != w.ID || g.Submit != w.Submit || g.Finish != w.Finish || g.User != w.User || g.MapSize != w.MapSize ||
			g.AMSize != w.AMSize ||
			g.Slowstart != w.Slowstart {
			t.Errorf("%s: size %v, slowstart %g; want %s: %v, %g", g.ID, g.MapSize, g.Slowstart, w.ID, w.MapSize, w.Slowstart)
		}
		n, ends := ended(g)
		m, wanted := ended(w)
		if n != m || n == 0 || ends != wanted {
			t.Errorf("%s: %d attempts whose ends sum to %d, want %d and %d", g.ID, n, ends, m, wanted)
		}
	}
}

// ended counts a job's map and reduce attempts and adds up their ends. Files
// tell of the application master too.
func ended(j *trace.Job) (n int, sum trace.Millis) {
	for k := range j.Tasks {
		if kind := j.Tasks[k].Kind; kind != trace.Map && kind != trace.Reduce {
			continue
		}
		for _, a := range j.Tasks[k].Attempts {
			n++
			sum += a.Finish
		}
	}
	return n, sum
}

// unpackHistory lays recorded files out as a finished job leaves them.
func unpackHistory(t *testing.T, from, to string) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(from, "*.gz"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no history in %s", from)
	}
	for _, n := range names {
		f, err := os.Open(n)
		if err != nil {
			t.Fatal(err)
		}
		z, err := gzip.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(z)
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		base := strings.TrimSuffix(filepath.Base(n), ".gz")
		if err := folder(to).WriteFile(base, data); err != nil {
			t.Fatal(err)
		}
		if id, _, ok := strings.Cut(base, "-"); ok { // a Java string of one letter
			if err := folder(to).WriteFile(id+".summary", []byte{0, 1, 'x'}); err != nil {
				t.Fatal(err)
			}
		}
	}
}
