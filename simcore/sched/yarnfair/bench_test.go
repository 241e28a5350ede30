package yarnfair

import (
	"cmp"
	"fmt"
	"testing"
	"time"

	"schedtune/fairconf"
	"schedtune/internal/text"
	"schedtune/simcore/yarn"
)

// fleet is a cluster full of small applications.
type fleet struct {
	nodes, leaves, apps, perNode int
	policy                       string
	masters                      string // share for them; "" = no limit

	s      *Scheduler
	specs  []yarn.NodeSpec
	jobs   []yarn.AppSpec
	events []yarn.Event
	resp   yarn.AskResponse
	row    []yarn.Ask
	done   []yarn.Container
	now    int64
}

func (f *fleet) build(tb testing.TB) *Scheduler {
	text := "<allocations><defaultQueueSchedulingPolicy>" + f.policy +
		"</defaultQueueSchedulingPolicy><queueMaxAMShareDefault>" + cmp.Or(f.masters, "-1.0") + "</queueMaxAMShareDefault>"
	for i := range f.leaves {
		text += fmt.Sprintf(`<queue name="q%d"><weight>%d</weight></queue>`, i, 1+i%4)
	}
	a, err := fairconf.Parse("fleet", []byte(text+"</allocations>"))
	if err != nil {
		tb.Fatal(err)
	}
	site, _ := fairconf.ReadSite(nil)
	site.AssignMultiple, site.DynamicMaxAssign = true, false
	s, err := New(a, site)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// start registers the nodes, starts every application's master and lets each
// ask for its share.
func (f *fleet) start(tb testing.TB) {
	f.s = f.build(tb)
	if f.specs == nil {
		for i := range f.nodes {
			f.specs = append(f.specs, yarn.NodeSpec{Name: fmt.Sprintf("n%d", i), Rack: fmt.Sprintf("/r%d", 1+i/40),
				Resource: yarn.Resource{Memory: int64(1024 * f.perNode), VCores: int64(f.perNode)}})
		}
		for a := range f.apps {
			f.jobs = append(f.jobs, yarn.AppSpec{Name: "app", User: fmt.Sprintf("u%d", a%20),
				Queue: fmt.Sprintf("root.q%d", a%f.leaves), AM: yarn.Resource{Memory: 1024, VCores: 1}})
		}
	}
	for _, spec := range f.specs {
		if _, err := f.s.AddNode(spec); err != nil {
			tb.Fatal(err)
		}
	}
	for _, spec := range f.jobs {
		if _, err := f.s.Submit(spec); err != nil {
			tb.Fatal(err)
		}
	}
	f.update()
	f.fill()
	f.ask()
}

func (f *fleet) update() {
	f.now += 500
	f.s.Update(f.now, nil)
}

func (f *fleet) ask() {
	total := f.nodes*f.perNode - f.apps
	for a := range f.apps {
		f.askFor(a, total/f.apps)
	}
	f.update()
}

func (f *fleet) askFor(app, count int) {
	f.row = append(f.row[:0], yarn.Ask{Priority: 20, Where: yarn.AnyPlace, Size: yarn.Resource{Memory: 1024, VCores: 1},
		Count: int32(count)})
	f.s.Ask(yarn.AppID(app), f.row, nil, &f.resp)
}

// fill beats every node until nothing comes any more.
func (f *fleet) fill() (containers int) {
	for {
		got := 0
		for n := range f.nodes {
			f.events = f.s.Beat(yarn.NodeID(n), nil, f.events[:0])
			got += len(f.events)
		}
		containers += got
		if got == 0 {
			return containers
		}
	}
}

func (f *fleet) bench(b *testing.B) {
	b.ReportAllocs()
	f.start(b)
	containers := 0
	var spent time.Duration
	cpu := 0.0
	for b.Loop() {
		b.StopTimer()
		f.start(b)
		b.StartTimer()
		t, c := time.Now(), text.Seconds()
		containers += f.fill()
		spent += time.Since(t)
		cpu += text.Seconds() - c
	}
	b.ReportMetric(float64(containers)/spent.Seconds(), "containers/s")
	if cpu > 0 {
		b.ReportMetric(float64(containers)/cpu, "containers/cpu-s")
	}
}

func BenchmarkFair(b *testing.B) {
	for _, n := range []int{100, 1000, 4000} {
		b.Run(fmt.Sprintf("nodes=%d", n), func(b *testing.B) {
			(&fleet{nodes: n, leaves: 50, apps: 500, perNode: 100, policy: "fair"}).bench(b)
		})
	}
}

func BenchmarkFairQueues(b *testing.B) {
	for _, n := range []int{5, 50, 500} {
		b.Run(fmt.Sprintf("queues=%d", n), func(b *testing.B) {
			(&fleet{nodes: 1000, leaves: n, apps: 500, perNode: 100, policy: "fair"}).bench(b)
		})
	}
}

func BenchmarkFairApps(b *testing.B) {
	for _, n := range []int{50, 500, 5000} {
		b.Run(fmt.Sprintf("apps=%d", n), func(b *testing.B) {
			(&fleet{nodes: 1000, leaves: 50, apps: n, perNode: 100, policy: "fair"}).bench(b)
		})
	}
}

func BenchmarkFairDominant(b *testing.B) {
	b.Run("nodes=1000", func(b *testing.B) {
		(&fleet{nodes: 1000, leaves: 50, apps: 500, perNode: 100, policy: "drf"}).bench(b)
	})
}

// backlog is a small cluster with far more applications than it has room for:
// the leaves' shares for masters are used up, and all others wait.
func backlog(apps int, policy string) *fleet {
	return &fleet{nodes: 20, leaves: 4, apps: apps, perNode: 8, policy: policy, masters: "0.5"}
}

// round is a second of such a cluster: on every node a container ends and
// another starts, and demand is counted twice. What was taken is asked for again.
func (f *fleet) round() (containers int) {
	for n := range f.nodes {
		f.done = f.done[:0]
		for _, c := range f.s.nodes[n].live {
			if c != c.app.master && len(f.done) == 0 {
				f.done = append(f.done, yarn.Container{App: c.app.id, Ordinal: c.ordinal})
			}
		}
		f.events = f.s.Beat(yarn.NodeID(n), f.done, f.events[:0])
		containers += len(f.events)
		for i := range f.events {
			f.askFor(int(f.events[i].App), 8)
		}
		if n%10 == 0 {
			f.update()
		}
	}
	return containers
}

func (f *fleet) startBacklog(tb testing.TB) {
	f.start(tb)
	for a := range f.apps {
		f.askFor(a, 8)
	}
	f.update()
	f.fill()
}

// BenchmarkFairBacklog: what waits for a master must cost nothing.
func BenchmarkFairBacklog(b *testing.B) {
	for _, policy := range []string{"fair", "drf"} {
		for _, apps := range []int{500, 5000, 50000} {
			b.Run(fmt.Sprintf("policy=%s/apps=%d", policy, apps), func(b *testing.B) {
				f := backlog(apps, policy)
				f.startBacklog(b)
				b.ReportAllocs()
				containers := 0
				t, c := time.Now(), text.Seconds()
				for b.Loop() {
					containers += f.round()
				}
				b.ReportMetric(float64(containers)/time.Since(t).Seconds(), "containers/s")
				if cpu := text.Seconds() - c; cpu > 0 {
					b.ReportMetric(float64(containers)/cpu, "containers/cpu-s")
				}
			})
		}
	}
}

// TestNoAllocationInABacklog: as TestNoAllocation, where applications wait.
func TestNoAllocationInABacklog(t *testing.T) {
	f := backlog(2000, "fair")
	f.startBacklog(t)
	for range 50 {
		f.round()
	}
	started := 0
	for _, a := range f.s.apps {
		a.byOrdinal = append(make([]*container, 0, 4*len(a.byOrdinal)+1000), a.byOrdinal...)
		if a.master != nil {
			started++
		}
	}
	if started < 40 || started > 120 {
		t.Errorf("%d of %d applications have a master; half of 160 GiB is for masters of 1 GiB", started, len(f.s.apps))
	}
	if n := testing.AllocsPerRun(20, func() { f.round() }); n > 0 {
		t.Errorf("%v allocations in a round, want 0", n)
	}
}

// BenchmarkFairUpdate is one count of demand and division of the cluster.
func BenchmarkFairUpdate(b *testing.B) {
	f := &fleet{nodes: 1000, leaves: 50, apps: 500, perNode: 100, policy: "fair"}
	f.start(b)
	b.ReportAllocs()
	for b.Loop() {
		f.update()
	}
}

// TestNoAllocation: in steady state, containers that end and containers that
// start in their place, the scheduler allocates nothing.
func TestNoAllocation(t *testing.T) {
	f := &fleet{nodes: 50, leaves: 10, apps: 100, perNode: 20, policy: "fair"}
	f.start(t)
	f.fill()
	var done []yarn.Container
	cycle := func() {
		for n := range f.nodes {
			done = done[:0]
			for _, c := range f.s.nodes[n].live {
				if c != c.app.master {
					done = append(done, yarn.Container{App: c.app.id, Ordinal: c.ordinal})
				}
			}
			f.events = f.s.Beat(yarn.NodeID(n), done, f.events[:0])
		}
		f.ask()
	}
	for range 50 {
		cycle() // lists of ordinals grow by doubling; leave room
	}
	for _, a := range f.s.apps {
		a.byOrdinal = append(make([]*container, 0, 4*len(a.byOrdinal)+1000), a.byOrdinal...)
	}
	if n := testing.AllocsPerRun(20, cycle); n > 0 {
		t.Errorf("%v allocations in a cycle over 50 nodes, want 0", n)
	}
}
