package capacity

// Where a timer sorts the nodes, their order stands from one run to the next, and those in
// front are full soon.
//
// Left out: the nodes before the first that has room for a size, when a key is tried on
// all nodes of a list (tryNodes). Each of them would only count an opportunity, which is
// added for all of them at once.
//
// Why that node is the first with room:
//
//  1. For a few sizes a list remembers a place before which no node of the order has room
//     (scan.at). Looking further only raises it past nodes without room.
//  2. Space on a node grows in few ways, and each of them lowers the place to the node's
//     own where it now has room (freed): the end of a container (usageMoved) and space
//     given back (hold).
//  3. It holds for lists whose nodes are in no other list, are all usable and none late
//     (scanning, preferred), and for keys of one size that are not passed over (lenient).
//
// What ends it: another run of the timer, or a change of the list, clears what is
// remembered. TestFirstRoomIsTheFirst compares with a search.

// mostScans is how many sizes a list remembers.
const mostScans = 8

// scan is the first place of a snapshot whose node may have room for a size; those before
// it have none.
type scan struct {
	size res
	at   int
}

// beginScans numbers the nodes of a new snapshot.
func (l *nodeList) beginScans() {
	l.scans, l.scanning = l.scans[:0], !l.lost
	for i, n := range l.snapshot {
		n.inOrder = int32(i)
		l.scanning = l.scanning && len(n.listedIn) == 1
	}
}

// firstRoom returns the first place of the snapshot whose node has room for a
// size, the last place if none has.
func (s *Scheduler) firstRoom(l *nodeList, size res) int {
	var sc *scan
	for i := range l.scans {
		if l.scans[i].size == size {
			sc = &l.scans[i]
			break
		}
	}
	if sc == nil {
		if len(l.scans) == mostScans {
			copy(l.scans, l.scans[1:])
			l.scans = l.scans[:mostScans-1]
		}
		l.scans = append(l.scans, scan{size: size})
		sc = &l.scans[len(l.scans)-1]
	}
	for sc.at < len(l.snapshot)-1 && !s.holds(l.snapshot[sc.at].free, size) {
		sc.at++
	}
	return sc.at
}

// freed lowers the marks that a node with more room than before is in front
// of.
func (s *Scheduler) freed(l *nodeList, n *node) {
	for i := range l.scans {
		if sc := &l.scans[i]; int(n.inOrder) < sc.at && s.holds(n.free, sc.size) {
			sc.at = int(n.inOrder)
		}
	}
}
