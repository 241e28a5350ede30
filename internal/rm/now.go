package rm

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"schedtune/trace/sparklog"
)

// Files of a pulled folder with what runs and waits at the moment of the pull:
// applications with their requests as /ws/v1/cluster/apps tells them, running
// containers by application (…/appattempts/ID/containers), and of MapReduce and Spark
// applications what their masters tell through the ResourceManager's proxy.
const (
	FileNowApps       = "now/apps.json"
	FileNowContainers = "now/containers.json"
	FileNowMasters    = "now/masters.json"
	FileNowDrivers    = "now/drivers.json"
)

// DefaultMaxNow is how many running applications are asked for their containers.
const DefaultMaxNow = 1000

// now reads what runs and waits. A ResourceManager that does not tell leaves the
// folder without it. All containers are asked for before any master: answers come one
// after the other, and the shorter that takes, the fewer containers end and others begin
// in between. Masters, some of which answer slowly, make no difference to it so.
func (p *puller) now(ctx context.Context) error {
	if p.opt.MaxNow < 0 {
		return nil
	}
	apps, raws, err := p.nowApps(ctx)
	if err != nil {
		return p.unlessCut(ctx, err, "what runs and waits at this moment is not known")
	}
	containers, err := p.allContainers(ctx, apps)
	if err != nil {
		return p.unlessCut(ctx, err, "running containers are not known")
	}
	told := mastersTold{masters: map[string]json.RawMessage{}, drivers: map[string]*sparklog.Progress{},
		mute: map[string][]muted{}}
	for _, a := range apps {
		if containers[a.ID] == nil {
			continue
		}
		if err := p.askMaster(ctx, a, &told); err != nil {
			return err
		}
	}
	told.note(p)
	if err := p.write(FileNowApps, joinApps(raws)); err != nil {
		return err
	}
	if err := p.writeJSON(FileNowContainers, containers); err != nil {
		return err
	}
	if err := p.writeJSON(FileNowDrivers, told.drivers); err != nil {
		return err
	}
	return p.writeJSON(FileNowMasters, told.masters)
}

// unlessCut turns an error into a note, but for the end of the pull itself.
func (p *puller) unlessCut(ctx context.Context, err error, what string) error {
	if err != nil && ctx.Err() == nil {
		p.note("%s: %v", what, err)
		return nil
	}
	return err
}

func (p *puller) writeJSON(name string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return p.write(name, append(data, '\n'))
}

// underWay reports whether an application of a state waits or runs.
func underWay(state string) bool {
	switch state {
	case "NEW", "NEW_SAVING", "SUBMITTED", "ACCEPTED", "RUNNING":
		return true
	}
	return false
}

// nowApps reads the applications that wait or run, and their entries as they are.
func (p *puller) nowApps(ctx context.Context) (apps []App, raws []listed, err error) {
	list, err := p.page(ctx, p.rm, listOfApps, url.Values{"states": {"NEW,NEW_SAVING,SUBMITTED,ACCEPTED,RUNNING"}})
	if err != nil {
		return nil, nil, err
	}
	for _, l := range list {
		var a App
		if err := p.rm.decode(listOfApps.path, l.raw, &a); err != nil {
			return nil, nil, err
		}
		if underWay(a.State) {
			apps, raws = append(apps, a), append(raws, l)
		}
	}
	return apps, raws, nil
}

// nowMaster reads what a MapReduce master says of its job: totals, tasks, and the
// settings that matter.
func (p *puller) nowMaster(ctx context.Context, id string) (json.RawMessage, error) {
	job := "job_" + strings.TrimPrefix(id, "application_")
	path := "/proxy/" + id + "/ws/v1/mapreduce/jobs/" + job
	_, inner, err := p.fetch(ctx, p.rm, path, nil, "job")
	if err != nil {
		return nil, err
	}
	data, err := p.rm.Get(ctx, path+"/tasks", nil)
	if err != nil {
		return nil, err
	}
	tasks, err := entries(data, "tasks", "task")
	if err != nil {
		return nil, fmt.Errorf("%s%s/tasks: %w", p.rm.Address(), path, err)
	}
	out := map[string]any{"job": inner, "tasks": tasks}
	if _, conf, err := p.fetch(ctx, p.rm, path+"/conf", nil, "conf"); err == nil {
		kept := map[string]string{}
		if s, err := settingsOf(conf); err == nil {
			for _, kv := range s.Property {
				kept[kv.Name] = string(kv.Value)
			}
		}
		out["conf"] = kept
	}
	return json.Marshal(out)
}

// nowDriver reads how far a Spark application has come, from its driver.
func (p *puller) nowDriver(ctx context.Context, id string) (*sparklog.Progress, error) {
	r := sparklog.NewREST(id, "", sparklog.RESTAttempt{})
	r.UnderWay = true
	app, err := p.rm.sparkAt(ctx, "/proxy/"+id+sparkAPI+"/"+id, r)
	if err != nil {
		return nil, err
	}
	return app.Progress(sparklog.Unknown), nil
}
