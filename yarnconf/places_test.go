package yarnconf

import (
	"fmt"
	"strings"
	"testing"
)

// A file of 20,000 queues is checked in a time that grows with its size: each of
// the places of its 40,000 warnings is found without reading the file again.
func TestManyQueues(t *testing.T) {
	report := Check(manyQueues(t, 20_000))
	if len(report.Problems) < 20_000 || report.Count(Error) > 0 {
		t.Fatalf("%d problems, %d errors", len(report.Problems), report.Count(Error))
	}
	for _, p := range report.Problems[1:] { // there is no queue default
		path := strings.TrimPrefix(p.Key[:strings.LastIndexByte(p.Key, '.')], Prefix+"root.q")
		var k int
		if _, err := fmt.Sscan(path, &k); err != nil || p.Line != k+2 {
			t.Fatalf("%s is shown at line %d", p.Key, p.Line)
		}
	}
}

func manyQueues(t testing.TB, n int) *Document {
	t.Helper()
	var names []string
	var b strings.Builder
	for k := range n {
		names = append(names, fmt.Sprint("q", k))
	}
	fmt.Fprintf(&b, "<configuration><property><name>%s</name><value>%s</value></property>\n", Key("root", "queues"),
		strings.Join(names, ","))
	for _, q := range names {
		fmt.Fprintf(&b, "<property><name>%s</name><value>%g</value></property><property><name>%s</name><value>1</value></property>"+
			"\n", Key("root."+q, Capacity), 100/float64(n), Key("root."+q, UserFactor))
	}
	d, err := Parse("many.xml", []byte(b.String()+"</configuration>"))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func BenchmarkCheck(b *testing.B) {
	for _, n := range []int{100, 2_000, 20_000} {
		b.Run(fmt.Sprint("queues=", n), func(b *testing.B) {
			d := manyQueues(b, n)
			for b.Loop() {
				Check(d)
			}
		})
	}
}
