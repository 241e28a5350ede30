package diagnose

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"schedtune/validation/testdata"
	"schedtune/yarnconf"
)

// recordedQueue is what a ResourceManager says of a leaf while it works.
type recordedQueue struct {
	Name   string `json:"queueName"`
	Active int64  `json:"numActiveApplications"`
	Used   struct {
		Memory int64 `json:"memory"`
	} `json:"resourcesUsed"`
	Users struct {
		User []struct {
			Name   string `json:"username"`
			Active int64  `json:"numActiveApplications"`
			Used   struct {
				Memory int64 `json:"memory"`
			} `json:"resourcesUsed"`
		} `json:"user"`
	} `json:"users"`
}

// most returns the most that was seen of each leaf and of each of its users
// over a run, as MiB held and applications active.
func most(t *testing.T, path string) (mib, active map[[2]string]int64) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	mib, active = map[[2]string]int64{}, map[[2]string]int64{}
	in := bufio.NewScanner(z)
	in.Buffer(nil, 1<<26)
	for in.Scan() {
		var rec struct {
			Body struct {
				Scheduler struct {
					Info struct {
						Queues struct{ Queue []recordedQueue }
					} `json:"schedulerInfo"`
				}
			}
		}
		if err := json.Unmarshal(in.Bytes(), &rec); err != nil {
			t.Fatal(err)
		}
		for _, q := range rec.Body.Scheduler.Info.Queues.Queue {
			k := [2]string{q.Name, ""}
			mib[k], active[k] = max(mib[k], q.Used.Memory), max(active[k], q.Active)
			for _, u := range q.Users.User {
				k := [2]string{q.Name, u.Name}
				mib[k], active[k] = max(mib[k], u.Used.Memory), max(active[k], u.Active)
			}
		}
	}
	return mib, active
}

// What real ResourceManagers let users and queues hold never passes the limits
// that explain names, and where the load was enough it reaches them: in run-01
// user bob of adhoc stops at 9 containers, in run-05 a tenth for masters lets 2
// applications of prod and 1 of adhoc run. All containers have 256 MiB.
func TestRecordedLimits(t *testing.T) {
	root := testdata.Shared(t, "traces", "minimr")
	reached := 0
	for _, name := range []string{"run-01-A-ss005", "run-04-B-ss005", "run-05-A-ss005-am010", "run-07-B-ss100-off4"} {
		run := filepath.Join(root, name)
		doc, err := yarnconf.Load(filepath.Join(run, "capacity-scheduler.xml"))
		if err != nil {
			t.Fatal(err)
		}
		site, err := yarnconf.Load(filepath.Join(run, "settings.xml"))
		if err != nil {
			t.Fatal(err)
		}
		small := yarnconf.Resource{Memory: 256, VCores: 1}
		mib, active := most(t, filepath.Join(run, "rest-scheduler.jsonl.gz"))
		for k := range mib {
			a, err := AskLimits(LimitsQuestion{Doc: doc.WithSite(site), Cluster: nodes(4, 1024, 8), Queue: k[0], User: k[1],
				Container: small, AM: small})
			if err != nil {
				t.Fatal(err)
			}
			grow, run := a.Growth[0].Count, a.Running[0].Count
			if k[1] == "" { // the queue as a whole
				grow, run = explainFind(t, a.Growth, "maximum of "+a.Queue).Count,
					explainFind(t, a.Running, "AMs of the queue").Count
			}
			if mib[k] > grow*256 || active[k] > run {
				t.Errorf("%s %v: %d MiB and %d applications were seen, limits %d containers and %d applications", name, k, mib[k],
					active[k], grow, run)
			}
			if mib[k] == grow*256 {
				reached++
			}
			if active[k] == run {
				reached++
			}
		}
	}
	if reached < 6 {
		t.Errorf("only %d limits were reached: the test shows little", reached)
	}
	t.Logf("%d limits were reached exactly", reached)
}
