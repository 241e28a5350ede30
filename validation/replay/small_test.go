package replay

import (
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"schedtune/simcore"
	"schedtune/simcore/yarn"
)

const smallQueues = `<configuration>
<property><name>yarn.scheduler.capacity.root.queues</name><value>default</value></property>
<property><name>yarn.scheduler.capacity.root.default.capacity</name><value>100</value></property>
<property><name>yarn.scheduler.capacity.maximum-am-resource-percent</name><value>0.5</value></property>
</configuration>`

const containerColumns = "container,job,name,kind,attempt,node,mib,rm_allocated_ms,rm_acquired_ms," +
	"nm_start_request_ms,nm_exec_ms,nm_exited_ms,rm_released_ms\n"

// smallRun writes a run of one map by hand. Nodes n1 and n2 beat on the whole
// and on the half second. The job is there at 0.1 s: n2's beat at 0.5 s gives
// it its AM, which registers at 1.5 s, asks at 2.504 s and collects at 3.508 s
// what n1's beat at 3.0 s allocated (n2's came before the ask). The map runs to
// 14 s; its container is free at 14.03 s, out of band.
func smallRun(t *testing.T, mapNode string, allocated int, edit map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	var beats strings.Builder
	beats.WriteString("t_ms,node\n")
	for s := range 21 {
		n1, n2 := 1000*s, 1000*s+500
		if s >= 15 {
			n1 = 14030 + 1000*(s-14) // the out-of-band beat restarts the timer
		}
		fmt.Fprintf(&beats, "%d,n1\n", n1)
		if s == 14 {
			beats.WriteString("14030,n1\n")
		}
		if n2 == 20500 {
			n2 = 20150
		}
		fmt.Fprintf(&beats, "%d,n2\n", n2)
	}
	files := map[string]string{
		"scenario.json": `{"run":"small","nodes":[{"name":"n1","mib":1024,"vcores":4},
{"name":"n2","mib":1024,"vcores":4}],"jobs":[{"name":"j1","kind":"sleep","queue":"default","user":"u","submit_ms":0,
"maps":1,"reduces":0,"map_ms":9500,"reduce_ms":0,"slowstart":0.05,"map_mib":256,"reduce_mib":256,"am_mib":256}]}`,
		"capacity-scheduler.xml": smallQueues,
		"result.json":            `{"t0_epoch_ms":1700000000000}`,
		"nodes.csv": "node,node_id,mib,vcores,rack\n" +
			"n1,localhost:1,1024,4,/default-rack\nn2,localhost:2,1024,4,/default-rack\n",
		"jobs.csv": "job,name,queue,user,maps,reduces,slowstart,planned_submit_ms,submit_ms,activated_ms," +
			"am_allocated_ms,am_node,am_registered_ms,last_map_finish_ms,last_task_finish_ms," +
			"finish_ms,rm_finish_ms,am_released_ms\n" +
			"job_1_0001,j1,default,u,1,0,0.05,0,100,102,500,n2,1500,14000,14000,14026,14100,20150\n",
		"containers.csv": containerColumns +
			"container_1_0001_01_000001,job_1_0001,j1,AM,,n2,256,500,501,510,600,20148,20150\n" +
			"container_1_0001_01_000002,job_1_0001,j1,MAP,attempt_1_0001_m_000000_0," + mapNode + fmt.Sprintf(",256,%d",
			allocated) + ",3508,3520,3700,14028,14030\n",
		"tasks.csv": "job,name,type,task,attempt,node,container,start_ms,jvm_up_ms," +
			"shuffle_finish_ms,sort_finish_ms,finish_ms,status\n" +
			"job_1_0001,j1,MAP,task_1_0001_m_000000,attempt_1_0001_m_000000_0," + mapNode +
			",container_1_0001_01_000002,3530,4000,,,14000,SUCCEEDED\n",
		"heartbeats.csv": beats.String(),
	}
	maps.Copy(files, edit)
	for name, text := range files {
		if text == "" {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestSmallRunAgrees(t *testing.T) {
	rep, err := checkOne(t, smallRun(t, "n1", 3000, nil), Options{Seed: 1, Replications: 20})
	if err != nil {
		t.Fatal(err)
	}
	if rep.Decisions == nil || rep.Decisions.Agreeing != 2 || rep.Decisions.Total != 2 {
		t.Errorf("decisions %+v (%v), want 2 of 2", rep.Decisions, rep.Missing)
	}
	// The job's completion is 13.926 s; simulated it may differ by the first
	// beat after the submission only, and that is recorded.
	if rep.Replay == nil || rep.Replay.CompletionMedian > 1e-9 || rep.Replay.Jobs[0].Recorded != 13.926 {
		t.Errorf("replay %+v (%v), want no error", rep.Replay, rep.Missing)
	}
	if p := rep.Prediction; p == nil || p.Makespan > 0.15 {
		t.Errorf("prediction %+v (%v)", p, rep.Missing)
	}
}

// With the map recorded on n2 at 3.5 s the engine disagrees twice: it gives the
// map to n1 at 3.0 s, where nothing is recorded, and has none for n2.
func TestSmallRunDisagrees(t *testing.T) {
	r, err := Load(smallRun(t, "n2", 3500, nil))
	if err != nil {
		t.Fatal(err)
	}
	d, err := r.Decisions()
	if err != nil {
		t.Fatal(err)
	}
	if d.Agreeing != 1 || d.Total != 2 || len(d.Exceptions) != 2 || d.Exceptions[0].Decided != "j1 MAP" ||
		d.Exceptions[1].Recorded != "j1 MAP" {
		t.Errorf("decisions %+v", d)
	}
}

func TestMissingAndBrokenFiles(t *testing.T) {
	if rep, err := checkOne(t, smallRun(t, "n1", 3000, map[string]string{"heartbeats.csv": "",
		"result.json": ""}), Options{}); err != nil {
		t.Error(err)
	} else if rep.Decisions != nil || rep.Missing["decisions"] == "" || rep.Replay == nil || len(rep.Notes) < 2 {
		t.Errorf("without heartbeats: %+v", rep)
	}
	for name, text := range map[string]string{
		"scenario.json":          "{",
		"jobs.csv":               "job,name\nx,j1\n",
		"capacity-scheduler.xml": "<configuration>",
		"containers.csv":         "container,job,kind,rm_allocated_ms\nnonumber,job_1_0001,MAP,1\n",
		"tasks.csv":              "job,task,container\njob_1_0001,task,container_1_0001_01_000002\n",
	} {
		if _, err := Load(smallRun(t, "n1", 3000, map[string]string{name: text})); err == nil ||
			!strings.Contains(err.Error(), name) {
			t.Errorf("broken %s: error %v; want one that names the file", name, err)
		}
	}
}

// The works put into a run come out of the fit within 5 %: maps of 0.9 s and
// AMs of 2 s on 1.5 cores, in bursts, which tell the ratio of work to cores,
// and alone, which tell the work.
func TestFitFindsItsOwnWork(t *testing.T) {
	var b []launch
	var start []simcore.Time
	var work []simcore.Time
	var threads []float64
	for i := range 400 {
		at := simcore.Time(i/8)*60*simcore.Second + simcore.Time(i%8)*300*simcore.Millisecond
		if i%8 < 2 {
			at = simcore.Time(i/8)*60*simcore.Second - simcore.Time(2-i%8)*10*simcore.Second
		}
		at += 30 * simcore.Second
		kind, w := aMap, 900.0
		if i%4 == 0 {
			kind, w = aMaster, 2000
		}
		b, start = append(b, launch{at: at, kind: kind}), append(start, at)
		work, threads = append(work, simcore.Seconds(w/1000)), append(threads, 1)
	}
	for i, end := range yarn.ShareCores(1.5, start, work, threads) {
		b[i].end = end
	}
	c := yarn.Default()
	c.AMStart, c.AMThreads = yarn.Latency{0}, 1
	fitWork(c, [][]launch{b})
	for _, f := range []struct {
		name      string
		got, want float64
	}{{"map work", c.MapWork, 900}, {"AM work", c.AMWork, 2000}, {"cores", c.Cores, 1.5}} {
		if f.got < 0.95*f.want || f.got > 1.05*f.want {
			t.Errorf("%s %v, want %v", f.name, f.got, f.want)
		}
	}
	if c.WorkSpread > 0.05 {
		t.Errorf("spread %v, want 0", c.WorkSpread)
	}
}

// Five replications and two recorded runs by hand: 11 lies above two of them
// and equals one, 14 above all. The recorded mean, 12.5, is 1.5 above the
// predicted 11; of the 25 pairs those with a sum of at most 19 or at least 25
// are as far: (9,9), (9,10) twice, (12,13) twice, (13,13), 6 of 25.
func TestSpread(t *testing.T) {
	s := spreadOf([]float64{11, 14}, []float64{9, 10, 11, 12, 13}, 1)
	if s.Rank[0] != 0.5 || s.Rank[1] != 1 {
		t.Errorf("ranks %v, want 0.5 and 1", s.Rank)
	}
	if math.Abs(s.Chance-0.24) > 0.02 { // 10,000 draws: standard error 0.004
		t.Errorf("chance %v, want 0.24", s.Chance)
	}
}

// checkOne is the report of a single run.
func checkOne(t *testing.T, dir string, opt Options) (*Report, error) {
	t.Helper()
	st, err := CheckAll(t.Context(), []string{dir}, opt)
	if err != nil {
		return nil, err
	}
	return st.Runs[0], nil
}
