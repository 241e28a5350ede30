package capacity

// An application's containers by ordinal: a table from the numbers that an application's
// containers get to the containers that live (liveContainers of
// SchedulerApplicationAttempt, a hash table there).
//
// It is kept in pages of 64 ordinals. A page without a live container goes to another
// application, so that an application takes hardly more memory the longer it runs, and
// what is looked up next was mostly used last. Pages lie side by side in
// containerStore.ordinals and hold handles, which take half the bytes of an address; how
// many of a page's containers live is kept apart from it, so that the end of one touches
// one line of the page. TestOrdinals compares with a table of all ordinals.

// containerList is the table of one application.
type containerList struct {
	count int32  // ordinals handed out
	pages []page // by ordinal / pageSize
}

// page is for 64 ordinals in a row.
type page struct {
	at   int32 // its place in containerStore.ordinals, in pages; noPage when all are over
	live int32 // containers
}

const (
	pageSize = 64
	noPage   = -1
)

// addOrdinal hands out the next ordinal.
func (s *Scheduler) addOrdinal(l *containerList, c *container) {
	c.ordinal = l.count
	k, i := int(c.ordinal/pageSize), int(c.ordinal%pageSize)
	if k == len(l.pages) {
		if k > 0 && l.pages[k-1].live == 0 { // it was full only now
			s.dropPage(l, k-1)
		}
		l.pages = append(l.pages, page{at: s.newPage()})
	}
	p := &l.pages[k]
	s.ordinals[int(p.at)*pageSize+i] = c.handle
	p.live++
	l.count++
}

// liveAt is the live container of an ordinal, nil where there is none.
func (s *Scheduler) liveAt(l *containerList, ordinal int32) *container {
	if k := uint32(ordinal) / pageSize; k < uint32(len(l.pages)) {
		if p := l.pages[k].at; p != noPage {
			if h := s.ordinals[int(p)*pageSize+int(uint32(ordinal)%pageSize)]; h != 0 {
				return s.byHandle(h)
			}
		}
	}
	return nil
}

// removeOrdinal notes that the container of an ordinal is over.
func (s *Scheduler) removeOrdinal(l *containerList, ordinal int32) {
	k := int(uint32(ordinal) / pageSize)
	p := &l.pages[k]
	s.ordinals[int(p.at)*pageSize+int(uint32(ordinal)%pageSize)] = 0
	if p.live--; p.live == 0 && k < len(l.pages)-1 {
		s.dropPage(l, k)
	}
}

// dropPage takes a page without live containers out of a list.
func (s *Scheduler) dropPage(l *containerList, k int) {
	s.freePages = append(s.freePages, l.pages[k].at)
	l.pages[k].at = noPage
}

// newPage returns the place of an empty page.
func (s *Scheduler) newPage() int32 {
	if n := len(s.freePages); n > 0 {
		p := s.freePages[n-1]
		s.freePages = s.freePages[:n-1]
		return p
	}
	s.ordinals = append(s.ordinals, make([]uint32, pageSize)...)
	return int32(len(s.ordinals)/pageSize) - 1
}

// emptyOrdinals gives the pages of an application that is over to others.
func (s *Scheduler) emptyOrdinals(l *containerList) {
	for k := range l.pages {
		if p := int(l.pages[k].at); p != noPage {
			clear(s.ordinals[p*pageSize : (p+1)*pageSize])
			s.dropPage(l, k)
		}
	}
	l.pages, l.count = l.pages[:0], 0
}

// listLive appends the live containers of a list, by ordinal.
func (s *Scheduler) listLive(dst []*container, l *containerList) []*container {
	for _, p := range l.pages {
		if p.live == 0 {
			continue
		}
		for _, h := range s.ordinals[int(p.at)*pageSize : (int(p.at)+1)*pageSize] {
			if h != 0 {
				dst = append(dst, s.byHandle(h))
			}
		}
	}
	return dst
}
