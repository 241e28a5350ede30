package study

import (
	"errors"
	"os"
	"path/filepath"
	"schedtune/internal/scenario"
	"testing"

	"schedtune/simcore/yarn"
)

// TestLivelockEnds: nine users' masters on twelve GiB fill the cluster with
// themselves and reduces that wait for maps; each kills reduces to make room
// for its maps, and another's reduces take the room. No task finishes any
// more, while heartbeats go on: the run must end with an error that says so.
func TestLivelockEnds(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		p := filepath.Join(dir, name)
		if err := os.WriteFile(p, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return p
	}
	config := write("c.xml", `<configuration>
<property><name>yarn.scheduler.capacity.root.queues</name><value>prod,adhoc</value></property>
<property><name>yarn.scheduler.capacity.root.prod.capacity</name><value>60</value></property>
<property><name>yarn.scheduler.capacity.root.prod.user-limit-factor</name><value>2</value></property>
<property><name>yarn.scheduler.capacity.root.adhoc.capacity</name><value>40</value></property>
<property><name>yarn.scheduler.capacity.root.adhoc.maximum-capacity</name><value>60</value></property>
<property><name>yarn.scheduler.capacity.root.adhoc.minimum-user-limit-percent</name><value>50</value></property>
<property><name>yarn.scheduler.capacity.root.adhoc.user-limit-factor</name><value>1.25</value></property>
<property><name>yarn.scheduler.capacity.maximum-am-resource-percent</name><value>0.5</value></property>
</configuration>`)
	cluster := write("c.yaml", "nodes:\n  - {count: 3, memory: 4096, vcores: 8}\n")
	_, err := Prepare(t.Context(), Request{Inputs: scenario.Files{Config: config, Cluster: cluster, Embedded: true,
		Dataset: "default-1"},
		Objectives: []string{"makespan"}})
	if !errors.As(err, new(*yarn.StalledError)) {
		t.Errorf("got error %v, want a StalledError", err)
	}
}
