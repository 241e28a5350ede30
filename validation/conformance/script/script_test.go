// Package script plays scenarios written as text against the Capacity
// Scheduler. A file is prose with commands between:
//
//	# prose, kept apart by the leading mark
//	conf   root.queues=a,b                    short keys get the scheduler's prefix
//	node   n1 /rack1 8192 8                   name, rack, MiB, cores
//	submit app_0 user_0 root.a am=1024        or: unmanaged; priority=3
//	ask    app_0 1 3072x2 *                   priority, size x count, places;
//	       … n1 /rack1 *=5                    a place may have a count of its own;
//	       … strict                           no relaxed locality
//	beat   n1 [app_0#3 …]                     containers reported complete
//	end    app_0
//	lose   n1
//	refresh root.a.capacity=40 …
//	preempt
//	expect WHAT …                             see expect.go
//
// Sizes are MiB, or "3072,2" with cores. Nodes register in the order written,
// after the whole configuration; the first command that is neither conf, node
// nor prose starts the scheduler.
package script

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"schedtune/simcore/sched/capacity"
	"schedtune/simcore/yarn"
	"schedtune/yarnconf"
)

// Play runs a script. The error names file and line: one for each expectation
// that fails, or the command that cannot be understood.
func Play(name string, r io.Reader) error {
	p := &player{conf: yarnconf.Map{}, apps: map[string]yarn.AppID{}, nodes: map[string]yarn.NodeID{}}
	in := bufio.NewScanner(r)
	var errs []error
	for line := 1; in.Scan(); line++ {
		text := strings.TrimSpace(in.Text())
		if text == "" || text[0] == '#' {
			continue
		}
		if err := p.command(strings.Fields(text)); err != nil {
			errs = append(errs, fmt.Errorf("%s:%d: %s: %w", name, line, text, err))
		}
	}
	return errors.Join(append(errs, in.Err())...)
}

type player struct {
	conf   yarnconf.Map
	s      *capacity.Scheduler
	apps   map[string]yarn.AppID
	nodes  map[string]yarn.NodeID
	specs  []yarn.NodeSpec
	events []yarn.Event // of the last beat
	last   error        // of the last submit or refresh
}

func (p *player) command(w []string) error {
	verbs := map[string]func([]string) error{
		"conf": p.set, "node": p.node, "submit": p.submit, "ask": p.ask, "beat": p.beat,
		"end": p.end, "lose": p.lose, "refresh": p.refresh, "preempt": p.preempt, "expect": p.expect,
	}
	do := verbs[w[0]]
	if do == nil {
		return fmt.Errorf("unknown command")
	}
	if least := map[string]int{"beat": 1, "end": 1, "lose": 1, "expect": 1}[w[0]]; len(w)-1 < least {
		return fmt.Errorf("want at least %d word after %s", least, w[0])
	}
	if p.s == nil && w[0] != "conf" && w[0] != "node" {
		if err := p.start(); err != nil {
			return err
		}
	}
	return do(w[1:])
}

func (p *player) set(w []string) error {
	for _, s := range w {
		k, v, ok := strings.Cut(s, "=")
		if !ok {
			return fmt.Errorf("%s is not KEY=VALUE", s)
		}
		if !strings.HasPrefix(k, "yarn.") {
			k = yarnconf.Prefix + k
		}
		p.conf[k] = v
	}
	return nil
}

func (p *player) node(w []string) error {
	if len(w) != 4 {
		return fmt.Errorf("want NAME RACK MIB CORES")
	}
	size, err := sizeOf(w[2] + "," + w[3])
	if err != nil {
		return err
	}
	spec := yarn.NodeSpec{Name: w[0], Rack: w[1], Resource: size}
	if p.s == nil {
		p.specs = append(p.specs, spec)
		return nil
	}
	return p.add(spec)
}

func (p *player) add(spec yarn.NodeSpec) error {
	id, err := p.s.AddNode(spec)
	p.nodes[spec.Name] = id
	return err
}

func (p *player) start() error {
	conf, err := yarnconf.Evaluate(p.conf)
	if err != nil {
		return err
	}
	s, err := capacity.New(conf)
	if err != nil {
		return err
	}
	p.s = s
	for _, n := range p.specs {
		if err := p.add(n); err != nil {
			return err
		}
	}
	return nil
}

// sizeOf reads "3072" (one core) or "3072,2".
func sizeOf(s string) (yarn.Resource, error) {
	m, v, both := strings.Cut(s, ",")
	r := yarn.Resource{VCores: 1}
	var err error
	if r.Memory, err = strconv.ParseInt(m, 10, 64); err == nil && both {
		r.VCores, err = strconv.ParseInt(v, 10, 64)
	}
	return r, err
}

func (p *player) submit(w []string) error {
	if len(w) < 3 {
		return fmt.Errorf("want APP USER QUEUE")
	}
	spec := yarn.AppSpec{Name: w[0], User: w[1], Queue: w[2], AM: yarn.Resource{Memory: 1024, VCores: 1}}
	for _, o := range w[3:] {
		k, v, _ := strings.Cut(o, "=")
		var err error
		switch k {
		case "unmanaged":
			spec.Unmanaged, spec.AM = true, yarn.Resource{}
		case "am":
			spec.AM, err = sizeOf(v)
		case "priority":
			var n int64
			n, err = strconv.ParseInt(v, 10, 32)
			spec.Priority, spec.PrioritySet = int32(n), true
		default:
			err = fmt.Errorf("unknown option %s", o)
		}
		if err != nil {
			return err
		}
	}
	id, err := p.s.Submit(spec)
	p.last = err
	if err == nil {
		p.apps[w[0]] = id
	}
	return nil
}

func (p *player) app(name string) (yarn.AppID, error) {
	id, ok := p.apps[name]
	if !ok {
		return -1, fmt.Errorf("no application %s", name)
	}
	return id, nil
}

func (p *player) ask(w []string) error {
	if len(w) < 4 {
		return fmt.Errorf("want APP PRIORITY SIZExCOUNT PLACE…")
	}
	id, err := p.app(w[0])
	if err != nil {
		return err
	}
	priority, err1 := strconv.ParseInt(w[1], 10, 32)
	sz, n, _ := strings.Cut(w[2], "x")
	size, err2 := sizeOf(sz)
	count, err3 := strconv.ParseInt(n, 10, 32)
	if err := errors.Join(err1, err2, err3); err != nil {
		return err
	}
	var rows []yarn.Ask
	strict := false
	for _, place := range w[3:] {
		if place == "strict" {
			strict = true
			continue
		}
		place, c, own := strings.Cut(place, "=")
		row := yarn.Ask{Priority: int32(priority), Where: p.s.Place(place), Size: size, Count: int32(count)}
		if own {
			k, err := strconv.ParseInt(c, 10, 32)
			if err != nil {
				return err
			}
			row.Count = int32(k)
		}
		rows = append(rows, row)
	}
	for i := range rows {
		rows[i].Strict = strict
	}
	return p.heartbeat(id, rows)
}

func (p *player) heartbeat(id yarn.AppID, rows []yarn.Ask) error {
	var resp yarn.AskResponse
	p.s.Ask(id, rows, nil, &resp)
	if resp.Ignored {
		return fmt.Errorf("ignored: the application has no master, or is over")
	}
	return resp.Refused
}

func (p *player) beat(w []string) error {
	id, ok := p.nodes[w[0]]
	if !ok {
		return fmt.Errorf("no node %s", w[0])
	}
	var done []yarn.Container
	for _, s := range w[1:] {
		name, n, _ := strings.Cut(s, "#")
		app, err := p.app(name)
		if err != nil {
			return err
		}
		o, err := strconv.ParseInt(n, 10, 32)
		if err != nil {
			return err
		}
		done = append(done, yarn.Container{App: app, Ordinal: int32(o)})
	}
	p.events = p.s.Beat(id, done, p.events[:0])
	return nil
}

func (p *player) end(w []string) error {
	id, err := p.app(w[0])
	if err == nil {
		p.s.End(id)
	}
	return err
}

func (p *player) lose(w []string) error {
	id, ok := p.nodes[w[0]]
	if !ok {
		return fmt.Errorf("no node %s", w[0])
	}
	p.s.LoseNode(id, nil)
	return nil
}

func (p *player) refresh(w []string) error {
	if err := p.set(w); err != nil {
		return err
	}
	p.last = nil
	if errs := p.s.Refresh(p.conf); len(errs) > 0 {
		p.last = errs[0]
	}
	return nil
}

func (p *player) preempt([]string) error {
	p.s.Preempt(nil, nil)
	return nil
}
