package yarnconf

import "strings"

// names looks for properties that Hadoop will never read: misspelt settings,
// settings of queues that no list names, settings of leaves on parents.
func (k *checker) names() {
	queues, globals := queueNames(), globalNames()
	paths := queuePaths(k.c)
	at := make(map[string]int, len(k.c.Queues))
	for i := range k.c.Queues {
		at[k.c.Queues[i].Path] = i
	}
	for _, key := range k.d.ownKeys() {
		rest, ok := strings.CutPrefix(key, Prefix)
		if !ok {
			continue
		}
		if rest != "root" && !strings.HasPrefix(rest, "root.") {
			k.globalName(key, rest, globals)
			continue
		}
		queue, name := queueOf(key, paths)
		i, ok := at[queue]
		if !ok {
			i = -1
		}
		k.queueName(key, i, queue, name, queues)
	}
}

func (k *checker) globalName(key, name string, table map[string]scope) {
	if _, ok := knownName(name, table); ok {
		return
	}
	// yarn.scheduler.capacity.default.capacity: the root was forgotten.
	for i := range k.c.Queues {
		if p := k.c.Queues[i].Path; strings.HasPrefix("root."+name, p+".") && i > 0 {
			k.warn("ignored", key, "write "+Prefix+"root."+name, "is ignored: a queue's path begins with root")
			return
		}
	}
	k.unknown(key, name, "", table)
}

func (k *checker) queueName(key string, i int, queue, name string, table map[string]scope) {
	if s, ok := knownName(name, table); ok && i >= 0 {
		q := &k.c.Queues[i]
		switch {
		case s == leafOnly && !q.Leaf && name != "ordering-policy":
			k.warn("ignored",
				key, "set it for the leaves below", "is ignored: %s is a parent queue, and only leaf queues read it", queue)
		case s == parentOnly && q.Leaf:
			k.warn("ignored", key, "remove it", "is ignored: %s is a leaf queue", queue)
		}
		return
	}
	if path, ok := unlisted(queue, name, table); ok {
		if !k.dynamicParent(path) {
			parent := path[:strings.LastIndexByte(path, '.')]
			fix := "add it to " + parent + ".queues or remove its settings"
			for i := range k.c.Queues { // one of that name elsewhere
				if q := k.c.Queues[i].Path; strings.HasSuffix(q, path[len(parent):]) {
					fix = "write " + q + strings.TrimPrefix(key, Prefix+path)
				}
			}
			k.warn("ignored", key, fix, "is ignored: %s.queues does not list %s", parent, path[len(parent)+1:])
		}
		return
	}
	k.unknown(key, name, queue+".", table)
}

// unlisted splits the rest of a property into a path below a queue and a known
// setting.
func unlisted(queue, name string, table map[string]scope) (string, bool) {
	parts := strings.Split(name, ".")
	for n := 1; n < len(parts); n++ {
		if _, ok := knownName(strings.Join(parts[n:], "."), table); ok {
			return queue + "." + strings.Join(parts[:n], "."), true
		}
	}
	return "", false
}

func (k *checker) unknown(key, name, path string, table map[string]scope) {
	fix := "remove it"
	if near := nearestName(name, table); near != "" {
		fix = "write " + path + near
	}
	k.warn("unknown-setting", key, fix, "is no setting of the Capacity Scheduler and is ignored")
}
