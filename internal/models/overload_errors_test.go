package models

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"strings"
	"testing"

	"schedtune/internal/scenario"
)

// cutGzip is the first half of a packed log.
func cutGzip() string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	fmt.Fprintln(z, "x,load1")
	for i := range 5000 {
		fmt.Fprintf(z, "%d,%d\n", i*7919%997, i*31%101)
	}
	z.Close()
	return b.String()[:b.Len()/2]
}

// An option that is no column or no expression is an error of its flag; those of a saved model are not.
func TestOptionErrors(t *testing.T) {
	log := "node,time,x\na,1,1\na,2,2\na,3,1\n"
	for name, c := range map[string]struct {
		opt  OverloadOptions
		flag string
	}{
		"node":     {OverloadOptions{Label: "x > 1", Names: Names{Node: "nope"}}, "--node"},
		"time":     {OverloadOptions{Label: "x > 1", Names: Names{Time: "nope"}}, "--time"},
		"label":    {OverloadOptions{Label: "x >"}, "--label"},
		"features": {OverloadOptions{Label: "x > 1", Features: []string{"nope"}}, "--features"},
	} {
		t.Run(name, func(t *testing.T) {
			var flag *scenario.FlagError
			if _, err := FitOverload(source([]byte(log)), c.opt); !errors.As(err, &flag) || flag.Flag != c.flag {
				t.Errorf("got %v, want an error of %s", err, c.flag)
			}
		})
	}
	r, err := FitOverload(source([]byte(log)), OverloadOptions{Label: "x > 1"})
	if err != nil {
		t.Fatal(err)
	}
	var flag *scenario.FlagError
	_, err = FitOverload(source([]byte("node,time,y\na,1,1\n")), OverloadOptions{Continue: r.Model})
	if err == nil || errors.As(err, &flag) {
		t.Errorf("got %v, want an error of no flag", err)
	}
}

// An interval of a balanced accuracy lies within 0 and 1, one of a cost above 0.
func TestIntervalsAreBounded(t *testing.T) {
	for _, cost := range []float64{0, 5} {
		c := newContest([]*online{newOnline("x", nil)}, cost)
		for i := range 40 {
			d := decision{even: make([]int, len(c.names))}
			d.even[0] = i % 2
			if i == 20 { // one error
				d.even[0] = 1
			}
			c.add(&d, i%2)
		}
		d := c.best(func(int) bool { return true }, []int{1, 2, 3, 4})
		if cost == 0 && (d.High != 1 || !(d.Low < d.Value)) || cost > 0 && (d.High != 0 || !(d.Low < d.Value)) {
			t.Errorf("cost %v: got %v, %v to %v, want an end at the bound", cost, d.Value, d.Low, d.High)
		}
	}
}

func TestOverloadErrors(t *testing.T) {
	for name, c := range map[string]struct {
		log  string
		opt  OverloadOptions
		want string
	}{
		"no label":        {"x\n1\n2\n", OverloadOptions{}, "--label"},
		"unknown column":  {"x\n1\n2\n", OverloadOptions{Label: "y > 1"}, `unknown column "y"`},
		"unknown feature": {"x\n1\n2\n", OverloadOptions{Label: "x > 1", Features: []string{"z"}}, `unknown column "z"`},
		"unknown learner": {"x\n1\n2\n", OverloadOptions{Label: "x > 1", Learner: "magic"}, `learner "magic"`},
		"one row":         {"x\n1\n", OverloadOptions{Label: "x > 1"}, "no decision"},
		"short rows": {"node,x\nn1\nn1,2\n", OverloadOptions{Label: "x > 1"}, "2 rows (1 bad; first: log.csv:2: " +
			"1 fields"},
		"only unreadable rows": {"x,y\n1\n", OverloadOptions{Label: "x > 1"},
			"no row could be read (1 bad); first: log.csv:2"},
		"only texts": {"x\nq\n", OverloadOptions{Label: "x > 1"}, `column "x" holds texts`},
		"no numeric": {"node,outcome\na,good\nb,bad\n", OverloadOptions{}, "no numeric column"},
		"empty":      {"", OverloadOptions{}, "empty"},
		"header":     {"x,x\n1,2\n", OverloadOptions{Label: "x > 1"}, `log.csv:1: header: column 2 is named "x"`},
		"endless range": {"x\n-1e308\n1e308\n", OverloadOptions{Label: "x > 1"},
			`feature "x" lies between -1e+308 and 1e+308`},
		"tar": {strings.Repeat("ustar\x00", 100) + "\n", OverloadOptions{},
			"log.csv: the file is a tar archive"},
		"no text":          {"\x7fELF\x01\n", OverloadOptions{}, "log.csv: the file is binary"},
		"parquet":          {"PAR1\x15\n", OverloadOptions{}, "log.csv: the file is in Parquet's format"},
		"lz4":              {"\x04\x22\x4d\x18hb\n", OverloadOptions{}, "log.csv: the file is packed with lz4"},
		"cut gzip":         {cutGzip(), OverloadOptions{Label: "x > 1"}, "log.csv: the file is truncated"},
		"feature is twice": {"x\n1\n2\n", OverloadOptions{Label: "x > 1", Features: []string{"x", "x"}}, "twice"},
	} {
		if _, err := FitOverload(source([]byte(c.log)), c.opt); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
	if _, err := FitOverload(nil, OverloadOptions{}); err == nil {
		t.Error("no sources: no error")
	}
}
