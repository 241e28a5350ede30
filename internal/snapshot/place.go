package snapshot

import (
	"fmt"

	"schedtune/simcore/sched/capacity"
	"schedtune/simcore/yarn"
	"schedtune/yarnconf"
)

// places returns how the leaf queue of a path or short name is found: one of the file,
// or a dynamic queue, as the ResourceManager has made by then.
func places(conf *yarnconf.Config) (func(queue string) (string, error), error) {
	var makes *capacity.Scheduler
	if len(conf.MakesQueues()) > 0 {
		var err error
		if makes, err = capacity.New(conf); err != nil {
			return nil, err
		}
	}
	return func(name string) (string, error) {
		if i := conf.Find(name); i >= 0 && conf.Queues[i].Leaf {
			return conf.Queues[i].Path, nil
		}
		if makes != nil {
			if made, err := makes.Destination(yarn.AppSpec{Queue: name}); err == nil {
				return made, nil
			}
		}
		return "", fmt.Errorf("queue %q is not a leaf queue of the configuration, nor created dynamically", name)
	}, nil
}
