package diagnose

import (
	"fmt"
	"math"
	"sort"

	"schedtune/simcore"
	"schedtune/yarnconf"
	"schedtune/yarnconf/placement"
)

// Part explain says which limit of a Capacity Scheduler configuration keeps
// a user's applications in a queue from starting or from growing, with the
// numbers, and what would change that. Every piece of advice is tried: the
// configuration is evaluated again with the change made.
//
// The formulas are those of Hadoop 3.4.1: effective capacities
// (yarnconf.Effective), the user limit of UsersManager.computeUserLimit, the
// application-master limits of LeafQueue.

// Question is what is to be explained.
type LimitsQuestion struct {
	Doc     *yarnconf.Document
	Cluster *simcore.Cluster
	// Queue is the full path or unambiguous short name of a leaf queue; one that is
	// made on first use need not be there. Empty asks the file's own placement rules.
	Queue  string
	User   string
	App    string   // name of the application, for rules that look at it
	Groups []string // of the user, the primary one first; none: one of the user's name
	// Label is the node label whose nodes are looked at; empty is the queue's
	// default-node-label-expression, "none" the nodes without one.
	Label string
	// Container and AM are the sizes asked for; zero means 1,024 MiB and 1
	// vcore, and MapReduce's 1,536 MiB and 1 vcore.
	Container, AM yarnconf.Resource
	Load          *Load // what a trace says of the queue and the user; may be nil
}

// Load is what a trace shows.
type Load struct {
	Jobs      int `json:"jobs"`       // of the queue
	UserJobs  int `json:"user_jobs"`  // of the user in it
	Peak      int `json:"peak"`       // most jobs at one time, submission to end
	UserPeak  int `json:"user_peak"`  // most of the user's
	Users     int `json:"users"`      // users of the queue
	PeakUsers int `json:"peak_users"` // most users with an unfinished application at one time
}

// Answer is the explanation.
type LimitsAnswer struct {
	Queue, User   string
	Nodes         int
	Total         yarnconf.Resource
	Largest       yarnconf.Resource // of one node
	Container, AM yarnconf.Resource // as the scheduler grants them
	Guaranteed    yarnconf.Resource
	Most          yarnconf.Resource
	Order         yarnconf.AppOrder // which application of the queue is served first
	Weight        float32           // the user's weight in the queue, 1 unless set
	Growth        []Limit           // on what the user may hold, tightest first
	Running       []Limit           // on how many applications run at a time, tightest first
	Admission     []Limit           // on how many may be accepted at all, tightest first
	Sharing       []Share           // the user's part while others are active too
	Rate          Rate
	Asynchronous  bool              // nodes are not scheduled at their heartbeats: Rate does not apply
	Stopped       bool              // the queue is not RUNNING
	TooLarge      bool              // no node can hold an application master
	Label         string            // of the nodes looked at, "" for those without
	Partitions    []PartitionTerms  // what the queue has of each; none where no node has a label
	Placed        []placement.Step  // how the placement rules led here; none where they were not asked
	Made          bool              // the queue is made on first use
	Template      []yarnconf.Change // what it then begins with: names without a path
	Findings      []string          // other things in the way
	Advice        []Advice
	Load          *Load
}

// Limit is one limit and what it comes to.
type Limit struct {
	What     string            // such as "user limit, alone in the queue"
	Resource yarnconf.Resource // zero for limits that count applications
	Count    int64             // containers, or applications; Unlimited = no limit
	Share    float64           // of the cluster's memory, 0 for counts
	Key      string            // property behind it
	Value    string            // its value in force
	Line     int               // where it stands, 0 = a default
	Note     string
}

// Unlimited marks a limit that does not limit.
const Unlimited = math.MaxInt64

// Share is what the user gets while so many users are active.
type Share struct {
	Users int
	Limit yarnconf.Resource
	Of    float64 // of the cluster's memory
}

// Rate bounds how fast containers without locality are handed out.
type Rate struct {
	OffSwitchPerBeat int
	PerSecond        float64 // over all nodes at one heartbeat a second
}

// Ask explains. Errors: a file that does not load, an unknown queue, a parent
// queue, sizes that can never be granted.
func AskLimits(q LimitsQuestion) (*LimitsAnswer, error) {
	w, err := newWorld(q.Doc, q)
	if err != nil {
		return nil, err
	}
	a := &LimitsAnswer{Queue: w.leaf().Path, User: q.User, Nodes: len(w.nodes), Total: w.total, Largest: w.largest,
		Container: w.container, AM: w.am, Guaranteed: w.eff[w.at].Min, Most: w.eff[w.at].Max, Load: q.Load,
		Order: w.leaf().AppOrder, Weight: w.weight(q.User), Label: w.label(), Partitions: w.partitions(), Placed: w.placed, Made: w.made()}
	a.Template = w.template()
	a.Growth, a.Running, a.Admission = w.growth(1), w.running(), w.admission()
	a.Sharing = w.sharing()
	a.Asynchronous = w.c.Asynchronous
	a.Rate, a.Stopped = w.rate(), w.leaf().State != yarnconf.Running
	a.TooLarge = w.am.Memory > w.largest.Memory || w.c.Calculator.Dominant && w.am.VCores > w.largest.VCores
	a.Findings = w.findings(a)
	a.Advice = w.advise(a)
	return a, nil
}

// world is one configuration on the cluster.
type world struct {
	q              LimitsQuestion
	doc            *yarnconf.Document
	c              *yarnconf.Config
	eff            []yarnconf.Effective
	at             int // the leaf
	parts          []explainPartition
	part           int            // the one looked at
	nodes          []simcore.Node // of it
	total, largest yarnconf.Resource
	container, am  yarnconf.Resource
	placed         []placement.Step
}

func newWorld(doc *yarnconf.Document, q LimitsQuestion) (*world, error) {
	if yarnconf.IsMR1(doc) {
		return nil, fmt.Errorf("%s: is a queue file of Hadoop 1, whose limits are others; allowed: a capacity-scheduler.xml of Hadoop 2 or 3", doc.Name())
	}
	if ps := doc.Validate(); len(ps) > 0 {
		return nil, ps[0]
	}
	c, _ := yarnconf.Evaluate(doc) // Validate has looked at the errors
	w := &world{q: q, doc: doc, c: c}
	if err := w.find(); err != nil {
		return nil, err
	}
	if !w.c.Queues[w.at].Leaf {
		return nil, fmt.Errorf("queue %q: is a parent queue, applications run in leaf queues; allowed: %s", q.Queue, leaves(w.c))
	}
	w.parts = partitionsOf(q.Cluster, w.c)
	if err := w.enter(q.Label); err != nil {
		return nil, err
	}
	w.container = w.normal(q.Container, yarnconf.Resource{Memory: 1024, VCores: 1})
	w.am = w.normal(q.AM, yarnconf.Resource{Memory: 1536, VCores: 1})
	return w, nil
}

func (w *world) leaf() *yarnconf.Queue { return &w.c.Queues[w.at] }

// normal rounds an ask as the scheduler does.
func (w *world) normal(ask, def yarnconf.Resource) yarnconf.Resource {
	if ask == (yarnconf.Resource{}) {
		ask = def
	}
	r := w.c.Calculator.Normalize(ask, w.c.MinAllocation, w.leaf().MaxAllocation, w.c.MinAllocation)
	if !w.c.Calculator.Dominant {
		r.VCores = max(ask.VCores, 1) // counted, though not scheduled
	}
	return r
}

func leaves(c *yarnconf.Config) string {
	s := ""
	for i := range c.Queues {
		if c.Queues[i].Leaf && !c.Queues[i].Dynamic && !c.Queues[i].Managed {
			if s != "" {
				s += ", "
			}
			s += c.Queues[i].Path
		}
	}
	return s
}

// fit returns how many of a size fit in a resource, by what the calculator
// counts.
func (w *world) fit(r, size yarnconf.Resource) int64 {
	n := r.Memory / max(size.Memory, 1)
	if w.c.Calculator.Dominant {
		n = min(n, r.VCores/max(size.VCores, 1))
	}
	return max(n, 0)
}

func (w *world) share(r yarnconf.Resource) float64 {
	if w.total.Memory == 0 {
		return 0
	}
	s := float64(r.Memory) / float64(w.total.Memory)
	if w.c.Calculator.Dominant && w.total.VCores > 0 {
		s = max(s, float64(r.VCores)/float64(w.total.VCores))
	}
	return s
}

// byCount orders limits, tightest first; of equal ones the earlier.
func byCount(ls []Limit) []Limit {
	sort.SliceStable(ls, func(i, j int) bool { return ls[i].Count < ls[j].Count })
	return ls
}

// source fills in where a limit's value comes from: the first of several
// properties that is set, else the default of the last.
func (w *world) source(l Limit, def string, keys ...string) Limit {
	for _, k := range keys {
		if v := w.doc.Value(k); v != "" {
			l.Key, l.Value, l.Line = k, v, w.doc.Line(k)
			return l
		}
	}
	l.Key, l.Value = keys[0], def
	return l
}
