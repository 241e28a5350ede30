package rm

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"schedtune/validation/rmtest"
	"schedtune/yarnconf"
)

// docs returns the fake's configuration and one with a at 70 %.
func docs(t *testing.T, f *rmtest.Fake) (from, to *yarnconf.Document) {
	t.Helper()
	from, err := yarnconf.Parse("from.xml", yarnconf.Fragment("", yarnconf.Changes(nil, yarnconf.Map(f.Conf))))
	if err != nil {
		t.Fatal(err)
	}
	to, err = from.EditValid([]yarnconf.Change{
		{Key: yarnconf.Key("root.a", yarnconf.Capacity), Value: "70"}, {Key: yarnconf.Key("root.b", yarnconf.Capacity),
			Value: "30"}})
	if err != nil {
		t.Fatal(err)
	}
	return from, to
}

func TestApplyAndBack(t *testing.T) {
	ctx := context.Background()
	f := rmtest.New(0)
	c := quick(t, f.Serve(t).URL, nil)
	from, to := docs(t, f)
	p, err := Prepare(ctx, c, from, to)
	if err != nil {
		t.Fatal(err)
	}
	if f.Puts != 0 {
		t.Fatal("preparing changed something")
	}
	r, err := p.Send(ctx, c, SendOptions{})
	if err != nil || !r.ReadBack || r.VersionBefore != 1 || r.VersionAfter != 2 || len(r.Warnings) != 0 {
		t.Fatalf("%+v %v", r, err)
	}
	if _, err := Prepare(ctx, c, from, to); !errors.Is(err, ErrApplied) {
		t.Errorf("second time: %v", err)
	}
	back, err := Prepare(ctx, c, to, from)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := back.Send(ctx, c, SendOptions{}); err != nil {
		t.Fatal(err)
	}
	if v := f.Conf[yarnconf.Key("root.a", yarnconf.Capacity)]; v != "60" {
		t.Errorf("a is %s after the rollback", v)
	}
}

func TestApplyRefusesDrift(t *testing.T) {
	f := rmtest.New(0)
	c := quick(t, f.Serve(t).URL, nil)
	from, to := docs(t, f)
	f.Conf[yarnconf.LocalityDelay] = "7"
	_, err := Prepare(context.Background(), c, from, to)
	var d *DriftError
	if !errors.As(err, &d) || !strings.Contains(err.Error(), "node-locality-delay is 7 instead of not set") || f.Puts != 0 {
		t.Errorf("%v", err)
	}
}

// Somebody else changes the configuration between reading and sending: nothing
// is sent. At the same time as sending: it is reported.
func TestApplyVersionConflict(t *testing.T) {
	ctx := context.Background()
	f := rmtest.New(0)
	c := quick(t, f.Serve(t).URL, nil)
	from, to := docs(t, f)
	p, err := Prepare(ctx, c, from, to)
	if err != nil {
		t.Fatal(err)
	}
	f.Version = 5
	if _, err := p.Send(ctx, c, SendOptions{}); err == nil || !strings.Contains(err.Error(), "version conflict") ||
		f.Puts != 0 {
		t.Errorf("%v, %d sent", err, f.Puts)
	}
	p.Live.Version = 5
	f.Hook = func(_ http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodPut {
			f.Version++ // the other change
		}
		return false
	}
	r, err := p.Send(ctx, c, SendOptions{})
	if err != nil || len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "from 5 to 7") {
		t.Errorf("%+v %v", r, err)
	}
}

// What a failed change leaves behind is found out and said.
func TestApplyFailures(t *testing.T) {
	t.Parallel() // it waits more than it works
	ctx := context.Background()
	for _, c := range []struct {
		name string
		put  func(f *rmtest.Fake, w http.ResponseWriter, r *http.Request)
		want string
	}{
		{"rejected", func(_ *rmtest.Fake, w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "Failed to re-init queues : Illegal capacity sum", 400)
		}, "Illegal capacity sum; the configuration is unchanged"},
		{"made, answer lost", func(f *rmtest.Fake, w http.ResponseWriter, r *http.Request) {
			f.Mutate(r)
			time.Sleep(tooLong)
		}, "no complete answer within " + patience.String() + "; yet the change was made"},
		{"half made", func(f *rmtest.Fake, w http.ResponseWriter, r *http.Request) {
			f.Conf[yarnconf.Key("root.a", yarnconf.Capacity)] = "70"
			http.Error(w, "boom", 500)
		}, "neither the old nor the new one"},
		{"accepted, not made", func(*rmtest.Fake, http.ResponseWriter, *http.Request) {}, "the change was accepted, but " +
			"root.a.capacity is 60"},
	} {
		f := rmtest.New(0)
		f.Hook = func(w http.ResponseWriter, r *http.Request) bool {
			if r.Method != http.MethodPut {
				return false
			}
			c.put(f, w, r)
			return true
		}
		cl := quick(t, f.Serve(t).URL, func(o *Options) {
			if c.name == "made, answer lost" {
				o.Timeout = patience
			}
		})
		from, to := docs(t, f)
		p, err := Prepare(ctx, cl, from, to)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Send(ctx, cl, SendOptions{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestApplyInvalid(t *testing.T) {
	f := rmtest.New(0)
	f.Hook = func(w http.ResponseWriter, r *http.Request) bool {
		if !strings.HasSuffix(r.URL.Path, "/validate") {
			return false
		}
		http.Error(w, "CapacityScheduler configuration validation failed", 400)
		return true
	}
	c := quick(t, f.Serve(t).URL, nil)
	from, to := docs(t, f)
	if _, err := Prepare(context.Background(), c, from, to); err == nil || !strings.Contains(err.Error(),
		"validation failed") {
		t.Errorf("%v", err)
	}
	// A file of ours that breaks the rules is refused before anything is asked.
	bad, err := to.Edit([]yarnconf.Change{{Key: yarnconf.Key("root.a", yarnconf.MaximumCapacity), Value: "20"}})
	if err != nil {
		t.Fatal(err)
	}
	clear(f.Counts)
	if _, err := Prepare(context.Background(), c, from, bad); err == nil || len(f.Counts) != 0 {
		t.Errorf("%v, asked %v", err, f.Counts)
	}
}

// The version of the configuration as Hadoop 3.4 and 3.5 tell it.
func TestVersionForms(t *testing.T) {
	for _, c := range []struct {
		answer string
		want   int64
		fails  bool
	}{{`{"versionID":"7"}`, 7, false}, {`{"versionID":7}`, 7, false}, {`{"configversion":{"versionID":7}}`, 7, false},
		{`{}`, 0, false}, {`{"versionID":"x"}`, 0, true}, {`{"configversion":{"versionID":[1]}}`, 0, true}} {
		f := rmtest.New(0)
		f.Hook = func(w http.ResponseWriter, r *http.Request) bool {
			if strings.HasSuffix(r.URL.Path, "/version") {
				_, _ = w.Write([]byte(c.answer))
				return true
			}
			return false
		}
		got, err := readVersion(context.Background(), quick(t, f.Serve(t).URL, nil))
		if got != c.want || (err != nil) != c.fails {
			t.Errorf("%s: version %d, %v; want %d", c.answer, got, err, c.want)
		}
	}
}
