package sched_test

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"schedtune/simcore"
	"schedtune/simcore/schedtest"
)

// script is a scenario as text: a small cluster, a few jobs of constant task
// times, and the results expected under any scheduler, or under the one that the
// script names. One statement per line, # begins a comment, times are in seconds:
//
//	scheduler fair:pool=user             for this one only; without it, for all
//	nodes 2 maps 2 reduces 1             slots of each node; no replicas, one rack
//	heartbeat 0.5                        default: Hadoop 1's rule
//	job a at 0 user ann maps 4 10 reduces 1 5 priority 2 queue prod
//	expect a starts within 0 1           launch of its first task
//	expect a ends within 20 25           last task reported
//	expect a ends before b               or starts; before or at the same time
//	expect a runs at-most 2 maps         at any time; or at-least, reduces
//	expect makespan within 20 30         first submission to last end
//
// All properties of a job except its name are optional.
type script struct {
	scheduler string // spec, "" = every scheduler
	cluster   *simcore.Cluster
	workload  *simcore.Workload
	heartbeat simcore.Time // interval of the nodes
	expects   []expectation
}

// expectation compares one figure of a run with bounds or with another job's.
type expectation struct {
	line   int
	text   string
	job    int    // -1 = the run
	figure string // starts, ends, makespan, maps, reduces
	lo, hi float64
	other  int // job of a "before", -1 = none
}

// Limits of a script: it is a test, not a study.
const (
	scriptNodes = 1000
	scriptTasks = 10000
	scriptTime  = 1e6
)

// parseScript reads a scenario. Errors name the line and the word.
func parseScript(r io.Reader) (*script, error) {
	s := &script{workload: &simcore.Workload{Name: "script"}}
	in := bufio.NewScanner(r)
	line := 0
	for in.Scan() {
		line++
		text, _, _ := strings.Cut(in.Text(), "#")
		words := strings.Fields(text)
		if len(words) == 0 {
			continue
		}
		if err := s.statement(line, words); err != nil {
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
	}
	if err := in.Err(); err != nil {
		return nil, fmt.Errorf("line %d: %w", line+1, err)
	}
	return s, s.finish()
}

func (s *script) statement(line int, words []string) error {
	rest := words[1:]
	switch words[0] {
	case "scheduler":
		if len(rest) != 1 {
			return fmt.Errorf("scheduler %s: must be one spec", strings.Join(rest, " "))
		}
		s.scheduler = rest[0]
		return nil
	case "nodes":
		return s.nodes(rest)
	case "heartbeat":
		v, err := numbers("heartbeat", rest, 1, 0.001, 3600)
		if err == nil {
			s.heartbeat = simcore.Seconds(v[0])
		}
		return err
	case "job":
		return s.job(rest)
	case "expect":
		e, err := s.expect(rest)
		e.line, e.text = line, strings.Join(words, " ")
		s.expects = append(s.expects, e)
		return err
	}
	return fmt.Errorf("statement %q: must be one of scheduler, nodes, heartbeat, job, expect", words[0])
}

func (s *script) nodes(words []string) error {
	if len(words) != 5 || words[1] != "maps" || words[3] != "reduces" || s.cluster != nil {
		return fmt.Errorf("nodes %s: must be one line with nodes N maps N reduces N", strings.Join(words, " "))
	}
	v, err := numbers("nodes", []string{words[0], words[2], words[4]}, 3, 0, scriptNodes)
	if err != nil {
		return err
	}
	if v[0] < 1 {
		return fmt.Errorf("nodes %v: must be from 1 to %d", v[0], scriptNodes)
	}
	s.cluster = schedtest.Uniform(int(v[0]), int(v[0]), simcore.Vec{int64(v[1]), int64(v[2])})
	return nil
}

// number reads exactly n numbers within bounds.
func numbers(what string, words []string, n int, lo, hi float64) ([]float64, error) {
	if len(words) != n {
		return nil, fmt.Errorf("%s %s: must have %d numbers", what, strings.Join(words, " "), n)
	}
	out := make([]float64, n)
	for i, w := range words {
		v, err := strconv.ParseFloat(w, 64)
		if err != nil || !(v >= lo && v <= hi) {
			return nil, fmt.Errorf("%s %q: must be a number from %v to %v", what, w, lo, hi)
		}
		out[i] = v
	}
	return out, nil
}

func (s *script) job(words []string) error {
	if len(words) == 0 || s.find(words[0]) >= 0 || words[0] == "makespan" {
		return fmt.Errorf("job needs a name of its own")
	}
	j := simcore.Job{ID: words[0], Name: words[0], Class: -1, FirstTask: -1, MapDist: -1, ReduceDist: -1, Slowstart: -1}
	queue, user := "default", "all"
	for rest := words[1:]; len(rest) > 0; {
		n := 2
		if rest[0] == "maps" || rest[0] == "reduces" {
			n = 3
		}
		if len(rest) < n {
			return fmt.Errorf("job %s: %s needs %d more words", j.ID, rest[0], n-1)
		}
		switch rest[0] {
		case "queue":
			queue = rest[1]
		case "user":
			user = rest[1]
		default:
			if err := s.jobNumber(&j, rest[0], rest[1:n]); err != nil {
				return fmt.Errorf("job %s: %w", j.ID, err)
			}
		}
		rest = rest[n:]
	}
	j.Queue, j.User = indexOf(&s.workload.Queues, queue), indexOf(&s.workload.Users, user)
	if n := len(s.workload.Jobs); n > 0 && j.Submit < s.workload.Jobs[n-1].Submit {
		return fmt.Errorf("job %s: jobs must be in the order of their times", j.ID)
	}
	s.workload.Jobs = append(s.workload.Jobs, j)
	return nil
}

func (s *script) jobNumber(j *simcore.Job, key string, words []string) error {
	v, err := numbers(key, words, len(words), 0, scriptTime)
	if err != nil {
		return err
	}
	switch key {
	case "at":
		j.Submit = simcore.Seconds(v[0])
	case "priority":
		j.Priority = int32(v[0])
	case "maps", "reduces":
		if v[0] > scriptTasks {
			return fmt.Errorf("%s %v: must be at most %d", key, v[0], scriptTasks)
		}
		s.workload.Dists = append(s.workload.Dists, simcore.Dist{Kind: simcore.Constant, A: v[1]})
		d := int32(len(s.workload.Dists) - 1)
		if key == "maps" {
			j.Maps, j.MapDist = int32(v[0]), d
		} else {
			j.Reduces, j.ReduceDist = int32(v[0]), d
		}
	default:
		return fmt.Errorf("property %q: must be one of at, user, queue, priority, maps, reduces", key)
	}
	return nil
}

func indexOf(names *[]string, name string) int32 {
	i := slices.Index(*names, name)
	if i < 0 {
		i = len(*names)
		*names = append(*names, name)
	}
	return int32(i)
}

func (s *script) find(job string) int {
	return slices.IndexFunc(s.workload.Jobs, func(j simcore.Job) bool { return j.ID == job })
}

func (s *script) expect(words []string) (expectation, error) {
	e := expectation{job: -1, other: -1, lo: math.Inf(-1), hi: math.Inf(1)}
	if len(words) > 0 && words[0] == "makespan" {
		e.figure = "makespan"
		return e, e.bounds(words[1:])
	}
	if len(words) < 3 || s.find(words[0]) < 0 {
		return e, fmt.Errorf("expect needs a job named before, or makespan, and what of it")
	}
	e.job, e.figure = s.find(words[0]), words[1]
	rest := words[2:]
	switch {
	case e.figure != "starts" && e.figure != "ends" && e.figure != "runs":
		return e, fmt.Errorf("expect %s %q: must be starts, ends or runs", words[0], words[1])
	case e.figure == "runs":
		return e, e.count(rest)
	case rest[0] == "before" && len(rest) == 2 && s.find(rest[1]) >= 0:
		e.other = s.find(rest[1])
		return e, nil
	}
	return e, e.bounds(rest)
}

func (e *expectation) bounds(words []string) error {
	if len(words) == 0 || words[0] != "within" {
		return fmt.Errorf("expect %s: must be within LOW HIGH, or before JOB", strings.Join(words, " "))
	}
	v, err := numbers("within", words[1:], 2, 0, scriptTime)
	if err != nil {
		return err
	}
	e.lo, e.hi = v[0], v[1]
	return nil
}

func (e *expectation) count(words []string) error {
	if len(words) != 3 || words[2] != "maps" && words[2] != "reduces" || words[0] != "at-most" && words[0] != "at-least" {
		return fmt.Errorf("runs %s: must be at-most or at-least N maps or reduces", strings.Join(words, " "))
	}
	v, err := numbers(words[0], words[1:2], 1, 0, scriptTasks)
	if err != nil {
		return err
	}
	if e.figure = words[2]; words[0] == "at-most" {
		e.hi = v[0]
	} else {
		e.lo = v[0]
	}
	return nil
}

// finish checks what no single line shows.
func (s *script) finish() error {
	switch {
	case s.cluster == nil:
		return fmt.Errorf("no nodes: there must be a line nodes N maps N reduces N")
	case len(s.workload.Jobs) == 0:
		return fmt.Errorf("no jobs: there must be a line job NAME …")
	case len(s.expects) == 0:
		return fmt.Errorf("nothing is expected: there must be a line expect …")
	}
	return simcore.Validate(s.cluster, s.workload)
}
