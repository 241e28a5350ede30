package text

import "slices"

// Begin is the begin of a text that fits n columns, with … for what is left out.
func Begin(text string, n int) string {
	r := []rune(text)
	if len(r) <= n {
		return text
	}
	return string(r[:max(n-1, 0)]) + "…"
}

// Ends cuts names to n columns at the front, where what is left differs from all the others; the
// others stay whole.
func Ends(names []string, n int) []string {
	count := map[string]int{}
	for _, name := range names {
		count[End(name, n)]++
	}
	out := slices.Clone(names)
	for i, name := range names {
		if end := End(name, n); count[end] == 1 {
			out[i] = end
		}
	}
	return out
}

// End is its end, likewise: what names of settings and queues differ in.
func End(text string, n int) string {
	r := []rune(text)
	if len(r) <= n {
		return text
	}
	return "…" + string(r[len(r)-n+1:])
}
