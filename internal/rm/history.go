package rm

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
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
		p.note("no --history: jobs are known only as the ResourceManager tells them, without their tasks")
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

// jobKeys are the settings of a job that matter to a simulation. A job's
// configuration may hold passwords, so no other is kept.
func jobKeys() map[string]bool {
	m := map[string]bool{}
	for _, k := range strings.Fields(`mapreduce.map.memory.mb mapreduce.reduce.memory.mb mapreduce.map.cpu.vcores
		mapreduce.reduce.cpu.vcores yarn.app.mapreduce.am.resource.mb yarn.app.mapreduce.am.resource.memory-mb
		yarn.app.mapreduce.am.resource.cpu-vcores yarn.app.mapreduce.am.resource.vcores
		mapreduce.job.reduce.slowstart.completedmaps mapreduce.job.maps mapreduce.job.reduces
		mapreduce.map.speculative mapreduce.reduce.speculative mapreduce.job.running.map.limit
		mapreduce.job.running.reduce.limit yarn.app.mapreduce.am.job.reduce.rampup.limit
		yarn.app.mapreduce.am.job.reduce.preemption.limit mapreduce.job.queuename mapreduce.job.priority
		mapreduce.job.node-label-expression mapreduce.job.am.node-label-expression
		mapreduce.map.node-label-expression mapreduce.reduce.node-label-expression`) {
		m[k] = true
	}
	return m
}

// property is a setting of a job as history servers and masters write it. From Hadoop 3.5.0
// on they write values that look like numbers or truth values as such, before as strings.
type property struct {
	Name  string `json:"name"`
	Value scalar `json:"value"`
}

// scalar is a value as text, whether the answer has a string, a number or a truth value.
type scalar string

func (s *scalar) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] != '"' && b[0] != '{' && b[0] != '[' && string(b) != "null" {
		*s = scalar(b)
		return nil
	}
	return json.Unmarshal(b, (*string)(s))
}

// jobConf keeps the configuration's settings of interest. Some history servers
// refuse to show it; then the job stays without.
func (p *puller) jobConf(ctx context.Context, path string, b *bytes.Buffer) error {
	_, inner, err := p.fetch(ctx, p.hist, path+"/conf", nil, "conf")
	if err != nil {
		if ctx.Err() != nil {
			return err
		}
		p.note("no configuration of a job: %v", err)
		return nil
	}
	var conf struct {
		Path     string     `json:"path"`
		Property []property `json:"property"`
	}
	if err := p.hist.decode(path+"/conf", inner, &conf); err != nil {
		return err
	}
	keep, wanted := conf.Property[:0], jobKeys()
	for _, kv := range conf.Property {
		if wanted[kv.Name] {
			keep = append(keep, kv)
		}
	}
	conf.Property = keep
	data, err := json.Marshal(map[string]any{"conf": conf})
	if err != nil {
		return err
	}
	b.Write(append(data, '\n'))
	return nil
}
