package live

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"schedtune/internal/live/livetest"
	"schedtune/yarnconf"
)

func wide() PullOptions { return PullOptions{Since: 0, Until: time.Now().Add(time.Hour).UnixMilli()} }

// total is three nodes.
var total = yarnconf.Resource{Memory: 3 * 4096, VCores: 3 * 8}

// TestRealCircle: pull, change, apply, read back, roll back, and everything
// that must be refused on the way.
func TestRealCircle(t *testing.T) {
	ctx := context.Background()
	rm := livetest.StartRM(t, "memory")
	for i := 0; i < 5; i++ {
		if a := rm.Tell(t, "submit alice prod"); !strings.HasPrefix(a, "SUBMITTED") {
			t.Fatal(a)
		}
	}
	c := quick(t, rm.URL, func(o *Options) { o.Timeout = 20 * time.Second; o.Auth = mustAuth(t, "simple:root") })
	dir := folder(t.TempDir())
	opt := wide()
	opt.Page = 2
	sum, err := Pull(ctx, c, nil, dir, opt)
	if err != nil {
		t.Fatal(err)
	}
	if sum.Nodes != 3 || sum.Apps != 5 || sum.Hadoop != "3.4.1" || sum.Store != "mutable" {
		t.Errorf("%+v", sum)
	}
	from := pulledFile(t, dir)
	agree(t, c, from)
	to, err := from.EditValid([]yarnconf.Change{
		{Key: yarnconf.Key("root.prod", yarnconf.Capacity), Value: "55.5"}, {Key: yarnconf.Key("root.adhoc", yarnconf.Capacity), Value: "44.5"},
		{Key: yarnconf.Key("root.prod", yarnconf.UserFactor), Unset: true}, {Key: yarnconf.Key("root.adhoc", yarnconf.OrderingPolicy), Value: "fair"},
		{Key: yarnconf.LocalityDelay, Value: "3"}})
	if err != nil {
		t.Fatal(err)
	}
	p, err := Prepare(ctx, c, from, to)
	if err != nil {
		t.Fatal(err)
	}
	r, err := p.Send(ctx, c)
	if err != nil || !r.ReadBack || r.VersionAfter != r.VersionBefore+1 || len(r.Warnings) > 0 {
		t.Fatalf("%+v %v", r, err)
	}
	agree(t, c, to)
	realRefusals(t, c, from, to)
	back, err := Prepare(ctx, c, to, from)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := back.Send(ctx, c); err != nil {
		t.Fatal(err)
	}
	agree(t, c, from)
	live, err := ReadConfig(ctx, c)
	if err != nil || len(schedulerChanges(from, live.Props)) > 0 {
		t.Errorf("after the rollback: %v %v", schedulerChanges(from, live.Props), err)
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
	other, err := from.Set(yarnconf.LocalityDelay, "9")
	if err != nil {
		t.Fatal(err)
	}
	var drift *DriftError
	if _, err := Prepare(ctx, c, other, from); !errors.As(err, &drift) {
		t.Errorf("drift: %v", err)
	}
	bad := yarnconf.Mutation{Queues: []yarnconf.QueueUpdate{{Queue: "root.prod", Entries: []yarnconf.Entry{{Key: "capacity", Value: ptr("70")}}}}}
	live, err := ReadConfig(ctx, c)
	if err != nil {
		t.Fatal(err)
	}
	p := &Plan{From: to, To: to, Mutation: bad, Live: live}
	if err := p.validate(ctx, c); err == nil || !strings.Contains(err.Error(), "Illegal capacity sum") {
		t.Errorf("validation: %v", err)
	}
	if _, err := p.Send(ctx, c); err == nil || !strings.Contains(err.Error(), "the configuration is unchanged") {
		t.Errorf("rejected: %v", err)
	}
	agree(t, c, to)
	p.Live.Version--
	if _, err := p.Send(ctx, c); err == nil || !strings.Contains(err.Error(), "version conflict") {
		t.Errorf("conflict: %v", err)
	}
}

func ptr(s string) *string { return &s }

// TestRealFileStore: nothing can be sent; the file is checked against the live
// effective values, and a refresh brings the new file in.
func TestRealFileStore(t *testing.T) {
	ctx := context.Background()
	rm := livetest.StartRM(t, "file")
	c := quick(t, rm.URL, func(o *Options) { o.Timeout = 20 * time.Second })
	from, err := yarnconf.Load(rm.Conf)
	if err != nil {
		t.Fatal(err)
	}
	to, err := from.EditValid([]yarnconf.Change{
		{Key: yarnconf.Key("root.prod", yarnconf.Capacity), Value: "55"}, {Key: yarnconf.Key("root.adhoc", yarnconf.Capacity), Value: "45"}})
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
}
