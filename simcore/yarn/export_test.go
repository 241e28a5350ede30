package yarn

// LookAhead makes runs look ahead whatever their size, until the function it
// returns is called.
func LookAhead() (restore func()) {
	was := wideState
	wideState = 0
	return func() { wideState = was }
}
