package rm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"schedtune/trace/sparklog"
)

// mastersTold is what the AMs of running applications answered, by application.
type mastersTold struct {
	masters map[string]json.RawMessage
	drivers map[string]*sparklog.Progress
	unheard int                // masters in a row that could not be reached
	mute    map[string][]muted // by the kind of application
	unasked int
}

// muted is an application whose master told nothing.
type muted struct {
	id  string
	why error
}

// mostUnheard masters in a row that can't be reached end the asking: the proxy to them is
// out of reach, and each costs a timeout.
const mostUnheard = 3

// Kinds of applications whose masters are asked.
const (
	kindMapReduce = "MAPREDUCE"
	kindSpark     = "SPARK"
)

// askMaster asks the master of a running MapReduce or Spark application. One that
// does not answer is noted; an error is the end of the pull itself.
func (p *puller) askMaster(ctx context.Context, a App, told *mastersTold) error {
	if a.State != "RUNNING" || a.Type != kindMapReduce && a.Type != kindSpark {
		return nil
	}
	if told.unheard >= mostUnheard {
		told.unasked++
		return nil
	}
	var err error
	if a.Type == kindMapReduce {
		var data json.RawMessage
		if data, err = p.nowMaster(ctx, a.ID); err == nil {
			told.masters[a.ID] = data
		}
	} else {
		var progress *sparklog.Progress
		if progress, err = p.nowDriver(ctx, a.ID); err == nil {
			told.drivers[a.ID] = progress
		}
	}
	if err != nil && ctx.Err() != nil {
		return err
	}
	if err == nil || answered(err) {
		told.unheard = 0
	} else {
		told.unheard++
	}
	if err != nil {
		told.mute[a.Type] = append(told.mute[a.Type], muted{a.ID, err})
	}
	return nil
}

// answered reports whether an error is an answer of a proxy that is there: one that has
// nothing of the master.
func answered(err error) bool {
	s := statusOf(err)
	return errors.Is(err, errWebPage) || s != 0 && s < http.StatusInternalServerError
}

// note says of which running applications what is not known, and what that changes.
func (t *mastersTold) note(p *puller) {
	const then = "their containers are known, and how long they keep them is taken from earlier applications like them. " +
		"Only simulate --from-pull and why --pull use it"
	for _, k := range []struct{ kind, who, what string }{
		{kindMapReduce, "master", "which tasks run and how far they have come is not known"},
		{kindSpark, "driver", "which stages and tasks run and how many are left is not known"},
	} {
		all := t.mute[k.kind]
		if len(all) == 0 {
			continue
		}
		of := all[0].id
		if len(all) > 1 {
			of = fmt.Sprintf("%s and %d more", of, len(all)-1)
		}
		why := all[0].why.Error()
		if errors.Is(all[0].why, errWebPage) {
			why = "the ResourceManager's proxy answers with its own web page: " +
				"spark.ui.enabled is false, or the driver has not started yet"
		}
		p.note("the %s of %s gives no answer (%s): %s; %s", k.who, of, why, k.what, then)
	}
	if t.unasked > 0 {
		p.note("%d AMs in a row cannot be reached, so %d more were not asked: %s", mostUnheard, t.unasked, then)
	}
}
