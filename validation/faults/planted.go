// Package faults makes scenarios in which an application waits for one known
// reason, so that answers to "why does it wait" can be judged: drawn by seed, in the
// form that the recorder of validation/conformance/judge answers with Hadoop's own scheduler.
//
// Every case comes with a twin that differs in the planted reason alone. The case is
// valid if the real scheduler gives the application no container in the case and
// gives it one in the twin; this project's scheduler has no part in that.
package faults

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"schedtune/validation/conformance/replay"
	"schedtune/yarnconf"
)

// Case is one planted reason.
type Case struct {
	Seed  uint64
	Kind  string   // the cause planted, as internal/diagnose names it
	Mode  string   // how the scheduler places and counts
	Queue string   // of the limit, "" where it has none
	App   string   // that waits
	Needs []string // what the recorder must know, beside labels
	Conf  map[string]string
	Nodes []replay.Node
	Label []replay.Label
	Setup []Step // before the question
	Probe []Step // after it: what would give the application a container, and must not
	// Later comes after the probe where the wait is to end by itself.
	Later []Step
	// Refused: the application's submission is in Probe and must be rejected.
	Refused bool
	// Unplanted is the twin: settings and steps that differ.
	UnplantedConf  map[string]string
	UnplantedNodes []replay.Node
	Without        []string // applications that the twin leaves out

	lost map[string]bool // nodes that leave before all else
}

// Step is a step of a scenario, as written.
type Step map[string]any

// Header is what a case's first line says of it beside the scenario.
type Header struct {
	Kind     string            `json:"kind"`
	Mode     string            `json:"mode,omitempty"`
	Queue    string            `json:"queue,omitempty"`
	App      string            `json:"app"`
	Asked    int               `json:"asked"`   // steps before the question
	Probed   int               `json:"probed"`  // steps before the change
	Twin     bool              `json:"twin"`    // the twin: no question, no change
	Refused  bool              `json:"refused"` // the application is refused, not waiting
	Passes   bool              `json:"passes,omitempty"`
	Changes  map[string]string `json:"changes,omitempty"`
	StartsIn float64           `json:"starts_in_s,omitempty"` // predicted, where preemption takes its time
	Node     *replay.Node      `json:"node,omitempty"`
}

// world draws one case.
type world struct {
	Case
	r      *rand.Rand
	paths  []string            // of all queues below root
	leaves []string            // full paths
	up     map[string][]string // of a leaf: itself and its parents below root
	total  int64               // MiB of nodes without label
	apps   int
}

const am = 512 // MiB of a master

// Draw makes the case of a seed.
func Draw(seed uint64) *Case {
	w := &world{r: rand.New(rand.NewPCG(seed, 24)), up: map[string][]string{}}
	w.Seed = seed
	w.Conf = map[string]string{
		"yarn.scheduler.minimum-allocation-mb": "512", "yarn.scheduler.maximum-allocation-mb": "65536",
		"yarn.scheduler.maximum-allocation-vcores":                           "64",
		yarnconf.Prefix + "maximum-am-resource-percent":                      "1.0",
		yarnconf.Prefix + "per-node-heartbeat.maximum-offswitch-assignments": "100",
		yarnconf.Prefix + "user-limit-factor":                                "100",
	}
	w.cluster(4 + w.r.IntN(5))
	w.tree()
	plants := all()
	p := plants[int(seed)%len(plants)]
	w.Kind, w.Mode = p.kind, p.mode
	w.begin()
	w.noise()
	p.plant(w)
	w.finish()
	return &w.Case
}

func (w *world) set(key, value string) { w.Conf[yarnconf.Prefix+key] = value }

// plant sets a property, and what it is in the twin; "" leaves it out there.
func (w *world) plant(key, value, twin string) {
	w.set(key, value)
	w.twin(key, twin)
}

// cluster adds nodes of 8 GiB each.
func (w *world) cluster(n int) {
	for range n {
		i := len(w.Nodes) + 1
		w.Nodes = append(w.Nodes, replay.Node{ID: fmt.Sprintf("n%d", i), Rack: fmt.Sprintf("/r%d", 1+i%2), Memory: 8192,
			VCores: 32})
		w.total += 8192
	}
}

// tree draws parents, most with leaves of their own.
func (w *world) tree() {
	var names []string
	parents := 2 + w.r.IntN(2)
	shares := w.shares(parents)
	for i := range parents {
		name := string(rune('a' + i))
		names = append(names, name)
		path := "root." + name
		w.paths = append(w.paths, path)
		w.set(path+".capacity", fmt.Sprint(shares[i]))
		if i > 0 && w.r.IntN(3) == 0 {
			w.leaves, w.up[path] = append(w.leaves, path), []string{path}
			continue
		}
		kids := 2 + w.r.IntN(2)
		below := w.shares(kids)
		var list []string
		for k := range kids {
			list = append(list, fmt.Sprintf("%s%d", name, k+1))
			leaf := path + "." + list[k]
			w.paths = append(w.paths, leaf)
			w.set(leaf+".capacity", fmt.Sprint(below[k]))
			w.leaves, w.up[leaf] = append(w.leaves, leaf), []string{leaf, path}
		}
		w.set(path+".queues", strings.Join(list, ","))
	}
	w.set("root.queues", strings.Join(names, ","))
}

// shares are whole percentages that add up to 100, each at least 15.
func (w *world) shares(n int) []int {
	out := make([]int, n)
	left := 100 - 15*n
	for i := range n {
		x := left
		if i < n-1 {
			x = w.r.IntN(left + 1)
		}
		out[i], left = 15+x, left-x
	}
	return out
}

// own draws the leaf whose limit is planted.
func (w *world) own() string {
	w.Queue = w.leaf()
	return w.Queue
}

// above draws the planted queue from a leaf and its parents.
func (w *world) above(leaf string) { w.Queue = w.up[leaf][w.r.IntN(len(w.up[leaf]))] }

func (w *world) leaf() string { return w.leaves[w.r.IntN(len(w.leaves))] }

// deep is a leaf with a parent below root.
func (w *world) deep() string {
	for {
		if l := w.leaf(); len(w.up[l]) > 1 {
			return l
		}
	}
}

// sibling is another leaf of the same parent.
func (w *world) sibling(leaf string) string {
	for {
		if l := w.leaf(); l != leaf && len(w.up[l]) > 1 && w.up[l][1] == w.up[leaf][1] {
			return l
		}
	}
}

func (w *world) do(s Step) { w.Setup = append(w.Setup, s) }

// submit returns the name of a new application.
func (w *world) submit(user, leaf string, priority int, label string) string {
	w.apps++
	name := fmt.Sprintf("app%d", w.apps)
	w.do(submission(name, user, leaf, priority, label))
	return name
}

func submission(name, user, leaf string, priority int, label string) Step {
	s := Step{"do": "submit", "app": name, "user": user, "queue": leaf, "priority": priority, "am": []int64{am, 1}}
	if label != "" {
		s["label"], s["amLabel"] = label, label
	}
	return s
}

// submits submits applications of n users.
func (w *world) submits(n int, leaf string) {
	for i := range n {
		w.submit(fmt.Sprintf("user%d", i), leaf, 0, "")
	}
}

// starts starts applications of n users.
func (w *world) starts(n int, leaf string) {
	for i := range n {
		w.start(fmt.Sprintf("user%d", i), leaf, 0, "")
	}
}

func row(priority int, where string, size int64, count int, relax bool) map[string]any {
	return map[string]any{"priority": priority, "where": where, "memory": size, "vcores": 1, "count": count,
		"relax": relax, "alloc": 0}
}

// rowsAt are those of a request for a node, for its rack and for any if that is relaxed.
func rowsAt(n replay.Node, priority int, size int64, count int, relaxRack, relaxAny bool) []any {
	return []any{row(priority, n.ID, size, count, true), row(priority, n.Rack, size, count, relaxRack),
		row(priority, "*", size, count, relaxAny)}
}

// ask is a call of an application's master.
func ask(app string, rows ...any) Step {
	return Step{"do": "ask", "app": app, "asks": append([]any{}, rows...), "release": []any{}}
}

// asking sets what an application asks for anywhere.
func asking(app string, size int64, count int, label string) Step {
	r := row(1, "*", size, count, true)
	if label != "" {
		r["label"] = label
	}
	return ask(app, r)
}

// request is what the application asks for that waits.
func (w *world) request(size int64, count int, label string) {
	w.do(asking(w.App, size, count, label))
	w.probeAll()
}

// collect has a master take its containers.
func (w *world) collect(app string) { w.do(ask(app)) }

// beats lets every node report.
func (w *world) beats(times int) {
	w.Setup = append(w.Setup, w.reports(w.Nodes, w.times(times))...)
}

// beat lets one node report.
func (w *world) beat(n replay.Node) { w.Setup = append(w.Setup, w.reports([]replay.Node{n}, 1)...) }

// probeAt lets one node report after the question.
func (w *world) probeAt(n replay.Node) { w.Probe = append(w.Probe, w.reports([]replay.Node{n}, 1)...) }

func (w *world) probeAll() { w.Probe = append(w.Probe, w.reports(w.Nodes, w.times(2))...) }

// times is how many reports of every node stand for so many heartbeats.
func (w *world) times(n int) int {
	if w.Mode == InRounds {
		return n * perReport
	}
	return n
}

// start submits an application and lets its master start.
func (w *world) start(user, leaf string, priority int, label string) string {
	name := w.submit(user, leaf, priority, label)
	w.beats(1)
	w.collect(name)
	return name
}

// hold starts an application that takes count containers of 512 MiB.
func (w *world) hold(user, leaf string, count int, label string) {
	name := w.start(user, leaf, 0, label)
	if count > 0 {
		w.do(asking(name, 512, count, label))
		w.beats(2)
		w.collect(name)
	}
}

// greedy starts an application that asks for count containers of 512 MiB, and for no more
// when it has what it can get.
func (w *world) greedy(user, leaf string, count int, label string) {
	name := w.start(user, leaf, 0, label)
	w.do(asking(name, 512, count, label))
	w.beats(2)
	w.do(asking(name, 512, 0, label))
}

// noise are small applications of other users somewhere.
func (w *world) noise() {
	for i := range w.r.IntN(3) {
		w.hold(fmt.Sprintf("other%d", i), w.leaf(), 1+w.r.IntN(2), "")
	}
}

// used is what the setup so far holds at most, in MiB.
func (w *world) used() int64 { return w.inside("root") }

// wait submits the application that waits and lets every node report.
func (w *world) wait(leaf, label string) {
	w.App = w.submit(me, leaf, 0, label)
	w.probeAll()
}
