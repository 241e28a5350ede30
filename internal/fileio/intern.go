package fileio

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
