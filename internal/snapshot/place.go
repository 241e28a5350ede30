package snapshot

import (
	"fmt"
	"strings"

	"schedtune/simcore/sched/capacity"
	"schedtune/simcore/yarn"
	"schedtune/yarnconf"
)

// places returns how the leaf queue of a path or short name is found: one of the file,
// or one that it makes on first use, as the ResourceManager has by then.
func places(conf *yarnconf.Config) (func(queue string) (string, error), error) {
	var leaves []string
	makes := false
	for i := range conf.Queues {
		if conf.Queues[i].Leaf {
			leaves = append(leaves, conf.Queues[i].Path)
		}
		makes = makes || conf.Queues[i].AutoCreate || conf.Queues[i].AutoCreateOld
	}
	if !makes {
		return func(name string) (string, error) { return leaf(leaves, name) }, nil
	}
	s, err := capacity.New(conf)
	if err != nil {
		return nil, err
	}
	return func(name string) (string, error) {
		l, err := leaf(leaves, name)
		if err != nil {
			if made, failed := s.Destination(yarn.AppSpec{Queue: name}); failed == nil {
				return made, nil
			}
		}
		return l, err
	}, nil
}

// leaf finds the leaf of a queue's name.
func leaf(leaves []string, name string) (string, error) {
	found := ""
	for _, l := range leaves {
		if l == name {
			return l, nil
		}
		if strings.HasSuffix(l, "."+name) {
			found = l
		}
	}
	if found == "" {
		return "", fmt.Errorf("queue %q is no leaf of the queue file: must be one of %s", name, strings.Join(leaves, ", "))
	}
	return found, nil
}
