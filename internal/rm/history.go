package rm

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"schedtune/internal/fileio"
	"schedtune/trace"
)

const history = "/ws/v1/history"

// history reads finished MapReduce jobs with their tasks, attempts and
// configuration, one file per job, so that a pull that was cut off goes on
// where it stopped. What the server does not give is missing and ends nothing.
func (p *puller) history(ctx context.Context) error {
	if p.hist == nil {
		if p.opt.Jobs > 0 {
			return nil
		}
		p.note("no --history: jobs are known only from the ResourceManager's list, without their tasks")
		return nil
	}
	p.sum.History = p.hist.Address()
	return p.lacks(ctx, p.hist, "finished MapReduce jobs with their tasks", p.jobs(ctx))
}

func (p *puller) jobs(ctx context.Context) error {
	if _, _, err := p.fetch(ctx, p.hist, history+"/info", nil, "historyInfo"); err != nil {
		return elsewhere(err, "a MapReduce JobHistoryServer, whose port is 19888 unless set otherwise")
	}
	jobs, err := p.list(ctx, p.hist, listing{history + "/mapreduce/jobs", "jobs", "job", "startTime"}, nil)
	if err != nil {
		return err
	}
	if n := p.opt.MaxJobs; n > 0 && len(jobs) > n {
		p.note("%d older jobs were left out", len(jobs)-n)
		jobs = jobs[len(jobs)-n:]
	}
	p.total += len(jobs)
	return p.each(ctx, p.hist, entriesOf{kind: "tasks", n: len(jobs), id: func(i int) string { return jobs[i].id },
		have: func(i int) bool { return p.out.Have(jobFile(jobs[i].id)) },
		read: func(i int) error {
			err := p.job(ctx, jobs[i])
			if err == nil {
				p.sum.Jobs++
			}
			return err
		}})
}

func jobFile(id string) string { return DirTrace + "/" + id + ".json" }

// job writes one job's answers one after another into one file.
func (p *puller) job(ctx context.Context, j listed) error {
	name := jobFile(j.id)
	if p.out.Have(name) {
		p.sum.Files = append(p.sum.Files, name)
		return nil
	}
	path := history + "/mapreduce/jobs/" + j.id
	var b bytes.Buffer
	add := func(path, member string) (json.RawMessage, error) {
		data, inner, err := p.fetch(ctx, p.hist, path, nil, member)
		if err == nil {
			b.Write(bytes.TrimSpace(data))
			b.WriteByte('\n')
		}
		return inner, err
	}
	if _, err := add(path, "job"); err != nil {
		return err
	}
	inner, err := add(path+"/tasks", "tasks")
	if err != nil {
		return err
	}
	tasks, err := entries(inner, "task")
	if err != nil {
		return fmt.Errorf("%s%s/tasks: %w", p.hist.Address(), path, err)
	}
	for _, raw := range tasks {
		var t struct {
			ID string `json:"id"`
		}
		if err := p.hist.decode(path+"/tasks", raw, &t); err != nil {
			return err
		}
		if !plainID(t.ID) {
			return fmt.Errorf("%s%s/tasks: a task without a proper id: must be task_…", p.hist.Address(), path)
		}
		if _, err := add(path+"/tasks/"+t.ID+"/attempts", "taskAttempts"); err != nil {
			return err
		}
	}
	if err := p.jobConf(ctx, path, &b); err != nil {
		return err
	}
	return p.write(name, b.Bytes())
}

// property is a setting of a job as history servers and masters write it. From Hadoop 3.5.0
// on they write values that look like numbers or truth values as such, before as strings.
type property struct {
	Name  string        `json:"name"`
	Value fileio.Scalar `json:"value"`
}

// jobSettings are those of a job's settings that matter, by trace.ConfKey.
type jobSettings struct {
	Path     string     `json:"path"`
	Property []property `json:"property"`
}

// settingsOf reads a job's configuration.
func settingsOf(conf json.RawMessage) (s jobSettings, err error) {
	err = json.Unmarshal(conf, &s)
	s.Property = slices.DeleteFunc(s.Property, func(kv property) bool { return !trace.ConfKey(kv.Name) })
	return s, err
}

// jobConf keeps the configuration's settings of interest. Some history servers
// refuse to show it; then the job stays without.
func (p *puller) jobConf(ctx context.Context, path string, b *bytes.Buffer) error {
	_, inner, err := p.fetch(ctx, p.hist, path+"/conf", nil, "conf")
	if err != nil {
		if ctx.Err() != nil {
			return err
		}
		p.note("the configuration of a job could not be read from the history server: %v", err)
		return nil
	}
	conf, err := settingsOf(inner)
	if err != nil {
		return fmt.Errorf("%s%s/conf: the answer is not the expected JSON: %w", p.hist.Address(), path, err)
	}
	data, err := json.Marshal(map[string]any{"conf": conf})
	if err != nil {
		return err
	}
	b.Write(append(data, '\n'))
	return nil
}
