package yarn_test

import (
	"testing"

	"schedtune/simcore"
	"schedtune/simcore/yarn"
)

// TestTezIdleContainers: which idle container of a session's first DAG a task of the second one takes,
// told by the number of containers that both DAGs run in.
func TestTezIdleContainers(t *testing.T) {
	const s = simcore.Second
	for name, c := range map[string]struct {
		think      simcore.Time
		held       int32
		mib        int64 // of the second task, the first has 1,024
		host       int32 // of the second task, -1 = any; the container of the first one is on node 1
		young, old int32 // containers with the newer scheduler and the old one
	}{
		"within the idle time":            {2 * s, 0, 1024, -1, 1, 1},
		"beyond it":                       {12 * s, 0, 1024, -1, 2, 2},
		"beyond it, held":                 {20 * s, 1, 1024, -1, 1, 1},
		"a larger task":                   {2 * s, 0, 2048, -1, 1, 2}, // only the old one compares sizes
		"held, its host":                  {20 * s, 1, 1024, 1, 1, 1},
		"held, another host of the rack":  {20 * s, 1, 1024, 0, 1, 1},
		"idle, another host of the rack":  {2 * s, 0, 1024, 0, 2, 1}, // the newer one looks when its idle time ends
		"held, a larger task, other host": {20 * s, 1, 2048, 0, 2, 2},
	} {
		for _, old := range []bool{false, true} {
			w := tezDAG(simcore.TezVertex{Tasks: 1}, simcore.TezVertex{Tasks: 1})
			app := w.Jobs[0].Tez
			app.Session, app.Stop, app.Settings.Old, app.Settings.Held = true, s, old, c.held
			app.DAGs = []simcore.TezDAG{{Vertices: 1}, {Delay: c.think, FirstVertex: 1, Vertices: 1}}
			app.Vertices[1].Size[simcore.Memory] = c.mib
			if c.host >= 0 {
				app.Vertices[1].FirstTask, w.Tasks.Duration = 0, []simcore.Time{10 * s}
				w.Tasks.Hosts, w.Tasks.HostAt = []int32{c.host}, []int32{0, 1}
			}
			want := c.young
			if old {
				want = c.old
			}
			if got, _ := runTez(t, tezNodes(2), w, nil); got.Executors != want || got.Status != yarn.Succeeded {
				t.Errorf("%s, old %v: got %d containers, status %v; want %d", name, old, got.Executors, got.Status, want)
			}
		}
	}
}

// TestTezHeldLook: a held container takes a task of another host a locality delay after the request,
// of 250 ms; with the old scheduler it looks at its host twice before.
func TestTezHeldLook(t *testing.T) {
	const s = simcore.Second
	for old, most := range map[bool]simcore.Time{false: 250 * simcore.Millisecond, true: 750 * simcore.Millisecond} {
		for host := range int32(2) { // on one of which the container is
			w := tezDAG(simcore.TezVertex{Tasks: 1}, simcore.TezVertex{})
			app := w.Jobs[0].Tez
			app.Session, app.Stop, app.Settings.Old, app.Settings.Held = true, s, old, 1
			app.DAGs = []simcore.TezDAG{{Vertices: 1}, {Delay: 20 * s, FirstVertex: 1, Vertices: 1}}
			app.Vertices[1] = simcore.TezVertex{Tasks: 1, Dist: -1, Size: simcore.Vec{1024, 1}}
			w.Tasks = simcore.Tasks{Duration: []simcore.Time{10 * s}, Hosts: []int32{host}, HostAt: []int32{0, 1}}
			_, res := runTez(t, tezNodes(2), w, nil)
			wait := res.DAGs[1].Completion() - 10*s - simcore.Millisecond
			if late := wait != 0; wait < 0 || wait > most || late && wait < most-250*simcore.Millisecond {
				t.Errorf("old %v, host %d: the task waits %v, want 0 or a locality delay up to %v", old, host, wait.Std(),
					most.Std())
			}
		}
	}
}
