package sparklog

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net"
	"slices"
	"strconv"
	"time"

	"schedtune/trace/internal/history"
)

// REST collects what Spark's history server says of one attempt of an
// application by its REST interface (status.api.v1 of Spark 2.4 to 4.x), for
// logs that the server does not give as they are. Each method takes an answer
// of the server; App then is the application. The interface does not tell which
// stages read a stage's output, nor what is cached: stages of a job that had
// written shuffle output and ended before another was submitted count as what it
// reads, and notes say so.
type REST struct {
	app      *App
	reader   *Reader // keeps the executors
	attempts []RESTStage
	// UnderWay keeps attempts that run, without an end: the application is one that runs.
	UnderWay bool
}

// RESTStage names an attempt of a stage of the answer to stages, and how many
// tasks it started.
type RESTStage struct {
	ID, Attempt, Started int32 // Started: tasks
}

// RESTAttempt is an element of attempts in the server's list of applications.
type RESTAttempt struct {
	ID      string `json:"attemptId"`        // number; empty where the manager counts none
	Start   int64  `json:"startTimeEpoch"`   // ms
	End     int64  `json:"endTimeEpoch"`     // ms, 0 while it runs
	Last    int64  `json:"lastUpdatedEpoch"` // ms
	User    string `json:"sparkUser"`        // who submitted it
	Version string `json:"appSparkVersion"`  // of Spark
}

// NewREST begins with the server's list of applications.
func NewREST(id, name string, a RESTAttempt) *REST {
	r := NewReader()
	r.app = App{ID: id, Name: clip(name), Attempt: a.ID, User: clip(a.User), Version: clip(a.Version),
		Start: positive(a.Start), Ready: Unknown, End: positive(a.End), Last: max(positive(a.Last), positive(a.End),
			positive(a.Start))}
	return &REST{app: &r.app, reader: r}
}

// restTime is a time as the server writes it.
type restTime string

func (t restTime) millis() Millis {
	at, err := time.Parse("2006-01-02T15:04:05.000MST", string(t))
	if err != nil || at.UnixMilli() < 0 {
		return Unknown
	}
	return Millis(at.UnixMilli())
}

// Environment takes the answer to environment.
func (r *REST) Environment(data []byte) error {
	var in struct {
		Properties [][]string `json:"sparkProperties"`
		Profiles   []struct {
			ID       int32             `json:"id"`
			Executor map[string]amount `json:"executorResources"`
			Task     map[string]amount `json:"taskResources"`
		} `json:"resourceProfiles"`
	}
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	r.app.Conf = map[string]string{}
	for _, p := range in.Properties {
		if len(p) == 2 && keep(p[0]) {
			r.app.Conf[p[0]] = p[1]
		}
	}
	for _, p := range in.Profiles {
		if p.ID >= 0 && !slices.ContainsFunc(r.app.Profiles, func(q Profile) bool { return q.ID == p.ID }) {
			r.app.Profiles = append(r.app.Profiles, newProfile(p.ID, p.Executor, p.Task))
		}
	}
	return nil
}

// Executors takes the answer to allexecutors.
func (r *REST) Executors(data []byte) error {
	var in []struct {
		ID      string   `json:"id"`
		Host    string   `json:"hostPort"`
		Cores   int32    `json:"totalCores"`
		Added   restTime `json:"addTime"`
		Removed restTime `json:"removeTime"`
		Why     string   `json:"removeReason"`
		Profile int32    `json:"resourceProfileId"`
	}
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	for _, x := range in {
		host, _, err := net.SplitHostPort(x.Host)
		if err != nil {
			host = x.Host
		}
		if x.ID == "driver" {
			r.app.DriverHost = clip(host)
			continue
		}
		if !plainExecutor(x.ID) {
			return fmt.Errorf("executor %q: must be a number", clip(x.ID))
		}
		e := &r.app.Executors[r.reader.executor(x.ID)]
		e.Host, e.Cores, e.Profile = clip(host), max(x.Cores, 0), max(x.Profile, 0)
		e.Added, e.Storage, e.Removed = x.Added.millis(), x.Added.millis(), x.Removed.millis()
		if e.Removed.Known() {
			e.Why, e.End = clip(x.Why), endOf(x.Why)
		}
		r.app.Last = max(r.app.Last, e.Added, e.Removed)
	}
	return nil
}

func plainExecutor(id string) bool {
	n, err := strconv.Atoi(id)
	return err == nil && n >= 0 && len(id) < 10
}

// Jobs takes the answer to jobs.
func (r *REST) Jobs(data []byte) error {
	var in []struct {
		ID        int32    `json:"jobId"`
		Submitted restTime `json:"submissionTime"`
		Completed restTime `json:"completionTime"`
		Stages    []int32  `json:"stageIds"`
		Status    string   `json:"status"`
		Group     string   `json:"jobGroup"`
	}
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	for _, j := range in {
		job := Job{ID: j.ID, Submit: j.Submitted.millis(), End: j.Completed.millis(), Group: clip(j.Group),
			Execution: Unknown, Stages: slices.Compact(slices.Sorted(slices.Values(j.Stages)))}
		job.Result = map[string]Result{"SUCCEEDED": Succeeded, "FAILED": Failed}[j.Status]
		r.app.Jobs = append(r.app.Jobs, job)
		r.app.Last = max(r.app.Last, job.Submit, job.End)
	}
	slices.SortStableFunc(r.app.Jobs, func(a, b Job) int { return int(a.ID) - int(b.ID) })
	return nil
}

// mostStages bounds the stages of an answer; a history server keeps 1,000 unless
// told otherwise (spark.ui.retainedStages).
const mostStages = 20000

// restStage is a stage attempt of the answer to stages.
type restStage struct {
	Status    string   `json:"status"`
	ID        int32    `json:"stageId"`
	Attempt   int32    `json:"attemptId"`
	Tasks     int32    `json:"numTasks"`
	Submitted restTime `json:"submissionTime"`
	Completed restTime `json:"completionTime"`
	Name      string   `json:"name"`
	Pool      string   `json:"schedulingPool"`
	RDDs      []int32  `json:"rddIds"`
	Profile   int32    `json:"resourceProfileId"`
	Written   int64    `json:"shuffleWriteBytes"`
	Records   int64    `json:"shuffleWriteRecords"`
}

// stage returns the attempt as this package keeps it.
func (s *restStage) stage() Stage {
	st := Stage{ID: s.ID, Attempt: s.Attempt, Job: Unknown, Name: clip(s.Name), Tasks: s.Tasks,
		Profile: max(s.Profile, 0), RDD: Unknown,
		Submit: s.Submitted.millis(), End: s.Completed.millis(), Writes: s.Written > 0 || s.Records > 0}
	if len(s.RDDs) > 0 {
		st.RDD = s.RDDs[0]
	}
	st.Result = map[string]Result{"COMPLETE": Succeeded, "FAILED": Failed}[s.Status]
	return st
}

// Stages takes the answer to stages, and returns of which the tasks are to be
// asked for.
func (r *REST) Stages(data []byte) ([]RESTStage, error) {
	var in []restStage
	if err := json.Unmarshal(data, &in); err != nil {
		return nil, err
	}
	pools := map[int32]string{}
	if len(in) > mostStages {
		return nil, fmt.Errorf("%d stages: must be at most %d", len(in), mostStages)
	}
	for s := range history.Pointers(in) {
		if s.Tasks < 0 || s.ID < 0 || s.Attempt < 0 {
			return nil, fmt.Errorf("stage %d, attempt %d, of %d tasks: must be 0 or more", s.ID, s.Attempt, s.Tasks)
		}
		st := s.stage()
		if s.Status == "SKIPPED" || !st.Submit.Known() {
			r.app.Skipped = append(r.app.Skipped, SkippedStage{ID: s.ID, Tasks: s.Tasks, RDD: st.RDD})
			continue
		}
		r.app.Stages = append(r.app.Stages, st)
		r.app.Last = max(r.app.Last, st.Submit, st.End)
		pools[s.ID] = s.Pool
	}
	for j := range history.Pointers(r.app.Jobs) {
		if len(j.Stages) > 0 && pools[j.Stages[0]] != "default" {
			j.Pool = clip(pools[j.Stages[0]])
		}
	}
	slices.SortStableFunc(r.app.Stages, func(a, b Stage) int {
		return cmp.Or(cmp.Compare(a.Submit, b.Submit), cmp.Compare(a.ID, b.ID))
	})
	return r.stagesOfJobs(), nil
}

// stagesOfJobs gives every stage its job and lists the stages whose tasks are asked for.
func (r *REST) stagesOfJobs() []RESTStage {
	jobOf := map[int32]int32{}
	for k := range slices.Backward(r.app.Jobs) {
		for _, id := range r.app.Jobs[k].Stages {
			jobOf[id] = r.app.Jobs[k].ID // the first that names it
		}
	}
	r.attempts = r.attempts[:0]
	for st := range history.Pointers(r.app.Stages) {
		r.attempts = append(r.attempts, RESTStage{ID: st.ID, Attempt: st.Attempt})
		if id, ok := jobOf[st.ID]; ok {
			st.Job = id
		}
	}
	return r.attempts
}

// App is the application as far as the answers told.
func (r *REST) App() *App {
	byJob := map[int32][]*Stage{}
	several := false
	for st := range history.Pointers(r.app.Stages) {
		if st.Job == Unknown {
			continue
		}
		st.Parents = readBy(st, byJob[st.Job])
		several = several || len(st.Parents) > 0
		byJob[st.Job] = append(byJob[st.Job], st)
	}
	if several {
		r.app.Notes = append(r.app.Notes, Note{Kind: Assumed, Text: "the history server's answers do not tell which " +
			"stages a stage reads: those of its job that had written shuffle output before", Count: 1})
	}
	return r.app
}

// mostParents bounds the stages that one stage is taken to read.
const mostParents = 50

// readBy are the stages of a job that wrote shuffle output and ended before a
// stage was submitted, but for those that another of them had to wait for. The
// list is in order of submission.
func readBy(st *Stage, before []*Stage) (parents []int32) {
	first := Millis(Unknown) // submission of the latest parent found
	for i := len(before) - 1; i >= 0 && len(parents) < mostParents; i-- {
		p := before[i]
		if p.ID == st.ID || !p.Writes || p.Result != Succeeded || !p.End.Known() || p.End > st.Submit ||
			slices.Contains(parents, p.ID) {
			continue
		}
		if first.Known() && p.End <= first {
			continue // a parent waited for it
		}
		parents = append(parents, p.ID)
		if !first.Known() || p.Submit > first {
			first = p.Submit
		}
	}
	slices.Sort(parents)
	return parents
}

// lastStages are how many stages of jobs that are over tell how long tasks take.
const lastStages = 20
