package scenario

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"schedtune/internal/fileio"
	"schedtune/internal/text"
	"schedtune/simcore/sched/capacity"
	"schedtune/simcore/yarn"
	"schedtune/yarnconf"
	"schedtune/yarnconf/placement"
)

// router sends jobs where the queue file's own rules do: its queue mappings, and
// its parents that make queues on first use.
type router struct {
	s      *capacity.Scheduler
	conf   *yarnconf.Config
	groups map[string][]string
	names  map[string]string // application names by job ID; empty: the ID itself
	asked  map[string]bool   // by job ID: its queue is what its submission named

	made    []string // queues that the file does not list, in order of use
	lone    bool     // a rule looked at groups that no file tells
	refused int      // jobs that a mapping rejects
	first   error    // the first of them
	given   int      // jobs that were in the default queue, and that the rules send elsewhere
}

// newRouter returns nil for a file that sends nobody anywhere.
func newRouter(doc *yarnconf.Document, groups map[string][]string) (*router, error) {
	conf, err := yarnconf.Evaluate(doc)
	if err != nil {
		return nil, err
	}
	if conf.Placement.Len() == 0 && !slices.ContainsFunc(conf.Queues, func(q yarnconf.Queue) bool {
		return q.AutoCreate || q.AutoCreateOld
	}) {
		return nil, nil
	}
	s, err := capacity.New(conf)
	if err != nil {
		return nil, err
	}
	return &router{s: s, conf: conf, groups: groups}, nil
}

// groupsOf are a user's groups; a user without any is in one of the own name.
func (r *router) groupsOf(user string) []string {
	if g, ok := r.groups[user]; ok {
		return g
	}
	r.lone = true
	return []string{user}
}

// byRules applies the mappings to a job that names this queue or none. decided is
// false where they say nothing.
func (r *router) byRules(id, user, queue string) (leaf string, decided, rejected bool) {
	rules := r.conf.Placement
	inDefault := queue == placement.DefaultQueue || queue == "root."+placement.DefaultQueue
	if rules.Len() == 0 || queue != "" && !inDefault && !rules.Override {
		return "", false, false
	}
	if inDefault { // as no queue at all, where the source tells what was asked for
		queue = placement.DefaultQueue
	}
	name := cmp.Or(r.names[id], id)
	path, err := r.s.Destination(yarn.AppSpec{Name: name, User: user, Queue: queue, ByRules: true,
		Groups: r.groupsOf(user)})
	if inDefault && !r.asked[id] && !rules.Override {
		if was, ok := r.named(queue); ok {
			if path != was {
				r.given++
			}
			return was, true, false
		}
	}
	if err != nil {
		if r.refused++; r.first == nil {
			r.first = err
		}
		return "", false, true
	}
	r.note(path)
	return path, true, false
}

// named finds or makes the queue of a path or short name.
func (r *router) named(queue string) (string, bool) {
	for _, q := range []string{queue, "root." + queue} {
		if path, err := r.s.Destination(yarn.AppSpec{Queue: q}); err == nil {
			r.note(path)
			return path, true
		}
	}
	return "", false
}

// parents are the queues of the file below which leaves are created dynamically.
func (r *router) parents() []string {
	var out []string
	for _, q := range r.conf.Queues {
		if (q.AutoCreate || q.AutoCreateOld) && !q.Dynamic {
			out = append(out, q.Path)
		}
	}
	return out
}

func (r *router) note(path string) {
	if r.conf.Find(path) < 0 && !slices.Contains(r.made, path) {
		r.made = append(r.made, path)
	}
}

// notes tells which queues are created dynamically, and what was assumed.
func (r *router) notes() []string {
	var out []string
	if len(r.made) > 0 {
		out = append(out, fmt.Sprintf("%s created dynamically: %s", text.Count(len(r.made), "queue"), listed(r.made)))
	}
	if r.given > 0 {
		out = append(out, fmt.Sprintf("%s in %s, where the ResourceManager had them; the queue mappings would place them "+
			"elsewhere", text.Count(r.given, "job"), placement.DefaultQueue))
	}
	if r.lone && r.conf.Placement.UsesGroups() {
		out = append(out, "the queue mappings ask for groups: users that no --groups file names count as members of a "+
			"group of their own name")
	}
	if f := r.conf.Placement.Missing; f != "" {
		out = append(out, fmt.Sprintf("mapping-rule-json-file %s is not beside the queue file: jobs go where the trace says",
			f))
	}
	return out
}

const (
	groupsForm = "USER: GROUP GROUP …, the primary group first"
	groupsLine = 1 << 20 // bytes
)

// LoadGroups reads users' groups: a line USER: GROUP GROUP … for each, the primary
// group first; blanks or commas between groups, # begins a comment.
func LoadGroups(path string) (map[string][]string, error) {
	f, err := fileio.OpenBounded(path)
	if err != nil {
		return nil, fileio.OpenError(path, err, "")
	}
	defer f.Close()
	text, err := fileio.OpenText(f)
	if err != nil {
		return nil, &fileio.FileError{File: path, Err: err}
	}
	out := map[string][]string{}
	in := bufio.NewScanner(fileio.Reader(text, fileio.Table))
	in.Buffer(nil, groupsLine)
	for line := 1; in.Scan(); line++ {
		if bytes.IndexByte(in.Bytes(), 0) >= 0 || !utf8.Valid(in.Bytes()) {
			return nil, &fileio.FileError{File: path, Line: int64(line), Reason: "not a text file: must be " + groupsForm}
		}
		s, _, _ := strings.Cut(in.Text(), "#")
		if s = strings.TrimSpace(s); s == "" {
			continue
		}
		user, rest, ok := strings.Cut(s, ":")
		groups := strings.FieldsFunc(rest, func(c rune) bool { return c == ',' || c == ' ' || c == '\t' })
		if user = strings.TrimSpace(user); !ok || user == "" || len(groups) == 0 {
			return nil, &fileio.FileError{File: path, Line: int64(line), Reason: fmt.Sprintf("%.100q: must be %s", s,
				groupsForm)}
		}
		if _, twice := out[user]; twice {
			return nil, &fileio.FileError{File: path, Line: int64(line), Key: "user " + user, Reason: "listed twice"}
		}
		out[user] = groups
	}
	if err := in.Err(); err != nil {
		return nil, &fileio.FileError{File: path, Err: fileio.LongLine(err, groupsLine)}
	}
	return out, nil
}
