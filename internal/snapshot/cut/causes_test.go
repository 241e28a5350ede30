package cut

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"schedtune/internal/diagnose"
	"schedtune/internal/rm"
	"schedtune/internal/snapshot"
	"schedtune/simcore"
	"schedtune/validation/testdata"
)

// TestRecordedCauses asks why applications wait that a real ResourceManager said were held by the limit
// on application masters: the first cause is that limit, with what the ResourceManager said masters held.
func TestRecordedCauses(t *testing.T) {
	r, err := Load(testdata.Shared(t, "traces/minimr/run-05-A-ss005-am010"))
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(filepath.Join(r.Dir, "rest-apps.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	in := bufio.NewScanner(z)
	in.Buffer(nil, 64<<20)
	asked, right := 0, 0
	for n := 0; in.Scan(); n++ {
		var line struct {
			At   int64           `json:"t_ms"`
			Body json.RawMessage `json:"body"`
		}
		if err := json.Unmarshal(in.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		apps, err := rm.ParseApps(line.Body)
		if err != nil {
			t.Fatal(err)
		}
		if n%8 != 0 {
			continue
		}
		at := simcore.Time(line.At) * simcore.Millisecond
		for _, a := range apps {
			if a.State != "ACCEPTED" || !strings.Contains(a.Diagnostics, "AM resource limit exceeded") {
				continue
			}
			asked++
			if c := r.cause(t, at, a.ID); c.Kind == diagnose.KindMastersQueue || c.Kind == diagnose.KindMastersUser {
				right++
			} else {
				t.Logf("%v, %s: %s: got %s", at.Std(), a.ID, a.Diagnostics, c.Text())
			}
			break
		}
	}
	if asked < 5 || right*20 < asked*19 {
		t.Errorf("got the limit on masters for %d of %d applications", right, asked)
	}
	t.Logf("%d of %d", right, asked)
}

// cause is the first cause of an application at an instant of a run.
func (r *Run) cause(t *testing.T, at simcore.Time, app string) *diagnose.Cause {
	t.Helper()
	dir := t.TempDir()
	if err := r.Write(dir, at, nil); err != nil {
		t.Fatal(err)
	}
	o, err := snapshot.Open(dir, snapshot.Options{Replications: 1, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	rep, err := diagnose.AskSimulated(t.Context(), o.Runner, diagnose.Query{Job: app, At: o.Model.At, Item: o.Item,
		Zero: o.Model.At})
	if err != nil {
		t.Fatal(err)
	}
	return &rep.Answer.Causes[0]
}
