package rm

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"schedtune/trace/sparklog"
)

// Bounds of what is asked for one attempt of an application whose event log the
// history server does not give.
const (
	tasksAtOnce = 5000
	mostTasks   = 5_000_000
)

// sparkAnswers reads an application from the history server's answers about it,
// where the archive of its log was refused.
func (p *puller) sparkAnswers(ctx context.Context, c *Client, a *sparkListed, refused error) error {
	attempts := slices.Clone(a.Attempts)
	slices.SortStableFunc(attempts, func(x, y sparklog.RESTAttempt) int { return int(min(max(x.Start-y.Start, -1), 1)) })
	if len(attempts) == 0 {
		attempts = []sparklog.RESTAttempt{{}}
	}
	var apps []*sparklog.App
	for _, at := range attempts {
		if at.ID != "" && !plainID(at.ID) {
			return fmt.Errorf("%s%s: an attempt of %s without a proper id: must be letters, digits, - and _", c.Address(),
				sparkAPI, a.ID)
		}
		app, err := c.sparkAttempt(ctx, a, at)
		var status *StatusError
		if errors.As(err, &status) && (status.Status == http.StatusNotFound || status.Status == http.StatusForbidden) {
			p.note("no event log of %s: %v", a.ID, refused)
			return nil
		}
		if err != nil {
			return err
		}
		apps = append(apps, app)
	}
	p.note("%s comes from the history server's answers, since its event log was refused: %v", a.ID, refused)
	return p.keepSpark(a, apps)
}

// sparkAttempt asks for environment, executors, jobs, stages and tasks of one
// attempt.
func (c *Client) sparkAttempt(ctx context.Context, a *sparkListed, at sparklog.RESTAttempt) (*sparklog.App, error) {
	base := sparkAPI + "/" + a.ID
	if at.ID != "" {
		base += "/" + at.ID
	}
	return c.sparkAt(ctx, base, sparklog.NewREST(a.ID, a.Name, at))
}

// sparkAt is sparkAttempt below a path, of a history server or of a driver.
func (c *Client) sparkAt(ctx context.Context, base string, r *sparklog.REST) (*sparklog.App, error) {
	var stages []sparklog.RESTStage
	for _, k := range []struct {
		path string
		take func([]byte) error
	}{
		{"/environment", r.Environment}, {"/allexecutors", r.Executors}, {"/jobs", r.Jobs},
		{"/stages", func(data []byte) (err error) { stages, err = r.Stages(data); return err }},
	} {
		data, err := c.Get(ctx, base+k.path, nil)
		if err != nil {
			return nil, err
		}
		if err := k.take(data); err != nil {
			return nil, fmt.Errorf("%s%s: no such answer: %w", c.Address(), base+k.path, err)
		}
	}
	left := mostTasks
	for i, st := range stages {
		if r.UnderWay && !r.Wanted(i) {
			continue
		}
		path := fmt.Sprintf("%s/stages/%d/%d/taskList", base, st.ID, st.Attempt)
		for from, n := 0, tasksAtOnce; n == tasksAtOnce; from += n {
			data, err := c.Get(ctx, path, url.Values{"offset": {strconv.Itoa(from)}, "length": {strconv.Itoa(tasksAtOnce)}})
			if err != nil {
				return nil, err
			}
			if n, err = r.Tasks(i, data); err != nil {
				return nil, fmt.Errorf("%s%s: no such answer: %w", c.Address(), path, err)
			}
			if left -= n; left < 0 {
				return nil, fmt.Errorf("%s%s: the application has more than %d task attempts", c.Address(), path, mostTasks)
			}
		}
	}
	return r.App(), nil
}
