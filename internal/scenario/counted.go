package scenario

import "fmt"

// Counted is a number with its noun.
func Counted(n int, noun string) string { return CountedAs(n, noun, noun+"s") }

// CountedAs is Counted of a noun whose plural is no noun with an s behind it.
func CountedAs(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
