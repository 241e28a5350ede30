package report

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"schedtune/internal/cli"
	"schedtune/internal/fileio"
	"schedtune/internal/scenario"
	"schedtune/internal/study"
	"schedtune/internal/text"
	"schedtune/tune"
	"schedtune/yarnconf"
)

// Names of the files in an output folder.
const (
	FileMutation = "scheduler-conf.json"
	FileUnmutate = "scheduler-conf.rollback.json"
	FileRollback = "rollback.xml"
	FileDiff     = "rollback.diff"
	FileSummary  = fileio.Marker
	FileTrials   = "trials.jsonl"
	FileReport   = "report.html"
	FileReadme   = "README.txt"
	// FileFound is the queue file with the best settings found, where they are not recommended.
	FileFound = "best-found.xml"
)

// Write puts the recommendation and its evidence into the folder under way.
// Equal inputs give equal bytes.
func Write(dir *fileio.Dir, s *study.Study, sum *Summary, r *tune.Result) error {
	files, err := QueueFiles(s, r.Best.Settings)
	if err != nil {
		return err
	}
	if found := r.Withheld(); found != nil {
		doc, _, err := s.Tuned(found.Settings)
		if err != nil {
			return err
		}
		files[0].Data = s.Case.Doc.Bytes() // byte for byte
		files = append(files, fileio.OutputFile{Name: FileFound, Data: doc.Bytes()})
	}
	summary, err := cli.EncodeJSON(sum)
	if err != nil {
		return err
	}
	beside := Companions("this "+study.FileConfig, s.Space.Companions(r.Best.Settings))
	files = append(append(files, beside...), fileio.OutputFile{Name: FileReadme, Data: []byte(readme(sum, beside))},
		fileio.OutputFile{Name: FileSummary, Data: summary})
	if err := dir.WriteAll(files); err != nil {
		return err
	}
	return writeReport(dir, s, sum, r)
}

// QueueFiles are the queue file with settings applied, the request that makes the same
// change, and what takes either back.
func QueueFiles(s *study.Study, set tune.Settings) ([]fileio.OutputFile, error) {
	tuned, _, err := s.Tuned(set)
	if err != nil {
		return nil, err
	}
	present := s.Case.Doc
	there, err := mutation(present, tuned)
	if err != nil {
		return nil, err
	}
	back, err := mutation(tuned, present)
	if err != nil {
		return nil, err
	}
	return []fileio.OutputFile{{Name: study.FileConfig, Data: tuned.Bytes()}, {Name: FileMutation, Data: there},
		{Name: FileUnmutate, Data: back},
		{Name: FileRollback, Data: present.Bytes()},
		{Name: FileDiff, Data: []byte(yarnconf.Diff(study.FileConfig, "current/"+study.FileConfig, tuned.Bytes(),
			present.Bytes()))}}, nil
}

// mutation is the request that changes one file to another.
func mutation(from, to *yarnconf.Document) ([]byte, error) {
	m, err := yarnconf.NewMutation(from, to)
	if err != nil {
		return nil, err
	}
	return m.JSON()
}

// interrupted reports a study without a confirmation: there is nothing to apply.
func (sum *Summary) interrupted() bool { return sum.Study.Status == tune.Cancelled }

// readme is the outcome in full, what each file is, how to apply the change and how to roll back.
func readme(sum *Summary, beside []fileio.OutputFile) string {
	var b strings.Builder
	p := func(format string, a ...any) { fmt.Fprintf(&b, format+"\n", a...) }
	sum.Print(&b, View{Verbose: true, readme: true})
	sum.readmeFiles(&b, beside)
	switch {
	case sum.interrupted():
		p("\nThis study was interrupted before its confirmation. The same command with the same --out resumes it.")
	case sum.Recommended:
		if sum.queues() {
			p("\ntune apply DIR --rm URL checks the change against the cluster and makes it; tune rollback DIR --rm URL " +
				"reverts it.")
		}
		for _, list := range sum.instructions() {
			p("\n%s", list.Name)
			for i, s := range list.Steps {
				s.print(p, fmt.Sprintf("%d. ", i+1))
			}
			if list.Instead != nil {
				list.Instead.print(p, "")
			}
		}
	}
	return b.String()
}

// print writes a step as a sentence, and its command below it.
func (s *step) print(p func(format string, a ...any), number string) {
	p("%s%s", number, text.Wrap(upperFirst(s.Text)+".", columns-3))
	if s.Command != "" {
		p("     %s", s.Command)
	}
}

// readmeFiles lists what the folder holds.
func (sum *Summary) readmeFiles(w io.Writer, beside []fileio.OutputFile) {
	current, request := "the current queue file, byte for byte", "the same change as a request to the scheduler-conf API"
	state := "the queue file with the recommended settings"
	if !sum.Recommended {
		state, request = current, "a request to the scheduler-conf API that changes nothing"
	}
	tw := text.New(w)
	fmt.Fprintln(tw, "\nFiles")
	rows := [][2]string{{study.FileConfig, state}}
	if sum.BestFound != nil && !sum.Recommended {
		rows = append(rows, [2]string{FileFound, "the best settings found, which are not recommended"})
	}
	for _, f := range beside {
		what := "values that belong into " + f.Name + " or into jobs"
		if strings.Contains(f.Name, rollbackMark) {
			what = "the values before"
		}
		rows = append(rows, [2]string{f.Name, what})
	}
	for _, f := range append(rows, [][2]string{{FileMutation, request}, {FileUnmutate, "the rollback as such a request"},
		{FileRollback, current}, {FileDiff, "the rollback as a diff"}, {FileSummary, "figures, intervals, changes"},
		{FileTrials, "every configuration tried and every run"}, {FileReport, "the report"},
		{"plots/", "its charts, and " + filepath.Base(FileTracks) + " for ui.perfetto.dev"}}...) {
		fmt.Fprintf(tw, "  %s\t%s\n", f[0], f[1])
	}
	tw.Flush()
}

// step is one thing to do: what it is for, and the command that does it where one would.
type step struct{ Text, Command string }

// instructions are the steps that bring the recommendation in, or that roll it back. Instead is what takes
// the place of the first where the ResourceManager may keep the queues itself, nil where it does not.
type instructions struct {
	Name    string
	Steps   []step
	Instead *step
}

func (sum *Summary) instructions() []instructions {
	return []instructions{{"Apply", sum.steps(".", false), sum.request(FileMutation)},
		{"Roll back", sum.steps(".", true), sum.request(FileUnmutate)}}
}

// request sends the queues' changes without tune; nil where the ResourceManager reads a file.
func (sum *Summary) request(file string) *step {
	if sum.Inputs.Store == scenario.StoreFile || !sum.queues() {
		return nil
	}
	why := "where the queues are kept in a store (leveldb, ZooKeeper), -refreshQueues is disabled: send the change " +
		"to the ResourceManager instead of step 1"
	if sum.mutable() {
		why = "without tune: send the change to the ResourceManager. It keeps the queues in a store, so that a copied file " +
			"changes nothing"
	}
	return &step{why, "curl -X PUT -H 'Content-Type: application/json' -d @" + file + " " +
		cli.ShellWord(cmp.Or(sum.Inputs.RM, "http://RESOURCEMANAGER:8088")+"/ws/v1/cluster/scheduler-conf")}
}

// steps bring the recommendation in from the files of a folder, or roll it back. None if nothing changes.
func (sum *Summary) steps(dir string, back bool) (out []step) {
	add := func(format string, args ...any) { out = append(out, step{Text: fmt.Sprintf(format, args...)}) }
	if sum.queues() {
		out = append(out, sum.inForce(dir, back))
	}
	for _, c := range sum.Changes {
		if c.Needs == "restart" {
			add("restart the ResourceManager: %s is read at its start only", c.Property)
		}
	}
	for _, c := range sum.Changes {
		switch {
		case c.File != study.FileMapred:
		case back:
			add("set %s back to %s in mapred-site.xml", c.Setting, c.From)
		default:
			add("put %s %s into the cluster's mapred-site.xml or into jobs (the lines are in %s)", c.Setting, c.To,
				filepath.Join(dir, study.FileMapred))
		}
	}
	for _, file := range sum.engines() {
		if back {
			add("put the lines of %s back into %s", filepath.Join(dir, RollbackOf(file)), file)
		} else {
			add("put the lines of %s into %s; applications submitted from then on use them, unless they set their own",
				filepath.Join(dir, file), file)
		}
	}
	return out
}

// EngineFiles are the names of the files of defaults of Spark and Tez.
var EngineFiles = []string{study.FileSpark, study.FileTez}

// RollbackOf is the name of the file that takes those defaults back.
func RollbackOf(file string) string {
	ext := filepath.Ext(file)
	return strings.TrimSuffix(file, ext) + rollbackMark + ext
}

const rollbackMark = ".rollback"

// engines returns those of the files that a setting changes in.
func (sum *Summary) engines() (files []string) {
	for _, file := range EngineFiles {
		if sum.changes(file) {
			files = append(files, file)
		}
	}
	return files
}

// changes reports whether a setting of a file changes.
func (sum *Summary) changes(file string) bool {
	return slices.ContainsFunc(sum.Changes, func(c Change) bool { return c.File == file })
}

// queues reports whether a setting of the queue file changes.
func (sum *Summary) queues() bool { return sum.changes(study.FileConfig) }

// mutable reports whether the ResourceManager keeps the queues in a store, as far as known.
func (sum *Summary) mutable() bool { return sum.Inputs.Store == scenario.StoreMutable }

// inForce puts a queue file of the folder in force: with tune where the ResourceManager takes the change
// itself, else by a copy and a refresh.
func (sum *Summary) inForce(dir string, back bool) step {
	command, file := "apply", study.FileConfig
	if back {
		command, file = "rollback", FileRollback
	}
	if !sum.mutable() {
		return step{"copy the file and refresh the queues", "cp " + cli.ShellWord(filepath.Join(dir, file)) +
			" $HADOOP_CONF_DIR/" + study.FileConfig + " && yarn rmadmin -refreshQueues"}
	}
	rm := "http://RESOURCEMANAGER:8088"
	if sum.Inputs.RM != "" {
		rm = cli.ShellWord(sum.Inputs.RM)
	}
	return step{"check the change against the cluster and send it to the ResourceManager", "tune " + command + " " +
		cli.ShellWord(dir) + " --rm " + rm + " --yes  # --auth as the cluster wants it; without --yes it shows what it " +
		"would send"}
}

// Companions are files with the settings that go with a recommendation and belong into
// no queue file, and what takes them back. with names the queue file or files in their comments.
func Companions(with string, beside []study.Companion) (files []fileio.OutputFile) {
	for _, f := range beside {
		write := yarnconf.Fragment
		if f.Name == study.FileSpark {
			write = sparkFragment
		}
		files = append(files, fileio.OutputFile{Name: f.Name,
			Data: write("Values for "+f.Name+" (or single jobs) that go with "+with+".", f.To)})
		if f.Back != nil {
			files = append(files, fileio.OutputFile{Name: RollbackOf(f.Name),
				Data: write("Rollback: the values that most applications ran with before.", f.Back)})
		}
	}
	return files
}

// sparkFragment writes lines for spark-defaults.conf.
func sparkFragment(comment string, changes []yarnconf.Change) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n", comment)
	for _, c := range changes {
		fmt.Fprintf(&b, "%-52s %s\n", c.Key, c.Value)
	}
	return []byte(b.String())
}
