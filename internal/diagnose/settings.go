package diagnose

import (
	"math"
	"strconv"
	"strings"

	"schedtune/simcore/sched/capacity"
	"schedtune/yarnconf"
)

// setting is a property that may lift a cause: steps from 1 on move it further from
// its present value, the last as far as it goes.
type setting struct {
	key     string
	present string
	steps   int
	at      func(step int) string
	with    []Step // what goes with it whatever the step
	guess   int    // a step that should do, where the figures tell; 0: not known
	far     func(step int) float64
}

// toggle is a setting with one other value.
func toggle(key, present, value string, with ...Step) setting {
	return setting{key: key, present: present, steps: 1, at: func(int) string { return value }, with: with, guess: 1,
		far: func(int) float64 { return 1 }}
}

// numbers counts up from a value by a step to a bound. far is the relative change.
func numbers(key string, from, step, to float64) setting {
	n := int(math.Round((to - from) / step))
	value := func(i int) float64 { return math.Round((from+float64(i)*step)/step) * step }
	return setting{key: key, present: whyShort(from), steps: n, at: func(i int) string { return whyShort(value(i)) },
		far: func(i int) float64 { return math.Abs(value(i)-from) / math.Max(math.Abs(from), math.Abs(step)) }}
}

// toward is numbers with a first guess: the value that reaches a factor times the
// present one.
func (k setting) toward(from, step, factor float64) setting {
	if factor > 1 && !math.IsInf(factor, 0) {
		k.guess = min(max(int(math.Ceil(from*(factor-1)/step-1e-6)), 1), k.steps)
	}
	return k
}

func whyShort(v float64) string { return strconv.FormatFloat(math.Round(v*1e6)/1e6, 'f', -1, 64) }

// downTo rounds down to so many parts of one, as people write a setting; 32 bits are not quite exact.
func downTo(v, parts float64) float64 { return math.Floor(v*parts+1e-4) / parts }

// factor is how much larger a cause's limit must be to hold what is used and asked.
func factor(c *Cause) float64 {
	f := float64(c.Used.Memory+c.Asked.Memory) / math.Max(float64(c.Limit.Memory), 1)
	if c.Cores {
		f = math.Max(f, float64(c.Used.VCores+c.Asked.VCores)/math.Max(float64(c.Limit.VCores), 1))
	}
	return math.Max(f, 1)
}

// Steps of settings: percentages and fractions to a hundredth, as people write
// them.
const (
	fractionStep = 0.01
	percentStep  = 1
	factorStep   = 0.01
	mostFactor   = 1000
)

// settingsOf lists the settings that may lift a cause, those of the limit itself first.
func settingsOf(conf *yarnconf.Config, st *capacity.Standing, c *Cause) []setting {
	q := queueOf(conf, c.Queue)
	switch c.Kind {
	case KindParallelUser, KindParallelQueue:
		return []setting{applications(source(conf, c), c, 64)}
	case KindMastersQueue:
		return masterShares(conf, st, c)
	case KindMastersUser:
		return userSettings(conf, q, st, c, true)
	case KindUserLimit:
		return userSettings(conf, q, st, c, false)
	case KindQueueMaximum:
		return []setting{maximum(conf, q, c)}
	case KindPermission:
		present, value := conf.Permitting(c.Property, c.User)
		return []setting{toggle(c.Property, present, value)}
	case KindStopped:
		return []setting{stateOf(conf, c.Queue)}
	case KindApplications:
		return []setting{applications(conf.Setting(c.Queue, "maximum-applications"), c, 1024)}
	case KindClusterApps:
		return []setting{applications(yarnconf.Prefix+"maximum-applications", c, 1024)}
	case KindUserApps:
		ks := userSettings(conf, q, st, c, false)
		n := numbers(conf.Setting(c.Queue, "maximum-applications"), float64(c.Most), 1, float64(c.Most)*32+1024)
		return append(ks, n)
	case KindRackDelay:
		return []setting{delay(yarnconf.LocalityDelay, conf.NodeLocalityDelay)}
	case KindAnyDelay:
		if conf.RackExtraDelay > 0 {
			return []setting{delay(c.Property, conf.RackExtraDelay), delay(yarnconf.LocalityDelay, conf.NodeLocalityDelay)}
		}
		// without the other, the delay goes by what is asked for
		both := delay(yarnconf.LocalityDelay, conf.NodeLocalityDelay)
		both.with = []Step{step(c.Property, strconv.Itoa(conf.RackExtraDelay), "0")}
		return []setting{both}
	case KindEnoughReserved:
		return []setting{toggle(c.Property, "false", "true")}
	case KindQueueOrder:
		return queuePriority(conf, st, c)
	case KindNoAccess:
		return []setting{access(conf, st.Queue, c.Partition)}
	case KindNoCapacity:
		return []setting{capacityOfLabel(conf, q, c.Partition)}
	case KindNotMade:
		return moreQueues(conf, c)
	case KindOrder, KindSiblings:
		ks := raiseAll(conf, st, false)
		for _, s := range shares(conf, st) {
			if c.Kind == KindOrder { // other applications of the leaf come first
				k := toggle(s.Key, s.Present, s.Value)
				k.far = func(int) float64 { return math.MaxFloat64 } // it changes what all of them get
				ks = append(ks, k)
			}
		}
		return ks
	}
	return nil
}

// applications raises a limit on applications by up to room beyond those that
// there are; the first guess lets one more in.
func applications(key string, c *Cause, room int) setting {
	k := numbers(key, float64(c.Most), 1, float64(c.Count+room))
	k.guess = c.Count - c.Most + 1
	return k
}

// stateOf makes a queue and all above it accept applications. A queue that was
// stopped with its parent stays so until its state is set.
func stateOf(conf *yarnconf.Config, path string) setting {
	var steps []Step // from the root down
	for i := conf.Find(path); i >= 0; i = conf.Queues[i].Parent {
		q, present := &conf.Queues[i], "STOPPED"
		if !q.StateSet {
			present = "that of its parent"
		}
		if q.State != yarnconf.Running {
			steps = append([]Step{step(yarnconf.Key(q.Path, "state"), present, "RUNNING")}, steps...)
		}
	}
	if len(steps) == 0 {
		return setting{}
	}
	return toggle(steps[0].Key, steps[0].Present, steps[0].Value, steps[1:]...)
}

// stepsAt are the changes with what is in force.
func (k *setting) stepsAt(i int) []Step {
	return append([]Step{step(k.key, k.present, k.at(i))}, k.with...)
}

func queueOf(conf *yarnconf.Config, path string) *yarnconf.Queue {
	if i := conf.Find(path); i >= 0 {
		return &conf.Queues[i]
	}
	return nil
}

// delay counts opportunities down to 0.
func delay(key string, from int) setting { return numbers(key, float64(from), -1, 0) }

// masterShares is maximum-am-resource-percent of the application's leaf, up to 1.
func masterShares(conf *yarnconf.Config, st *capacity.Standing, c *Cause) []setting {
	from := downTo(float64(st.Masters.Percent), 100)
	key := conf.Setting(st.Queue, inPartition(c.Partition, yarnconf.AMShare))
	return []setting{numbers(key, from, fractionStep, 1).toward(from, fractionStep, factor(c))}
}

// userSettings are the settings behind a user's limits.
func userSettings(conf *yarnconf.Config, q *yarnconf.Queue, st *capacity.Standing, c *Cause, masters bool) []setting {
	if q == nil {
		return nil
	}
	f := factor(c)
	var ks []setting
	if v := float64(q.UserLimitFactor); v != -1 {
		from := downTo(v, 100)
		ks = append(ks, numbers(conf.Setting(q.Path, yarnconf.UserFactor), from, factorStep, max(from, 1)*mostFactor).toward(
			from, factorStep, f))
	}
	if v := float64(q.UserLimit); v < 100 {
		from := downTo(v, 1)
		ks = append(ks, numbers(conf.Setting(q.Path, yarnconf.MinimumUser), from, percentStep, 100).toward(from, percentStep,
			f))
	}
	if masters {
		ks = append(ks, masterShares(conf, st, c)...)
	}
	return ks
}

// maximum is a queue's maximum-capacity in a partition, in the form it is written.
func maximum(conf *yarnconf.Config, q *yarnconf.Queue, c *Cause) setting {
	key := conf.Setting(c.Queue, inPartition(c.Partition, yarnconf.MaximumCapacity))
	if q == nil {
		return setting{}
	}
	most, share := q.ConfiguredMax, q.MaxCapacity
	if l := q.LabelOf(c.Partition); c.Partition != "" && l != nil {
		most, share = l.ConfiguredMax, l.MaxCapacity
	}
	if most != (yarnconf.Resource{}) {
		const step = 256
		at := func(i int) string {
			return "[memory=" + strconv.FormatInt(most.Memory+int64(i)*step, 10) + ",vcores=" +
				strconv.FormatInt(most.VCores+int64(i), 10) + "]"
		}
		k := setting{key: key, present: at(0), steps: 1 << 16, at: at, far: func(i int) float64 {
			return float64(i) * step / math.Max(float64(most.Memory), 1)
		}}
		k.guess = max(int((c.Used.Memory+c.Asked.Memory-most.Memory+step-1)/step), 1)
		return k
	}
	from := downTo(float64(share)*100, 1)
	return numbers(key, from, percentStep, 100).toward(from, percentStep, factor(c))
}

// raiseAll are the maxima of the path, for causes that have no limit of the application's own; reached: those that are
// reached and no absolute resources.
func raiseAll(conf *yarnconf.Config, st *capacity.Standing, reached bool) (ks []setting) {
	for i := range st.Levels {
		l := &st.Levels[i]
		q := queueOf(conf, l.Queue)
		if l.Queue == "root" || q == nil || reached && (l.Open && l.Holds || q.ConfiguredMax != (yarnconf.Resource{})) {
			continue
		}
		c := Cause{Queue: l.Queue, Partition: st.Partition, Limit: l.Maximum, Used: l.Used}
		if k := maximum(conf, q, &c); k.steps > 0 {
			ks = append(ks, k)
		}
	}
	return ks
}

// source is the property behind a cause: of a dynamic queue that of its
// template.
func source(conf *yarnconf.Config, c *Cause) string {
	if name, ok := strings.CutPrefix(c.Property, yarnconf.Key(c.Queue, "")); ok && c.Queue != "" {
		return conf.Setting(c.Queue, name)
	}
	return c.Property
}

// sourced names in every cause the property that an administrator has to change, and in
// what holds an application of a leaf of a managed parent without capacity why it has none.
func sourced(conf *yarnconf.Config, causes []Cause) []Cause {
	for i := range causes {
		c := &causes[i]
		c.Property = source(conf, c)
		if c.Bare != "" {
			c.Reason = withoutCapacity(conf, c.Bare)
		}
		if c.Kind == KindNoCapacity && c.Partition == conf.MasterLabel {
			c.Reason = "application masters are requested there (node-labels.am.default-node-label-expression)"
		}
	}
	return causes
}

// withoutCapacity says why a leaf of a managed parent has no capacity; empty for others.
func withoutCapacity(conf *yarnconf.Config, path string) string {
	q := queueOf(conf, path)
	if q == nil || !q.Managed {
		return ""
	}
	parent := &conf.Queues[q.Parent]
	up := parent.Path
	why, known := conf.NotKept()
	switch {
	case parent.TemplateOfPercent():
		return "queue " + path + " has no capacity: " + up + ".leaf-queue-template.capacity is a percentage, and " + up +
			" has absolute resources: write [memory=…,vcores=…]"
	case !known:
		why = "it gets any only if QueueManagementDynamicEditPolicy runs, which yarn-site.xml tells"
	case why == "":
		why = "it gets some once applications of other leaves have ended"
	default:
		why = "and never gets any: " + why
	}
	return "queue " + path + " has no capacity, since other leaves of " + up + " have all that it shares out; " + why
}

// queuePriority raises the priority of the application's branch among its siblings
// where another of them is served first by priority.
func queuePriority(conf *yarnconf.Config, st *capacity.Standing, c *Cause) []setting {
	mine, other := branches(st.Queue, c.Queue)
	q, o := queueOf(conf, mine), queueOf(conf, other)
	if q == nil || o == nil || q.Parent < 0 || conf.Queues[q.Parent].Order != yarnconf.PriorityUtilization ||
		o.Priority < q.Priority {
		return nil
	}
	k := numbers(yarnconf.Key(mine, "priority"), float64(q.Priority), 1, float64(o.Priority+1))
	k.guess = o.Priority + 1 - q.Priority
	return []setting{k}
}

// branches are the queues of two paths right below what they have in common.
func branches(a, b string) (string, string) {
	x, y := strings.Split(a, "."), strings.Split(b, ".")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return strings.Join(x[:i+1], "."), strings.Join(y[:i+1], ".")
		}
	}
	return a, b
}

// access lets a queue, and those above that may not either, use a partition.
func access(conf *yarnconf.Config, path, label string) setting {
	var list []Step
	for i := conf.Find(path); i >= 0; i = conf.Queues[i].Parent {
		q := &conf.Queues[i]
		if q.Parent < 0 || q.Accessible(label) {
			continue
		}
		present := strings.Join(q.AccessibleLabels, ",")
		value := label
		if present != "" {
			value = present + "," + label
		}
		list = append(list, step(conf.Setting(q.Path, "accessible-node-labels"), present, value))
	}
	if len(list) == 0 {
		return setting{}
	}
	return toggle(list[0].Key, list[0].Present, list[0].Value, list[1:]...)
}

// capacityOfLabel gives a queue capacity of a node label: all that its siblings leave, or a
// tenth of the largest.
func capacityOfLabel(conf *yarnconf.Config, q *yarnconf.Queue, label string) setting {
	if q == nil || q.Parent < 0 {
		return setting{}
	}
	name := inPartition(label, yarnconf.Capacity)
	left, largest, most := 100.0, "", 0.0
	for _, i := range conf.Queues[q.Parent].Children {
		o := &conf.Queues[i]
		l := o.LabelOf(label)
		if l == nil || o.Path == q.Path {
			continue
		}
		if l.ConfiguredMin != (yarnconf.Resource{}) || l.Weight >= 0 {
			return setting{}
		}
		share := math.Round(float64(l.Capacity)*1e4) / 100
		if left -= share; share > most {
			largest, most = o.Path, share
		}
	}
	var with []Step
	if left < 0.01 {
		if left = math.Round(most*10) / 100; left <= 0 {
			return setting{}
		}
		with = []Step{step(conf.Setting(largest, name), whyShort(most), whyShort(most-left))}
	}
	return toggle(conf.Setting(q.Path, name), "0", whyShort(left), with...)
}

// moreQueues are the settings by which a parent would make one more queue.
func moreQueues(conf *yarnconf.Config, c *Cause) []setting {
	if c.Most > 0 || c.Count > 0 {
		k := numbers(c.Property, float64(c.Most), 1, float64(c.Count)+64)
		k.guess = c.Count - c.Most
		return []setting{k}
	}
	q := queueOf(conf, c.Queue)
	if q == nil || q.Template == nil {
		return nil
	}
	ks := []setting{toggle(c.Property, "true", "false")}
	if from := downTo(float64(q.Template.Capacity)*100, 1); from > 1 {
		ks = append(ks, numbers(yarnconf.Key(c.Queue, "leaf-queue-template."+yarnconf.Capacity), from, -1, 1))
	}
	return ks
}
