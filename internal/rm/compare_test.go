package rm

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"schedtune/internal/fileio"
	"schedtune/validation/testdata"
	"schedtune/yarnconf"
)

// lines reads the bodies of a recorded series of answers, one of so many.
func lines(t *testing.T, path string, step int) []json.RawMessage {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := fileio.OpenText(f)
	if err != nil {
		t.Fatal(err)
	}
	in := bufio.NewScanner(z)
	in.Buffer(nil, 1<<26)
	var out []json.RawMessage
	for i := 0; in.Scan(); i++ {
		if i%step != 0 {
			continue
		}
		var rec struct{ Body json.RawMessage }
		if err := json.Unmarshal(in.Bytes(), &rec); err != nil {
			t.Fatal(err)
		}
		out = append(out, append(json.RawMessage(nil), rec.Body...))
	}
	return out
}

// Each recorded answer of real schedulers must agree with our evaluation of
// the file they had loaded. (4 node managers of 1,024 MiB and 8 vcores.)
func TestCompareRecorded(t *testing.T) {
	for _, run := range testdata.Runs(t, "minimr/run-*") {
		t.Run(filepath.Base(run), func(t *testing.T) {
			t.Parallel()
			compareRun(t, run)
		})
	}
}

func compareRun(t *testing.T, run string) {
	compared := 0
	rest := filepath.Join(run, "rest-scheduler.jsonl")
	if _, err := os.Stat(rest); err != nil {
		rest += ".gz"
	}
	if _, err := os.Stat(rest); err != nil {
		t.Skip("no answers of the scheduler were recorded")
	}
	doc, err := yarnconf.Load(filepath.Join(run, "capacity-scheduler.xml"))
	if err != nil {
		t.Fatal(err)
	}
	site, err := yarnconf.Load(filepath.Join(run, "settings.xml"))
	if err != nil {
		t.Fatal(err)
	}
	var total yarnconf.Resource
	step := 10
	if os.Getenv("SCHEDTUNE_LONG") != "" {
		step = 1
	}
	for i, body := range lines(t, rest, step) {
		live, err := ParseScheduler(body)
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			total = yarnconf.Resource{Memory: live[0].EffectiveMax.Memory, VCores: live[0].EffectiveMax.VCores}
		}
		c, err := Compare(doc.WithSite(site), total, live)
		if err != nil {
			t.Fatal(err)
		}
		compared += c.Figures
		for _, d := range c.Diffs {
			t.Errorf("%s, answer %d: %+v", filepath.Base(run), i, d)
		}
		if t.Failed() {
			break
		}
	}
	t.Logf("%d figures compared", compared)
}
