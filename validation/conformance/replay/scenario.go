// Package replay plays recorded scenarios of Hadoop's own Capacity Scheduler and Fair
// Scheduler against this project's and reports the first difference. It is the checking side
// of validation/conformance/judge, not a way to simulate: a scenario fixes every heartbeat.
//
// [File] and [Files] judge whole files; [ReadFile] with [Play] or [PlayWith] one scenario at a
// time.
//
// # Files
//
// A file is lines of JSON, plain or packed. A scenario is a header and one line per step.
// judge/run replay takes scenarios without outcomes and answers with the same lines, each step
// with what the real scheduler did under "out"; judge/run record makes such files of random
// scenarios. The header's first key is "scenario", its name:
//
//	{"scenario":"two-queues","hadoop":"3.4.1","nodes":[{"id":"n1","rack":"/r1","memory":8192,"vcores":8}],
//	 "conf":{"yarn.scheduler.capacity.root.queues":"a,b",…},"shape":{"root.a":{…},…}}
//
// "rejected" replaces "shape" where the original refuses the configuration, "labels"
// lists node labels, "needs" what a reader must know beyond the usual ("async", "labels",
// "autoqueue", …), and
// "scheduler":"fair" makes it one of the Fair Scheduler, whose allocation file is the text under
// "allocations". Memory is MiB, a resource alone is [MiB, cores], times are milliseconds.
//
//	do            members                                 what happens
//	submit        app, user, queue, am, priority, label   an application comes in
//	ask           app, asks, release                      its master calls: rows of requests, and ordinals of containers
//
// beat node, done a node's heartbeat, with the containers that ended: [app, ordinal]
//
//	end           app                                     an application is over
//	add           node (a whole one)                      a node registers
//	lose, leave   node                                    a node is lost; it leaves, decommissioned
//	decommission  node                                    a node is to be emptied
//	label         node, label                             a node gets another label
//	refresh       conf, unset                             changed settings; of the Fair Scheduler allocations
//	preempt                                               the preemption policy runs once
//	round         start, lag, left, late                  a pass of the asynchronous thread
//	commit        count                                   proposals that wait are committed
//	sort                                                  nodes offered together are sorted
//	expire, manage                                        dynamic queues are removed; their parents' shares are set
//	update, tidy                                          Fair Scheduler: shares are computed; empty queues go
//	wait          ms                                      Fair Scheduler: time passes
//
// A container is named by its application and its ordinal there, counted from 0, the master.
package replay

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"schedtune/internal/fileio"
	"schedtune/yarnconf"
)

// Pair is a resource as recorded: [MiB, cores].
type Pair [2]int64

// Node is a node as recorded.
type Node struct {
	ID     string `json:"id"`
	Rack   string `json:"rack"`
	Memory int64  `json:"memory"`
	VCores int64  `json:"vcores"`
	Host   string `json:"host"` // where names decide ties
	Label  string `json:"label"`
}

// fraction is a part of a whole; the texts "NaN" and "Infinity" stand where the original
// comes to no number.
type fraction float32

// MarshalJSON writes the number, or its text.
func (f fraction) MarshalJSON() ([]byte, error) {
	switch {
	case f != f:
		return []byte(`"NaN"`), nil
	case math.IsInf(float64(f), 1):
		return []byte(`"Infinity"`), nil
	}
	return json.Marshal(float32(f))
}

// UnmarshalJSON reads what MarshalJSON writes.
func (f *fraction) UnmarshalJSON(b []byte) error {
	x, err := strconv.ParseFloat(strings.Trim(string(b), `"`), 32)
	*f = fraction(x)
	return err
}

// Shares are what a queue's configuration came to on the nodes of a label.
type Shares struct {
	Capacity        fraction `json:"capacity"`
	Absolute        fraction `json:"absolute"`
	Maximum         fraction `json:"maximum"`
	AbsoluteMaximum fraction `json:"absoluteMaximum"`
	EffectiveMin    Pair     `json:"effectiveMin"`
	EffectiveMax    Pair     `json:"effectiveMax"`
}

func sharesOf(e *yarnconf.Effective) Shares {
	return Shares{fraction(e.Capacity), fraction(e.Absolute), fraction(e.Maximum), fraction(e.AbsoluteMaximum),
		Pair{e.Min.Memory, e.Min.VCores}, Pair{e.Max.Memory, e.Max.VCores}}
}

// Shape is what a queue's configuration came to.
type Shape struct {
	Shares
	Mode  string `json:"mode"`
	State string `json:"state"`

	Labels       map[string]labelShape `json:"labels,omitempty"`
	DefaultLabel string                `json:"defaultLabel,omitempty"`

	MaxApplications *int     `json:"maxApplications,omitempty"` // leaves only, like all below
	PerUser         *int     `json:"maxApplicationsPerUser,omitempty"`
	UserLimit       *float32 `json:"userLimit,omitempty"`
	UserLimitFactor *float32 `json:"userLimitFactor,omitempty"`
	AMPercent       *float32 `json:"amPercent,omitempty"`
	LocalityDelay   *int     `json:"localityDelay,omitempty"`
	RackDelay       *int     `json:"rackDelay,omitempty"`
	AMLimit         *Pair    `json:"amLimit,omitempty"`
	Order           string   `json:"order,omitempty"`
}

// Header begins a scenario.
type Header struct {
	Scenario string            `json:"scenario"`
	Of       string            `json:"scheduler"` // "fair", or empty for the Capacity Scheduler
	Hadoop   string            `json:"hadoop"`
	Needs    []string          `json:"needs"` // what a reader must know beyond single nodes scheduled by their heartbeats
	Labels   []Label           `json:"labels"`
	Conf     map[string]string `json:"conf"` // properties
	Nodes    []Node            `json:"nodes"`
	Rejected *string           `json:"rejected"` // why the configuration is refused
	Shape    map[string]Shape  `json:"shape"`    // queues by path
}

// askRow is one row of a recorded ask.
type askRow struct {
	Priority int32   `json:"priority"`
	Where    string  `json:"where"` // a node, a rack as "/r1", or "*"
	Memory   int64   `json:"memory"`
	VCores   int64   `json:"vcores"`
	Count    int32   `json:"count"` // wanted there in all; it replaces what was asked before
	Relax    *bool   `json:"relax"` // locality; absent: it is relaxed
	Alloc    int64   `json:"alloc"` // allocation request id
	Label    *string `json:"label"` // with "*" only
}

// Step is one line after the header.
type Step struct {
	Do       string            `json:"do"` // what happens, see the package
	App      string            `json:"app"`
	User     string            `json:"user"`
	Queue    string            `json:"queue"`
	Priority *int32            `json:"priority"` // absent: none is asked for
	AM       Pair              `json:"am"`
	Label    string            `json:"label"`   // of the application, or of the node for "label"
	AMLabel  *string           `json:"amLabel"` // of its master
	Asks     []askRow          `json:"asks"`
	Release  []int32           `json:"release"`
	Node     json.RawMessage   `json:"node"` // a name, or for "add" a Node
	Done     [][2]any          `json:"done"`
	Conf     map[string]string `json:"conf"`
	Unset    []string          `json:"unset"`
	Start    int               `json:"start"` // of a round, in the order of nodes
	Lag      int               `json:"lag"`   // proposals of a round that wait while it goes on; -1: all
	Left     int               `json:"left"`  // proposals that wait after a round
	Late     []string          `json:"late"`  // nodes without a recent heartbeat
	Count    *int              `json:"count"` // proposals to commit; absent: all
	Out      *Out              `json:"out"`
}

// Event is one committed proposal.
type Event struct {
	Kind      string        `json:"kind"` // "allocate", "reserve" or "release"
	App       string        `json:"app,omitempty"`
	Node      string        `json:"node,omitempty"`
	Priority  int32         `json:"priority"`
	Alloc     int64         `json:"alloc"`
	Memory    int64         `json:"memory"`
	VCores    int64         `json:"vcores"`
	Locality  string        `json:"locality,omitempty"`  // "NODE_LOCAL", "RACK_LOCAL" or "OFF_SWITCH"
	From      string        `json:"from,omitempty"`      // "reservation": one is filled
	Unreserve []string      `json:"unreserve,omitempty"` // nodes where the application gives a reservation up
	Kill      []string      `json:"kill,omitempty"`      // containers killed for it, by name
	Release   []Reservation `json:"release,omitempty"`
	Container *int32        `json:"container,omitempty"` // ordinal of the container allocated
	Partition string        `json:"partition,omitempty"` // the node's label
	Shared    bool          `json:"shared,omitempty"`    // idle resources of a shared partition
	Refused   bool          `json:"refused,omitempty"`
	// asynchronous scheduling only: in the order in which proposals were made
	Proposal uint32 `json:"proposal,omitempty"`
}

// Reservation names a reservation that was given up.
type Reservation struct {
	App  string `json:"app"`  // whose
	Node string `json:"node"` // where
}

// Figures are the running figures of a leaf.
type Figures struct {
	labelFigures
	Active  int `json:"active"`  // applications
	Waiting int `json:"waiting"` // applications not active yet

	Labels map[string]labelFigures `json:"labels,omitempty"`
}

// Told is what an application master hears.
type Told struct {
	Ignored   bool    `json:"ignored,omitempty"` // there is no such application, or its master does not run
	Error     string  `json:"error,omitempty"`   // the call is refused
	Headroom  *Pair   `json:"headroom,omitempty"`
	Granted   []int32 `json:"granted,omitempty"`   // ordinals of new containers
	Completed []int32 `json:"completed,omitempty"` // ordinals of containers that ended
}

// Common is what came of a step of either scheduler.
type Common struct {
	Told
	State    string   `json:"state,omitempty"`    // of the application submitted
	Queue    string   `json:"queue,omitempty"`    // the leaf that took an application, with dynamic queues
	Rejected *string  `json:"rejected,omitempty"` // a submission or a refresh; why counts for readers only
	Loaded   bool     `json:"loaded,omitempty"`   // the refresh was
	Selected []string `json:"selected,omitempty"` // containers marked for preemption, as "app1#3"
	Events   []Event  `json:"events,omitempty"`
	Ended    []string `json:"ended,omitempty"` // applications
	Gone     []string `json:"gone,omitempty"`  // containers killed or lost, as "app1#3"
}

// reject notes why a submission or a refresh failed.
func (c *Common) reject(err error) {
	why := err.Error()
	c.Rejected = &why
}

// Out is what came of a step.
type Out struct {
	Common
	Shape      map[string]Shape    `json:"shape,omitempty"`      // queues after a refresh
	Killable   []string            `json:"killable,omitempty"`   // lazy preemption only
	Moved      [][3]string         `json:"moved,omitempty"`      // reservations: application, from node, to node
	Made       []Event             `json:"proposals,omitempty"`  // in this step, and waiting at its end
	Backlog    int                 `json:"backlog,omitempty"`    // proposals that wait in all
	Held       bool                `json:"held,omitempty"`       // too many proposals wait: the round was not made
	Order      []string            `json:"order,omitempty"`      // of the nodes in a round, where it is new
	Orders     map[string][]string `json:"orders,omitempty"`     // nodes offered together, by partition, where that is new
	Partitions []string            `json:"partitions,omitempty"` // in the order of a round, where that is new
	Queues     map[string]Figures  `json:"queues,omitempty"`     // leaves whose figures changed
	Created    []string            `json:"created,omitempty"`    // queue paths
	Removed    []string            `json:"removed,omitempty"`
	// the original would spin; nothing else is recorded, and the scenario ends
	Endless bool            `json:"endless,omitempty"`
	Failed  bool            `json:"failed,omitempty"` // likewise: its ResourceManager would stop
	Detail  json.RawMessage `json:"detail,omitempty"`
}

// Scenario is a header with its steps.
type Scenario struct {
	Header
	Steps []Step
	Raw   []string // the lines of the steps, for messages
	Head  string   // the header's line
}

// version returns whose rules a scenario was recorded by.
func (h *Header) version() (yarnconf.Version, error) {
	if h.Hadoop == "" {
		return yarnconf.Hadoop34, nil
	}
	return yarnconf.ParseVersion(h.Hadoop)
}

// provided is what of Header.Needs this reader and the scheduler know: a file that needs more is
// refused.
var provided = []string{"flexible", "async", "lazy", "underutilized", "decommission", "autoqueue", "labels",
	"multinode"}

// ReadFile calls each with every scenario of a file of JSON lines, packed or not,
// in order. It stops at the first error, which names the file and the line.
func ReadFile(path string, each func(*Scenario) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	plain, err := fileio.OpenText(f)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return read(path, plain, each)
}

func read(name string, r io.Reader, each func(*Scenario) error) error {
	in := bufio.NewScanner(r)
	in.Buffer(make([]byte, 1<<20), 1<<26)
	var s *Scenario
	for line := 1; in.Scan(); line++ {
		b := bytes.TrimSpace(in.Bytes())
		if len(b) == 0 {
			continue
		}
		next, err := s.add(b)
		if err != nil {
			return fmt.Errorf("%s:%d: %w", name, line, err)
		}
		if next != nil {
			if s != nil {
				if err := each(s); err != nil {
					return err
				}
			}
			s = next
		}
	}
	if err := in.Err(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if s == nil {
		return nil
	}
	return each(s)
}

// add appends a step, or returns a new scenario for a header line.
func (s *Scenario) add(line []byte) (*Scenario, error) {
	if bytes.HasPrefix(line, []byte(`{"scenario"`)) {
		next := &Scenario{Head: string(line)}
		err := json.Unmarshal(line, &next.Header)
		for _, n := range next.Needs {
			if !slices.Contains(provided, n) {
				err = cmp.Or(err, fmt.Errorf("%s needs %q: not simulated", next.Scenario, n))
			}
		}
		return next, err
	}
	if s == nil {
		return nil, fmt.Errorf("a step before the first scenario header")
	}
	var st Step
	if err := json.Unmarshal(line, &st); err != nil {
		return nil, err
	}
	s.Steps = append(s.Steps, st)
	s.Raw = append(s.Raw, string(line))
	return nil, nil
}
