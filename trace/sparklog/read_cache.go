package sparklog

import (
	"strconv"
	"strings"
)

// unpersist notes that a data set was dropped. The event has no time; it lies
// between the jobs around it.
func (r *Reader) unpersist(s *scan) {
	id := int32(s.number(s.texts("RDD ID")[0], Unknown))
	if _, known := r.caches[id]; s.err == nil && known {
		r.dropped = append(r.dropped, id)
	}
}

// blockUpdated counts the blocks of data sets that were kept. Broadcasts and
// shuffle blocks are passed over.
func (r *Reader) blockUpdated(s *scan) {
	rdd, bytes, replicas := int64(Unknown), int64(0), int64(0)
	for k, ok := s.object(); ok; k, ok = s.member() {
		if string(k) != "Block Updated Info" {
			continue
		}
		for k, ok := s.object(); ok; k, ok = s.member() {
			switch string(k) {
			case "Block ID":
				rdd = rddOf(s.text())
			case "Memory Size", "Disk Size":
				bytes += s.int(0)
			case "Storage Level":
				_, _, replicas = storageLevel(s)
			}
		}
	}
	if s.err != nil || rdd < 0 || replicas == 0 {
		return
	}
	if i, ok := r.caches[int32(rdd)]; ok {
		r.app.Caches[i].Blocks++
		r.app.Caches[i].Bytes += bytes
	}
}

// rddOf returns the data set of block rdd_SET_PARTITION.
func rddOf(block string) int64 {
	rest, ok := strings.CutPrefix(block, "rdd_")
	id, _, _ := strings.Cut(rest, "_")
	v, err := strconv.ParseInt(id, 10, 32)
	if !ok || err != nil {
		return Unknown
	}
	return v
}

func storageLevel(s *scan) (memory, disk bool, replicas int64) {
	for k, ok := s.object(); ok; k, ok = s.member() {
		switch string(k) {
		case "Use Memory", "Use Off Heap":
			memory = s.bool() || memory
		case "Use Disk":
			disk = s.bool()
		case "Replication":
			replicas = s.int(0)
		}
	}
	return memory, disk, replicas
}
