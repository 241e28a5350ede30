package trace

import "strings"

// QueueNames maps the queue names of the trace to those they are reported under.
// A job's history holds what was given at submission, often the leaf's name
// alone, where the ResourceManager and Spark's records hold the path: a name
// without dots is the one path of the trace that ends in it, if there is exactly
// one. All other names stay.
func (t *Trace) QueueNames() map[string]string {
	names, paths := map[string]string{}, map[string][]string{}
	for i := range t.Jobs {
		q := t.Jobs[i].Queue
		if _, ok := names[q]; ok {
			continue
		}
		names[q] = q
		if dot := strings.LastIndexByte(q, '.'); dot >= 0 {
			paths[q[dot+1:]] = append(paths[q[dot+1:]], q)
		}
	}
	for q := range names {
		if p := paths[q]; len(p) == 1 {
			names[q] = p[0]
		}
	}
	return names
}
