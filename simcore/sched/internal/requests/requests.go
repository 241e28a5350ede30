// Package requests keeps what an application asks of one of YARN's schedulers
// under one priority and allocation id: a row of containers for each place. The
// schedulers of the original share it likewise (AppSchedulingInfo,
// LocalityAppPlacementAllocator).
package requests

import (
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
	Any    Row   // "*"; when it is gone, as it was last
	Places []Row // all others, in the order in which they first came; absent ones stay for their memory
	places table // of these
	Unique int   // rows present, "*" included
	turns  uint32
}

// Emptied are no rows, with the memory of these.
func (k *Rows) Emptied() Rows {
	k.places.clear()
	return Rows{Places: k.Places[:0], places: k.places}
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
	if i := k.places.find(k.Places, p); i >= 0 && k.Places[i].Present {
		return &k.Places[i]
	}
	return nil
}

// Put sets the row of a place. One that is there already keeps its turn.
func (k *Rows) Put(r Row) {
	to := &k.Any
	if r.Place != yarn.AnyPlace {
		i := k.places.find(k.Places, r.Place)
		if i < 0 {
			i = len(k.Places)
			k.Places = append(k.Places, Row{Place: r.Place})
			k.places.add(k.Places)
		}
		to = &k.Places[i]
	}
	turn := to.Turn
	if !to.Present {
		k.Unique++
		k.turns++
		turn = k.turns
	}
	*to = r
	to.Turn, to.Present = turn, true
}

// Forget drops all rows.
func (k *Rows) Forget() {
	k.Any.Present = false
	k.dropPlaces()
	k.Unique = 0
}

// dropPlaces drops all rows but "*".
func (k *Rows) dropPlaces() {
	if len(k.Places) > 0 {
		k.Places = k.Places[:0]
		k.places.clear()
	}
}

// Take lowers the rows that a container of some locality answers, on a node of a
// rack, and reports whether it was the last that the key asked for.
func (k *Rows) Take(loc uint8, node, rack yarn.Place) (last bool) {
	if loc == NodeLocal {
		k.lower(k.At(node))
	}
	if loc != OffSwitch {
		k.lower(k.At(rack))
	}
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
	if r == nil {
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

// Keep notes what of the rows comes back that a container of some locality is taken
// from, by locality; the entries of nearer ones stay.
func (k *Rows) Keep(r *[3]Kept, loc uint8, node, rack yarn.Place) {
	r[OffSwitch] = Kept{k.Any.Size, k.Any.Strict}
	if loc != OffSwitch {
		r[RackLocal] = k.At(rack).Kept()
	}
	if loc == NodeLocal {
		r[NodeLocal] = k.At(node).Kept()
	}
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
