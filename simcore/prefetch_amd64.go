package simcore

const canPrefetch = true

// prefetch asks the processor to fetch the lines of the cache at four
// addresses and does not wait for them. Addresses that are not mapped are
// harmless. The language has no such instruction, and a load in its place
// would wait.
func prefetch(a, b, c, d uintptr)
