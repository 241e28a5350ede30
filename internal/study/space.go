package study

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"schedtune/internal/scenario"
	"schedtune/simcore"
	"schedtune/tune"
	"schedtune/yarnconf"
)

// Slowstart is the name of the one setting that lives in mapred-site.xml.
const Slowstart = "slowstart"

// SlowstartKey is its property.
const SlowstartKey = "mapreduce.job.reduce.slowstart.completedmaps"

// Files that settings belong to.
const (
	FileConfig = "capacity-scheduler.xml"
	FileMapred = "mapred-site.xml"
	FileSpark  = "spark-defaults.conf"
	FileTez    = "tez-site.xml"
)

// Short names of the global settings that may move.
const (
	localityDelay = "node-locality-delay"
	offSwitch     = "maximum-offswitch-assignments"
)

// ParamNames lists the kinds of setting that may move, for --params.
func ParamNames() []string {
	return append([]string{yarnconf.Capacity, yarnconf.MaximumCapacity, yarnconf.MinimumUser, yarnconf.UserFactor,
		yarnconf.AMShare, yarnconf.OrderingPolicy, localityDelay, offSwitch, Slowstart}, engineParams()...)
}

// Space is the parameter space of a queue file with the mapping to its
// properties.
type Space struct {
	*tune.Space
	keys      map[string]string        // parameter name -> property
	slowstart string                   // present value, as written
	resources map[string]*absoluteTree // of the parameters that stand for absolute resources
	vectors   map[string]vectorPart    // of the parameters that stand for a part of a property
	weights   []weightLevel
	plain     []plainQueue       // without legacy rules, where maxima are absolute
	engineNow map[string]float64 // present defaults of Spark and Tez that may move, by property, as the simulator has them
}

// NewSpace builds the space: per-queue capacity (percentages of siblings sum to
// exactly 100, weights and absolute resources to what they sum to now),
// maximum-capacity (never below), minimum-user-limit-percent, user-limit-factor,
// maximum-am-resource-percent and ordering-policy of every leaf that has jobs,
// shares and maxima of the node labels that jobs ask for,
// and the global node-locality-delay, off-switch limit and slowstart. Queues
// without jobs keep what they have. only restricts what may move: names of
// ParamNames or patterns such as "root.prod.*", which reach queues without jobs
// too; empty = all. Notes say what was left out and why.
func NewSpace(c *scenario.Case, only []string) (*Space, []string, error) {
	conf, err := yarnconf.Evaluate(c.Doc)
	if err != nil {
		return nil, nil, err
	}
	b := &spaceBuilder{c: c, conf: conf, only: only, hit: map[string]bool{}, Space: Space{keys: map[string]string{},
		resources: map[string]*absoluteTree{}, vectors: map[string]vectorPart{}, engineNow: map[string]float64{},
		slowstart: number(presentSlowstart(c.Work))}}
	if err := b.queues(); err != nil {
		return nil, nil, err
	}
	b.globals()
	b.engines()
	b.tight()
	if err := b.unused(); err != nil {
		return nil, nil, err
	}
	if b.Space.Space, err = tune.NewSpace(b.params...); err != nil {
		return nil, nil, err
	}
	b.plain = b.plainQueues()
	if len(only) == 0 && slices.ContainsFunc(b.params, func(p tune.Param) bool { return p.Kind == tune.Share }) {
		b.notes = append(b.notes, "capacities (guarantees) are not tuned unless --params names them")
	}
	return &b.Space, b.notes, nil
}

// spaceBuilder collects parameters in the order of the file.
type spaceBuilder struct {
	Space     // without its parameters
	c         *scenario.Case
	conf      *yarnconf.Config
	params    []tune.Param
	notes     []string
	only      []string
	hit       map[string]bool
	effective []yarnconf.Effective // on the case's cluster
	trees     []*absoluteTree      // of each node label with absolute resources
	idle      map[string]bool      // queues without jobs
	asked     asked                // labels that jobs ask for, by queue
	elsewhere map[string]bool      // queues whose jobs ask for labels only
	kept      map[string]bool      // those of them that keep a setting for that reason
	holds     map[string]bool      // queues above a leaf without jobs
}

func (b *spaceBuilder) queues() error {
	levels, err := b.c.Doc.Levels()
	if err != nil {
		return err
	}
	qs, err := b.c.Doc.Queues()
	if err != nil {
		return err
	}
	info := map[string]yarnconf.QueueInfo{}
	for _, q := range qs {
		info[q.Path] = q
	}
	b.idle, b.kept = idleQueues(b.c.Work, qs), map[string]bool{}
	b.asked = askedLabels(b.c.Cluster, b.c.Work, b.conf)
	b.elsewhere = b.asked.elsewhere()
	stay := maps.Clone(b.idle)
	maps.Copy(stay, b.elsewhere)
	b.holds = holders(stay, qs)
	moved := map[string]bool{}
	for _, lv := range levels {
		b.level(lv, info, moved)
		b.labels(lv)
	}
	for _, q := range qs {
		b.queue(q, moved[q.Path])
	}
	b.templates()
	if note := b.idleNote(qs); note != "" {
		b.notes = append(b.notes, note)
	}
	return nil
}

// level adds the shares of one group of siblings.
func (b *spaceBuilder) level(lv yarnconf.Level, info map[string]yarnconf.QueueInfo, moved map[string]bool) {
	if len(lv.Queues) < 2 {
		if b.conf.LegacyMode && lv.Mode == yarnconf.Absolute {
			b.absolutes("").level(lv) // follows what its parent gets
		}
		return
	}
	if !b.conf.LegacyMode {
		b.forms(lv)
		return
	}
	if b.otherMode(lv, info) {
		return
	}
	if lv.Fixed != "" || lv.Mode != yarnconf.Percentage {
		why := lv.Fixed
		if why == "" {
			why = lv.Mode.String() + " capacities cannot be tuned"
		}
		b.notes = append(b.notes, fmt.Sprintf("capacities below %s are not tuned: %s", lv.Parent, why))
		return
	}
	step := b.shareStep(lv, info)
	most := b.mostShares(lv, info)
	for _, q := range lv.Queues {
		moved[q] = b.add(q+"."+yarnconf.Capacity, yarnconf.Key(q, yarnconf.Capacity), yarnconf.Capacity, tune.Param{
			Kind: tune.Share, Group: lv.Parent, Present: b.present(yarnconf.Key(q, yarnconf.Capacity), info[q].Capacity),
			Min: step, Max: most[q], Step: step,
		}) || moved[q]
	}
}

// mostShares are what the shares of a group may become at most, in percent: a queue's
// maximum-capacity where that stays, which no share may pass, else 100.
func (b *spaceBuilder) mostShares(lv yarnconf.Level, info map[string]yarnconf.QueueInfo) map[string]float64 {
	out := map[string]float64{}
	for _, path := range lv.Queues {
		q := info[path]
		out[path] = 100
		if !b.wanted(path+"."+yarnconf.MaximumCapacity, yarnconf.MaximumCapacity) {
			out[path] = max(q.MaxCapacity, q.Capacity)
		}
	}
	return out
}

// shareStep is the grid of one group's percentages and the least of them: one
// point, or half of the smallest share that may move where that is less. With
// hundreds of queues a point is more than each of them has.
func (b *spaceBuilder) shareStep(lv yarnconf.Level, info map[string]yarnconf.QueueInfo) float64 {
	smallest := 2.0
	for _, q := range lv.Queues {
		if now := info[q].Capacity; now > 0 && b.wanted(q+"."+yarnconf.Capacity, yarnconf.Capacity) {
			smallest = math.Min(smallest, now)
		}
	}
	return niceStep(smallest / 2)
}

// queue adds what one queue has besides its share.
func (b *spaceBuilder) queue(q yarnconf.QueueInfo, shareMoves bool) {
	add := func(kind string, now float64, p tune.Param) {
		key := yarnconf.Key(q.Path, kind)
		if p.Kind == tune.Category {
			p.Present = q.Ordering
		} else {
			p.Present = b.present(key, now)
		}
		b.add(q.Path+"."+kind, key, kind, p)
	}
	stays := b.holds[q.Path] && !b.wanted(q.Path+"."+yarnconf.Capacity, yarnconf.Capacity)
	if !b.conf.LegacyMode || q.Mode == yarnconf.Weight {
		if !stays {
			b.maximum(q)
		}
	} else if shareMoves && !stays {
		add(yarnconf.MaximumCapacity, q.MaxCapacity, tune.Param{Kind: tune.Ceiling, Of: q.Path + "." + yarnconf.Capacity})
	} else if q.Mode == yarnconf.Percentage && q.Parent != "" && q.Capacity < 100 {
		least := q.Capacity
		if stays {
			least = q.MaxCapacity
		}
		if least < 100 {
			add(yarnconf.MaximumCapacity, q.MaxCapacity, tune.Param{Kind: tune.Linear, Min: least, Max: 100, Step: 1})
		}
	}
	if !q.Leaf {
		return
	}
	add(yarnconf.MinimumUser, q.UserLimit, tune.Param{Kind: tune.Users, Min: b.leastUsers(q.Path),
		Max: max(10, b.leastUsers(q.Path))})
	add(yarnconf.UserFactor, q.UserFactor, userFactor)
	add(yarnconf.AMShare, q.AMShare, amShare)
	if q.Ordering == "fifo" || q.Ordering == "fair" {
		add(yarnconf.OrderingPolicy, 0, ordering)
	}
}

// Ranges of the settings of every leaf and of templates of leaves.
var (
	userFactor = tune.Param{Kind: tune.Logarithmic, Min: 0.25, Max: 16, Step: 0.25, Special: []string{"-1"}}
	amShare    = tune.Param{Kind: tune.Logarithmic, Min: 0.05, Max: 1, Step: 0.01}
	ordering   = tune.Param{Kind: tune.Category, Choices: []string{"fifo", "fair"}}
)

// leastUsers is the n in 100/n that the weights of a queue's users allow at the least: none
// may weigh more than 100 through the percentage (AbstractLeafQueue's check of user
// weights), and the file does not load with one that does.
func (b *spaceBuilder) leastUsers(queue string) float64 {
	n := 1.0
	if i := b.conf.Find(queue); i >= 0 {
		for _, w := range b.conf.Queues[i].UserWeights {
			n = max(n, math.Ceil(float64(w)))
		}
	}
	return n
}

// globals adds the settings of the scheduler as a whole and slowstart.
func (b *spaceBuilder) globals() {
	nodes := float64(len(b.c.Cluster.Nodes))
	if b.c.Work.Tasks.HostAt != nil && nodes > 1 {
		key := yarnconf.LocalityDelay
		// Beyond the number of nodes the delay has no further effect
		// (RegularContainerAllocator.getActualNodeLocalityDelay).
		b.add(localityDelay, key, localityDelay, tune.Param{Kind: tune.LogInteger, Min: 1, Max: nodes,
			Special: []string{"-1"}, Present: b.present(key, 40)})
	}
	if !b.conf.Asynchronous { // its threads know no limits of a heartbeat
		b.add(offSwitch, yarnconf.OffSwitchLimit, offSwitch, tune.Param{Kind: tune.LogInteger, Min: 1, Max: 32,
			Present: b.present(yarnconf.OffSwitchLimit, 1)})
	}
	if slices.ContainsFunc(b.c.Work.Jobs, func(j simcore.Job) bool { return j.Reduces > 0 }) {
		b.add(Slowstart, SlowstartKey, Slowstart, tune.Param{Kind: tune.Linear, Min: 0, Max: 1, Step: 0.05,
			Present: b.slowstart})
	}
}

// present returns the value in force as written, or the effective one.
func (b *spaceBuilder) present(key string, effective float64) string {
	if v := b.c.Doc.Value(key); v != "" {
		if _, err := strconv.ParseFloat(v, 64); err == nil {
			return v
		}
	}
	return number(effective)
}

func number(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// add adds a parameter if it may move and reports whether it did.
func (b *spaceBuilder) add(name, key, kind string, p tune.Param) bool {
	if !b.wanted(name, kind) {
		if p.Kind != tune.Share {
			return false
		}
		p.Fixed = true // siblings must still sum to 100
	}
	b.put(name, key, p)
	return true
}

// Changes returns what settings change in the queue file, and the slowstart
// value if that changed ("" if not).
func (s *Space) Changes(set tune.Settings) (changes []yarnconf.Change, slowstart string) {
	present := s.PresentSettings()
	for _, v := range set {
		now, _ := present.Get(v.Name)
		if v.Value == now {
			continue
		}
		if v.Name == Slowstart {
			slowstart = v.Value
			continue
		}
		if _, engine := s.engineNow[v.Name]; engine || s.resources[v.Name] != nil {
			continue
		}
		if _, part := s.vectors[v.Name]; part {
			continue
		}
		changes = append(changes, yarnconf.Change{Key: s.keys[v.Name], Value: v.Value})
	}
	changes = append(changes, s.resourceChanges(set)...)
	changes = append(changes, s.vectorChanges(set)...)
	return s.followed(s.raised(set, changes)), slowstart
}
