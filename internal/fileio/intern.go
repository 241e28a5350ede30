package fileio

import "strings"

// Strings holds one copy of equal texts: few hosts are in many records.
type Strings map[string]string

// Get returns the copy of a text.
func (s Strings) Get(text string) string {
	if v, ok := s[text]; ok {
		return v
	}
	text = strings.Clone(text)
	s[text] = text
	return text
}

// Index holds where names are in a list; the zero value is ready.
type Index map[string]int32

// ID is the place of a name in the list that the index is kept for. A new name is added
// at its end.
func (x *Index) ID(list *[]string, name string) int32 {
	if id, ok := (*x)[name]; ok {
		return id
	}
	if *x == nil {
		*x = Index{}
	}
	id := int32(len(*list))
	(*x)[name] = id
	*list = append(*list, name)
	return id
}
