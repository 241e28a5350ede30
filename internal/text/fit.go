package text

// Begin is the begin of a text that fits n columns, with … for what is left out.
func Begin(text string, n int) string {
	r := []rune(text)
	if len(r) <= n {
		return text
	}
	return string(r[:max(n-1, 0)]) + "…"
}

// End is its end, likewise: what names of settings and queues differ in.
func End(text string, n int) string {
	r := []rune(text)
	if len(r) <= n {
		return text
	}
	return "…" + string(r[len(r)-n+1:])
}
