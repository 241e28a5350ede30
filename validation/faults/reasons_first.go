package faults

import (
	"fmt"
	"strings"
)

// Reasons below a parent that makes queues on first use.

// pool puts two queues in the place of the tree: root.pool, which makes queues, and
// root.b. weights: the parent makes queues of any depth (auto-queue-creation-v2), else
// leaves by one template (auto-create-child-queue).
func (w *world) pool(weights bool, queue string) {
	w.quiet()
	w.Queue = queue
	for k := range w.Conf {
		if strings.HasPrefix(k, "yarn.scheduler.capacity.root.") {
			delete(w.Conf, k)
		}
	}
	w.need("autoqueue")
	w.paths, w.leaves, w.up = []string{"root.pool", "root.b"}, []string{"root.b"},
		map[string][]string{"root.b": {"root.b"}}
	w.set("root.queues", "pool,b")
	if weights {
		w.set("root.pool.capacity", fmt.Sprintf("%dw", 2+w.r.IntN(4)))
		w.set("root.b.capacity", "1w")
		w.set("root.pool.auto-queue-creation-v2.enabled", "true")
		return
	}
	w.set("root.pool.capacity", "70")
	w.set("root.b.capacity", "30")
	w.set("root.pool.auto-create-child-queue.enabled", "true")
	w.set("queue-mappings", "u:%user:root.pool.%user")
}

// template is a setting of the leaves that root.pool makes: by the template of leaves
// or that of all queues.
func (w *world) template(name string) string {
	if w.r.IntN(2) == 0 {
		return "root.pool.auto-queue-creation-v2.leaf-template." + name
	}
	return "root.pool.auto-queue-creation-v2.template." + name
}

const mine = "root.pool." + me

func templateParallel(w *world) {
	w.pool(true, mine)
	n := 1 + w.r.IntN(3)
	key := w.template("max-parallel-apps")
	w.plant(key, fmt.Sprint(n), "")
	w.starts(n, mine)
	w.wait(mine, "")
}

func templateMasters(w *world) {
	w.pool(true, mine)
	n := int64(1 + w.r.IntN(3))
	key := "root.pool.auto-queue-creation-v2.leaf-template.maximum-am-resource-percent"
	w.plant(key, fmt.Sprintf("%.4f", float64(n*am)/float64(w.total)), "")
	w.fill(mine, "", n)
}

func templateApplications(w *world) {
	w.pool(true, mine)
	n := 1 + w.r.IntN(4)
	key := w.template("maximum-applications")
	w.plant(key, fmt.Sprint(n), "")
	w.submits(n, mine)
	w.refused(mine, "")
}

// mostQueues: the parent has as many queues as it may.
func mostQueues(w *world) {
	w.pool(true, "root.pool")
	n := 1 + w.r.IntN(3)
	w.plant("root.pool.auto-queue-creation-v2.max-queues", fmt.Sprint(n), "")
	for i := range n {
		user := fmt.Sprintf("user%d", i)
		w.start(user, "root.pool."+user, 0, "")
	}
	w.refused(mine, "")
}

// tooDeep: the queue would be too far below the parent.
func tooDeep(w *world) {
	w.pool(true, "root.pool")
	most := 1 + w.r.IntN(3)
	w.plant("root.pool.auto-queue-creation-v2.maximum-queue-depth", fmt.Sprint(most), "9")
	path := "root.pool"
	for i := range most {
		path += fmt.Sprintf(".p%d", i)
	}
	w.refused(path+"."+me, "")
}

// beyondParent: the leaves there have all of the parent's capacity.
func beyondParent(w *world) {
	w.pool(false, "root.pool")
	share := 51 + w.r.IntN(40)
	w.set("root.pool.leaf-queue-template.capacity", fmt.Sprint(share))
	w.plant("root.pool.auto-create-child-queue.fail-on-exceeding-parent-capacity", "true", "false")
	w.start("user0", "default", 0, "")
	w.refused("default", "")
}
