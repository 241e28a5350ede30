package rm

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"schedtune/trace"
	"schedtune/validation/rmtest"
)

// A service that runs since before the period is pulled, and is standing load of the trace.
func TestPullServices(t *testing.T) {
	f := rmtest.New(5)
	inner := f.Serve(t)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if q := r.URL.Query(); r.URL.Path == "/ws/v1/cluster/apps" && q.Get("states") == "RUNNING" &&
			q.Get("startedTimeEnd") != "" {
			fmt.Fprintf(w, `{"apps":{"app":[{"id":"application_1_0900","state":"RUNNING","queue":"root.a","user":"flink",
				"startedTime":%d,"elapsedTime":90000000,"finishedTime":0,"allocatedMB":4096,"allocatedVCores":4,
				"runningContainers":4}]}}`,
				rmtest.T0-86_400_000)
			return
		}
		resp, err := http.Get(inner.URL + r.URL.RequestURI())
		if err != nil {
			t.Error(err)
			return
		}
		defer resp.Body.Close()
		w.Header().Set("Content-Type", resp.Header.Get("Content-Type"))
		w.WriteHeader(resp.StatusCode)
		_, _ = io.Copy(w, resp.Body)
	}))
	defer s.Close()
	dir := folder(t.TempDir())
	c := quick(t, s.URL, nil)
	sum, err := Pull(context.Background(), c, nil, dir, window())
	if err != nil && !errors.As(err, new(*Incomplete)) {
		t.Fatal(err)
	}
	if sum.Apps != 6 {
		t.Errorf("%d applications, want 5 and the service", sum.Apps)
	}
	tr, err := trace.Open(filepath.Join(string(dir), DirTrace), trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if begin, _ := tr.Begin(); !tr.Jobs[0].Standing() || begin != rmtest.T0 {
		t.Errorf("standing %v, begins at %d, want %d", tr.Jobs[0].Standing(), begin, int64(rmtest.T0))
	}
}

// A certificate of an unknown authority is refused with the option that makes it known.
func TestUnknownAuthority(t *testing.T) {
	s := httptest.NewTLSServer(http.NotFoundHandler())
	defer s.Close()
	_, err := quick(t, s.URL, nil).Get(context.Background(), "/ws/v1/cluster/info", nil)
	if err == nil || !strings.Contains(err.Error(), "--ca FILE") {
		t.Errorf("%v", err)
	}
}
