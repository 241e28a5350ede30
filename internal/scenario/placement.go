package scenario

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Placement decides which leaf queue a job of the trace goes to, in this
// order: an explicit mapping (--queue-map), the queue mappings of the file where
// they have a say (a job without a queue, or override), the queue the trace
// names, which may be created dynamically, and, for traces that name none, the
// users dealt over the leaf queues.
type Placement struct {
	own     *router           // what the file itself says; nil: nothing
	leaves  map[string]string // full path and short name -> full path; "" = ambiguous
	order   []string          // leaf paths in file order
	byUser  map[string]string
	byQueue map[string]string
}

// newPlacement prepares the rules for the leaf queues (full paths, in file
// order) beside those of the file itself. mapping holds comma-separated rules: u:USER:QUEUE or q:OLD:NEW, the
// first as in the scheduler's own queue-mappings; USER or OLD may be "*", and %user
// in a target stands for the job's user, with _dot_ for each dot.
// Errors: a malformed rule, an unknown queue.
func newPlacement(leaves []string, mapping string, own *router) (*Placement, error) {
	p := &Placement{own: own, leaves: map[string]string{}, order: leaves, byUser: map[string]string{},
		byQueue: map[string]string{}}
	for _, l := range leaves {
		p.leaves[l] = l
		short := l[strings.LastIndexByte(l, '.')+1:]
		if _, taken := p.leaves[short]; taken {
			p.leaves[short] = ""
		} else {
			p.leaves[short] = l
		}
	}
	return p, eachRule(mapping, p.addRule)
}

// eachRule calls f with every rule of a mapping and its parts, to the first error.
func eachRule(mapping string, f func(rule string, parts []string) error) error {
	for rule := range strings.SplitSeq(mapping, ",") {
		if rule = strings.TrimSpace(rule); rule == "" {
			continue
		}
		parts, err := ruleParts(rule)
		if err == nil {
			err = f(rule, parts)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (p *Placement) addRule(rule string, f []string) error {
	if strings.Contains(f[2], userVariable) {
		p.keep(f) // looked up for each job
		return nil
	}
	to := p.find(f[2])
	if to == "" {
		return &FlagError{Flag: "--queue-map", Err: fmt.Errorf("%s: no such leaf queue %q; use %s", rule, f[2],
			allowedQueues(p.order, p.parents()))}
	}
	f[2] = to
	p.keep(f)
	return nil
}

// userVariable in a rule's target stands for the user of the job.
const userVariable = "%user"

// forUser is a rule's target for a job of this user. A dot would part a queue's
// path, so YARN's placement rules write _dot_ for it.
func forUser(target, user string) string {
	return strings.ReplaceAll(target, userVariable, strings.ReplaceAll(user, ".", "_dot_"))
}

// find is the full path of a leaf queue that the file lists or that is made on
// first use, "" for any other.
func (p *Placement) find(queue string) string {
	if to := p.leaves[queue]; to != "" || p.own == nil {
		return to
	}
	to, _ := p.own.named(queue)
	return to
}

// target is the queue that a rule sends a user's job to. unknown is true for one
// that is not there and is not made.
func (p *Placement) target(rule, user string) (leaf string, ok, unknown bool) {
	if !strings.Contains(rule, userVariable) {
		return rule, true, false
	}
	leaf = p.find(forUser(rule, user))
	return leaf, leaf != "", leaf == ""
}

// parents are the queues below which leaves are created dynamically.
func (p *Placement) parents() []string {
	if p.own == nil {
		return nil
	}
	return p.own.parents()
}

// ruleParts are kind, user or queue, and target of a rule.
func ruleParts(rule string) (f []string, err error) {
	f = strings.Split(rule, ":")
	if len(f) != 3 || f[0] != "u" && f[0] != "q" || f[1] == "" || f[2] == "" {
		return nil, &FlagError{Flag: "--queue-map", Err: fmt.Errorf("%q is not a rule: must be u:USER:QUEUE or q:OLD:NEW, "+
			"separated by commas", rule)}
	}
	if strings.Contains(strings.ReplaceAll(f[2], userVariable, ""), "%") {
		return nil, &FlagError{Flag: "--queue-map", Err: fmt.Errorf("%s: a variable in %q; use %s, which stands for the "+
			"job's user", rule, f[2], userVariable)}
	}
	return f, nil
}

// keep takes up a rule's parts.
func (p *Placement) keep(f []string) {
	if f[0] == "u" {
		p.byUser[f[1]] = f[2]
	} else {
		p.byQueue[f[1]] = f[2]
	}
}

// UnknownQueueError names the queues of the trace that the configuration lacks.
type UnknownQueueError struct {
	Trace   string
	Job     string   // the first job in one of them
	Jobs    int      // how many there are
	Queues  []string // in the order of the trace
	Allowed []string // leaf queues of the file
	Parents []string // below which it makes leaf queues on first use
}

func (e *UnknownQueueError) add(job, queue string) {
	if e.Jobs == 0 {
		e.Job = job
	}
	e.Jobs++
	if !slices.Contains(e.Queues, queue) {
		e.Queues = append(e.Queues, queue)
	}
}

// queuesNamed bounds how many unknown and allowed queues a message names.
const queuesNamed = 12

func (e *UnknownQueueError) Error() string {
	if len(e.Queues) == 1 {
		return fmt.Sprintf("%s: job %s: unknown queue %q; use %s", e.Trace, e.Job, e.Queues[0],
			allowedQueues(e.Allowed, e.Parents))
	}
	quoted := make([]string, len(e.Queues))
	for i, q := range e.Queues {
		quoted[i] = strconv.Quote(q)
	}
	return fmt.Sprintf("%s: %d jobs in %d unknown queues %s; use %s", e.Trace, e.Jobs, len(e.Queues), listed(quoted),
		allowedQueues(e.Allowed, e.Parents))
}

// allowedQueues names leaf queues and the parents that make some.
func allowedQueues(leaves, parents []string) string {
	if len(parents) == 0 {
		return listed(leaves)
	}
	made := "any name below " + listed(parents) + " (created dynamically)"
	if len(leaves) == 0 {
		return made
	}
	return listed(leaves) + ", " + made
}

// listed joins names, those beyond queuesNamed as their number.
func listed(names []string) string {
	if more := len(names) - queuesNamed; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:queuesNamed], ", "), more)
	}
	return strings.Join(names, ", ")
}

// Hint says how to go on.
func (e *UnknownQueueError) Hint() string {
	if len(e.Queues) == 1 {
		for _, parent := range e.Parents {
			if parent == e.Queues[0] || strings.HasSuffix(parent, "."+e.Queues[0]) {
				return fmt.Sprintf("--queue-map 'q:%s:%s.%s' sends its jobs to a queue of each user, created dynamically",
					e.Queues[0], parent, userVariable)
			}
		}
	}
	switch {
	case len(e.Allowed) == 0:
		return "--queue-map 'q:OLD:NEW' sends the jobs of a queue to another, which may be created dynamically"
	case len(e.Queues) == 1:
		return fmt.Sprintf("--queue-map 'q:%s:%s' sends its jobs to another queue", e.Queues[0], e.Allowed[0])
	case len(e.Allowed) == 1:
		return fmt.Sprintf("--queue-map 'q:*:%s' sends all their jobs to that queue", e.Allowed[0])
	}
	return fmt.Sprintf("--queue-map 'q:%s:%s,q:*:%s' sends the jobs of the first to one queue and all others to another",
		e.Queues[0], e.Allowed[0], e.Allowed[len(e.Allowed)-1])
}

// place returns the leaf queue of a job; ok is false when the trace names no
// queue and no rule speaks for the user.
func (p *Placement) place(id, user, queue string) (leaf string, ok bool, unknown bool) {
	if l, found := p.byUser[user]; found {
		return p.target(l, user)
	}
	if l, found := p.byQueue[queue]; found {
		return p.target(l, user)
	}
	if p.own != nil {
		if l, decided, rejected := p.own.byRules(id, user, queue); decided || rejected {
			return l, true, false
		}
	}
	if queue != "" {
		if l := p.leaves[queue]; l != "" {
			return l, true, false
		}
		if l := p.leaves["root."+queue]; l != "" {
			return l, true, false
		}
		if p.own != nil {
			if l, found := p.own.named(queue); found {
				return l, true, false
			}
		}
	}
	if l, found := p.byUser["*"]; found {
		return p.target(l, user)
	}
	if l, found := p.byQueue["*"]; found {
		return p.target(l, user)
	}
	return "", false, queue != ""
}

// rules reports whether any --queue-map is given.
func (p *Placement) rules() bool { return len(p.byUser)+len(p.byQueue) > 0 }

// deal assigns users without a queue to the leaf queues in turn, users in
// order of name: the same trace always gets the same queues.
func (p *Placement) deal(users []string) map[string]string {
	out := make(map[string]string, len(users))
	for i, u := range slices.Sorted(slices.Values(users)) {
		if len(p.order) > 0 {
			out[u] = p.order[i%len(p.order)]
		}
	}
	return out
}
