package rm

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"schedtune/trace/sparklog"
)

// Bounds of what is asked for one attempt of an application whose event log the
// history server does not give.
const (
	tasksAtOnce = 5000
	mostTasks   = 5_000_000
)

// sparkAnswers makes the last attempt of an application, whose event log the server refused,
// from the server's other answers.
func (p *puller) sparkAnswers(ctx context.Context, c *Client, a *sparkListed, refused error) error {
	base, at := sparkAPI+"/"+a.ID, sparklog.RESTAttempt{}
	for _, x := range a.Attempts {
		if x.Start >= at.Start {
			at = x
		}
	}
	if at.ID != "" {
		if !plainID(at.ID) {
			return fmt.Errorf("%s%s: an attempt of %s without a proper id: must be letters, digits, - and _", c.Address(),
				sparkAPI, a.ID)
		}
		base += "/" + at.ID
	}
	app, err := c.sparkAt(ctx, base, sparklog.NewREST(a.ID, a.Name, at))
	if s := statusOf(err); s == http.StatusNotFound || s == http.StatusForbidden {
		p.note("no event log of %s: %v", a.ID, refused)
		return nil
	}
	if err != nil {
		return err
	}
	p.note("%s comes from the history server's answers, since its event log was refused: %v", a.ID, refused)
	return p.keepSpark(a, app)
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
