package testruns

import "schedtune/simcore/yarn"

// The application master's part: requests for containers, calls to the
// ResourceManager, starts of executors (YarnAllocator, ApplicationMaster).

// sparkAM is what the application master counts.
type sparkAM struct {
	want, pending, running, starting int
	touched                          bool // the count of requests goes out with the next call
	callAt, fast                     int64
	back                             []*sparkContainer // to give back with the next call
	calls                            []sparkCall
	rows                             []sparkRow
}

type sparkCall struct {
	at                               int64
	want, pending, running, starting int
	asks, releases, granted, told    int
}

type sparkRow struct {
	at        int64
	response  int
	kind      string
	count     int
	container *sparkContainer
}

func (a *sparkApp) hearTarget(target int) {
	a.master.want = target
	a.wake(a.draw(3, 9, 30, uint64(a.m.now)))
}

func (a *sparkApp) hearKill(e *sparkExec) {
	a.master.running--
	a.master.back = append(a.master.back, e.c)
}

// wake makes the next call come soon.
func (a *sparkApp) wake(ms int64) {
	if a.finish < 0 {
		a.master.callAt, a.master.fast = min(a.master.callAt, a.m.now+ms), fastBeat
	}
}

// call is a call of the master, if it is time for one.
func (a *sparkApp) call() {
	m := &a.master
	if a.m.now < m.callAt {
		return
	}
	c := sparkCall{at: a.m.now, want: m.want, pending: m.pending, running: m.running, starting: m.starting}
	if missing := m.want - m.pending - m.running - m.starting; missing > 0 || missing < 0 && m.pending > 0 {
		m.pending, m.touched = max(m.pending+missing, 0), true
	}
	var asks []yarn.Ask
	response := len(m.calls)
	if m.touched {
		asks = append(asks, yarn.Ask{Priority: 0, Where: yarn.AnyPlace, Size: yarn.Resource{Memory: sparkMiB, VCores: 1},
			Count: int32(m.pending)})
		m.rows = append(m.rows, sparkRow{a.m.now, response, "ASK", m.pending, nil})
		m.touched, c.asks = false, 1
	}
	var release []int32
	for _, k := range m.back {
		release = append(release, k.ordinal)
		m.rows = append(m.rows, sparkRow{a.m.now, response, "RELEASE", 0, k})
		k.releaseAsked, k.freed = a.m.now, a.m.now
		if k.exec != nil { // its process ends later
			k.haunts = true
			a.m.sched.Hold(yarn.NodeID(k.node), yarn.Resource{Memory: sparkMiB, VCores: 1})
		}
	}
	c.releases = len(m.back)
	m.back = m.back[:0]
	a.m.sched.Ask(a.app, asks, release, &a.m.resp)
	a.hear(&c)
	m.calls = append(m.calls, c)
	wait := int64(slowBeat)
	if m.pending > 0 {
		wait = min(m.fast, slowBeat)
		m.fast = 2 * wait
	} else {
		m.fast = fastBeat
	}
	if len(m.calls) == 1 {
		wait, m.fast = a.draw(8, 14, 31), fastBeat
	}
	m.callAt = a.m.now + wait + 1
}

// hear takes what a call brought.
func (a *sparkApp) hear(c *sparkCall) {
	m := &a.master
	c.granted, c.told = len(a.m.resp.Granted), len(a.m.resp.Completed)
	for _, ord := range a.m.resp.Granted {
		k := a.containerOf(ord)
		k.acquired = a.m.now
		switch {
		case m.pending == 0:
			m.back = append(m.back, k)
		default:
			m.pending--
			m.touched = true
			if m.running < m.want {
				m.starting++
				a.launch(k)
			}
		}
	}
	for _, ord := range a.m.resp.Completed {
		a.containerOf(ord).toldEnd = a.m.now
	}
}

func (a *sparkApp) containerOf(ord int32) *sparkContainer {
	for _, c := range a.containers {
		if c.ordinal == ord {
			return c
		}
	}
	return nil
}

// launch starts an executor in a container.
func (a *sparkApp) launch(c *sparkContainer) {
	id := uint64(len(a.execs) + 1)
	e := &sparkExec{id: int(id), c: c, launch: a.m.now + a.draw(4, 12, 32, id), registered: -1, blocks: -1, ready: -1,
		firstTask: -1, lastTask: -1, killAsked: -1, toldStop: -1, removed: -1, idleAt: -1}
	c.exec, e.started = e, -1
	a.execs = append(a.execs, e)
	a.in(e.launch+a.draw(15, 40, 33, id)-a.m.now, func() {
		e.started = a.m.now
		a.master.starting--
		a.master.running++
		a.in(a.draw(900, 1500, 34, id), func() { a.comesUp(e) })
	})
}

// comesUp is an executor's registration with the driver.
func (a *sparkApp) comesUp(e *sparkExec) {
	if a.finish >= 0 {
		return
	}
	e.registered, e.blocks = a.m.now, a.m.now+a.draw(30, 60, 35, uint64(e.id))
	a.in(1+busDelay, func() {
		a.manager.registered++
		e.known, e.idleAt = true, a.m.now
	})
	a.in(a.draw(65, 110, 36, uint64(e.id)), func() {
		e.ready = a.m.now
		a.offer(e)
	})
	up := 0
	for _, x := range a.execs {
		if x.registered >= 0 {
			up++
		}
	}
	if !a.dynamic && a.context < 0 && 10*up >= 8*a.instances {
		a.in(a.draw(10, 90, 37), a.goOn)
	}
}
