package scenario

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"schedtune/simcore"
)

// What the files ask for and no simulation does is collected for the verdict, and
// nothing else.
func TestUnmodelled(t *testing.T) {
	ab := []string{"root.queues=a,b", "root.a.capacity=40", "root.b.capacity=60"}
	for _, x := range []struct {
		lines []string
		site  string
		want  string
	}{
		{nil, "", ""},
		{[]string{"root.a.reservable=true"}, "", "reservations of root.a"},
		{[]string{"root.maximum-application-lifetime=86400"}, "", "the lifetimes of applications"},
		{[]string{"root.accessible-node-labels.gpu.capacity=100", "root.a.accessible-node-labels=gpu",
			"root.a.accessible-node-labels.gpu.capacity=100"}, "", "node label gpu, which no node of the cluster file has"},
		{nil, "<property><name>yarn.resourcemanager.scheduler.class</name><value>org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.FairScheduler</value></property>", "the scheduler that yarn-site.xml names, FairScheduler"},
		{nil, "<property><name>yarn.resourcemanager.scheduler.class</name><value>org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.CapacityScheduler</value></property>", ""},
		{[]string{"root.a.acl_application_max_priority=*"},
			"<property><name>yarn.acl.enable</name><value>true</value></property>", ""},
		// ACLs are off
		{[]string{"root.a.acl_application_max_priority=[user=ann max_priority=7 default_priority=4]"}, "", ""},
		{[]string{"root.a.acl_application_max_priority=[user=ann max_priority=7 default_priority=4]"},
			"<property><name>yarn.acl.enable</name><value>true</value></property>", "the priorities of applications by user " +
				"in root.a"},
		// A default of its own ends applications too; so does that of a template, of either kind of parent.
		{[]string{"root.a.default-application-lifetime=3600"}, "", "the lifetimes of applications"},
		{[]string{"root.a.maximum-application-lifetime=-1"}, "", ""},
		{[]string{"root.a.auto-create-child-queue.enabled=true", "root.a.leaf-queue-template.capacity=50",
			"root.a.leaf-queue-template.maximum-application-lifetime=60"}, "", "the lifetimes of applications"},
		{[]string{"root.a.capacity=1w", "root.b.capacity=1w", "root.a.auto-queue-creation-v2.enabled=true",
			"root.a.auto-queue-creation-v2.leaf-template.default-application-lifetime=60"}, "", "the lifetimes of applications"},
		{[]string{"root.a.auto-create-child-queue.enabled=true", "root.a.leaf-queue-template.capacity=50",
			"root.a.leaf-queue-template.accessible-node-labels.gpu.capacity=50", "root.accessible-node-labels.gpu.capacity=100",
			"root.a.accessible-node-labels.gpu.capacity=100"}, "",
			"node label gpu, which no node of the cluster file has; node labels in the template of root.a"},
		{nil, "<property><name>yarn.resource-types</name><value>yarn.io/gpu</value></property>", "the resources yarn.io/gpu"},
	} {
		in := Files{Config: queueFile(t, append(slices.Clone(ab), x.lines...)...), Embedded: true, Dataset: "default-1"}
		if x.site != "" {
			in.Site = filepath.Join(t.TempDir(), "yarn-site.xml")
			if err := os.WriteFile(in.Site, []byte("<configuration>"+x.site+"</configuration>"), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		c, err := in.Load()
		if err != nil {
			t.Fatalf("%v: %v", x.lines, err)
		}
		if got := strings.Join(c.Unmodelled, "; "); got != x.want {
			t.Errorf("%v %s: %q, want %q", x.lines, x.site, got, x.want)
		}
		note := "not simulated, though the files ask for it: " + strings.ReplaceAll(x.want, "; ", ", ")
		if slices.Contains(c.Notes, note) != (x.want != "") {
			t.Errorf("%v %s: notes %q", x.lines, x.site, c.Notes)
		}
	}
}

// Rules send jobs to any queue where the scheduler has its queues elsewhere: a
// user's before a queue's, exact ones before all others.
func TestQueueMapWithoutQueueFile(t *testing.T) {
	w := &simcore.Workload{Queues: []string{"x", "y"}, Users: []string{"ann", "bob"}}
	for i := range 4 {
		w.Jobs = append(w.Jobs, simcore.Job{Queue: int32(i % 2), User: int32(i / 2)})
	}
	for mapping, want := range map[string]string{
		"": "x y x y", "u:ann:root.a": "root.a root.a x y", "q:y:b,u:bob:c": "x b c c", "q:*:all": "all all all all",
		"q:x:b,u:*:rest": "b rest b rest",
	} {
		got, err := mapQueues(w, mapping)
		if err != nil {
			t.Fatal(err)
		}
		var queues []string
		for i := range got.Jobs {
			queues = append(queues, got.Queues[got.Jobs[i].Queue])
		}
		if text := strings.Join(queues, " "); text != want {
			t.Errorf("%q: %s, want %s", mapping, text, want)
		}
	}
	if _, err := mapQueues(w, "u:ann"); err == nil || !strings.Contains(err.Error(), "u:USER:QUEUE") {
		t.Errorf("error %v", err)
	}
}
