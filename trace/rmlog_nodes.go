package trace

import (
	"bytes"
	"regexp"

	"schedtune/trace/runlog"
)

// nodeLine takes a line about a node: its registration, with its size, or a change of
// its state.
func (l *rmLog) nodeLine(text []byte) {
	if i := bytes.Index(text, []byte("Assigned container container_")); i >= 0 {
		l.assigned(string(text[i:]))
		return
	}
	if !bytes.Contains(text, []byte("RMNodeImpl")) && !bytes.Contains(text, []byte("registered with capability")) {
		return
	}
	at, err := logTime(text)
	if err != nil {
		return
	}
	line := string(text)
	if m := capabilityLine.FindStringSubmatch(line); m != nil {
		l.sizes[m[3]] = Node{Name: m[1], Size: parseResource(m[2])}
		return
	}
	if node, from, to, ok := runlog.NodeTurn(line); ok {
		l.nodes = append(l.nodes, nodeEntry{at, node, from, to})
	}
}

// assignedLine tells a container's size and node (SchedulerNode), which the audit log of
// Hadoop 2 does not.
var assignedLine = regexp.MustCompile(`^Assigned container (container\S*?_(\d+_\d+)_\d+_\d+) of capacity <(.*?)> on host (\S+?):\d+`)

func (l *rmLog) assigned(line string) {
	m := assignedLine.FindStringSubmatch(line)
	if m == nil {
		return
	}
	a := l.app("application_" + m[2])
	h := held{size: parseResource(m[3]), host: m[4]}
	if _, ok := a.containers[m[1]]; !ok {
		a.assigned[m[1]] = h
		return
	}
	a.placed(m[1], h)
}

// placed notes a container's size and node.
func (a *rmApp) placed(id string, h held) {
	c := &a.job.Tasks[a.containers[id]].Attempts[0]
	c.Host = h.host
	if c.Size.MiB == 0 {
		c.Size = h.size
	}
}

// machines are the nodes that registered while the log was written, if they are all
// that it names: a cluster of some of its nodes would be another one.
func (l *rmLog) machines(t *Trace) {
	at := map[string]int{}
	hosts := map[string]bool{}
	for _, e := range l.nodes {
		if _, ok := l.sizes[e.node]; !ok {
			l.notes.add(Dropped, "changes of nodes: the log does not tell the size of %s, which registered before it begins",
				e.node)
			t.Nodes = nil
			return
		}
		i, ok := at[e.node]
		if !ok {
			n := l.sizes[e.node]
			if hosts[n.Name] {
				n.Name = e.node // several NodeManagers of one host
			}
			hosts[n.Name] = true
			i = len(t.Nodes)
			at[e.node] = i
			t.Nodes = append(t.Nodes, n)
		}
		t.Nodes[i].Stays.Log(toTime(e.at+l.shift), e.from, e.to)
	}
	t.finishNodes()
}
