package trace

import (
	"bytes"
	"maps"
	"strings"
	"testing"
)

// FuzzConf: a job's configuration never breaks the reader, and an error names the file. What
// the general way reads, the short one reads likewise, or leaves to it.
func FuzzConf(f *testing.F) {
	f.Add([]byte("<configuration><property><name>mapreduce.job.queuename</name><value> root.a " +
		"</value></property></configuration>"))
	f.Add([]byte("<configuration><property><name>mapreduce.map.memory.mb</name></configuration>"))
	f.Add([]byte("</configuration>"))
	f.Add([]byte("<?xml version=\"1.0\" encoding=\"UTF-8\" " +
		"standalone=\"no\"?><configuration>\n<property><name>a&lt;b</name><value>x&#13;y</value><final>false</final><source>core-default.xml</source></property>\n<property><name>mapreduce.job.priority</name><value/></property></configuration>"))
	f.Add([]byte(
		"<configuration><property><name>mapreduce.job.priority</name><value>a]]>b</value><value>2</value></property></configuration>\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := readConf(bytes.NewReader(data), "job_conf.xml")
		if err != nil && !strings.Contains(err.Error(), "job_conf.xml") {
			t.Errorf("%v", err)
		}
		if (p == nil) == (err == nil) {
			t.Errorf("%+v, %v", p, err)
		}
		short := jobConf{}
		if plainConf(data, short) {
			if long, err := xmlConf(data, "job_conf.xml"); err == nil && !maps.Equal(long, short) {
				t.Errorf("the short way %+v, the general one %+v", short, long)
			}
		}
	})
}
