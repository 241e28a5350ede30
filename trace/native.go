package trace

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	schema "schedtune/internal/text"
	"schedtune/simcore"
	"schedtune/trace/internal/history"
	"schedtune/trace/sparklog"
	"schedtune/trace/tezlog"
)

// The native format is JSON lines: a header, then one job per line. Tasks and
// attempts are rows of integers, and hosts are written once, on the line where
// they first occur, and named by number from then on. It holds all of a Trace,
// so that writing and reading gives the same. Packed with zstd it is the
// smallest of the formats here.

// nativeSchema is in the header.
const nativeSchema = schema.SchemaTrace

// nativeLine is the header (Schema is set) or one job.
type nativeLine struct {
	Schema string `json:"schema,omitempty"`
	Name   string `json:"name,omitempty"`
	Format string `json:"format,omitempty"`
	Nodes  []Node `json:"nodes,omitempty"`
	Notes  []Note `json:"notes,omitempty"`

	ID       string    `json:"id,omitempty"`
	Job      string    `json:"job,omitempty"`
	User     string    `json:"user,omitempty"`
	Queue    string    `json:"queue,omitempty"`
	Asked    bool      `json:"asked,omitempty"`
	Class    string    `json:"class,omitempty"`
	Type     string    `json:"type,omitempty"`
	Priority *int      `json:"priority,omitempty"` // none: the queue's default
	Result   Result    `json:"result,omitempty"`
	Times    [6]Millis `json:"times"` // submit, launch, finish, map, reduce, shuffle
	Counts   [2]int    `json:"counts"`
	Sizes    [3]Size   `json:"sizes"`
	Start    float64   `json:"slowstart"`
	Bytes    [5]int64  `json:"bytes"` // input, shuffle, output, MiB s, vcore s

	NewHosts []string     `json:"newhosts,omitempty"`
	Tasks    []nativeTask `json:"tasks,omitempty"`

	Spark *sparklog.App `json:"spark,omitempty"`
	Tez   *tezlog.App   `json:"tez,omitempty"`

	Labels *simcore.JobLabels `json:"labels,omitempty"`
	Master *Millis            `json:"master,omitempty"` // MasterLaunch; none: unknown
	Work   Millis             `json:"work,omitempty"`   // MasterTime
	After  []string           `json:"after,omitempty"`
	Think  Millis             `json:"think,omitempty"`
}

// nativeTask is a task: its own figures, its input's hosts, its attempts.
type nativeTask struct {
	T [7]int64        `json:"t"` // kind, index, result, start, finish, input, output
	H []int           `json:"h,omitempty"`
	A []nativeAttempt `json:"a,omitempty"`
}

// nativeAttempt is an attempt: number, result, speculative, host (-1 = none),
// MiB, vcores, start, up, shuffle end, sort end, finish, allocated, released.
// U is memory used in MiB and processor time in milliseconds.
type nativeAttempt struct {
	V [13]int64 `json:"v"`
	C string    `json:"c,omitempty"`
	U *[2]int64 `json:"u,omitempty"`
}

// WriteNative writes the whole trace in the native format.
func (t *Trace) WriteNative(w io.Writer) error {
	bw := bufio.NewWriter(w)
	enc := json.NewEncoder(bw)
	enc.SetEscapeHTML(false)
	type header struct { // without the zero figures of a job
		Schema string `json:"schema"`
		Name   string `json:"name"`
		Format string `json:"format"`
		Nodes  []Node `json:"nodes,omitempty"`
		Notes  []Note `json:"notes,omitempty"`
	}
	if err := enc.Encode(header{nativeSchema, t.Name, t.Format, t.Nodes, t.Notes}); err != nil {
		return err
	}
	hosts := map[string]int{"": -1}
	for i := range t.Jobs {
		l := nativeJob(&t.Jobs[i], hosts)
		if err := enc.Encode(&l); err != nil {
			return fmt.Errorf("job %s: %w", t.Jobs[i].ID, err)
		}
	}
	return bw.Flush()
}

func nativeJob(j *Job, hosts map[string]int) nativeLine {
	l := nativeLine{ID: j.ID, Job: j.Name, User: j.User, Queue: j.Queue, Asked: j.Asked, Work: j.MasterTime, After: j.After, Think: j.Think, Class: j.Class, Type: j.Type,
		Result: j.Result, Spark: j.Spark, Tez: j.Tez, Labels: j.Labels,
		Times:  [6]Millis{j.Submit, j.Launch, j.Finish, j.MapTime, j.ReduceTime, j.ShuffleTime},
		Counts: [2]int{j.Maps, j.Reduces}, Sizes: [3]Size{j.MapSize, j.ReduceSize, j.AMSize}, Start: j.Slowstart,
		Bytes: [5]int64{j.InputBytes, j.ShuffleBytes, j.OutputBytes, j.MemorySeconds, j.VCoreSeconds}}
	if j.Priority != 0 || j.PrioritySet {
		l.Priority = &j.Priority
	}
	if j.MasterLaunch.Known() {
		l.Master = &j.MasterLaunch
	}
	number := func(h string) int {
		id, ok := hosts[h]
		if !ok {
			id = len(hosts) - 1
			hosts[h] = id
			l.NewHosts = append(l.NewHosts, h)
		}
		return id
	}
	for t := range history.Pointers(j.Tasks) {
		nt := nativeTask{T: [7]int64{int64(t.Kind), int64(t.Index), int64(t.Result), int64(t.Start), int64(t.Finish),
			t.InputBytes, t.OutputBytes}}
		for _, h := range t.Hosts {
			nt.H = append(nt.H, number(h))
		}
		for a := range history.Pointers(t.Attempts) {
			spec := int64(0)
			if a.Speculative {
				spec = 1
			}
			na := nativeAttempt{V: [13]int64{int64(a.Number), int64(a.Result), spec, int64(number(a.Host)),
				a.Size.MiB, a.Size.VCores, int64(a.Start), int64(a.Up), int64(a.ShuffleEnd), int64(a.SortEnd),
				int64(a.Finish), int64(a.Allocated), int64(a.Released)}, C: a.Container}
			if a.UsedMiB > 0 || a.CoreTime > 0 {
				na.U = &[2]int64{a.UsedMiB, int64(a.CoreTime)}
			}
			nt.A = append(nt.A, na)
		}
		l.Tasks = append(l.Tasks, nt)
	}
	return l
}

func readNative(in *input, t *Trace, n *notes) error {
	first := true
	var hosts []string
	return eachObject(in, func(l *nativeLine, _ int64) error {
		if first {
			first = false
			if l.Schema != nativeSchema {
				return fmt.Errorf("schema %q: must be %s", clip(l.Schema), nativeSchema)
			}
			t.Name, t.Format, t.Nodes = l.Name, l.Format, l.Nodes
			n.merge(l.Notes)
			n.complete = true
			return nil
		}
		hosts = append(hosts, l.NewHosts...)
		j, err := l.job(hosts)
		if err != nil {
			return err
		}
		t.Jobs = append(t.Jobs, j)
		return nil
	})
}

func (l *nativeLine) job(hosts []string) (Job, error) {
	if l.ID == "" {
		return Job{}, errors.New("a job without an id")
	}
	j := Job{ID: l.ID, Name: l.Job, User: l.User, Queue: l.Queue, Asked: l.Asked, MasterTime: l.Work, After: l.After, Think: l.Think, Class: l.Class, Type: l.Type,
		Result: l.Result, Spark: l.Spark, Tez: l.Tez, Labels: l.Labels, Submit: l.Times[0], Launch: l.Times[1], Finish: l.Times[2],
		MapTime: l.Times[3], ReduceTime: l.Times[4], ShuffleTime: l.Times[5], Maps: l.Counts[0], Reduces: l.Counts[1],
		MapSize: l.Sizes[0], ReduceSize: l.Sizes[1], AMSize: l.Sizes[2], Slowstart: l.Start,
		InputBytes: l.Bytes[0], ShuffleBytes: l.Bytes[1], OutputBytes: l.Bytes[2], MemorySeconds: l.Bytes[3],
		VCoreSeconds: l.Bytes[4]}
	if l.Priority != nil {
		j.Priority, j.PrioritySet = *l.Priority, true
	}
	j.MasterLaunch = Unknown
	if l.Master != nil {
		j.MasterLaunch = *l.Master
	}
	for i := range l.Tasks {
		t, err := l.Tasks[i].task(hosts)
		if err != nil {
			return j, jobErr(j.ID, "%w", err)
		}
		for a := range history.Pointers(t.Attempts) {
			if err := checkSpan(j.ID, "attempt of task "+fmt.Sprint(t.Index), a.Start, a.Finish); err != nil {
				return j, err
			}
		}
		j.Tasks = append(j.Tasks, t)
	}
	return j, checkSpan(j.ID, "job", j.Submit, j.Finish)
}

func (nt *nativeTask) task(hosts []string) (t Task, err error) {
	t = Task{Kind: Kind(nt.T[0]), Index: int(nt.T[1]), Result: Result(nt.T[2]), Start: Millis(nt.T[3]),
		Finish: Millis(nt.T[4]), InputBytes: nt.T[5], OutputBytes: nt.T[6]}
	name := func(id int64) string {
		switch {
		case id < -1 || id >= int64(len(hosts)):
			err = fmt.Errorf("host number %d: must be at most %d", id, len(hosts)-1)
		case id >= 0:
			return hosts[id]
		}
		return ""
	}
	for _, h := range nt.H {
		t.Hosts = append(t.Hosts, name(int64(h)))
	}
	for i := range nt.A {
		v, u := &nt.A[i].V, cmp.Or(nt.A[i].U, &[2]int64{})
		t.Attempts = append(t.Attempts, Attempt{UsedMiB: max(0, u[0]), CoreTime: Millis(max(0, u[1])), Number: int(v[0]),
			Result: Result(v[1]), Speculative: v[2] != 0, Host: name(v[3]),
			Container: nt.A[i].C, Size: Size{v[4], v[5]}, Start: Millis(v[6]), Up: Millis(v[7]), ShuffleEnd: Millis(v[8]),
			SortEnd: Millis(v[9]), Finish: Millis(v[10]), Allocated: Millis(v[11]), Released: Millis(v[12])})
	}
	return t, err
}
