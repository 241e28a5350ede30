package yarn

// LookAhead makes runs look ahead whatever their size, until the function it
// returns is called.
func AlwaysPrefetch() (restore func()) {
	was := prefetchFrom
	prefetchFrom = 0
	return func() { prefetchFrom = was }
}
