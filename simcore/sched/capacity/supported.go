package capacity

import (
	"fmt"

	"schedtune/yarnconf"
)

// supported refuses what changes every decision.
func supported(conf *yarnconf.Config) error {
	switch {
	case len(conf.Queues) == 0 || len(conf.Queues[0].Children) == 0 && !conf.Queues[0].AutoCreate && !conf.Queues[0].AutoCreateOld:
		return fmt.Errorf("capacity scheduler: no queue below root")
	}
	return nil
}
