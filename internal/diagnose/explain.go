package diagnose

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"schedtune/internal/scenario"
	"schedtune/simcore"
	"schedtune/simcore/sched/capacity"
	"schedtune/yarnconf"
	"schedtune/yarnconf/placement"
)

// tune explain: which limit of a Capacity Scheduler configuration keeps a user's applications
// in a queue from starting or from growing, and what would change that. The figures are the
// scheduler's own (capacity.OnCluster); every piece of advice is evaluated with the change
// made.

// LimitsQuestion asks for the limits of a queue and a user.
type LimitsQuestion struct {
	Doc     *yarnconf.Document
	Cluster *simcore.Cluster
	// Queue is the full path or unambiguous short name of a leaf queue, or the path of a
	// dynamic queue that need not exist yet. Empty applies the placement rules of Doc.
	Queue  string
	User   string
	App    string   // name of the application, for placement rules
	Groups []string // of the user, primary group first; none: one of the user's name
	// Label is a node label; "" is the queue's default-node-label-expression, "none" the
	// nodes without label.
	Label string
	// Container and AM are the sizes asked for; zero means 1,024 MiB and 1 vcore, and
	// MapReduce's 1,536 MiB and 1 vcore.
	Container, AM yarnconf.Resource
	Load          *Load // of a trace; may be nil
}

// Load is the number of applications in a trace.
type Load struct {
	Jobs      int      `json:"jobs"`       // of the queue
	UserJobs  int      `json:"user_jobs"`  // of the user in the queue
	Peak      int      `json:"peak"`       // most jobs at a time, from submission to end
	UserPeak  int      `json:"user_peak"`  // most jobs of the user at a time
	Users     int      `json:"users"`      // users of the queue
	PeakUsers int      `json:"peak_users"` // most users with an unfinished application at a time
	held      []string // notes on what Tez holds without working
}

// LimitsAnswer is the answer to a LimitsQuestion.
type LimitsAnswer struct {
	Queue        string            `json:"queue"`
	User         string            `json:"user"`
	Nodes        int               `json:"nodes"`
	Total        yarnconf.Resource `json:"-"`
	Container    yarnconf.Resource `json:"-"` // as the scheduler normalizes it, and AM
	AM           yarnconf.Resource `json:"-"`
	Guaranteed   yarnconf.Resource `json:"-"`
	Most         yarnconf.Resource `json:"-"`
	Order        yarnconf.AppOrder `json:"-"`                  // of applications in the queue
	Weight       float32           `json:"-"`                  // of the user in the queue, 1 unless set
	Growth       []Limit           `json:"growth"`             // on the user's containers, tightest first
	Running      []Limit           `json:"running"`            // on the applications that run at a time, tightest first
	Admission    []Limit           `json:"admission"`          // on accepted applications, tightest first
	Sharing      []Share           `json:"sharing"`            // user limits with other active users
	Rate         Rate              `json:"off_switch"`         // of containers without locality
	Asynchronous bool              `json:"-"`                  // scheduling is asynchronous: Rate does not apply
	Refusal      string            `json:"refusal,omitempty"`  // why a submission or a request for containers is refused
	Starts       bool              `json:"-"`                  // only a request for containers is refused
	TooLarge     bool              `json:"-"`                  // no node can hold an application master
	Label        string            `json:"label,omitempty"`    // of the nodes looked at
	MasterLabel  string            `json:"am_label,omitempty"` // of the nodes for application masters
	MasterNodes  int               `json:"-"`                  // with that label
	Dominant     bool              `json:"-"`                  // cores are scheduled too
	Beside       int64             `json:"-"`                  // of applications that run, so many leave room for one
	Room         int64             `json:"-"`                  // containers that fit beside the masters of all that run
	Partitions   []PartitionTerms  `json:"partitions"`         // by node label; none where no node has one
	Placed       []placement.Step  `json:"placed_by"`          // decisions of the placement rules; none where Queue was given
	Made         bool              `json:"made_on_first_use"`  // the queue is dynamic
	Template     []yarnconf.Change `json:"-"`                  // settings of a new dynamic queue: names without a path
	Findings     []string          `json:"findings"`           // other limits
	Advice       []Advice          `json:"-"`
	Load         *Load             `json:"trace"`
}

// Limit is one limit.
type Limit struct {
	What string `json:"limit"` // such as "user limit"
	// Resource is zero for limits on the number of applications.
	yarnconf.Resource
	Count int64   `json:"count"`                   // containers or applications; Unlimited, null in JSON, for no limit
	Share float64 `json:"cluster_share,omitempty"` // of memory; 0 for limits on numbers
	Key   string  `json:"property"`                // that sets it
	Value string  `json:"value"`                   // of the property
	Line  int     `json:"line,omitempty"`          // of the property; 0 for a default
}

// Unlimited is the Count of a limit that is not set.
const Unlimited = math.MaxInt64

// Share is the user limit with so many active users.
type Share struct {
	Users  int               `json:"users"`
	Limit  yarnconf.Resource `json:"-"`
	Memory int64             `json:"memory_mib"`
	Of     float64           `json:"cluster_share"` // of memory
}

// Rate bounds how fast containers without locality are handed out.
type Rate struct {
	OffSwitchPerBeat int     `json:"per_node_heartbeat"`
	PerSecond        float64 `json:"per_second"` // over all nodes at one heartbeat a second
}

// AskLimits answers a question about limits. Errors: a file that does not load, an unknown
// queue, a parent queue, an unknown node label.
func AskLimits(q LimitsQuestion) (*LimitsAnswer, error) {
	w, err := newWorld(q.Doc, q)
	if err != nil {
		return nil, err
	}
	f, leaf := w.figures(w.at), w.leaf()
	a := &LimitsAnswer{Queue: leaf.Path, User: q.User, Nodes: len(w.nodes), Total: w.total,
		Container: w.container, AM: w.am, Guaranteed: f.Min.Floor(), Most: f.Max, Load: q.Load,
		Order: leaf.AppOrder, Weight: w.user().Weight, Label: w.label, Partitions: w.partitions(), Placed: w.placed,
		Made: w.made(), Template: w.template(), Growth: w.growth(), Running: w.running(), Admission: w.admission(),
		Sharing:      w.sharing(),
		Asynchronous: w.c.Asynchronous, Rate: w.rate(),
		MasterLabel: w.amLabel, MasterNodes: len(w.amNodes), Dominant: w.c.Calculator.Dominant}
	a.TooLarge = w.holds(w.amNodes, w.am) == 0
	a.Beside, a.Room = w.beside(a.Running[0].Count), w.room(a.Running[0].Count)
	a.Refusal = w.refusal(a)
	a.Findings = append([]string{}, w.findings(a)...)
	if a.Refusal == "" {
		a.Advice = w.advise(a)
	}
	return a, nil
}

// world is one configuration on the cluster, seen from one leaf and one partition.
type world struct {
	q             LimitsQuestion
	doc           *yarnconf.Document
	s             *capacity.Scheduler // without applications
	c             *yarnconf.Config    // of s, dynamic queues included
	at            int                 // index of the leaf
	part          int                 // index of the partition
	label         string              // of the partition
	nodes         []simcore.Node      // of the partition
	total         yarnconf.Resource
	amPart        int // partition in which application masters are requested, as the three above
	amLabel       string
	amNodes       []simcore.Node
	amTotal       yarnconf.Resource
	container, am yarnconf.Resource
	placed        []placement.Step
}

func newWorld(doc *yarnconf.Document, q LimitsQuestion) (*world, error) {
	if yarnconf.IsMR1(doc) {
		return nil, fmt.Errorf("%s: must be a capacity-scheduler.xml of Hadoop 2 or 3, not a queue file of Hadoop 1",
			doc.Name())
	}
	if ps := doc.Validate(); len(ps) > 0 {
		return nil, ps[0]
	}
	c, _ := yarnconf.Evaluate(doc) // Validate has looked at the errors
	c.MultiNode = false            // no limit depends on it, and not all versions of it are simulated
	s, err := capacity.OnCluster(c, q.Cluster)
	if err != nil {
		return nil, err
	}
	w := &world{q: q, doc: doc, s: s, c: s.Config()}
	if err := w.find(); err != nil {
		return nil, err
	}
	if !w.leaf().Leaf {
		return nil, &scenario.FlagError{Flag: "--queue",
			Err: fmt.Errorf("queue %q: must be a leaf queue (%s), not a parent queue", q.Queue, leaves(w.c))}
	}
	if err := w.enter(q.Label); err != nil {
		return nil, err
	}
	w.container = w.normal(q.Container, yarnconf.Resource{Memory: 1024, VCores: 1})
	w.am = w.normal(q.AM, usualMaster)
	return w, nil
}

// usualMaster is what MapReduce asks for its application master.
var usualMaster = yarnconf.Resource{Memory: 1536, VCores: 1}

func (w *world) leaf() *yarnconf.Queue { return &w.c.Queues[w.at] }

// figures returns the figures of queue i in the partition.
func (w *world) figures(i int) capacity.Figures { return w.s.Figures(i, w.part) }

// user returns the limits of the user in the partition.
func (w *world) user() capacity.UserLimits { return w.s.UserLimits(w.at, w.part, w.q.User) }

// holds counts how many of a size fit on nodes, one by one.
func (w *world) holds(nodes []simcore.Node, size yarnconf.Resource) (n int64) {
	for i := range nodes {
		n += w.fit(resourceOf(nodes[i].Capacity), size)
	}
	return n
}

// normal rounds an ask as the scheduler does.
func (w *world) normal(ask, def yarnconf.Resource) yarnconf.Resource {
	if ask.IsNone() {
		ask = def
	}
	r := w.c.Calculator.Normalize(ask, w.c.MinAllocation, w.leaf().MaxAllocation, w.c.MinAllocation)
	if !w.c.Calculator.Dominant {
		r.VCores = max(ask.VCores, 1) // counted, though not scheduled
	}
	return r
}

// leaves lists the configured leaf queues, for errors.
func leaves(c *yarnconf.Config) string {
	var paths []string
	for i := range c.Queues {
		if q := &c.Queues[i]; q.Leaf && !q.Dynamic && !q.Managed {
			paths = append(paths, q.Path)
		}
	}
	return strings.Join(paths, ", ")
}

// fit returns how many of a size fit in a resource, by what the calculator counts.
func (w *world) fit(r, size yarnconf.Resource) int64 {
	n := r.Memory / max(size.Memory, 1)
	if w.c.Calculator.Dominant {
		n = min(n, r.VCores/max(size.VCores, 1))
	}
	return max(n, 0)
}

func (w *world) share(r yarnconf.Resource) float64 { return w.shareOf(r, w.total) }

// shareOf is the larger share of memory and, where they are scheduled, cores.
func (w *world) shareOf(r, total yarnconf.Resource) float64 {
	if total.Memory == 0 {
		return 0
	}
	s := float64(r.Memory) / float64(total.Memory)
	if w.c.Calculator.Dominant && total.VCores > 0 {
		s = max(s, float64(r.VCores)/float64(total.VCores))
	}
	return s
}

// byCount orders limits, tightest first; of equal ones the earlier.
func byCount(ls []Limit) []Limit {
	slices.SortStableFunc(ls, func(a, b Limit) int { return cmp.Compare(a.Count, b.Count) })
	return ls
}

// source fills in where a limit's value comes from: the first of several
// properties that is set, else the default of the first.
func (w *world) source(l Limit, def string, keys ...string) Limit {
	l.Key, l.Value = keys[0], def
	if i := slices.IndexFunc(keys, func(k string) bool { return w.doc.Value(k) != "" }); i >= 0 {
		l.Key, l.Value, l.Line = keys[i], w.doc.Value(keys[i]), w.doc.Line(keys[i])
	}
	return l
}
