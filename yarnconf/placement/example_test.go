package placement_test

import (
	"fmt"

	"schedtune/yarnconf/placement"
)

// static is a tree of three leaves below root.
type static struct{}

func (static) Queue(name string) (placement.Queue, bool) {
	switch name {
	case "root":
		return placement.Queue{Path: "root"}, true
	case "ann", "etl", "default":
		name = "root." + name
		fallthrough
	case "root.ann", "root.etl", "root.default":
		return placement.Queue{Path: name, Leaf: true}, true
	}
	return placement.Queue{}, false
}

func (static) Ambiguous(string) bool { return false }

// Users with a queue of their name go there, others by their first group.
func Example() {
	rules, err := placement.Read(func(key string) (string, bool) {
		if key == placement.Mappings {
			return "u:ann:%user,g:etl:etl,u:%user:default", true
		}
		return "", false
	}, nil)
	if err != nil {
		panic(err)
	}
	for _, app := range []placement.App{{User: "ann"}, {User: "bob", Groups: []string{"etl"}}, {User: "eve"}} {
		queue, placed, err := rules.Place(static{}, app)
		fmt.Println(app.User, queue, placed, err)
	}
	// Output:
	// ann root.ann true <nil>
	// bob root.etl true <nil>
	// eve root.default true <nil>
}
