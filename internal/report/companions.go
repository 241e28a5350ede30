package report

import (
	"fmt"
	"strings"

	"schedtune/internal/fileio"
	"schedtune/internal/study"
	"schedtune/yarnconf"
)

// Companions are files with the settings that go with a recommendation and belong into
// no queue file: a slowstart for mapred-site.xml ("" = as it is), defaults of Spark and
// what takes them back. with names the queue file or files in their comments.
func Companions(with, slowstart string, spark, back []yarnconf.Change) []fileio.OutputFile {
	var files []fileio.OutputFile
	if slowstart != "" {
		files = append(files, fileio.OutputFile{Name: study.FileMapred,
			Data: yarnconf.Fragment("Values for mapred-site.xml (or single jobs) that go with "+with+".",
				[]yarnconf.Change{{Key: study.SlowstartKey, Value: slowstart}})})
	}
	if len(spark) > 0 {
		files = append(files,
			fileio.OutputFile{Name: study.FileSpark, Data: sparkFragment("Lines for spark-defaults.conf that go with "+with+".",
				spark)},
			fileio.OutputFile{Name: FileUnspark, Data: sparkFragment("Rollback: the values that most applications ran with "+
				"before.", back)})
	}
	return files
}

// sparkFragment writes lines for spark-defaults.conf.
func sparkFragment(comment string, changes []yarnconf.Change) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n", comment)
	for _, c := range changes {
		fmt.Fprintf(&b, "%-52s %s\n", c.Key, study.SparkFileValue(c))
	}
	return []byte(b.String())
}
