// Package requests keeps what an application asks of one of YARN's schedulers
// under one priority and allocation id: a row of containers for each place. The
// schedulers of the original share it likewise (AppSchedulingInfo,
// LocalityAppPlacementAllocator). With it is what else both keep in the same way: names of
// places, and containers that are lost.
package requests

import (
	"schedtune/simcore/internal/kernel"
	"schedtune/simcore/yarn"
	"schedtune/yarnconf"
)

// Localities, as Event.Locality has them.
const (
	NodeLocal uint8 = iota
	RackLocal
	OffSwitch
)

// Row asks for containers at a place.
type Row struct {
	Size    yarnconf.Resource // of each container
	Place   yarn.Place
	Count   int32  // containers
	Turn    uint32 // in which it came, among the key's rows
	Present bool
	Strict  bool // no wider locality will do
}

// Asks is how many containers a row asks for that may be missing.
func (r *Row) Asks() int32 {
	if r == nil {
		return 0
	}
	return r.Count
}

// Rows are the rows of one key. The zero value has none.
type Rows struct {
	Any    Row          // "*"; when it is gone, as it was last
	Places []Row        // all others, in the order in which they first came; absent ones stay for their memory
	places kernel.Table // their places
	Unique int          // rows present, "*" included
	turns  uint32
}

// Outstanding is how many containers the key still asks for.
func (k *Rows) Outstanding() int32 {
	if !k.Any.Present {
		return 0
	}
	return k.Any.Count
}

// At finds the row of a place other than "*"; nil where there is none.
func (k *Rows) At(p yarn.Place) *Row {
	if i := k.places.Find(int32(p)); i >= 0 && k.Places[i].Present {
		return &k.Places[i]
	}
	return nil
}

// Put sets the row of a place. One that is there already keeps its turn.
func (k *Rows) Put(r Row) { k.Set(r.Place, r.Count, r.Size, r.Strict) }

// Set is Put of a row with these figures.
func (k *Rows) Set(p yarn.Place, count int32, size yarnconf.Resource, strict bool) {
	to := &k.Any
	if p != yarn.AnyPlace {
		i := k.places.Find(int32(p))
		if i < 0 {
			i = len(k.Places)
			k.Places = append(k.Places, Row{Place: p})
			k.places.Add(int32(p), i)
		}
		to = &k.Places[i]
	}
	to.Count, to.Size, to.Strict = count, size, strict
	if !to.Present {
		k.Unique++
		k.turns++
		to.Turn, to.Present = k.turns, true
	}
}

// Forget drops all rows.
func (k *Rows) Forget() {
	k.Any.Present = false
	k.dropPlaces()
	k.Unique = 0
}

// dropPlaces drops all rows but "*".
func (k *Rows) dropPlaces() {
	k.Places = k.Places[:0]
	k.places.Clear()
}

// From are the rows, by locality, that a container of some locality is taken from, on a node
// of a rack. Those that are missing, and nearer ones, are nil.
func (k *Rows) From(loc uint8, node, rack yarn.Place) (r [3]*Row) {
	r[OffSwitch] = &k.Any
	if loc != OffSwitch {
		r[RackLocal] = k.At(rack)
	}
	if loc == NodeLocal {
		r[NodeLocal] = k.At(node)
	}
	return r
}

// Take lowers rows as From has them, and reports whether it was the last container that the
// key asked for.
func (k *Rows) Take(from *[3]*Row) (last bool) {
	k.lower(from[NodeLocal])
	k.lower(from[RackLocal])
	if k.Any.Count--; k.Any.Count != 0 {
		return false
	}
	k.Any.Present = false
	if k.Unique--; k.Unique == 0 {
		k.dropPlaces()
	}
	return true
}

func (k *Rows) lower(r *Row) {
	if r == nil || !r.Present { // a rack may have a node's name
		return
	}
	if r.Count--; r.Count == 0 {
		r.Present = false
		k.Unique--
	}
}

// Kept is what of a row comes back with an ask.
type Kept struct {
	Size   yarnconf.Resource // of each container
	Strict bool              // no other place will do
}

// Kept of a row that may be missing.
func (r *Row) Kept() Kept {
	if r == nil {
		return Kept{}
	}
	return Kept{r.Size, r.Strict}
}

// Again is a row for one container more than that of its place asks for.
func (k *Rows) Again(p yarn.Place, r Kept) Row {
	old := k.At(p)
	if p == yarn.AnyPlace && k.Any.Present {
		old = &k.Any
	}
	return Row{Place: p, Count: old.Asks() + 1, Strict: r.Strict, Size: r.Size}
}

// Overruled reports whether a later row of an ask is for the same key and place.
func Overruled(asks []yarn.Ask, i int) bool {
	r := &asks[i]
	for j := i + 1; j < len(asks); j++ {
		if o := &asks[j]; o.Where == r.Where && o.Priority == r.Priority && o.AllocID == r.AllocID {
			return true
		}
	}
	return false
}
