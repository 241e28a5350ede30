package capacity

// containerList finds an application's live containers by their ordinals. It is
// kept in pages, of which those without a live container go to other
// applications: an application takes hardly more memory the longer it runs, and
// what it looks up next was mostly used last.
type containerList struct {
	count int32   // ordinals handed out
	pages []*page // nil where all are over
}

// page is for 64 ordinals in a row.
type page struct {
	at   [pageSize]*container // nil when over
	live int32
}

const pageSize = 64

// add hands out the next ordinal.
func (s *Scheduler) addOrdinal(l *containerList, c *container) {
	c.ordinal = l.count
	k, i := int(c.ordinal/pageSize), c.ordinal%pageSize
	if k == len(l.pages) {
		if k > 0 && l.pages[k-1].live == 0 { // it was full only now
			s.dropPage(l, k-1)
		}
		l.pages = append(l.pages, s.newPage())
	}
	p := l.pages[k]
	p.at[i] = c
	p.live++
	l.count++
}

// at is the live container of an ordinal, nil where there is none.
func (l *containerList) at(ordinal int32) *container {
	if k := uint32(ordinal) / pageSize; k < uint32(len(l.pages)) {
		if p := l.pages[k]; p != nil {
			return p.at[uint32(ordinal)%pageSize]
		}
	}
	return nil
}

// removeOrdinal notes that the container of an ordinal is over.
func (s *Scheduler) removeOrdinal(l *containerList, ordinal int32) {
	k := int(ordinal / pageSize)
	p := l.pages[k]
	p.at[ordinal%pageSize] = nil
	if p.live--; p.live == 0 && k < len(l.pages)-1 {
		s.dropPage(l, k)
	}
}

// dropPage takes a page without live containers out of a list.
func (s *Scheduler) dropPage(l *containerList, k int) {
	s.freePages = append(s.freePages, l.pages[k])
	l.pages[k] = nil
}

func (s *Scheduler) newPage() *page {
	if n := len(s.freePages); n > 0 {
		p := s.freePages[n-1]
		s.freePages = s.freePages[:n-1]
		return p
	}
	return &page{}
}

// emptyOrdinals gives the pages of an application that is over to others.
func (s *Scheduler) emptyOrdinals(l *containerList) {
	for k, p := range l.pages {
		if p != nil {
			*p = page{}
			s.dropPage(l, k)
		}
	}
	l.pages, l.count = l.pages[:0], 0
}

// appendLive appends the live containers, by ordinal.
func (l *containerList) appendLive(dst []*container) []*container {
	for _, p := range l.pages {
		if p == nil {
			continue
		}
		for _, c := range p.at {
			if c != nil {
				dst = append(dst, c)
			}
		}
	}
	return dst
}
