package sparklog

import (
	"strconv"
	"strings"
)

type unpersist struct {
	RDD num `json:"RDD ID"`
}

// unpersist notes that a data set was dropped. The event has no time; it lies
// between the jobs around it.
func (r *Reader) unpersist(e *unpersist) {
	id := int32(e.RDD.Or(Unknown))
	if _, known := r.caches[id]; known {
		r.dropped = append(r.dropped, id)
	}
}

type blockUpdated struct {
	Info struct {
		Block  text         `json:"Block ID"`
		Memory num          `json:"Memory Size"`
		Disk   num          `json:"Disk Size"`
		Level  storageLevel `json:"Storage Level"`
	} `json:"Block Updated Info"`
}

// storageLevel says where a data set is to be kept.
type storageLevel struct {
	Memory      flag `json:"Use Memory"`
	OffHeap     flag `json:"Use Off Heap"`
	Disk        flag `json:"Use Disk"`
	Replication num  `json:"Replication"`
}

func (l *storageLevel) memory() bool { return bool(l.Memory || l.OffHeap) }

// blockUpdated counts the blocks of data sets that were kept. Broadcasts and
// shuffle blocks are passed over.
func (r *Reader) blockUpdated(e *blockUpdated) {
	rdd := rddOf(string(e.Info.Block))
	if i, ok := r.caches[int32(rdd)]; ok && rdd >= 0 && e.Info.Level.Replication.V != 0 {
		r.app.Caches[i].Blocks++
		r.app.Caches[i].Bytes += e.Info.Memory.Or(0) + e.Info.Disk.Or(0)
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
