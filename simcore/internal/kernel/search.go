package kernel

// Search is the index in ascending numbers where v is or would be. It halves what is left
// without branches, whose outcome no processor could foretell.
func Search[T ~int32](in []T, v T) int {
	first := 0
	for n := len(in); n > 0; {
		half := (n + 1) / 2
		less := (int64(in[first+half-1]) - int64(v)) >> 63 // all ones where it is less
		first += half & int(less)
		n -= half
	}
	return first
}
