package rm

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"schedtune/trace"
)

// Which containers run at the moment of a pull.

// allContainers reads the running containers of applications under way, by their ids,
// of options' MaxNow at most.
func (p *puller) allContainers(ctx context.Context, apps []App) (map[string]json.RawMessage, error) {
	containers := map[string]json.RawMessage{}
	left, unknown := cmp.Or(p.opt.MaxNow, DefaultMaxNow), 0
	for i := range apps {
		a := &apps[i]
		switch {
		case a.holdsNone():
			containers[a.ID] = json.RawMessage("[]")
			continue
		case left == 0:
			unknown++
			continue
		}
		left--
		list, err := p.nowContainers(ctx, a)
		if err != nil {
			return nil, err
		}
		containers[a.ID] = list
	}
	if unknown > 0 {
		p.note("%d applications are running: the containers of %d are not known", len(apps), unknown)
	}
	return containers, nil
}

// holdsNone reports whether the list itself says that the application has no container.
func (a *App) holdsNone() bool {
	return a.State != "RUNNING" && a.Containers != nil && *a.Containers == 0
}

// amContainer is the id of a master's container: application, attempt and number.
var amContainer = regexp.MustCompile(`(?:^|/)container_(?:e\d+_)?(\d+_\d+)_(\d+)_\d+(?:/|$)`)

// attempt is the number of the attempt that runs, by the id of its master's container in the
// address of its logs; 0: not told.
func (a *App) attempt() int64 {
	m := amContainer.FindStringSubmatch(a.AMLogs)
	if m == nil || "application_"+m[1] != a.ID {
		return 0
	}
	n, _ := strconv.ParseInt(m[2], 10, 64)
	return n
}

// entries are the members of a list that the web services wrap in one object, two
// or none, and write without brackets where it has one member.
func entries(data json.RawMessage, names ...string) ([]json.RawMessage, error) {
	for _, name := range names {
		var m map[string]json.RawMessage
		if json.Unmarshal(data, &m) != nil {
			break
		}
		if inner, ok := m[name]; ok {
			data = inner
		}
	}
	if s := strings.TrimSpace(string(data)); s == "{}" || s == "" {
		return nil, nil
	}
	var list trace.List[json.RawMessage]
	err := json.Unmarshal(data, &list)
	return list, err
}

// lastAttempt asks for the number of an application's last attempt; 0: it has none.
func (p *puller) lastAttempt(ctx context.Context, path string) (last int64, err error) {
	data, err := p.rm.Get(ctx, path, nil)
	if err != nil {
		return 0, err
	}
	list, err := entries(data, "appAttempts", "appAttempt")
	if err != nil {
		return 0, fmt.Errorf("%s%s: %w", p.rm.Address(), path, err)
	}
	for _, r := range list {
		var a struct {
			ID json.Number `json:"id"`
		}
		if err := p.rm.decode(path, r, &a); err != nil {
			return 0, err
		}
		id, _ := a.ID.Int64()
		last = max(last, id)
	}
	return last, nil
}

// nowContainers reads the running containers of an application's last attempt.
func (p *puller) nowContainers(ctx context.Context, a *App) (json.RawMessage, error) {
	path := cluster + "/apps/" + a.ID + "/appattempts"
	last := a.attempt()
	var err error
	if last == 0 {
		if last, err = p.lastAttempt(ctx, path); err != nil {
			return nil, p.gone(err)
		}
	}
	if last == 0 {
		return json.RawMessage("[]"), nil
	}
	path += fmt.Sprintf("/appattempt_%s_%06d/containers", strings.TrimPrefix(a.ID, "application_"), last)
	data, err := p.rm.Get(ctx, path, nil)
	if err != nil {
		return nil, p.gone(err)
	}
	list, err := entries(data, "containers", "container")
	if err != nil {
		return nil, fmt.Errorf("%s%s: %w", p.rm.Address(), path, err)
	}
	if list == nil {
		list = []json.RawMessage{}
	}
	return json.Marshal(list)
}

// gone forgives an application that ended since it was listed.
func (p *puller) gone(err error) error {
	if statusOf(err) == http.StatusNotFound {
		return nil
	}
	return err
}
