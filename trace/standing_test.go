package trace

import (
	"fmt"
	"strings"
	"testing"

	"schedtune/simcore"
)

// appList is an answer of the ResourceManager: a job of one minute from 1000 s on, and a
// service that has run for long, of so many containers and MiB in all.
func appList(containers, mib int) string { return appListOf(containers, mib, containers) }

// appListOf is appList with another number of vcores.
func appListOf(containers, mib, vcores int) string {
	return fmt.Sprintf(`{"apps":{"app":[{"id":"application_1_0001","user":"u","queue":"q","state":"FINISHED",
		"finalStatus":"SUCCEEDED","startedTime":1000000,"launchTime":1000500,"finishedTime":1060000,
		"memorySeconds":122880,"vcoreSeconds":60},
		{"id":"application_1_0002","user":"s","queue":"q","state":"RUNNING","finalStatus":"UNDEFINED","startedTime":5000,
		"launchTime":6000,"finishedTime":0,"elapsedTime":1050000,"memorySeconds":999999999,"vcoreSeconds":999999,
		"allocatedMB":%d,"allocatedVCores":%d,"runningContainers":%d}]}}`, mib, vcores, containers)
}

// A service of a list is standing load: so many containers from the first submission on,
// not its charge of weeks, and no job of the workload unless asked for.
func TestStandingLoadOfAList(t *testing.T) {
	for _, c := range []struct {
		name            string
		containers, mib int
		n               int32 // simulated, beside the master
		size, master    int64
	}{
		{"equal", 6, 6 * 8192, 5, 8192, 8192},
		{"a smaller master", 5, 1024 + 4*8192, 4, 8192, 1024},
		{"its master alone", 1, 2048, 0, 2048, 2048},
		{"odd", 2, 3000, 1, 2048, 952},
	} {
		t.Run(c.name, func(t *testing.T) {
			tr, err := Read(strings.NewReader(appList(c.containers, c.mib)), "apps", Options{})
			if err != nil {
				t.Fatal(err)
			}
			if begin, _ := tr.Begin(); begin != 1_000_000 {
				t.Errorf("begins at %d, want with the job", begin)
			}
			w, _, err := tr.Workload(WorkloadOptions{Standing: true})
			if err != nil {
				t.Fatal(err)
			}
			if len(w.Jobs) != 2 || w.Jobs[0].Standing == nil || w.Jobs[0].Submit != 0 || w.Jobs[1].Standing != nil {
				t.Fatalf("%+v", w.Jobs)
			}
			if j := &w.Jobs[0]; j.Maps != c.n || j.MapAsk[simcore.Memory] != c.size || j.Unmanaged ||
				len(j.Standing.Nodes) != 1+int(c.n) || j.AMAsk[simcore.Memory] != c.master || j.Standing.Hold < 24*simcore.Hour {
				t.Errorf("%d containers of %v, a master of %v, %+v, want %d of %d, %d", j.Maps, j.MapAsk, j.AMAsk, j.Standing,
					c.n, c.size, c.master)
			}
			if w, _, err = tr.Workload(WorkloadOptions{}); err != nil || len(w.Jobs) != 1 {
				t.Errorf("%v, %d jobs without standing load, want 1", err, len(w.Jobs))
			}
			total := 0.0
			held, _ := tr.Jobs[0].Holdings()
			for _, h := range held {
				if total += h.MiB; h.To != 1_060_000 {
					t.Errorf("held to %d, want to the last moment of the record", h.To)
				}
			}
			if int(total) != c.mib {
				t.Errorf("holds %v MiB, want %d", total, c.mib)
			}
		})
	}
}

// What a service holds where the ResourceManager does not report it (-1): its charges of
// 999,999,999 MiB and 999,999 vcores for a second over 1,050 s come to 952,380 MiB and 952 vcores.
func TestStandingLoadThatIsNotReported(t *testing.T) {
	const note = "running applications whose number of containers is not reported"
	for _, c := range []struct {
		name                    string
		containers, mib, vcores int
		n, total                int // containers, MiB
		noted                   bool
	}{
		{"reported", 6, 49152, 24, 6, 49152, false},
		{"nothing", -1, -1, -1, 952, 952_380, true},
		{"memory and vcores", -1, 49152, 24, 24, 49152, true},
		{"memory", -1, 49152, -1, 1, 49152, true},
		{"memory and containers", 6, 49152, -1, 6, 49152, false},
		{"that it holds none", 0, 0, 0, 0, 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			tr, err := Read(strings.NewReader(appListOf(c.containers, c.mib, c.vcores)), "apps", Options{})
			if err != nil {
				t.Fatal(err)
			}
			total := 0.0
			held, _ := tr.Jobs[0].Holdings()
			for _, h := range held {
				total += h.MiB
			}
			if len(held) != c.n || int(total) != c.total {
				t.Errorf("%d containers of %v MiB in all, want %d of %d", len(held), total, c.n, c.total)
			}
			if noted := strings.Contains(fmt.Sprint(tr.Notes), note); noted != c.noted {
				t.Errorf("noted %v, want %v: %v", noted, c.noted, tr.Notes)
			}
		})
	}
}

// Containers of a ResourceManager's log that are not released are held to its last line.
func TestStandingLoadOfALog(t *testing.T) {
	audit, _ := rmLines()
	var lines []string
	for _, l := range audit {
		if !strings.Contains(l, "Released") && !strings.Contains(l, "Finished") {
			lines = append(lines, l)
		}
	}
	tr, err := Read(strings.NewReader(strings.Join(lines, "\n")), "log", Options{})
	if err != nil {
		t.Fatal(err)
	}
	end := Millis(0)
	for i := range tr.Jobs {
		tr.Jobs[i].eachInstant(func(m *Millis) { end = max(end, *m) })
	}
	for i := range tr.Jobs {
		held, lost := tr.Jobs[i].Holdings()
		if !tr.Jobs[i].Standing() || lost > 0 || len(held) != len(tr.Jobs[i].Tasks) {
			t.Errorf("%s: standing %v, %d held, %d lost", tr.Jobs[i].ID, tr.Jobs[i].Standing(), len(held), lost)
		}
		for _, h := range held {
			if h.To != end {
				t.Errorf("%s: held to %d, want %d", tr.Jobs[i].ID, h.To, end)
			}
		}
	}
}

// Lines of collectors tell what the log itself tells, and sizes and nodes may be in
// lines of their own.
func TestLogInEnvelopes(t *testing.T) {
	audit, _ := rmLines()
	plain, err := Read(strings.NewReader(strings.Join(audit, "\n")), "log", Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, wrap := range map[string]func(string) string{
		"json":         func(l string) string { return fmt.Sprintf(`{"@timestamp":"2020-01-01T00:00:00Z","message":%q}`, l) },
		"docker":       func(l string) string { return fmt.Sprintf(`{"log":%q,"stream":"stdout"}`, l+"\n") },
		"syslog":       func(l string) string { return "<134>1 2020-01-01T00:00:00Z rm1 rm 1 - - " + l },
		"rsyslog tabs": func(l string) string { return strings.ReplaceAll(l, "\t", "#011") },
		"blanks":       func(l string) string { return strings.ReplaceAll(l, "\t", " ") },
		"T and dot": func(l string) string {
			return strings.Replace(strings.Replace(l, " ", "T", 1), ",", ".", 1)
		},
		"slashes": func(l string) string { return l[2:4] + "/" + l[5:7] + "/" + l[8:] },
	} {
		t.Run(name, func(t *testing.T) {
			var lines []string
			for _, l := range audit {
				lines = append(lines, wrap(l))
			}
			got, err := Read(strings.NewReader(strings.Join(lines, "\n")), "log", Options{})
			if err != nil {
				t.Fatal(err)
			}
			sameTrace(t, name, plain, got)
		})
	}
}

// Hadoop 2 tells a container's size and node in a line before or behind the audit log's.
func TestLogOfHadoop2(t *testing.T) {
	const at, id = "2020-01-01 00:00:01,000 INFO X: ", "container_e3_1_0001_01_000001"
	audit := func(op string) string {
		return at + "USER=u\tOPERATION=" + op + "\tRESULT=SUCCESS\tAPPID=application_1_0001\tCONTAINERID=" + id
	}
	node := at + "Assigned container " + id +
		" of capacity <memory:2048, vCores:2> on host n2:45454, which has 1 containers"
	for _, lines := range [][]string{{audit("AM Allocated Container"), node}, {node, audit("AM Allocated Container")}} {
		tr, err := Read(strings.NewReader(strings.Join(append(lines, audit("AM Released Container")), "\n")), "log",
			Options{})
		if err != nil {
			t.Fatal(err)
		}
		if c := tr.Jobs[0].Tasks[0].Attempts[0]; c.Size != (Size{2048, 2}) || c.Host != "n2" {
			t.Errorf("%+v on %q", c.Size, c.Host)
		}
	}
}
