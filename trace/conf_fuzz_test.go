package trace

import (
	"bytes"
	"strings"
	"testing"
)

// FuzzConf: a job's configuration never breaks the reader, and an error names the file.
func FuzzConf(f *testing.F) {
	f.Add([]byte("<configuration><property><name>mapreduce.job.queuename</name><value> root.a </value></property></configuration>"))
	f.Add([]byte("<configuration><property><name>mapreduce.map.memory.mb</name></configuration>"))
	f.Add([]byte("</configuration>"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := readConf(bytes.NewReader(data), "job_conf.xml")
		if err != nil && !strings.Contains(err.Error(), "job_conf.xml") {
			t.Errorf("%v", err)
		}
		if (p == nil) == (err == nil) {
			t.Errorf("%+v, %v", p, err)
		}
	})
}
