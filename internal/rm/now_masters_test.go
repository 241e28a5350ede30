package rm

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"schedtune/validation/rmtest"
)

// Spark drivers without a UI: the ResourceManager's proxy gives a page of its own. One
// note says what is not known of them and what that changes, and it does not keep the
// masters after them from being asked. Masters that can't be reached do, after three.
func TestMastersThatTellNothing(t *testing.T) {
	list := ""
	for i := range 9 {
		kind := "SPARK"
		if i == 4 {
			kind = "MAPREDUCE"
		}
		list += fmt.Sprintf(`,{"id":"application_1_090%d","state":"RUNNING","applicationType":"%s"}`, i, kind)
	}
	for _, x := range []struct {
		name  string
		proxy func(w http.ResponseWriter)
		asked int // applications whose masters are asked
		notes []string
	}{
		{"no UI", func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<html>Applications</html>")
		}, 9, []string{"the driver of application_1_0900 and 7 more gives no answer (the ResourceManager's proxy " +
			"answers with its own web page: spark.ui.enabled is false",
			"which stages and tasks run and how many are left is not known; their containers are known",
			"the master of application_1_0904 gives no answer"}},
		{"out of reach", func(w http.ResponseWriter) { time.Sleep(tooLong) }, 3,
			[]string{"the driver of application_1_0900 and 2 more gives no answer", "no complete answer within",
				"3 AMs in a row cannot be reached, so 6 more were not asked"}},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel() // it waits more than it works
			f := rmtest.New(1)
			var mu sync.Mutex
			asked := map[string]bool{}
			f.Hook = func(w http.ResponseWriter, r *http.Request) bool {
				switch {
				case r.URL.Path == "/ws/v1/cluster/apps" && strings.HasPrefix(r.URL.RawQuery, "states=NEW"):
					fmt.Fprint(w, `{"apps":{"app":[`+list[1:]+`]}}`)
				case strings.HasSuffix(r.URL.Path, "/appattempts"):
					fmt.Fprint(w, `{"appAttempts":{"appAttempt":[{"id":1}]}}`)
				case strings.HasSuffix(r.URL.Path, "/containers"):
					fmt.Fprint(w,
						`{"containers":{"container":{"containerId":"container_1_0900_01_000001","allocatedMB":"512","allocatedVCores":1}}}`)
				case strings.HasPrefix(r.URL.Path, "/proxy/"):
					mu.Lock()
					asked[strings.Split(r.URL.Path, "/")[2]] = true
					mu.Unlock()
					x.proxy(w)
				default:
					return false
				}
				return true
			}
			s := f.Serve(t)
			c := quick(t, s.URL, func(o *Options) {
				o.Retries = -1
				if x.asked < 9 {
					o.Timeout = patience
				}
			})
			sum, err := Pull(context.Background(), c, nil, folder(t.TempDir()), window())
			if err != nil {
				t.Fatal(err)
			}
			mu.Lock() // a request that ran out of time may still be answered
			defer mu.Unlock()
			if len(asked) != x.asked {
				t.Errorf("%d masters asked, want %d", len(asked), x.asked)
			}
			notes := strings.Join(sum.Notes, "\n")
			for _, want := range x.notes {
				if !strings.Contains(notes, want) {
					t.Errorf("%s: no %q", notes, want)
				}
			}
			if x.asked == 9 && strings.Contains(notes, "JobHistoryServer's web services") {
				t.Errorf("the note names another mistake: %s", notes)
			}
		})
	}
}
