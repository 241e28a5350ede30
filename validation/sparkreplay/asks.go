package sparkreplay

import (
	"cmp"
	"fmt"
	"slices"

	"schedtune/simcore"
	"schedtune/simcore/yarn/spark"
	"schedtune/validation/replay"
)

// One step at a time: the allocator receives the driver's messages, grants and
// ends as recorded, and what it sends with each recorded call of the master is
// held against what the ResourceManager got.

// AskScore says how the allocator's calls agree with a recorded application's.
type AskScore struct {
	Asks         int `json:"ask_rows"` // recorded
	SameAsks     int `json:"ask_rows_same"`
	ExtraAsks    int `json:"ask_rows_not_recorded"`
	Releases     int `json:"releases"`
	SameReleases int `json:"releases_same"` // with the same call or the one after
	// Notes are the differences in words.
	Notes []string `json:"-"`
}

func (a *AskScore) note(format string, args ...any) {
	a.Notes = append(a.Notes, fmt.Sprintf(format, args...))
}

// message is what reaches the application master between two calls.
type message struct {
	at   simcore.Time
	rank uint8
	do   func()
}

type askPlayer struct {
	*steps
	alloc spark.Allocator
	hints []hint // of the stages under way, as the driver knows
	queue []string
	score *AskScore
	msgs  []message
	kept  map[string]bool // containers launched
}

// JudgeAsks runs the allocator over an application's recorded calls, and adds to a score.
func (r *Run) JudgeAsks(a *App, score *AskScore) {
	p := &askPlayer{steps: newSteps(r, a), kept: map[string]bool{}, score: score}
	racks := make([]int32, len(r.Nodes))
	p.alloc.Reset(a.Settings.Start(), a.Executor.Slots(), racks)
	p.collect()
	released := map[string]int{}
	for _, k := range a.Asks {
		if k.Kind == "RELEASE" {
			released[k.Container] = int(k.Response)
			p.score.Releases++
		}
	}
	for i := range a.Calls {
		p.deliver(a.Calls[i].At)
		p.call(i, released)
	}
}

// collect puts the messages in order of time.
func (p *askPlayer) collect() {
	add := func(at simcore.Time, rank uint8, do func()) {
		if at != simcore.Never {
			p.msgs = append(p.msgs, message{at, rank, do})
		}
	}
	for _, st := range p.app.Stages {
		add(st.Submit+listenerDelay, 0, func() { p.hints = append(p.hints, p.hint(st)) })
		add(st.Complete+listenerDelay, 0, func() {
			p.hints = slices.DeleteFunc(p.hints, func(h hint) bool { return h.stage == st })
		})
	}
	for _, t := range p.app.Targets {
		if t.Source == "allocator" {
			add(t.At, 2, func() { p.request(t.Target) })
		}
	}
	add(p.app.Finish, 2, func() { p.request(0) }) // the driver stops
	for _, e := range p.app.Executors {
		add(e.KillAsked, 1, func() {
			p.alloc.Kill()
			p.queue = append(p.queue, e.Container)
			p.request(p.alloc.Target())
		})
		add(e.Started, 3, func() {
			if p.kept[e.Container] {
				p.alloc.Launched(e.Node)
			}
		})
	}
	slices.SortStableFunc(p.msgs, func(a, b message) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.rank, b.rank))
	})
}

func (p *askPlayer) request(target int32) {
	tasks, count := int32(0), map[int32]int32{}
	for _, h := range p.hints {
		tasks += h.tasks
		for _, x := range h.hosts {
			count[x.Node] += x.Tasks
		}
	}
	p.alloc.Request(target, tasks, byNode(count))
}

func (p *askPlayer) deliver(now simcore.Time) {
	for len(p.msgs) > 0 && p.msgs[0].at <= now {
		p.msgs[0].do()
		p.msgs = p.msgs[1:]
	}
}

// call plays the i-th recorded call.
func (p *askPlayer) call(i int, released map[string]int) {
	c := p.app.Calls[i]
	p.alloc.Update()
	p.compareRows(c)
	p.alloc.Sent()
	for _, id := range p.queue {
		if d := int(c.Response) - released[id]; d == 0 || d == -1 {
			p.score.SameReleases++
		} else {
			p.score.note("%d ms: release of %s, recorded in call %d, not %d", c.At/simcore.Millisecond, id, released[id],
				c.Response)
		}
	}
	p.queue = p.queue[:0]
	until := simcore.Never
	if i+1 < len(p.app.Calls) {
		until = p.app.Calls[i+1].At
	}
	p.hear(c.At-simcore.Millisecond, until-simcore.Millisecond)
}

func (p *askPlayer) compareRows(c *Call) {
	got := map[int32]int32{}
	for i := 0; ; i++ {
		row, ok := p.alloc.ChangedRow(i)
		if !ok {
			break
		}
		got[row.At] = row.Count
	}
	for _, a := range p.app.Asks {
		if a.Kind != "ASK" || a.Response != c.Response {
			continue
		}
		n, ok := got[a.At]
		same := ok && n == a.Count
		p.score.Asks++
		if p.score.SameAsks += one(same); !same {
			p.score.note("%d ms: at %d: %d %v, recorded %d", c.At/simcore.Millisecond, a.At, n, ok, a.Count)
		}
		delete(got, a.At)
	}
	for at, n := range got {
		p.score.ExtraAsks++
		p.score.note("%d ms: at %d: %d, not recorded", c.At/simcore.Millisecond, at, n)
	}
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// hear takes the grants and ends of a call.
func (p *askPlayer) hear(from, until simcore.Time) {
	var got []*replay.Container
	for _, c := range p.app.Containers {
		if c.Kind != "AM" && c.Acquired >= from && c.Acquired < until && c.Acquired != simcore.Never {
			got = append(got, c)
		}
	}
	slices.SortStableFunc(got, func(a, b *replay.Container) int { return cmp.Compare(a.ID, b.ID) })
	for level := 0; level <= 2; level++ {
		rest := got[:0]
		for _, c := range got {
			switch {
			case !p.alloc.Match(c.Node, level):
				rest = append(rest, c)
			case p.alloc.Launch():
				p.kept[c.ID] = true
			}
		}
		got = rest
	}
	for _, c := range got {
		p.queue = append(p.queue, c.ID)
	}
	for _, e := range p.app.Executors {
		if c := p.app.Container(e.Container); c != nil && c.ToldEnd >= from && c.ToldEnd < until &&
			c.ToldEnd != simcore.Never {
			p.alloc.Ended(e.Node, e.KillAsked != simcore.Never)
		}
	}
}
