package rm

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"schedtune/validation/rmtest"
)

// What is kept of a change under faults: before it is sent there is a record of
// it, and afterwards one that says what came of it.
func TestRecordUnderFaults(t *testing.T) {
	t.Parallel() // it waits more than it works
	refuse := func(_ *rmtest.Fake, w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", 400) }
	for name, c := range map[string]struct {
		put      func(f *rmtest.Fake, w http.ResponseWriter, r *http.Request)
		statuses string
		record   bool
	}{
		"refused": {refuse, "intended, not made", false},
		"made, answer lost": {func(f *rmtest.Fake, _ http.ResponseWriter, r *http.Request) {
			f.Mutate(r)
			time.Sleep(tooLong)
		}, "intended, made", true},
		"half made": {func(f *rmtest.Fake, w http.ResponseWriter, _ *http.Request) {
			f.Conf["yarn.scheduler.capacity.root.a.capacity"] = "70"
			http.Error(w, "boom", 500)
		}, "intended, unclear", true},
	} {
		f := rmtest.New(0)
		cl := quick(t, f.Serve(t).URL, func(o *Options) {
			if name == "made, answer lost" {
				o.Timeout = patience
			}
		})
		from, to := docs(t, f)
		p, err := Prepare(context.Background(), cl, from, to)
		if err != nil {
			t.Fatal(err)
		}
		var statuses []string
		f.Hook = func(w http.ResponseWriter, r *http.Request) bool {
			if r.Method != http.MethodPut {
				return false
			}
			if strings.Join(statuses, ", ") != Intended {
				t.Errorf("%s: sent without a record (%v)", name, statuses)
			}
			c.put(f, w, r)
			return true
		}
		r, err := p.Send(context.Background(), cl, SendOptions{Keep: func(r *Record) error {
			statuses = append(statuses, r.Status)
			if len(r.Back) == 0 {
				t.Errorf("%s: no way back in the record", name)
			}
			return nil
		}})
		if err == nil || (r != nil) != c.record || strings.Join(statuses, ", ") != c.statuses {
			t.Errorf("%s: %v, record %v, kept %v", name, err, r != nil, statuses)
		}
	}
}

// Nothing is sent if the record can't be written, if the store tells no version,
// or if the settings changed without one.
func TestNothingIsSent(t *testing.T) {
	for name, c := range map[string]struct {
		before, after func(f *rmtest.Fake)
		opt           SendOptions
		want          string
	}{
		"full disk": {opt: SendOptions{Keep: func(*Record) error { return errors.New("no space left") }},
			want: "no space left; nothing was sent"},
		"no version": {before: func(f *rmtest.Fake) { f.Version = 0 }, want: "version can't be read"},
		"other settings": {before: func(f *rmtest.Fake) { f.Version = 0 }, after: func(f *rmtest.Fake) {
			f.Conf["yarn.scheduler.capacity.root.a.capacity"] = "61"
		}, opt: SendOptions{WithoutVersion: true}, want: "root.a.capacity is 61"},
	} {
		f := rmtest.New(0)
		cl := quick(t, f.Serve(t).URL, nil)
		from, to := docs(t, f)
		if c.before != nil {
			c.before(f)
		}
		p, err := Prepare(context.Background(), cl, from, to)
		if err != nil {
			t.Fatal(err)
		}
		if c.after != nil {
			c.after(f)
		}
		r, err := p.Send(context.Background(), cl, c.opt)
		if err == nil || r != nil || f.Puts != 0 || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, %d sent", name, err, f.Puts)
		}
	}
}
