package trace

import (
	"cmp"
	"math"
	"strconv"
	"strings"

	"schedtune/simcore"
	"schedtune/trace/internal/history"
	"schedtune/trace/runlog"
	"schedtune/trace/tezlog"
)

// This file turns histories of Tez into jobs of a trace. A job of such an application has no
// tasks of its own; Job.Tez holds what it ran. Several files describe one application, so
// they become jobs when all are read.

const tezFormat = "tez"

// readTez reads one file by itself.
func readTez(in *input, t *Trace, n *notes) error {
	r := tezlog.NewReader()
	if err := r.Read(in.r, in.name); err != nil {
		return err
	}
	addTez(r, t, n)
	return nil
}

// addTez adds the applications of the histories that were read.
func addTez(r *tezlog.Reader, t *Trace, n *notes) {
	apps := r.Apps()
	for _, note := range r.Notes() {
		if note.Where == "" {
			n.addCount(note.Count, NoteKind(note.Kind), "%s", note.Text)
		} else {
			n.addFirst(note.Count, NoteKind(note.Kind), note.Where, "%s", note.Text)
		}
	}
	for _, app := range apps {
		t.Jobs = append(t.Jobs, tezJob(app))
	}
}

// tezJob is the job of an application.
func tezJob(app *tezlog.App) Job {
	j := NewJob(app.ID)
	j.User, j.Type, j.Tez = app.User, "TEZ", app
	j.Submit = app.Submit.Or(app.Launched).Or(app.Ready)
	if !j.Submit.Known() && len(app.DAGs) > 0 {
		j.Submit = app.DAGs[0].Submit.Or(app.DAGs[0].Start)
	}
	j.Launch = app.Launched.Or(app.Ready)
	j.Finish = app.LastEnd()
	if app.Session() || !j.Finish.Known() {
		j.Finish = max(j.Finish, app.Last)
	}
	j.Maps, j.Reduces = 0, 0
	j.Queue, j.Asked = app.Queue, false
	if j.Queue == "" {
		j.Queue, j.Asked = cmp.Or(app.Conf["tez.queue.name"], "default"), true
	}
	if p, err := strconv.Atoi(app.Conf["tez.am.application.priority"]); err == nil {
		j.Priority, j.PrioritySet = p, true
	}
	j.setLabels(simcore.JobLabels{Master: app.Conf["tez.am.node-label-expression"]})
	if k := len(app.DAGs); k > 0 {
		j.Result = Result(app.DAGs[k-1].Result)
	}
	j.InputBytes, j.ShuffleBytes, j.OutputBytes = 0, 0, 0
	j.MapSize, j.AMSize = tezSizes(app)
	return j
}

// tezSize finds the size of an application's containers where no setting tells it: that given
// in MiB, else from what the ResourceManager charged for all of them together, as a whole
// multiple of 128 MiB.
func (j *Job) tezSize(given int64, n *notes) {
	switch {
	case j.Tez == nil || j.MapSize.MiB > 0 || j.Tez.LLAP():
		return
	case given > 0:
		j.MapSize = Size{given, 1}
		return
	case j.MemorySeconds <= 0:
		return
	}
	seconds := 0.0
	for _, life := range j.Tez.Lives(tezIdle) {
		if life[0].Known() && life[1] > life[0] {
			seconds += float64(life[1]-life[0]) / 1000
		}
	}
	from, to, ok := j.Span()
	if !ok || seconds <= 0 {
		return
	}
	master := float64(to-j.MasterLaunch.Or(from)) / 1000
	mib, cores := float64(j.MemorySeconds), float64(max(0, j.VCoreSeconds))
	if j.AMSize.MiB > 0 {
		mib, cores = mib-master*float64(j.AMSize.MiB), cores-master*float64(j.AMSize.VCores)
	} else { // as large as the others
		seconds += master
	}
	const step = 128
	each := math.Max(1, math.Round(cores/seconds))
	if cores > 0 {
		// the ResourceManager counts from the grant, whole seconds of each container
		seconds = cores/each + float64(len(j.Tez.Containers))/2
	}
	j.MapSize = Size{max(1, int64(math.Round(mib/seconds/step))) * step, int64(each)}
	n.add(Assumed, "container sizes of Tez applications follow from what the ResourceManager charged")
}

// tezIdle is how long an idle container stays where nothing tells it: the mean of Tez's
// defaults.
const tezIdle = 7500 // ms

// tezHoldings are the master and the containers of a Tez application.
func (j *Job) tezHoldings() (list []Holding, lost int) {
	if from, to, ok := j.Span(); ok && j.AMSize.MiB > 0 {
		list = append(list, Holding{From: j.MasterLaunch.Or(from), To: to, MiB: float64(j.AMSize.MiB),
			VCores: float64(j.AMSize.VCores), Derived: true, Master: true, Kind: AM})
	}
	if j.Tez.LLAP() {
		return list, 0
	}
	for i, life := range j.Tez.Lives(tezIdle) {
		c := &j.Tez.Containers[i]
		if !life[0].Known() || life[1] < life[0] {
			lost++
			continue
		}
		list = append(list, Holding{From: life[0], To: life[1], MiB: float64(j.MapSize.MiB),
			VCores: float64(j.MapSize.VCores), Derived: !c.Stopped.Known() || !c.Launched.Known(), Kind: Container,
			Host: c.Host})
	}
	return list, lost
}

// tezHosts calls see with the hosts where tasks ran that may have wished for a place: those
// whose number an initializer told.
func tezHosts(app *tezlog.App, see func(host string)) {
	for _, v := range app.Vertices() {
		for a := range history.Pointers(v.Attempts) {
			if v.Late && a.Container >= 0 {
				see(app.Containers[a.Container].Host)
			}
		}
	}
}

// tezVertexSizes takes the sizes of the containers of a run's Tez applications from its
// tables: by vertex, and the most frequent one as the application's. jobAt gives the job of
// an application.
func tezVertexSizes(dir string, jobAt func(app string) *Job) error {
	if runlog.KindOf(dir) != runlog.Tez {
		return nil
	}
	counts := map[string]sizeCounts{}
	err := runlog.Table(dir, "containers.csv", []string{"app", "kind", "mib", "vcores"}, func(r *runlog.Row) error {
		app := r.Str("app")
		if size := (Size{max(0, r.Num("mib")), max(0, r.Num("vcores"))}); r.Str("kind") == "TASK" && size.MiB > 0 {
			if counts[app] == nil {
				counts[app] = sizeCounts{}
			}
			counts[app][size]++
		}
		return nil
	})
	if err != nil {
		return err
	}
	for app, sizes := range counts {
		if j := jobAt(app); j != nil && j.Tez != nil {
			j.MapSize = sizes.most()
		}
	}
	return runlog.Table(dir, "vertices.csv", []string{"app", "dag", "vertex", "mib"}, func(r *runlog.Row) error {
		j := jobAt(r.Str("app"))
		if j == nil || j.Tez == nil {
			return nil
		}
		for d, v := range j.Tez.Vertices() {
			if strings.HasSuffix(r.Str("dag"), "_"+strconv.Itoa(int(d.ID))) && r.Str("vertex") == strconv.Itoa(int(v.ID)) {
				v.MiB = max(0, r.Num("mib"))
			}
		}
		return nil
	})
}

// tezSession makes a job of the ResourceManager's list what it names an application of
// Tez, which is a session as far as it knows: containers that come to what it charged, held
// from the beginning to the end. A history of the application tells more.
func (j *Job) tezSession(n *notes) {
	from, to, ok := j.Span()
	if !ok || j.MemorySeconds <= 0 {
		return
	}
	life := int64(max(1, (to-from)/1000))
	held := max(1, (max(0, j.VCoreSeconds)+life/2)/life)
	if held > maxRepeat {
		return
	}
	j.Tasks = equalContainers(int(held), from, to, Size{max(1, j.MemorySeconds/life/held), 1})
	for t := range history.Pointers(j.Tasks) {
		t.Finish, t.Result = to, j.Result
		t.Attempts[0].Released, t.Attempts[0].Result = to, j.Result
	}
	n.add(Assumed, tezSessionNote)
}

// tezSessionNote is the note on applications of Tez of which no history is there.
const tezSessionNote = "Tez applications without a history: sessions, standing load of what the ResourceManager " +
	"charged; a history of Tez tells what they ran"
