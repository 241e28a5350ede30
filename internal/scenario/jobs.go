package scenario

import (
	"fmt"
	"slices"
	"strings"

	"schedtune/datasets"
	"schedtune/internal/fileio"
	"schedtune/internal/rng"
	"schedtune/internal/text"
	"schedtune/simcore"
	"schedtune/trace"
	"schedtune/yarnconf"
)

func (in *Files) loadTrace(c *Case, set *datasets.Set) error {
	leaves, err := leafPaths(c.Doc)
	if err != nil {
		return err
	}
	var groups map[string][]string
	if in.Groups != "" {
		if groups, err = LoadGroups(in.Groups); err != nil {
			return err
		}
	}
	own, err := newRouter(c.Doc, groups)
	if err != nil {
		return err
	}
	place, err := newPlacement(leaves, in.QueueMap, own)
	if err != nil {
		return err
	}
	if len(in.Traces) == 0 {
		w := *set.Workload
		c.Work = &w
		return c.assignQueues(place, "embedded workload", in.Config != "")
	}
	return in.readTraces(c, place)
}

func (in *Files) readTraces(c *Case, place *Placement) error {
	t, err := in.open()
	if err != nil {
		return err
	}
	if in.Before {
		t, _ = t.Untransformed()
		c.takeRecorded(t)
	}
	if in.Cluster == "" && !in.Before && !c.takeRecorded(t) && !in.Embedded {
		return missing("--cluster", "the machines of this cluster, which the trace does not tell",
			"the ResourceManager's answer to /ws/v1/cluster/nodes, saved to a file, or a table; docs/inputs.md has the formats")
	}
	if err := c.workload(t, trace.WorkloadOptions{Cluster: c.Cluster, Flat: true, DefaultQueue: noQueue,
		Standing: true}); err != nil {
		return err
	}
	if err := in.unlisted(c, t); err != nil {
		return err
	}
	if place.own != nil {
		place.own.names, place.own.asked = map[string]string{}, map[string]bool{}
		for i := range t.Jobs {
			place.own.names[t.Jobs[i].ID], place.own.asked[t.Jobs[i].ID] = t.Jobs[i].Name, t.Jobs[i].Asked
		}
	}
	c.recordedAs(t)
	if err := in.dealJobs(c, place); err != nil {
		return err
	}
	return c.assignQueues(place, strings.Join(in.Traces, ", "), false)
}

// open reads the traces as one.
func (in *Files) open() (*trace.Trace, error) {
	return trace.OpenAll(in.Traces, trace.Options{SkipBroken: in.SkipBroken, TezContainer: in.TezContainer})
}

// workload makes the case's workload of a trace, and takes the notes of both.
func (c *Case) workload(t *trace.Trace, o trace.WorkloadOptions) error {
	w, notes, err := t.Workload(o)
	for _, n := range append(t.Notes, notes...) {
		c.Notes = append(c.Notes, n.String())
	}
	c.Work = w
	return err
}

// recordedAs keeps the trace and the completion times of its jobs that succeeded.
func (c *Case) recordedAs(t *trace.Trace) {
	c.Recorded, c.Completions = t, map[string]simcore.Time{}
	for i := range t.Jobs {
		if j := &t.Jobs[i]; j.Result == trace.Succeeded && j.Submit.Known() && j.Finish.Known() {
			c.Completions[j.ID] = simcore.Time(j.Finish-j.Submit) * simcore.Millisecond
		}
	}
}

// dealJobs gives users to the jobs of a trace that names neither users nor
// queues, where there is more than one queue: who shares with whom decides what
// queue settings do, and nothing in the trace tells it.
func (in *Files) dealJobs(c *Case, place *Placement) error {
	w := c.Work
	if len(place.order) < 2 || len(w.Users) > 1 || !slices.Equal(w.Queues, []string{noQueue}) || place.rules() {
		return nil
	}
	if in.Users < 1 {
		return &HintError{Err: fmt.Errorf("%s: names neither queues nor users, and the queue file has %d leaf queues; use "+
			"--queue-map 'q:*:QUEUE' for one queue, or --users N", strings.Join(in.Traces, ", "), len(place.order)),
			Advice: fmt.Sprintf("--users 20 assigns the jobs to 20 users, and these to the queues; with users of your own, "+
				"--queue-map 'u:NAME:%s'", place.order[0])}
	}
	c.Warnings = append(c.Warnings, in.dealUsers(w))
	return nil
}

// dealUsers gives the jobs to in.Users users and returns what to say of it.
func (in *Files) dealUsers(w *simcore.Workload) string {
	w.Users = nil
	for u := range in.Users {
		w.Users = append(w.Users, fmt.Sprintf("user%02d", u+1))
	}
	w.Jobs = slices.Clone(w.Jobs)
	key := rng.NewKey(1, purposeUsers)
	for i := range w.Jobs {
		w.Jobs[i].User = int32(key.IntN(uint64(i), in.Users))
	}
	return fmt.Sprintf("%s: names no users: its jobs are assigned to %d users at random; what the queues do to real "+
		"users is not known", strings.Join(in.Traces, ", "), in.Users)
}

// purposeUsers is the draw of a job's user.
const purposeUsers = 0x75736572

// takeRecorded uses the machines that the trace itself names, if any.
func (c *Case) takeRecorded(t *trace.Trace) bool {
	cluster, ok := t.Cluster()
	if !ok {
		return false
	}
	c.Cluster, c.recorded = cluster, true
	c.Notes = append(c.Notes, fmt.Sprintf("no --cluster: the %d machines recorded in the trace are used",
		len(cluster.Nodes)))
	return true
}

// noQueue marks jobs whose trace names no queue.
const noQueue = "(none)"

// assignQueues gives every job a leaf queue of the configuration.
func (c *Case) assignQueues(place *Placement, name string, dealUnknown bool) error {
	w := c.Work
	dealt := place.deal(w.Users)
	jobs := append([]simcore.Job(nil), w.Jobs...)
	var leaves []string
	var index fileio.Index
	anyDealt := false
	lost := &UnknownQueueError{Trace: name, Allowed: place.order, Parents: place.parents()}
	for i := range jobs {
		j := &jobs[i]
		queue, user := w.Queues[j.Queue], w.Users[j.User]
		if queue == noQueue {
			queue = ""
		}
		leaf, ok, unknown := place.place(j.ID, user, queue)
		if !ok {
			if unknown && !dealUnknown {
				lost.add(j.ID, queue)
				continue
			}
			leaf, anyDealt = dealt[user], true
		}
		if leaf == "" {
			continue // rejected, or nowhere to go
		}
		j.Queue = index.ID(&leaves, leaf)
	}
	if lost.Jobs > 0 {
		return lost
	}
	if err := c.ownRules(place.own, name); err != nil {
		return err
	}
	if len(leaves) == 0 {
		return fmt.Errorf("%s: no job has a queue; use a trace that names queues, or --queue-map", name)
	}
	w.Jobs, w.Queues = jobs, leaves
	if anyDealt && len(place.order) > 1 {
		c.Notes = append(c.Notes, fmt.Sprintf("%s: jobs without a queue of this configuration: their %d users are "+
			"assigned to the %d leaf queues in order of name; --queue-map assigns them otherwise", name, len(w.Users), len(place.order)))
	}
	return nil
}

// ownRules notes what the queue file's own rules did with the jobs of a trace; an
// error where they refused any.
func (c *Case) ownRules(own *router, name string) error {
	if own == nil {
		return nil
	}
	if own.refused > 0 {
		return fmt.Errorf("%s: %s refused by the queue file's own rules, first %w; use jobs that a mapping takes, or "+
			"--queue-map", name, text.Count(own.refused, "job"), own.first)
	}
	c.Notes = append(c.Notes, own.notes()...)
	return nil
}

func leafPaths(doc *yarnconf.Document) ([]string, error) {
	qs, err := doc.Queues()
	if err != nil {
		return nil, err
	}
	var leaves []string
	makes := false // queues on first use
	for _, q := range qs {
		makes = makes || !q.Leaf && len(q.Children) == 0
		if q.Leaf {
			leaves = append(leaves, q.Path)
		}
	}
	if len(leaves) == 0 && !makes {
		return nil, fmt.Errorf("%s: no leaf queue: must be at least one", doc.Name())
	}
	return leaves, nil
}
