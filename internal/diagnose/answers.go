package diagnose

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path/filepath"
	"strings"

	"schedtune/internal/fileio"
	"schedtune/internal/rm"
	"schedtune/simcore/sched/capacity"
	"schedtune/simcore/yarn"
	"schedtune/yarnconf"
)

// Source holds the answers.
type Source struct {
	Config    *yarnconf.Config // nil: not known
	scheduler queue
	apps      []app
	nodes     []node
	names     [3]string // of the answers, for messages
	told      bool      // requests are in them: an application without any asks for nothing
}

const cluster = "/ws/v1/cluster"

// Read asks a running ResourceManager.
func Read(ctx context.Context, manager *rm.Client, id string) (*Source, error) {
	var data [3][]byte
	var err error
	paths := [3]string{cluster + "/scheduler", cluster + "/apps/" + url.PathEscape(id), cluster + "/nodes"}
	for i, p := range paths {
		if data[i], err = manager.Get(ctx, p, nil); err != nil {
			return nil, err
		}
		paths[i] = manager.Address() + p
	}
	s, err := parse(paths, data)
	if err != nil {
		return nil, err
	}
	if err := s.others(ctx, manager); err != nil {
		return nil, err
	}
	switch c, err := rm.ReadConfig(ctx, manager); {
	case err == nil:
		s.Config, _ = yarnconf.Evaluate(c.Props)
	case !errors.Is(err, rm.ErrFileStore):
		return nil, err
	}
	return s, nil
}

// others adds the other applications that wait or run, of which some may come before the one
// asked about or hold what it waits for.
func (s *Source) others(ctx context.Context, manager *rm.Client) error {
	if len(s.apps) != 1 || s.apps[0].ended() || s.apps[0].launching() {
		return nil
	}
	data, err := manager.Get(ctx, cluster+"/apps", url.Values{"states": {"ACCEPTED,RUNNING"}})
	if err != nil {
		return err
	}
	waiting, _, err := rm.ParseApps(data)
	if err != nil {
		return fmt.Errorf("%s%s/apps: %w", manager.Address(), cluster, err)
	}
	for _, a := range waiting {
		if a.ID != s.apps[0].ID {
			s.apps = append(s.apps, app(a))
		}
	}
	return nil
}

// Open reads a pulled folder.
func Open(dir string) (*Source, error) {
	var data [3][]byte
	var names [3]string
	for i, name := range [3]string{rm.FileScheduler, rm.FileApps, rm.FileNodes} {
		var err error
		names[i] = filepath.Join(dir, name)
		if data[i], err = fileio.ReadFile(names[i], fileio.Table); err != nil {
			return nil, fileio.OpenError(names[i], err, "in a folder of tune pull")
		}
	}
	s, err := parse(names, data)
	if err != nil {
		return nil, err
	}
	if err := s.withRequests(filepath.Join(dir, rm.FileNowApps)); err != nil {
		return nil, err
	}
	doc, err := yarnconf.Load(filepath.Join(dir, rm.FileConfig))
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return nil, err
	}
	if site, err := yarnconf.Load(filepath.Join(dir, rm.FileSite)); err == nil {
		doc = doc.WithSite(site)
	}
	s.Config, _ = yarnconf.Evaluate(doc)
	return s, nil
}

// withRequests takes the applications under way from the file that has their requests,
// where a pull has written it.
func (s *Source) withRequests(path string) error {
	data, err := fileio.ReadFile(path, fileio.Table)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var now []rm.App
	if err == nil {
		now, _, err = rm.ParseApps(data)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	s.told = true
	at := map[string]int{}
	for i := range s.apps {
		at[s.apps[i].ID] = i
	}
	for _, a := range now {
		if i, ok := at[a.ID]; ok {
			s.apps[i] = app(a)
		} else {
			s.apps = append(s.apps, app(a))
		}
	}
	return nil
}

// parse reads the three answers.
func parse(names [3]string, data [3][]byte) (*Source, error) {
	s := &Source{names: names}
	var sched struct {
		Scheduler struct {
			Info struct {
				Type string `json:"type"`
				queue
			} `json:"schedulerInfo"`
		} `json:"scheduler"`
	}
	var nodes struct {
		Nodes struct {
			Node []node `json:"node"`
		} `json:"nodes"`
	}
	apps, single, err := rm.ParseApps(data[1])
	if err != nil {
		return nil, fmt.Errorf("%s: %w", names[1], err)
	}
	for i, into := range map[int]any{0: &sched, 2: &nodes} {
		if err := json.Unmarshal(data[i], into); err != nil {
			return nil, fmt.Errorf("%s: %w", names[i], err)
		}
	}
	if t := sched.Scheduler.Info.Type; t != "capacityScheduler" {
		return nil, fmt.Errorf("%s: the scheduler is %q; use capacityScheduler", names[0], t)
	}
	s.scheduler, s.nodes, s.told = sched.Scheduler.Info.queue, nodes.Nodes.Node, single // of one application it tells all
	for _, a := range apps {
		s.apps, s.told = append(s.apps, app(a)), s.told || len(a.Asks) > 0
	}
	if len(s.nodes) == 0 {
		return nil, fmt.Errorf("%s: no nodes; use an answer of /ws/v1/cluster/nodes", names[2])
	}
	return s, nil
}

// Standing makes the standing of an application, and says what is not known.
func (s *Source) Standing(id string) (*capacity.Standing, []string, error) {
	var a *app
	for i := range s.apps {
		if s.apps[i].ID == id {
			a = &s.apps[i]
		}
	}
	if a == nil {
		return nil, nil, fmt.Errorf("application %q: not in %s; use one of the %d there", id, s.names[1], len(s.apps))
	}
	st := &capacity.Standing{Name: a.ID, User: a.User, Priority: a.Priority, App: -1}
	notes := []string{"single nodes' reservations and missed scheduling opportunities are not in them"}
	st.Dominant = s.calculator().Dominant
	if a.ended() { // its queue may never have been there
		st.Queue, st.Stage = a.Queue, capacity.Over
		if a.State == "FAILED" && a.Diagnostics != "" {
			notes = []string{"the ResourceManager on its end: " + strings.Join(strings.Fields(a.Diagnostics), " ")}
		}
		return st, notes, nil
	}
	path := answersFind(&s.scheduler, a.Queue, nil)
	if path == nil {
		return nil, nil, fmt.Errorf("application %s: its queue %q is not in %s", id, a.Queue, s.names[0])
	}
	leaf := path[0]
	st.Queue, st.Partition = pathOf(leaf), answersPartition(a)
	s.makes(st.Queue)
	st.Used = yarn.Resource{Memory: max(a.Allocated, 0), VCores: max(a.VCores, 0)}
	st.Stage, st.HasMaster = capacity.Active, a.State == "RUNNING"
	if a.launching() {
		st.HasMaster, st.Launching = true, true
		return st, nil, nil
	}
	s.masters(a, leaf, st, &notes)
	s.stage(a, path, st)
	if st.Stage == capacity.Waiting {
		s.earlier(a, leaf, st)
	}
	s.asks(a, st, &notes)
	s.nodesOf(st)
	s.levels(path, st)
	s.users(leaf, st)
	s.holders(st)
	return st, notes, nil
}

// partition is the label an application's next container is asked with.
func answersPartition(a *app) string {
	if x := a.ask(); x != nil && a.State == "RUNNING" {
		return rm.Partition(x.Label)
	}
	return rm.Partition(a.AMLabel)
}

// find returns the queues from a leaf up to root; the name is a path or a short one.
func answersFind(q *queue, name string, up []*queue) []*queue {
	up = append([]*queue{q}, up...)
	if len(q.Queues.Queue) == 0 {
		if q.Path == name || q.Name == name {
			return up
		}
		return nil
	}
	for i := range q.Queues.Queue {
		if got := answersFind(&q.Queues.Queue[i], name, up); got != nil {
			return got
		}
	}
	return nil
}

func pathOf(q *queue) string {
	if q.Path != "" {
		return q.Path
	}
	return q.Name
}

// asks takes what the application asks for.
func (s *Source) asks(a *app, st *capacity.Standing, notes *[]string) {
	if !st.HasMaster {
		st.Asks = []capacity.AskStanding{{AllocID: -1, Size: st.Masters.Size, Count: 1, Label: st.Partition}}
		return
	}
	for _, x := range a.Asks {
		if x.Where == "*" && x.Count > 0 {
			st.Asks = append(st.Asks, capacity.AskStanding{Priority: x.Priority, Size: yarn.Resource(x.Capability),
				Count: x.Count, Label: rm.Partition(x.Label), Strict: x.Relax != nil && !*x.Relax})
		}
	}
	if len(a.Asks) == 0 && !s.told {
		*notes = append(*notes, "its request is not known; 1024 MiB are assumed (a pull of an older version leaves "+
			"requests out, --rm reads them)")
		st.Asks = []capacity.AskStanding{{Size: yarn.Resource{Memory: 1024, VCores: 1}, Count: 1}}
	}
}

// levels takes the queues of the path.
func (s *Source) levels(path []*queue, st *capacity.Standing) {
	var want yarn.Resource
	if len(st.Asks) > 0 {
		want = st.Asks[0].Size
	}
	for _, q := range path {
		l := capacity.LevelStanding{Queue: pathOf(q), Accessible: s.accessible(pathOf(q), st.Partition)}
		if q.State == "STOPPED" {
			l.State = yarnconf.Stopped
		}
		u := q.of(st.Partition)
		l.Used, l.Reserved, l.Pending = yarn.Resource(u.Used), yarn.Resource(u.Reserved), yarn.Resource(u.Pending)
		l.Guaranteed, l.Maximum = q.sizes(st.Partition)
		if pathOf(q) == "root" && l.Used.Memory == 0 { // not told of root: what the nodes say
			for _, n := range st.Nodes {
				if n.Partition == st.Partition {
					l.Used.Memory, l.Used.VCores = l.Used.Memory+n.Total.Memory-n.Free.Memory,
						l.Used.VCores+n.Total.VCores-n.Free.VCores
				}
			}
		}
		l.Limit = l.Maximum
		l.Open = s.more(l.Maximum, l.Used)
		l.Holds = s.fits(l.Used, want, l.Maximum)
		if l.Maximum.Memory == 0 && pathOf(q) == "root" { // some versions tell no size of root
			l.Open, l.Holds = true, true
		}
		st.Levels = append(st.Levels, l)
	}
}

// users takes the user's limit.
func (s *Source) users(leaf *queue, st *capacity.Standing) {
	st.UserOpen = true
	for i := range leaf.Users.User {
		u := &leaf.Users.User[i]
		if u.Active > 0 {
			st.ActiveUsers++
		}
		if u.Name != st.User {
			continue
		}
		st.UserUsed, st.UserLimit = yarn.Resource(u.of(st.Partition).Used), yarn.Resource(u.Limit)
		st.UserOpen = st.Partition != "" || st.UserLimit.Memory == 0 || !s.more(st.UserUsed, st.UserLimit)
	}
}

// holders takes the applications that hold or have reserved something of the partition.
func (s *Source) holders(st *capacity.Standing) {
	for i := range s.apps {
		a := &s.apps[i]
		path := answersFind(&s.scheduler, a.Queue, nil)
		if a.ended() || a.ID == st.Name || path == nil || a.Allocated+a.Reserved <= 0 || answersPartition(a) != st.Partition {
			continue
		}
		h := capacity.Holding{App: yarn.AppID(i), Name: a.ID, User: a.User, Queue: pathOf(path[0]), Priority: a.Priority,
			Containers: max(a.Containers, 0), Reserved: yarn.Resource{Memory: max(a.Reserved, 0)},
			Used:      yarn.Resource{Memory: max(a.Allocated, 0), VCores: max(a.VCores, 0)},
			QueueUsed: yarn.Resource(path[0].of(st.Partition).Used)}
		h.QueueShare, _ = path[0].sizes(st.Partition)
		for _, x := range a.Asks {
			if x.Where == "*" && x.Count > 0 {
				h.Pending.Memory += x.Capability.Memory * int64(x.Count)
			}
		}
		st.Holders = append(st.Holders, h)
	}
}

// nodesOf takes the running nodes.
func (s *Source) nodesOf(st *capacity.Standing) {
	for i := range s.nodes {
		n := &s.nodes[i]
		label := ""
		if len(n.Labels) > 0 {
			label = n.Labels[0]
		}
		switch {
		case label != st.Partition:
		case n.State == "DECOMMISSIONING":
			st.Passing.Draining++
		case n.State == "LOST" || n.State == "UNHEALTHY":
			st.Passing.Gone++
		}
		if n.State != "RUNNING" {
			continue
		}
		x := capacity.NodeStanding{ID: yarn.NodeID(i), Name: n.ID, Rack: n.Rack, Reserved: -1,
			Total: yarn.Resource{Memory: n.Used + n.Free, VCores: n.UsedV + n.FreeV}, Free: yarn.Resource{Memory: n.Free,
				VCores: n.FreeV}}
		x.Partition = label
		st.Nodes = append(st.Nodes, x)
	}
}
