package capacity

import (
	"errors"
	"fmt"

	"schedtune/yarnconf"
)

// supported refuses configurations that are not simulated and would change every decision. What
// concerns single applications only is refused at their submission, see create and route.
func supported(conf *yarnconf.Config) error {
	switch {
	case conf == nil:
		return errors.New("capacity scheduler: no configuration is given")
	case len(conf.Queues) == 0 || len(conf.Queues[0].Children) == 0 && !conf.Queues[0].AutoCreate &&
		!conf.Queues[0].AutoCreateOld:
		return fmt.Errorf("capacity scheduler: no queue below root")
	case conf.MultiNode && conf.Version.Rules().OfferedAlone:
		return fmt.Errorf("capacity scheduler: %smulti-node-placement-enabled: must be false with the rules of Hadoop %v, "+
			"which are not simulated: use --hadoop 3.4 or 3.5", yarnconf.Prefix, conf.Version)
	}
	return nil
}
