package models

import (
	"bufio"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"schedtune/trace"
)

// drawnJobs writes so many jobs, and meanwhile measures how much of the heap is in use.
type drawnJobs struct {
	jobs       int
	line       func(i int) string
	begin, end string
	at         int
	rest       string
	most       uint64
}

func (d *drawnJobs) Read(p []byte) (int, error) {
	for d.rest == "" {
		switch {
		case d.at == 0:
			d.rest = d.begin
		case d.at <= d.jobs:
			d.rest = d.line(d.at - 1)
		case d.at == d.jobs+1:
			d.rest = d.end
		default:
			return 0, io.EOF
		}
		if d.at++; d.at%10000 == 0 {
			d.most = max(d.most, inUse())
		}
	}
	n := copy(p, d.rest)
	d.rest = d.rest[n:]
	return n, nil
}

func inUse() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// A million jobs are to be clustered in half a gigabyte. Of that the garbage collector has a
// third, so while jobs are read, and when they are, no more than 230 bytes a job may be held more, whatever
// a line of a table has beside.
func TestJobsAreHeldAsFeatures(t *testing.T) {
	const jobs = 20000
	openTrace := func(r io.Reader) ([]*Facts, error) {
		list, _, err := OpenFacts("-", trace.Options{Stdin: r})
		return list, err
	}
	table := func(r io.Reader) ([]*Facts, error) {
		t, err := ReadJobs([]Source{{Name: "jobs", R: r}}, nil)
		if err != nil {
			return nil, err
		}
		return t.Jobs, nil
	}
	for name, c := range map[string]struct {
		drawnJobs
		open func(io.Reader) ([]*Facts, error)
	}{
		"table": {drawnJobs{begin: "id,submit,class,a,b,c,d,e,f,g,path\n", line: func(i int) string {
			return fmt.Sprintf("job_%d,%d,c%d,%d,%d,%d,%d,%d,%d,%d,%080d/x\n", i, i, i%7, i, 2*i, 3*i, i%9, i%3, i, i, i)
		}}, table},
		"SWIM": {drawnJobs{line: func(i int) string {
			return fmt.Sprintf("job%d\t%d\t1\t%d\t%d\t%d\n", i, i, 1000*i, 10*i, 7*i)
		}}, openTrace},
		"ResourceManager's list": {drawnJobs{begin: `{"apps":{"app":[`, end: "]}}", line: func(i int) string {
			return strings.Repeat(",", min(i, 1)) + fmt.Sprintf(`{"id":"application_1_%06d","user":"u%d","name":"job %d",`+
				`"queue":"q","state":"FINISHED","finalStatus":"SUCCEEDED","applicationType":"MAPREDUCE","startedTime":%d,`+
				`"launchTime":%d,"finishedTime":%d,"memorySeconds":%d,"vcoreSeconds":%d}`+"\n", i, i%9, i, i*1000+1, i*1000+2,
				i*1000+90000, 1024*(i+200), i+200)
		}}, openTrace},
	} {
		t.Run(name, func(t *testing.T) {
			held := func(jobs int) float64 {
				d := c.drawnJobs
				d.jobs = jobs
				before := inUse()
				list, err := c.open(bufio.NewReader(&d))
				if err != nil {
					t.Fatal(err)
				}
				if d.most = max(d.most, inUse()); len(list) != jobs {
					t.Fatalf("%d jobs, want %d", len(list), jobs)
				}
				return float64(d.most - before)
			}
			if each := (held(2*jobs) - held(jobs)) / jobs; each > 230 {
				t.Errorf("%.0f bytes a job, want at most 230", each)
			} else {
				t.Logf("%.0f bytes a job", each)
			}
		})
	}
}
