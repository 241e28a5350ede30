package accept

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"schedtune/internal/scenario"
	"schedtune/simcore"
	"schedtune/validation/conformance/replay"
	"schedtune/yarnconf"
)

// confOf are a document's properties with those that the scenario has outside of the
// queue file.
func confOf(d *yarnconf.Document, s *replay.Scenario) map[string]string {
	m := map[string]string{}
	for k, v := range s.Conf {
		if !strings.HasPrefix(k, yarnconf.Prefix) {
			m[k] = v
		}
	}
	for _, k := range d.Keys() {
		if v, _ := d.Get(k); strings.HasPrefix(k, yarnconf.Prefix) {
			m[k] = strings.TrimSpace(v)
		}
	}
	return m
}

func changed(conf, set map[string]string, unset []string) map[string]string {
	out := maps.Clone(conf)
	maps.Copy(out, set)
	for _, k := range unset {
		delete(out, k)
	}
	return out
}

// parsed reads a file as one of a case's cluster.
func parsed(t *testing.T, data []byte, c *scenario.Case, site *yarnconf.Document) *yarnconf.Document {
	t.Helper()
	d, err := yarnconf.Parse("capacity-scheduler.xml", data)
	if err != nil {
		t.Fatal(err)
	}
	return d.WithSite(site).ForHadoop(c.Doc.Hadoop())
}

// errorsOf are the errors that tune check finds.
func errorsOf(c *scenario.Case) []string {
	var out []string
	for _, p := range yarnconf.CheckOn(c.Doc, groupsOf(c.Cluster)).Problems {
		if p.Severity == yarnconf.Error {
			out = append(out, p.Error())
		}
	}
	return out
}

// groupsOf counts nodes by label.
func groupsOf(c *simcore.Cluster) []yarnconf.NodeGroup {
	groups := []yarnconf.NodeGroup{{}}
	for _, l := range c.Labels {
		groups = append(groups, yarnconf.NodeGroup{Label: l.Name, Shared: !l.Exclusive})
	}
	for i := range c.Nodes {
		n := &c.Nodes[i]
		k := slices.IndexFunc(groups, func(g yarnconf.NodeGroup) bool { return g.Label == n.Label })
		groups[k].Nodes++
		groups[k].Total = groups[k].Total.Add(yarnconf.Resource{Memory: n.Capacity[simcore.Memory],
			VCores: n.Capacity[simcore.VCores]})
	}
	return groups
}

// caseOf is a study's case of a recorded header: its properties as files, its nodes, and
// a job for every queue and every label that the queue may use, and in queues that are
// made on first use.
func caseOf(t *testing.T, s *replay.Scenario) (*scenario.Case, *yarnconf.Document) {
	t.Helper()
	const async = yarnconf.Prefix + "schedule-asynchronously.enable" // the recorder's default
	if _, ok := s.Conf[async]; !ok {
		s.Conf[async] = "false"
	}
	doc, err := yarnconf.Parse("capacity-scheduler.xml", xmlOf(s.Conf, true))
	if err != nil {
		t.Fatal(err)
	}
	site, err := yarnconf.Parse("yarn-site.xml", xmlOf(s.Conf, false))
	if err != nil {
		t.Fatal(err)
	}
	v, err := yarnconf.ParseVersion(s.Hadoop)
	if err != nil {
		t.Fatal(err)
	}
	c := &scenario.Case{Doc: doc.WithSite(site).ForHadoop(v), Cluster: &simcore.Cluster{Racks: []string{"/r"}}}
	for _, n := range s.Nodes {
		c.Cluster.Nodes = append(c.Cluster.Nodes, simcore.Node{Name: n.ID, Capacity: simcore.Vec{n.Memory, n.VCores},
			Label: n.Label})
	}
	for _, l := range s.Labels {
		c.Cluster.Labels = append(c.Cluster.Labels, simcore.NodeLabel{Name: l.Name, Exclusive: l.Exclusive})
	}
	w := &simcore.Workload{Name: s.Scenario, Users: []string{"u1", "u2"}}
	w.Tasks.HostAt = []int32{0}
	conf, err := yarnconf.Evaluate(c.Doc)
	if err != nil {
		t.Errorf("%s: Hadoop loads it, this project does not: %v", s.Scenario, err)
		return nil, nil
	}
	for i := range conf.Queues {
		q := &conf.Queues[i]
		path := q.Path
		if q.AutoCreate || q.AutoCreateOld {
			path += ".u1"
		} else if !q.Leaf {
			continue
		}
		w.Queues = append(w.Queues, path)
		labels := []string{""}
		for _, l := range s.Labels {
			if q.Accessible(l.Name) {
				labels = append(labels, l.Name)
			}
		}
		for k, l := range labels {
			j := simcore.Job{ID: fmt.Sprint(len(w.Jobs)), Queue: int32(len(w.Queues) - 1), User: int32(k % 2), Maps: 1,
				Reduces: 1, FirstTask: -1, Slowstart: -1}
			if l != "" {
				j.Labels = &simcore.JobLabels{App: l}
			}
			w.Jobs = append(w.Jobs, j)
		}
	}
	c.Props, c.Work = c.Doc, w
	return c, site
}

// xmlOf writes the properties of the queue file, or the others.
func xmlOf(conf map[string]string, queues bool) []byte {
	var b strings.Builder
	b.WriteString("<configuration>\n")
	for _, k := range slices.Sorted(maps.Keys(conf)) {
		if strings.HasPrefix(k, yarnconf.Prefix) == queues {
			fmt.Fprintf(&b, "  <property>\n    <name>%s</name>\n    <value>%s</value>\n  </property>\n", escaped(k),
				escaped(conf[k]))
		}
	}
	b.WriteString("</configuration>\n")
	return []byte(b.String())
}

func escaped(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(s)
}
