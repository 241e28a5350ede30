package study

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"schedtune/internal/outdir"
	"schedtune/tune"
	"schedtune/yarnconf"
)

// Names of the files in an output folder.
const (
	FileConfig   = "capacity-scheduler.xml"
	FileMapred   = "mapred-site.xml"
	FileSpark    = "spark-defaults.conf"
	FileUnspark  = "spark-defaults.rollback.conf"
	FileMutation = "scheduler-conf.json"
	FileRollback = "rollback.xml"
	FileDiff     = "rollback.diff"
	FileSummary  = outdir.Marker
	FileTrials   = "trials.jsonl"
	FileReport   = "report.html"
	FileReadme   = "README.txt"
)

// Write puts the recommendation and its evidence into the folder under way.
// Equal inputs give equal bytes.
func (s *Study) Write(dir *outdir.Dir, sum *Summary, r *tune.Result) error {
	tuned, slowstart, err := s.Tuned(s.recommended(r))
	if err != nil {
		return err
	}
	files := map[string][]byte{
		FileConfig:   tuned.Bytes(),
		FileRollback: s.Case.Doc.Bytes(),
		FileDiff:     []byte(yarnconf.Diff(FileConfig, "present/"+FileConfig, tuned.Bytes(), s.Case.Doc.Bytes())),
		FileReadme:   []byte(s.readme(sum, slowstart)),
	}
	if slowstart != "" {
		files[FileMapred] = yarnconf.Fragment("Values for mapred-site.xml (or single jobs) that go with this capacity-scheduler.xml.",
			[]yarnconf.Change{{Key: SlowstartKey, Value: slowstart}})
	}
	if to, back := s.Space.SparkChanges(s.recommended(r)); len(to) > 0 {
		files[FileSpark] = sparkFragment("Lines for spark-defaults.conf that go with this capacity-scheduler.xml.", to)
		files[FileUnspark] = sparkFragment("Rollback: the values that most applications ran with before.", back)
	}
	mutation, err := yarnconf.NewMutation(s.Case.Doc, tuned)
	if err != nil {
		return err
	}
	if files[FileMutation], err = mutation.JSON(); err != nil {
		return err
	}
	if files[FileSummary], err = encode(sum); err != nil {
		return err
	}
	for _, name := range []string{FileConfig, FileMapred, FileSpark, FileUnspark, FileMutation, FileRollback, FileDiff, FileReadme, FileSummary} {
		data, ok := files[name]
		if !ok {
			continue
		}
		if err := dir.WriteFile(name, data); err != nil {
			return err
		}
	}
	return s.writeReport(dir, sum, r)
}

// recommended is what the tuned file holds: the proven best, or the present
// configuration. A search stopped before its confirmation writes its best so
// far, and says so.
func (s *Study) recommended(r *tune.Result) tune.Settings { return r.Best.Settings }

func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// readme tells what each file is, how to apply and how to go back.
func (s *Study) readme(sum *Summary, slowstart string) string {
	var b strings.Builder
	p := func(format string, a ...any) { fmt.Fprintf(&b, format+"\n", a...) }
	p("%s\n", sum.Verdict)
	for _, line := range sum.promiseLines() {
		p("%s", line)
	}
	p("Jobs finished per run: %s of %s with the present settings, %s with the tuned ones; means are over these.\n",
		trimmed(sum.Finished.Present), trimmed(sum.Finished.Jobs), trimmed(sum.Finished.Best))
	for _, line := range sum.Finished.lines() {
		p("%s", line)
	}
	if len(sum.Changes) == 0 {
		p("%s is the present file, unchanged.\n", FileConfig)
	}
	p("Files")
	p("  %-24s the queue file with the recommended settings", FileConfig)
	if slowstart != "" {
		p("  %-24s values that belong into mapred-site.xml or into jobs, not into the queue file", FileMapred)
	}
	if _, ok := sum.spark(); ok {
		p("  %-24s lines that belong into spark-defaults.conf or into applications", FileSpark)
		p("  %-24s the values before", FileUnspark)
	}
	p("  %-24s the same change as a request to the ResourceManager's scheduler-conf API", FileMutation)
	p("  %-24s the present queue file, byte for byte", FileRollback)
	p("  %-24s the rollback as a diff", FileDiff)
	p("  %-24s figures, intervals, changes", FileSummary)
	p("  %-24s every configuration tried and every run", FileTrials)
	p("  %-24s the evidence to look at", FileReport)
	if len(sum.Changes) > 0 {
		s.readmeSteps(sum, p)
	}
	return b.String()
}

// readmeSteps tells how to apply the change and how to go back.
func (s *Study) readmeSteps(sum *Summary, p func(string, ...any)) {
	p("\nApply")
	for _, line := range ApplyLines(sum, ".") {
		p("  %s", line)
	}
	p("Go back")
	for _, line := range RollbackLines(sum, ".") {
		p("  %s", line)
	}
	p("\nWhere the queues are kept in a store (leveldb, ZooKeeper) -refreshQueues is off; send")
	p("%s with PUT to /ws/v1/cluster/scheduler-conf instead.", FileMutation)
}

// ApplyLines are the steps that bring the recommendation in: commands, and
// sentences where no command would do. None if nothing changes.
func ApplyLines(sum *Summary, dir string) []string {
	var lines, restart, jobs []string
	refresh, spark := false, false
	for _, c := range sum.Changes {
		switch {
		case c.File == FileMapred:
			jobs = append(jobs, fmt.Sprintf("put %s %s into mapred-site.xml (%s) or into jobs; jobs submitted from then on use it",
				c.Setting, c.To, filepath.Join(dir, FileMapred)))
		case c.File == FileSpark:
			spark = true
		case c.Needs == "restart":
			refresh = true
			restart = append(restart, "restart the ResourceManager: "+c.Property+" is read at its start only")
		default:
			refresh = true
		}
	}
	if refresh {
		lines = append(lines, copyAndRefresh(filepath.Join(dir, FileConfig)))
	}
	if spark {
		jobs = append(jobs, fmt.Sprintf("put the lines of %s into spark-defaults.conf; applications submitted from then on use them, unless they set their own", filepath.Join(dir, FileSpark)))
	}
	return append(append(lines, restart...), jobs...)
}

// RollbackLines are the steps that take it back.
func RollbackLines(sum *Summary, dir string) []string {
	var lines, jobs []string
	for _, c := range sum.Changes {
		switch {
		case c.File == FileMapred:
			jobs = append(jobs, fmt.Sprintf("set %s back to %s in mapred-site.xml", c.Setting, c.From))
		case c.File == FileSpark: // all of them at once
		case lines == nil:
			lines = append(lines, copyAndRefresh(filepath.Join(dir, FileRollback)))
		}
	}
	if _, ok := sum.spark(); ok {
		jobs = append(jobs, fmt.Sprintf("put the lines of %s back into spark-defaults.conf", filepath.Join(dir, FileUnspark)))
	}
	return append(lines, jobs...)
}

// spark returns the first change of a default of Spark, and whether there is
// one.
func (sum *Summary) spark() (Change, bool) {
	for _, c := range sum.Changes {
		if c.File == FileSpark {
			return c, true
		}
	}
	return Change{}, false
}

func copyAndRefresh(file string) string {
	return "cp " + shellWord(file) + " $HADOOP_CONF_DIR/" + FileConfig + " && yarn rmadmin -refreshQueues"
}
