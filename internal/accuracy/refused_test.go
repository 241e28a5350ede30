package accuracy

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Jobs that ended in the record and that the file refuses are told with their number,
// the queue and the limit: with no queue running, all of them.
func TestRefusedIsNamed(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(ownRun, "capacity-scheduler.xml"))
	if err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(t.TempDir(), "none.xml")
	none := strings.Replace(string(text), "</configuration>",
		"<property><name>yarn.scheduler.capacity.root.state</name><value>STOPPED</value></property></configuration>", 1)
	if err := os.WriteFile(config, []byte(none), 0o600); err != nil {
		t.Fatal(err)
	}
	c, l := load(t, ownRun, config, filepath.Join(ownRun, "settings.xml"))
	r := Compare(t.Context(), c, l, 1)
	jobs := map[string]int{}
	for i := range c.Work.Jobs {
		jobs[c.Work.Queues[c.Work.Jobs[i].Queue]]++
	}
	if r.Lost != len(c.Work.Jobs) || !strings.Contains(r.Why,
		fmt.Sprintf("%d jobs that ended in the record are refused, fail or do not end in the simulation (refused: ",
			r.Lost)) {
		t.Errorf("%d lost: %q", r.Lost, r.Why)
	}
	for queue, n := range jobs {
		t.Run(queue, func(t *testing.T) {
			if want := fmt.Sprintf("%d jobs in %s: queue %s is stopped", n, queue, queue); n > 1 &&
				!strings.Contains(r.Why, want) {
				t.Errorf("%q, want %q", r.Why, want)
			}
		})
	}
}
