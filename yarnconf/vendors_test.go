package yarnconf

import (
	"fmt"
	"strings"
	"testing"
)

// configFile writes settings in the order given, "name value" a line without prefix, with what a
// distribution puts into every property besides.
func configFile(head, extra, settings string) string {
	var b strings.Builder
	b.WriteString(head + "<configuration>\n")
	for line := range strings.Lines(strings.TrimSpace(settings)) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		fmt.Fprintf(&b, "  <property>\n    <name>%s%s</name>\n    <value>%s</value>\n%s  </property>\n", Prefix, name,
			escape(value), extra)
	}
	b.WriteString("</configuration>\n")
	return b.String()
}

// Files in the form in which distributions ship or generate them: the figures and the
// warnings that an administrator should see, and no others; an edit changes its value
// and no other byte.
func TestVendorFiles(t *testing.T) {
	for _, c := range []struct {
		name     string
		text     string
		capacity map[string]float32 // absolute
		warnings []string           // keys without prefix
	}{
		{"HDInsight", configFile("<?xml version=\"1.0\" ?>\n", "", `
maximum-am-resource-percent 0.33
maximum-applications 10000
node-locality-delay 0
queue-mappings-override.enable false
resource-calculator org.apache.hadoop.yarn.util.resource.DominantResourceCalculator
root.accessible-node-labels *
root.acl_administer_queue *
root.capacity 100
root.default.acl_submit_applications *
root.default.capacity 50
root.default.maximum-capacity 100
root.default.state RUNNING
root.default.user-limit-factor 10
root.ordering-policy priority-utilization
root.queues thriftsvr,default
root.thriftsvr.capacity 50
root.thriftsvr.maximum-capacity 50
root.thriftsvr.user-limit-factor 1`),
			map[string]float32{"root.default": 0.5, "root.thriftsvr": 0.5}, nil},
		{"EMR, core nodes with a label", configFile("<?xml version=\"1.0\"?>\n<?xml-stylesheet type=\"text/xsl\" "+
			"href=\"configuration.xsl\"?>\n\n", "    <description>Of the template.</description>\n", `
maximum-applications 10000
maximum-am-resource-percent 0.1
root.queues default
root.default.capacity 100
root.default.user-limit-factor 1
root.default.maximum-capacity 100
queue-mappings
root.accessible-node-labels *
root.accessible-node-labels.CORE.capacity 100
root.default.accessible-node-labels *
root.default.accessible-node-labels.CORE.capacity 100`),
			map[string]float32{"root.default": 1}, nil},
		{"Dataproc", configFile("<?xml version=\"1.0\" ?>\n", "    <final>false</final>\n    <source>Dataproc Cluster "+
			"Properties</source>\n", `
root.queues default
root.default.capacity 100
root.default.ordering-policy fair
root.default.ordering-policy.fair.enable-size-based-weight true
maximum-am-resource-percent 0.5`),
			map[string]float32{"root.default": 1}, nil},
		// A vector of percentages is no capacity of 0. Of the cluster's resources, which
		// are not known, root.default has half in either way of counting.
		{"Cloudera, a unit for each resource", configFile("", "    <final>true</final>\n", `
legacy-queue-mode.enabled false
root.queues default,users
root.default.capacity [memory=50%,vcores=50%]
root.default.maximum-capacity [memory=100%,vcores=100%]
root.default.user-limit-factor 2
root.users.capacity [memory=50%,vcores=50%]
root.users.auto-queue-creation-v2.enabled true
root.users.auto-queue-creation-v2.leaf-template.capacity 1w
mapping-rule-format json
mapping-rule-json {"rules":[{"type":"user","matches":"*","policy":"user","parentPath":"root.users","create":true,"fallbackResult":"placeDefault"}]}`),
			map[string]float32{"root.default": 0.5, "root.users": 0.5}, nil},
	} {
		d := mustParse(t, c.name, c.text)
		for i, p := range Check(d).Problems {
			if i >= len(c.warnings) || !strings.HasSuffix(p.Key, c.warnings[i]) {
				t.Errorf("%s: %s", c.name, p.Error())
			}
		}
		conf, err := Evaluate(d)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		for i, e := range conf.Effective(Resource{Memory: 100 << 10, VCores: 100}) {
			if want, ok := c.capacity[conf.Queues[i].Path]; ok && e.Absolute != want {
				t.Errorf("%s: %s has %v of the cluster, want %v", c.name, conf.Queues[i].Path, e.Absolute, want)
			}
		}
		key := Key("root.default", MaximumCapacity)
		edited, err := d.Edit([]Change{{Key: key, Value: "77"}})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		back, err := edited.Edit([]Change{{Key: key, Unset: true}})
		if was, ok := d.Get(key); ok && err == nil {
			back, err = edited.Edit([]Change{{Key: key, Value: was}})
		}
		if err != nil || string(back.Bytes()) != c.text {
			t.Errorf("%s: changed and changed back (%v):\n%s", c.name, err, Diff("was", "is", []byte(c.text), back.Bytes()))
		}
	}
}
