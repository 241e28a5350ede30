package text

import "fmt"

// Word is the word for a value of an enumeration, or kind(value) for one that has none.
func Word[T ~uint8](value T, kind string, words ...string) string {
	if int(value) < len(words) {
		return words[value]
	}
	return fmt.Sprintf("%s(%d)", kind, uint8(value))
}
