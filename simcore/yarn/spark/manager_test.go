package spark

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"schedtune/simcore"
)

// TestManagerSteps plays the scenarios of testdata/manager.txt, whose expected
// values are derived there.
func TestManagerSteps(t *testing.T) {
	f, err := os.Open("testdata/manager.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var p *stepPlayer
	cases := 0
	in := bufio.NewScanner(f)
	for line := 1; in.Scan(); line++ {
		w := strings.Fields(in.Text())
		switch {
		case len(w) == 0 || w[0] == "#":
		case w[0] == "case":
			cases++
			p = &stepPlayer{name: strings.Join(w[1:], " ")}
			p.reset(nil)
		case w[0] == "set":
			p.reset(w[1:])
		default:
			if err := p.step(w); err != nil {
				t.Errorf("testdata/manager.txt:%d: %s: %v", line, p.name, err)
			}
		}
	}
	if cases < 12 {
		t.Errorf("%d cases", cases)
	}
}

type stepPlayer struct {
	name    string
	manager Manager
	monitor Monitor
}

func (p *stepPlayer) reset(set []string) {
	s := simcore.DefaultSparkSettings()
	s.Dynamic, s.Instances, s.ShuffleService = true, 0, true
	slots, slots2 := int32(1), int32(1)
	for _, kv := range set {
		k, v, _ := strings.Cut(kv, "=")
		x, _ := strconv.ParseFloat(v, 64)
		ms := simcore.Time(x) * simcore.Millisecond
		switch k {
		case "min":
			s.Min = int32(x)
		case "initial":
			s.Initial = int32(x)
		case "max":
			s.Max = int32(x)
		case "slots":
			slots = int32(x)
		case "slots1":
			slots2 = int32(x)
		case "ratio":
			s.Ratio = x
		case "backlog":
			s.Backlog = ms
		case "sustained":
			s.Sustained = ms
		case "idle":
			s.Idle = ms
		case "cached":
			s.CachedIdle = ms
		case "tracking":
			s.ShuffleService = false
		case "shuffle":
			s.ShuffleTimeout = ms
		}
	}
	p.manager.Reset(&s, []int32{slots, slots2})
	p.monitor.Reset(&s, 4, 4, 2)
}

func (p *stepPlayer) step(w []string) error {
	n := make([]int32, len(w))
	for i := range w {
		x, _ := strconv.Atoi(w[i])
		n[i] = int32(x)
	}
	now := simcore.Time(n[0]) * simcore.Millisecond
	switch w[1] {
	case "submit":
		p.manager.Submit(now, p.profile(n, 3), n[2], n[2])
	case "complete":
		p.manager.Complete(n[2])
	case "start":
		p.manager.Start(n[2], n[3], false)
		p.monitor.Start(n[4])
	case "end":
		p.manager.Finish(now, n[2], n[3], false, Success)
		shuffle := int32(-1)
		if len(w) > 6 && w[5] == "shuffle" {
			shuffle = n[6]
		}
		if len(w) > 6 && w[5] == "cache" {
			p.monitor.Cache(n[4], n[6], false)
		}
		p.monitor.Finish(now, n[4], shuffle)
	case "resubmit":
		p.manager.Finish(now, n[2], n[3], false, Resubmitted)
		p.monitor.Finish(now, n[4], -1)
	case "add":
		p.monitor.Add(now, n[2], p.profile(n, 3))
	case "remove":
		p.monitor.Remove(n[2])
	case "job":
		p.monitor.UseShuffles([]int32{n[2]}, 1)
	case "jobend":
		p.monitor.UseShuffles([]int32{n[2]}, -1)
	case "unpersist":
		p.monitor.Unpersist(n[2])
	case "turn":
		return p.turn(now, w)
	default:
		return fmt.Errorf("%q", w[1])
	}
	return nil
}

// profile is the resource profile a step names, 0 where it names none.
func (p *stepPlayer) profile(n []int32, at int) int32 {
	if len(n) > at {
		return n[at]
	}
	return 0
}

// turn checks a turn's result, and that Due had announced whatever it changed.
func (p *stepPlayer) turn(now simcore.Time, w []string) error {
	change, step := p.manager.Due(p.monitor.Registered())
	due := min(change, step, p.monitor.Due(p.manager.Targets()))
	if p.manager.Waiting() {
		due = p.monitor.Soonest()
	}
	out := p.monitor.TimedOut(now)
	changed := p.manager.Turn(now, p.monitor.Registered(), out)
	var killed []string
	if out {
		for _, e := range p.monitor.Expire(now, p.manager.Targets()) {
			p.monitor.Kill(e)
			killed = append(killed, fmt.Sprint(e))
		}
	}
	if (changed || len(killed) > 0) && due > now {
		return fmt.Errorf("the turn changed something, but is due at %v", due.Std())
	}
	want := ""
	if len(w) > 4 {
		want = w[4]
	}
	got := fmt.Sprint(p.manager.Target(0)) // of both profiles where the step names both
	if strings.Contains(w[2], "+") {
		got += fmt.Sprint("+", p.manager.Target(1))
	}
	if got != w[2] || strings.Join(killed, ",") != want {
		return fmt.Errorf("target %s, killed %v; want %s, %q", got, killed, w[2], want)
	}
	return nil
}
